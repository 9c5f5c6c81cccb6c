"""Summary on the Data page: what will leave, who could be found, what is settled."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from dashboard.app_pages.data.columns.column_facts import summarise_column
from dashboard.app_pages.data.hierarchy.hierarchy_builder import set_hierarchy
from dashboard.app_pages.data.hierarchy.hierarchy_editor import open_hierarchy_editor_at
from dashboard.app_pages.data.person import show_person_panel
from dashboard.app_pages.data.reading_questions import (
    iterate_decisions_and_undo_options,
    show_open_reading_question,
    show_reading_decisions,
)
from dashboard.charts.theme import ROLE_COLOURS
from dashboard.i18n import text, text_data
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text, quote_name
from dashboard.readers.uniqueness import (
    UniquenessCount,
    count_identifiable_records,
    make_uniqueness_input_writer,
)
from dashboard.state import session
from dashboard.state.caches.session_cache import cache_in_session
from dashboard.state.workspace import counted_person_columns
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.runs import background
from dashboard.ui.table import open_questions, table_health
from dashboard.ui.table.missing_values import (
    ask_missing_value_treatment,
    columns_without_policy,
)
from dashboard.ui.table.undecided_columns import assign_role
from dashboard.ui.table.undecided_groups import UndecidedGroup
from engine.core.errors import EngineError
from engine.data.kinds import Role
from engine.data.propose import column_labels
from engine.data.table import Table
from engine.hierarchy import Hierarchy

MAX_LISTED_HIERARCHIES = 6
"""Hierarchies that are listed; of more, the first ones."""


def show_data_questions_and_summary(
    table: Table, health: table_health.TableHealth
) -> None:
    """Show open questions, panels, columns counted by role, identifiable records."""
    questions = open_questions.list_open_questions(session.workspace())
    is_question_shown = show_open_reading_question(table, questions) or _ask_role(
        table, questions
    )
    gaps_first = not is_question_shown and bool(
        columns_without_policy(session.workspace(), health)
    )
    if gaps_first:
        with st.container(key=session.widget_key("gaps first")):
            ask_missing_value_treatment(table, health, is_next_step=False)
    show_person_panel(table)
    show_follower_panel(table)
    _what_will_leave(table)
    if table.schema.quasi_identifiers:
        _who_could_be_found(table)
    _show_settled(table)
    if not gaps_first:
        ask_missing_value_treatment(table, health, is_next_step=False)


def _show_heading(words: str) -> None:
    st.subheader(words, anchor=False)


def _ask_role(table: Table, questions: open_questions.OpenQuestions) -> bool:
    """Ask in words of every day what undecided columns are; False if none is."""
    names = open_questions.columns_to_ask(session.workspace())
    if not names:
        return False
    group = questions.roles[0]
    with st.container(border=True, key=session.widget_key("question"), gap="small"):
        _show_question(table, group)
        if group.holds:
            progress_text = _("Question 1 of {count}").format(count=len(questions))
            st.caption(f"{progress_text} · {group.examples}")
        question, safe = text_data.QUESTION, Role.QUASI_IDENTIFIER
        if group.singles_out:
            question, safe = text_data.SINGLING_QUESTION, Role.IDENTIFIER
        if group.weighs:
            question = text_data.WEIGHT_QUESTION
        st.markdown(_(question))
        with st.container(horizontal=True, gap="xsmall"):
            several = len(group.names) > 1
            answers = text_data.ANSWERS_FOR_SEVERAL if several else text_data.ANSWERS
            if group.singles_out and not several:
                answers = text_data.SINGLING_ANSWERS
            for role, answer in answers.items():
                if not group.can_leave_together and role is not Role.IDENTIFIER:
                    continue  # such a column leaves where it is said of it alone
                st.button(
                    _(answer),
                    # The next step is grey until it is answered.
                    type="primary" if role is safe else "secondary",
                    key=session.widget_key("answer", role),
                    help=_(text.ROLE_HELP[role]),
                    on_click=assign_role,
                    args=(table, group.names, role),
                )
            if several:
                st.button(
                    _("One by one"),
                    key=session.widget_key("answer", "one by one"),
                    type="tertiary",
                    on_click=open_questions.set_one_question_per_column,
                    args=(table,),
                )
        if len(names) > 1:
            with make_row(gap="xsmall"):
                st.caption(
                    _("All {count} at once:").format(count=f"{len(names):,}"),
                    width="content",
                )
                for role, answer in text_data.ANSWERS_FOR_ALL.items():
                    st.button(
                        _(answer),
                        key=session.widget_key("answer all", role),
                        help=_(text.ROLE_HELP[role]),
                        on_click=assign_role,
                        args=(table, names, role),
                    )
    return True


def _show_question(table: Table, group: UndecidedGroup) -> None:
    """Show what a column, or the columns of a group, are and hold."""
    name = group.names[0]
    label = column_labels(table.origin).get(name, "")
    values = summarise_column(table.frame[name], table.origin).examples
    if group.holds:
        _show_heading(group.heading)
        sentence = _("{name} holds {values}.").format(name=name, values=values)
    else:
        count = table_health.inspect_table(table).count_distinct(name)
        words = n_("{name}: {count} value", "{name}: {count} values", count)
        _show_heading(words.format(name=escape_text(name), count=f"{count:,}"))
        sentence = _("It holds {values}.").format(values=values)
    st.caption(escape_text(f"{label} · {sentence}" if label else sentence))


def _what_will_leave(table: Table) -> None:
    """Show how many columns share each fate."""
    _show_heading(_("What will leave"))
    lines = []
    for role, count in count_roles(table).items():
        if role is Role.WEIGHT and not count:
            continue
        words = n_("{count} column", "{count} columns", count)
        lines.append(
            f'<tr title="{escape(_(text.ROLE_HELP[role]))}"><td>'
            f'<span class="fate" style="--colour: {ROLE_COLOURS[role]}">'
            f"{escape(_(text_data.FATES[role]))}</span> "
            f"{escape(_(text_data.FATE_MEANS[role]))}</td>"
            f"<td>{escape(words.format(count=f'{count:,}'))}</td></tr>"
        )
    st.html(f'<table class="leaving">{"".join(lines)}</table>')


def _protected_text(table: Table) -> tuple[str, tuple[str, ...]]:
    return table.fingerprint, table.schema.quasi_identifiers


@cache_in_session(8, {Table: _protected_text})
def _uniqueness_count(table: Table, person_columns: tuple[str, ...]) -> UniquenessCount:
    names = table.schema.quasi_identifiers
    if table.record_rows.size < table.n_records:
        table = replace(table, frame=table.records)
    if table.n_records * len(names) <= background.MAX_SYNCHRONOUS_CELLS:
        return count_identifiable_records(table, person_columns)
    key_parts, name = _protected_text(table), table.origin.name or _("table")
    write = make_uniqueness_input_writer(table, person_columns)
    uniqueness: UniquenessCount = background.take_result_or_start_and_raise(
        "standing", (*key_parts, person_columns), write, name
    )
    return uniqueness


def _who_could_be_found(table: Table) -> None:
    """Show how many records, or people, are unique before protection."""
    _show_heading(_("Who could be found in the file as it is"))
    try:
        persons = counted_person_columns(session.workspace())
        counts = _uniqueness_count(table, persons)
    except background.NotReadyError:
        background.show_elapsed_until_done(
            "standing", _("Counting records that are alike")
        )
        return
    except EngineError as error:
        st.info(escape_text(_(error.message)), icon=":material/info:")
        return
    if counts.are_people:
        words = n_(
            "of {count} person is the only one with the values of one of their records "
            "in the protected columns",
            "of {count} people are the only ones with the values of one of their "
            "records in the protected columns",
            counts.n_counted,
        )
    else:
        words = n_(
            "of {count} record is the only one with its values in the protected "
            "columns",
            "of {count} records are the only ones with their values in the protected "
            "columns",
            counts.n_counted,
        )
    words = words.format(count=f"{counts.n_counted:,}")
    share = counts.unique / max(1, counts.n_counted)
    st.html(
        f'<p class="found"><strong>{counts.unique:,}</strong> {escape(words)}</p>'
        f'<div class="share" aria-hidden="true"><div style="width: {share:.1%}"></div>'
        "</div>"
    )
    parts = [
        _("by {column} alone {count}").format(
            column=escape_text(name), count=f"{count:,}"
        )
        for name, count in counts.alone
    ]
    if len(parts) > 1:
        parts.append(
            _("by these together {count}").format(count=f"{counts.unique_together:,}")
        )
    if parts:
        st.caption(" · ".join(parts))


def _show_settled(table: Table) -> None:
    """List what was settled without a question, each thing to be undone."""
    trees = [c for c in table.schema.columns if c.hierarchy is not None]
    if not trees and not any(iterate_decisions_and_undo_options(table)):
        return
    _show_heading(_("Settled for you · undo any"))
    with st.container(key=session.widget_key("settled"), gap=None):
        show_reading_decisions(table)
        for column in trees[:MAX_LISTED_HIERARCHIES]:
            assert column.hierarchy is not None
            with make_row(wrap=False, gap="xsmall"):
                st.markdown(
                    f"**{escape_text(column.name)}**: "
                    f"{escape_text(generalisation_text(column.hierarchy))}",
                    help=_("What a value may become, step by step, where it must."),
                )
                st.button(
                    _("See"),
                    key=session.widget_key("settled", "see", column.name),
                    type="tertiary",
                    on_click=open_hierarchy_editor_at,
                    args=(column.name,),
                )
                st.button(
                    _("Undo it"),
                    key=session.widget_key("settled", "undo", column.name),
                    type="tertiary",
                    help=_("Let the column have no hierarchy."),
                    on_click=set_hierarchy,
                    args=(column.name, None),
                )
    if len(trees) > MAX_LISTED_HIERARCHIES:
        more = n_(
            "{count} more below",
            "{count} more below",
            len(trees) - MAX_LISTED_HIERARCHIES,
        )
        st.caption(more.format(count=len(trees) - MAX_LISTED_HIERARCHIES))


def show_follower_panel(table: Table) -> None:
    """Show which columns are made anew from another, each with an undo button."""
    followers = table.schema.followers
    if not followers or session.workspace().shared_plan.follows:
        return
    st.subheader(_("Columns that say the same"), anchor=False)
    with st.container(key=session.widget_key("follower panel"), gap="small"):
        for name, leading in followers.items():
            _show_follower(name, leading)


def _show_follower(name: str, leading: str) -> None:
    with make_row(gap="xsmall", wrap=False):
        words = _("{name} is made anew from {leading}, so that they never contradict.")
        st.markdown(words.format(name=quote_name(name), leading=quote_name(leading)))
        st.button(
            _("Undo it"),
            key=session.widget_key("follower", name),
            type="tertiary",
            help=_("Protect both, each with common values of its own."),
            on_click=_protect_apart,
            args=(name,),
        )


def _protect_apart(name: str) -> None:
    """Let a column follow none from now on."""
    table = session.workspace().table
    if table is None:
        return
    schema = table.schema
    columns = tuple(
        replace(column, follows=() if column.name == name else column.follows)
        for column in schema.columns
    )
    session.update_workspace(
        table=replace(table, schema=replace(schema, columns=columns))
    )


MAX_SHOWN_STEPS = 3
"""Steps of a hierarchy that are shown of it."""


def count_roles(table: Table) -> dict[Role, int]:
    """Return the number of columns of each role, in the order of the Data page."""
    roles = [column.role for column in table.schema.columns]
    return {role: roles.count(role) for role in text_data.FATES}


def generalisation_text(hierarchy: Hierarchy) -> str:
    """Return one value and its generalisations, such as ``40851 → 4085* → 408**``.

    The value in the middle, which is rarely an odd one.
    """
    row = list(dict.fromkeys(hierarchy.rows[len(hierarchy.rows) // 2]))
    steps = row[: MAX_SHOWN_STEPS + 1]
    return " → ".join(steps)
