"""Message on the written file: k as counted, what blocks the release, remedies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from dashboard.app_pages.release.delivery import CheckedRelease
from dashboard.i18n import text_person
from dashboard.i18n.language import _, capitalize_first, n_
from dashboard.i18n.markdown import escape_text, quote_name
from dashboard.jobs import jobs
from dashboard.state import session
from dashboard.ui.runs.auto_run import order_plans
from dashboard.ui.runs.durations import expected_run_seconds
from dashboard.ui.runs.obstacles import run_obstacles
from engine.analysis.verdict import Verdict
from engine.data.kinds import Role
from engine.data.table import Table
from engine.pipeline.fields.records import NO_PERSON
from engine.pipeline.outcome import Outcome
from engine.release.links import PersonLinks, find_person_links

MAX_AUTOSTART_SECONDS = 20.0
"""Expected seconds up to which what was mended is protected anew at once."""

MAX_NAMED_COLUMNS = 12
"""Columns named in the badge; of more, the first ones."""


def show_release_status(
    outcome: Outcome, table: Table, checked_release: CheckedRelease, verdict: Verdict
) -> None:
    """Show what blocks the release, else a warning, else verified k and its columns.

    Green below a green verdict alone: what was counted is less than what that judges,
    whose lines have the buttons that mend it.
    """
    drawn = outcome.probabilistic
    if checked_release.wrong:
        words = _("**Not for release.** {reason}").format(reason=checked_release.wrong)
        st.error(words, icon=":material/block:")
    elif drawn is not None:
        kind = _(drawn.kind_message)
        words = _("**{kind}.** {warning} Release it only if that is enough.").format(
            kind=capitalize_first(kind), warning=_(drawn.warning)
        )
        st.warning(words, icon=":material/casino:")
    elif outcome.uniqueness.singling_out and not _links(outcome, table).pseudonyms:
        st.warning(
            _uniqueness_text(outcome, checked_release), icon=":material/gpp_maybe:"
        )
    elif links := _links(outcome, table):
        link_text = "  \n".join(escape_text(_(sentence)) for sentence in links.said)
        column_text = _single_column_text(outcome, checked_release)
        words = f"{_(text_person.LINKED)} {link_text}  \n:small[{column_text}]"
        st.warning(words, icon=":material/link:")
        _unlink(table, links)
    elif outcome.plan.person == NO_PERSON:
        words = f"**{_(text_person.RECORDS_COUNT)}**"
        column_text = _single_column_text(outcome, checked_release)
        st.warning(f"{words}  \n:small[{column_text}]", icon=":material/groups:")
    else:
        covered = _covered(outcome, table, checked_release)
        words = f"{_promise(outcome)}  \n:small[{covered}]"
        show = st.success if verdict.colour == "green" else st.info
        show(words, icon=":material/verified_user:")


def _promise(outcome: Outcome) -> str:
    count, others = len(outcome.plan.quasi_identifiers), outcome.plan.k - 1
    if outcome.n_persons:
        words = n_(
            "**{people} people: every record shares its protected values with those of "
            "at least {others} other person.**",
            "**{people} people: every record shares its protected values with those of "
            "at least {others} other people.**",
            others,
        )
        if outcome.plan.intruder_knows == "all":
            words = n_(
                "**{people} people: everybody has the same set of protected values as "
                "at least {others} other.**",
                "**{people} people: everybody has the same set of protected values as "
                "at least {others} others.**",
                others,
            )
        if outcome.plan.counts:
            words = n_(
                "**{people} people: everybody has the same protected values, each "
                "equally often, as at least {others} other.**",
                "**{people} people: everybody has the same protected values, each "
                "equally often, as at least {others} others.**",
                others,
            )
        return words.format(people=f"{outcome.n_persons:,}", others=others)
    if count == 2:
        words = n_(
            "**Every record shares both protected values with at least {others} "
            "other.**",
            "**Every record shares both protected values with at least {others} "
            "others.**",
            others,
        )
        return words.format(others=others)
    return n_(
        "**Every record shares its protected value with at least {others}.**",
        "**Every record shares all {count} protected values with at least {others}.**",
        count,
    ).format(count=count, others=_others(others))


def _others(number: int) -> str:
    return n_("{count} other", "{count} others", number).format(count=number)


def _covered(outcome: Outcome, table: Table, delivered: CheckedRelease) -> str:
    """Say over which columns k was counted, and what else leaves."""
    plan = outcome.plan
    sentences = [
        _("k = {k} verified on the file as written, over {columns}.").format(
            k=delivered.counted_k, columns=join_column_names(plan.quasi_identifiers)
        )
    ]
    if plan.only is not None:
        words = _("Of {all} records it has the {count} of which {condition} is true.")
        sentences.append(
            words.format(
                all=f"{table.n_records:,}",
                count=f"{outcome.partition.n_records:,}",
                condition=f"`` {plan.only} ``",
            )
        )
    beside = [
        str(name)
        for name in outcome.release.columns
        if name not in (*plan.quasi_identifiers, *plan.confidential)
    ]
    if plan.confidential:
        words = _("Unchanged, because confidential: {columns}.")
        sentences.append(words.format(columns=join_column_names(plan.confidential)))
    if beside:
        words = _("Unchanged, and nobody is singled out: {columns}.")
        sentences.append(words.format(columns=join_column_names(beside)))
    if plan.identifiers:
        words = _("Gone: {columns}.")
        sentences.append(words.format(columns=join_column_names(plan.identifiers)))
    return " ".join(sentences)


def _uniqueness_text(outcome: Outcome, delivered: CheckedRelease) -> str:
    """Say who is told apart by what leaves as it is."""
    uniqueness = outcome.uniqueness
    if uniqueness.n_persons:
        who = n_(
            "**{count} of {all} people shares values with fewer than {others}**",
            "**{count} of {all} people share values with fewer than {others}**",
            uniqueness.fewer,
        ).format(
            count=f"{uniqueness.fewer:,}",
            all=f"{uniqueness.n_persons:,}",
            others=_others(uniqueness.k - 1),
        )
    elif uniqueness.unique:
        who = n_(
            "**{count} of {all} records is the only one with its values**",
            "**{count} of {all} records are the only ones with their values**",
            uniqueness.unique,
        ).format(count=f"{uniqueness.unique:,}", all=f"{uniqueness.n_records:,}")
    else:
        who = n_(
            "**{count} of {all} records shares its values with fewer than {others}**",
            "**{count} of {all} records share their values with fewer than {others}**",
            uniqueness.fewer,
        ).format(
            count=f"{uniqueness.fewer:,}",
            all=f"{uniqueness.n_records:,}",
            others=_others(uniqueness.k - 1),
        )
    beside = n_(
        "{who} once {columns} counts, which leaves as it is.",
        "{who} once {columns} count, which leave as they are.",
        len(uniqueness.singling_out),
    ).format(who=who, columns=join_column_names(uniqueness.singling_out))
    return f"{beside}  \n:small[{_single_column_text(outcome, delivered)}]"


def _single_column_text(outcome: Outcome, delivered: CheckedRelease) -> str:
    return _("k = {k} verified on the file as written, over {columns} only.").format(
        k=delivered.counted_k, columns=join_column_names(outcome.plan.quasi_identifiers)
    )


def _links(outcome: Outcome, table: Table) -> PersonLinks:
    """Return what of the file says which records are one person's."""
    return find_person_links(outcome, table, session.workspace().shuffle)


def _unlink(table: Table, links: PersonLinks) -> None:
    """Show the buttons that leave out, or mix up, what links records."""
    with st.container(horizontal=True):
        if links.columns:
            st.button(
                n_("Leave it out", "Leave them out", len(links.columns)),
                type="primary",
                icon=":material/visibility_off:",
                help=join_column_names(links.columns),
                key=session.widget_key("unlink", "leave out"),
                on_click=assign_roles_and_start_quick_run,
                args=(table, dict.fromkeys(links.columns, Role.IDENTIFIER)),
            )
        if links.by_order:
            st.button(
                _("Shuffle records"),
                type="secondary" if links.columns else "primary",
                icon=":material/shuffle:",
                help=_("Write the records in a random order."),
                key=session.widget_key("unlink", "shuffle"),
                on_click=session.update_on_click,
                kwargs={"shuffle": True},
            )
        st.button(
            _("Protect the whole history"),
            icon=":material/history:",
            help=_(text_person.WHOLE_HELP),
            key=session.widget_key("unlink", "all"),
            on_click=session.update_on_click,
            kwargs={"intruder_knows": "all"},
        )


def join_column_names(names: tuple[str, ...] | list[str]) -> str:
    """Return column names joined by commas; of over 12, the first and how many more."""
    names_text = ", ".join(quote_name(name) for name in names[:MAX_NAMED_COLUMNS])
    if len(names) <= MAX_NAMED_COLUMNS:
        return names_text
    return _("{columns} and {count} more").format(
        columns=names_text, count=len(names) - MAX_NAMED_COLUMNS
    )


def propose_safer_roles(
    outcome: Outcome, table: Table, columns: Sequence[str]
) -> Mapping[str, Role]:
    """Return a new role for each given column: protected, or left out as identifier.

    Columns are protected, but for weights, which must not be averaged, and texts of
    which hardly two records share one: there is nothing to protect them by.
    """
    roles = {}
    for name in columns:
        column = table.frame[name]
        text = column.dtype.kind not in "iufM"
        rare = text and column.nunique() * outcome.plan.k > len(column)
        weighs = name == outcome.plan.weights
        roles[name] = Role.IDENTIFIER if rare or weighs else Role.QUASI_IDENTIFIER
    return roles


def show_role_remedies(
    outcome: Outcome, table: Table, columns: Sequence[str], is_first: bool
) -> None:
    """Show buttons to protect or leave out columns, unless links of records come first.

    Parameters
    ----------
    columns : sequence of str
    is_first : bool
        Whether the first of them is the one coloured button of the page.
    """
    if _links(outcome, table).pseudonyms:
        return  # what links records is mended first
    roles = propose_safer_roles(outcome, table, columns)
    out = [name for name, role in roles.items() if role is Role.IDENTIFIER]
    protect = [name for name in roles if name not in out]
    with st.container(horizontal=True):
        if protect:
            label = n_("Protect it too", "Protect them too", len(protect))
            help_ = join_column_names(protect)
            if out:
                label = _("Protect {count}, leave out {out}").format(
                    count=len(protect), out=join_column_names(out)
                )
            st.button(
                label,
                type="primary" if is_first else "secondary",
                icon=":material/shield:",
                help=help_,
                key=session.widget_key("mend", "protect"),
                on_click=assign_roles_and_start_quick_run,
                args=(table, roles),
            )
        st.button(
            n_("Leave it out", "Leave them out", len(roles)),
            type="primary" if is_first and not protect else "secondary",
            icon=":material/visibility_off:",
            help=join_column_names(list(roles)),
            key=session.widget_key("mend", "leave out"),
            on_click=assign_roles_and_start_quick_run,
            args=(table, dict.fromkeys(roles, Role.IDENTIFIER)),
        )


def assign_roles_and_start_quick_run(
    table: Table, roles: Mapping[str, Role], are_left_out_as_costly: bool = False
) -> None:
    """Assign new roles to columns; start the plans to run if they should be quick.

    The method on the page runs first, so that the page goes on showing its result.

    Parameters
    ----------
    roles : mapping of str to Role
    are_left_out_as_costly : bool
        Whether the columns are left out for the others' sake.
    """
    schema = table.schema.assign(roles)
    if are_left_out_as_costly:
        schema = schema.leave_out_costly(tuple(roles))
    outcome = session.selected_or_recommended_outcome(session.workspace())
    ws = session.update_workspace(table=replace(table, schema=schema))
    if ws.table is None or run_obstacles(ws):
        return
    results = session.requested_results(ws)
    todo = [plan for plan in session.resolve_plans(ws) if plan not in results]
    if todo and expected_run_seconds(todo, ws.table) <= MAX_AUTOSTART_SECONDS:
        plans = order_plans(session.resolve_plans(ws), ws.table, ws.selected_k)
        if outcome is not None:
            plans.sort(
                key=lambda p: (p.method, p.k) != (outcome.plan.method, outcome.plan.k)
            )
        session.set_current_job(jobs.start_run(ws.table, plans, known_results=results))
