"""Questions on the Release page about columns whose role is undecided."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.ui.table import undecided_groups
from dashboard.ui.table.open_questions import columns_to_ask, list_open_questions
from dashboard.ui.table.table_health import inspect_table
from engine.data.kinds import Role
from engine.data.table import Table


def ask_roles_and_return_if_undecided(table: Table) -> bool:
    """Ask for the roles of undecided columns; return whether there are any.

    The first answer, for all at once, is the safe one: they stay out of the release.
    """
    names = table.schema.with_role(Role.UNDECIDED)
    if not names:
        return False
    with st.container(border=True):
        count = len(names)
        words = n_(
            "**Nobody has said what {count} column is, so it does not leave.** "
            "Say it here, or leave it out.",
            "**Nobody has said what {count} columns are, so they do not leave.** "
            "Say it here, one by one or all at once, or leave them out.",
            count,
        )
        st.markdown(f":material/help: {words.format(count=f'{count:,}')}")
        with st.container(horizontal=True):
            _decide_all(table, names, _("Leave all of them out"), Role.IDENTIFIER)
            _decide_all(table, names, _("Protect all of them"), Role.QUASI_IDENTIFIER)
            _decide_all(table, names, _("All leave as they are"), Role.OTHER)
        ws = session.workspace()
        for group in list_open_questions(ws).roles:
            _ask_group(table, group)
        # Of these, the Data page asks first whether they say who a record is about.
        open_columns = columns_to_ask(ws)
        for name in (name for name in names if name not in open_columns):
            _ask_group(table, undecided_groups.make_undecided_group(table, (name,)))
    return True


def _ask_group(table: Table, group: undecided_groups.UndecidedGroup) -> None:
    """Ask what a column is, or columns that hold values of one kind."""
    name = group.names[0]
    title, reason = group.heading, group.examples
    if not group.holds:
        suggested = inspect_table(table).suggestions_for(group.names)[name]
        title, reason = escape_text(name), escape_text(_(suggested.reason))
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown(f"**{title}**  \n:small[{reason}]")
    key = session.widget_key("undecided", name)
    answers = list(text.DECISIONS) if group.can_leave_together else [Role.IDENTIFIER]
    right.segmented_control(
        title,
        answers,
        format_func=lambda role: _(text.DECISIONS[role]),
        key=key,
        label_visibility="collapsed",
        on_change=_decide_group,
        args=(table, group.names, key),
    )


def _decide_all(table: Table, names: tuple[str, ...], label: str, role: Role) -> None:
    st.button(
        label,
        type="primary" if role is Role.IDENTIFIER else "secondary",
        key=session.widget_key("undecided", "all", role),
        help=_(text.ROLE_HELP[role]),
        on_click=assign_role,
        args=(table, names, role),
    )


def _decide_group(table: Table, names: tuple[str, ...], key: str) -> None:
    role = st.session_state[key]
    if role is not None:
        assign_role(table, names, role)


def assign_role(table: Table, names: tuple[str, ...], role: Role) -> None:
    """Give columns of the open table a role, in the workspace."""
    session.update_workspace(table=undecided_groups.copy_with_role(table, names, role))
