"""Column editor: the table on which roles and kinds are chosen."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.charts.theme import ROLE_COLOURS, fade
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui import open_file
from dashboard.ui.table_health import column_table, edited_table, explanation
from engine.data.kinds import Kind, Role
from engine.data.propose import suggest_schema
from engine.data.table import Table

LINES = 16
"""Columns shown before the table scrolls."""

EXPLAINED = 3
"""Ticked columns of which all is said that there is to say."""

_ROLE_ICONS = {
    Role.IDENTIFIER: ":material/badge:",
    Role.QUASI_IDENTIFIER: ":material/fingerprint:",
    Role.CONFIDENTIAL: ":material/lock:",
    Role.WEIGHT: ":material/balance:",
    Role.OTHER: ":material/output:",
    Role.UNDECIDED: ":material/help:",
}


def column_editor(table: Table) -> None:
    """Show the editor, and keep each edit in the workspace at once."""
    bar = st.container()
    base = column_table(table)
    key = session.key("columns", open_file.round_number())
    st.data_editor(
        _tinted(base),
        key=key,
        on_change=_take_over,
        args=(key,),
        hide_index=True,
        height=37 + 35 * min(len(base), LINES),
        disabled=["Column", "Missing", "Distinct", "Proposal"],
        column_config=_config(),
        alt=_("Columns of the table with their roles and kinds"),
    )
    if _new(key):  # an edit that came without a call
        _take_over(key)
        st.rerun()
    edits = st.session_state[key]["edited_rows"]
    ticked = [table.schema.names[line] for line in edits if edits[line].get("Tick")]
    with bar:
        _together(table, ticked)
    # Below the table, which must not move under the hand that ticks.
    for name in ticked[:EXPLAINED]:
        st.caption(explanation(table, name))


def _take_over(key: str) -> None:
    """Keep edits before the page is drawn again: it then shows them at once."""
    table = session.workspace().table
    assert table is not None
    session.update(table=edited_table(table, st.session_state[key]["edited_rows"]))


def _new(key: str) -> bool:
    """Return whether the editor holds edits that the workspace does not have."""
    table = session.workspace().table
    assert table is not None
    edited = edited_table(table, st.session_state[key]["edited_rows"])
    return edited.schema != table.schema


def _tinted(frame: pd.DataFrame) -> Any:
    """Return the frame with each column's name on the colour of its role."""

    def tint(line: pd.Series) -> list[str]:
        colour = fade(ROLE_COLOURS[line["Role"]], 0.35)
        return [
            f"background-color: {colour}" if name == "Column" else ""
            for name in line.index
        ]

    return frame.style.apply(tint, axis=1)


def _config() -> dict[str, Any]:
    column = st.column_config
    return {
        "Tick": column.CheckboxColumn("✓", width=30, help=_(text.TICK_HELP)),
        "Column": column.TextColumn(_("Column"), width=150),
        "Role": column.SelectboxColumn(
            _("Role"),
            width=140,
            options=list(map(str, Role)),
            format_func=lambda role: _(text.ROLE_NAMES[Role(str(role))]),
            required=True,
            help="  \n".join(
                f"**{_(text.ROLE_NAMES[role])}**: {_(meaning)}"
                for role, meaning in text.ROLE_HELP.items()
            ),
        ),
        "Kind": column.SelectboxColumn(
            _("Kind"),
            width=100,
            options=list(map(str, Kind)),
            format_func=lambda kind: _(text.KIND_NAMES[Kind(str(kind))]),
            required=True,
            help=_(text.KIND_COLUMN_HELP),
        ),
        "Missing": column.NumberColumn(
            _("Missing"),
            width=70,
            format="localized",
            help=_("Records without a value."),
        ),
        "Distinct": column.NumberColumn(
            _("Distinct"), width=70, format="localized", help=_("Different values.")
        ),
        "Proposal": column.TextColumn(
            _("Why this role is proposed"),
            help=_(
                "From the column's name and values. Tick a column to read it in full."
            ),
        ),
    }


def _together(table: Table, ticked: list[str]) -> None:
    """Show the buttons that set role or kind of all ticked columns."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        count = len(ticked)
        st.markdown(
            _("**{count} ticked:**").format(count=count)
            if count
            else _("Tick columns to change together:"),
            width="content",
        )
        for role, name in text.ROLE_NAMES.items():
            st.button(
                _(name),
                key=session.key("together", role),
                icon=_ROLE_ICONS[role],
                disabled=not count,
                help=_(text.ROLE_HELP[role]),
                on_click=_assign,
                args=(table, dict.fromkeys(ticked, role), {}),
            )
        with st.popover(_("Kind"), icon=":material/category:", disabled=not count):
            for kind, name in text.KIND_NAMES.items():
                st.button(
                    _(name),
                    key=session.key("together", kind),
                    width="stretch",
                    on_click=_assign,
                    args=(table, {}, dict.fromkeys(ticked, kind)),
                )
        st.button(
            _("As proposed"),
            key=session.key("together", "proposed"),
            icon=":material/restart_alt:",
            type="tertiary",
            help=_(
                "Give every column, or every ticked one, the proposed role and kind."
            ),
            on_click=_as_proposed,
            args=(table, ticked),
        )


def _assign(table: Table, roles: dict[str, Role], kinds: dict[str, Kind]) -> None:
    session.update(table=table.assign(roles, kinds))
    open_file.next_round()


def _as_proposed(table: Table, ticked: list[str]) -> None:
    names = ticked or list(table.schema.names)
    proposed = suggest_schema(table.frame)
    _assign(
        table,
        {name: proposed[name].role for name in names},
        {name: proposed[name].kind for name in names},
    )
