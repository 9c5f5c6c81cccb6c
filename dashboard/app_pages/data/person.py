"""Panel on whom records are about, by which k counts persons instead of records."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text_person
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text, quote_name
from dashboard.state import session
from dashboard.state.caches.person_counts import make_person_counts
from dashboard.state.shared_choices import SHARED_CHOICES
from dashboard.state.workspace import counted_person_columns
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.table.open_questions import columns_to_ask, list_open_questions
from engine.core.errors import ParameterError
from engine.data.formats.display import format_special_columns
from engine.data.kinds import Role
from engine.data.persons import (
    code_persons,
    count_persons,
    lowest_repeated_person_code,
)
from engine.data.propose.persons import PersonProposal, propose_person
from engine.data.table import Table
from engine.pipeline.fields.records import NO_PERSON
from engine.pipeline.grouping import persons
from engine.pipeline.planning.resolve_plan import check_person_columns

MAX_EXAMPLE_COLUMNS = 2
"""Columns of a record that are shown as an example."""


def show_person_panel(table: Table) -> None:
    """Show inputs for whether k counts persons and, if so, what intruders know."""
    ws, proposal = session.workspace(), propose_person(table)
    person, counted = ws.shared_plan.person, counted_person_columns(ws)
    if proposal is None and person is None:
        return
    st.subheader(_("Who a record is about"), anchor=False)
    with st.container(key=session.widget_key("person panel"), gap="small"):
        if counted:
            _say_counted(table, counted, proposal)
        elif proposal is not None and person is None:
            _ask(table, proposal)
        else:
            st.markdown(_(text_person.RECORDS_COUNT))
            if proposal is not None:
                _count(table, proposal, _("Count the people of {column}"))
        _choose(table)
        if counted:
            _choose_knowledge(table, counted)


def _say_counted(
    table: Table, columns: tuple[str, ...], proposal: PersonProposal | None
) -> None:
    """Say how many people there are, and let it be undone."""
    counts = make_person_counts(table, columns)
    if proposal is None or proposal.columns != columns:
        n_persons = max(1, counts.n_persons)
        n_records = counts.n_records - counts.n_nobody
        proposal = PersonProposal(columns, True, "", False, False, n_persons, n_records)
    with make_row(gap="xsmall", wrap=False):
        names = escape_text(", ".join(columns))
        st.markdown(f"**{escape_text(_(proposal.says))}**", help=names)
        st.button(
            _("Undo it"),
            key=session.widget_key("person", "undo"),
            type="tertiary",
            help=_(text_person.UNDO_HELP),
            on_click=session.update_on_click,
            kwargs={"person": NO_PERSON},
        )
    ws = session.workspace()
    k = max(ws.sizes, default=0)
    if counts.n_persons < k:
        error = persons.too_few_persons_error(counts.n_persons, k, columns)
        st.warning(escape_text(_(error.message)))
    try:
        check_person_columns(ws.shared_plan, columns, table.schema.quasi_identifiers)
    except ParameterError as refused:
        st.warning(escape_text(_(refused.message)))
    for message in persons.messages_on_identifiers(columns, counts):
        st.caption(escape_text(_(message)))


def _ask(table: Table, proposal: PersonProposal) -> None:
    """Ask whether a column says who records are about; its safe answer is coloured.

    Unless another question comes before it.
    """
    with st.container(
        border=True, key=session.widget_key("person question"), gap="small"
    ):
        st.markdown(escape_text(_(proposal.question)))
        if proposal.of_group:
            st.caption(_(text_person.OF_GROUP))
        with st.container(horizontal=True, gap="xsmall"):
            ws = session.workspace()
            is_next = not (
                columns_to_ask(ws)
                or list_open_questions(ws).asks_first_of_sure_codes(table)
            )
            _count(table, proposal, _("Yes, count its people"), is_next)
            if proposal.of_group:
                st.button(
                    _("It is a group: keep it whole"),
                    key=session.widget_key("person", "household"),
                    help=_(SHARED_CHOICES["household"].help),
                    on_click=session.update_on_click,
                    kwargs={"person": NO_PERSON, "household": proposal.columns[0]},
                )
            st.button(
                _("No, count records"),
                key=session.widget_key("person", "none"),
                help=_(text_person.UNDO_HELP),
                on_click=session.update_on_click,
                kwargs={"person": NO_PERSON},
            )


def _count(
    table: Table, proposal: PersonProposal, label: str, is_next: bool = False
) -> None:
    """Show the button that counts people, whose columns then become identifiers."""
    roles = dict.fromkeys(proposal.columns, Role.IDENTIFIER)
    st.button(
        label.format(column=escape_text(proposal.columns[0])),
        type="primary" if is_next else "secondary",
        key=session.widget_key("person", "count"),
        help=_(SHARED_CHOICES["person"].help),
        on_click=session.update_on_click,
        kwargs={
            "person": proposal.columns,
            "household": None,
            "table": table.assign(roles),
        },
    )


def _choose(table: Table) -> None:
    """Show the field: one column, or several that say it together."""
    ws = session.workspace()
    free = [
        column.name
        for column in table.schema.columns
        if column.role not in (Role.QUASI_IDENTIFIER, Role.WEIGHT)
    ]
    now, declared = list(counted_person_columns(ws)), SHARED_CHOICES["person"]
    bound = session.bind_widget("person", to_widget=lambda _said: now)
    st.multiselect(
        _("k counts the people of"),
        list(dict.fromkeys([*free, *now])),
        placeholder=_("Nobody: k counts records"),
        help=_(declared.help),
        **bound | {"on_change": _take_chosen, "args": (bound["key"], table, now)},
    )


def _take_chosen(widget: str, table: Table, before: list[str]) -> None:
    """Count the people of the chosen columns, of which new ones no longer leave."""
    names = st.session_state[widget]
    added = dict.fromkeys((n for n in names if n not in before), Role.IDENTIFIER)
    session.update_workspace(
        person=tuple(names) or NO_PERSON, table=table.assign(added)
    )


def _choose_knowledge(table: Table, columns: tuple[str, ...]) -> None:
    """Ask what an intruder knows, with somebody of the file as an example."""
    st.segmented_control(
        _("What does an intruder know of somebody?"),
        list(text_person.KNOWS),
        format_func=lambda knows: _(text_person.KNOWS[knows]),
        required=True,
        help=_(SHARED_CHOICES["intruder_knows"].help),
        **session.bind_widget("intruder_knows"),
    )
    if session.workspace().shared_plan.intruder_knows == "all":
        st.checkbox(
            _("Also how often a person has the same values"),
            help=_(SHARED_CHOICES["counts"].help),
            **session.bind_widget("counts"),
        )
    quasi = table.schema.quasi_identifiers
    codes = code_persons(table.frame, columns)
    if not quasi or count_persons(codes) == 0:
        return
    example = table.frame.loc[codes == lowest_repeated_person_code(codes), list(quasi)]
    known_cells = example.iloc[[0]].dropna(axis="columns").iloc[:, :MAX_EXAMPLE_COLUMNS]
    value_texts = format_special_columns(known_cells, table.origin).astype(str)
    record = ", ".join(
        f"{quote_name(str(name))} = {escape_text(value)}"
        for name, value in zip(value_texts, value_texts.iloc[0].tolist(), strict=True)
    )
    knows = session.workspace().shared_plan.person_knowledge
    words = _(text_person.EXAMPLES[knows])
    st.caption(words.format(record=record, count=f"{len(example):,}"))
