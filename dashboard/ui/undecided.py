"""Questions about undecided columns."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.state import session
from dashboard.ui.table_health import inspect_table
from engine.data.kinds import Role
from engine.data.table import Table

MAX_ASKED_COLUMNS = 12
"""Columns asked for one by one; of more, the first ones, and the rest after them."""


def ask_undecided(table: Table) -> bool:
    """Ask what undecided columns are; return whether there was anything to ask.

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
        suggestions = inspect_table(table).suggestions_for(names[:MAX_ASKED_COLUMNS])
        for name in names[:MAX_ASKED_COLUMNS]:
            left, right = st.columns([3, 2], vertical_alignment="center")
            reason = _(suggestions[name].reason)
            left.markdown(f"**{plain(name)}**  \n:small[{plain(reason)}]")
            key = session.widget_key("undecided", name)
            right.segmented_control(
                plain(name),
                list(text.DECISIONS),
                format_func=lambda role: _(text.DECISIONS[role]),
                key=key,
                label_visibility="collapsed",
                on_change=_decide_column,
                args=(table, name, key),
            )
        if count > MAX_ASKED_COLUMNS:
            rest = n_(
                "{count} more column", "{count} more columns", count - MAX_ASKED_COLUMNS
            )
            st.caption(rest.format(count=f"{count - MAX_ASKED_COLUMNS:,}"))
    return True


def _decide_all(table: Table, names: tuple[str, ...], label: str, role: Role) -> None:
    st.button(
        label,
        type="primary" if role is Role.IDENTIFIER else "secondary",
        key=session.widget_key("undecided", "all", role),
        help=_(text.ROLE_HELP[role]),
        on_click=_assign,
        args=(table, dict.fromkeys(names, role)),
    )


def _decide_column(table: Table, name: str, key: str) -> None:
    role = st.session_state[key]
    if role is not None:
        _assign(table, {name: role})


def _assign(table: Table, roles: dict[str, Role]) -> None:
    session.update_workspace(table=table.assign(roles))
