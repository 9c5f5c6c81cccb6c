"""Editable list of columns on the Data page: content, role and reason of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Required

import streamlit as st
from typing_extensions import TypedDict

from dashboard.app_pages.data.columns.column_facts import (
    ColumnValuesSummary,
    summarise_column,
)
from dashboard.charts.theme import ROLE_COLOURS
from dashboard.i18n import text, text_data
from dashboard.i18n.language import _, current
from dashboard.state import session
from dashboard.state.caches.session_cache import cache_in_session
from dashboard.ui.browser_components.component_values import read_component_value
from dashboard.ui.table import table_health
from engine.data.kinds import Kind, Role
from engine.data.propose import column_labels, suggest_schema
from engine.data.schema import Column
from engine.data.table import Table

_list = st.components.v2.component(
    "coterie_column_list",
    html='<div class="columns"></div>',
    css=Path(__file__).with_suffix(".css").read_text(encoding="utf-8"),
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


FIRST_COLUMNS = 40
"""Columns that are sent at once with all that is shown of them, those to be decided
before others; the rest follows when somebody comes to it."""

MAX_COLUMNS_PER_REQUEST = 300
"""Columns that are looked at when somebody comes to them, at most."""


def show_column_list(table: Table) -> None:
    """Show the editable list of columns; each change goes to the workspace at once.

    Its room is kept while it is not there yet: nothing below it moves.
    """
    key = session.widget_key("columns")
    st.html(f"<style>*{{--n-columns:{len(table.schema.columns)}}}</style>")
    with st.container(key=session.widget_key("column list")):
        _list(
            key=key,
            data=column_list_component_data(table),
            height="content",
            on_change_change=lambda: _take_over(key),
            on_want_change=lambda: _look_at(key),
        )


def column_list_component_data(table: Table) -> dict[str, Any]:
    """Return the column list's data: names, roles, kinds, texts and known facts."""
    shown_columns, columns = _shown(table), table.schema.columns
    roles, kinds = list(text_data.FATES), list(Kind)
    order = sorted(columns, key=lambda column: column.role is not Role.UNDECIDED)
    shown_columns.add_columns(order[:FIRST_COLUMNS])
    places = {fate: at for at, fate in enumerate(roles)}
    return {
        "table": table.fingerprint,
        "language": current(),
        "undecided": str(Role.UNDECIDED),
        "roles": [
            {
                "id": str(role),
                "label": _(name),
                "help": f"{_(text.ROLE_NAMES[role])}: {_(text.ROLE_HELP[role])}",
                "colour": ROLE_COLOURS[role],
            }
            for role, name in text_data.FATES.items()
        ],
        "kinds": [
            {
                "id": str(kind),
                "label": _(text_data.KINDS[kind]),
                "help": f"{_(text.KIND_NAMES[kind])}: {_(text_data.KIND_HELP[kind])}",
            }
            for kind in kinds
        ],
        "texts": {
            **{name: _(words) for name, words in text_data.LIST.items()},
            "heads": {name: _(words) for name, words in text_data.HEADS.items()},
            "help": {name: _(words) for name, words in text_data.HEAD_HELP.items()},
        },
        "name": [column.name for column in columns],
        "kind": [kinds.index(column.kind) for column in columns],
        "role": [places[column.role] for column in columns],
        "facts": {
            at: shown_columns.column_details(column)
            for at, column in enumerate(columns)
            if column.name in shown_columns.facts
        },
    }


class _Shown:
    """The columns of one table that somebody has come to."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.facts: dict[str, ColumnValuesSummary] = {}

    def add_columns(self, columns: Sequence[Column]) -> None:
        """Look at columns."""
        new = [column.name for column in columns if column.name not in self.facts]
        table_health.inspect_table(self._table).suggestions_for(new)
        records = self._table.records
        for name in new:
            self.facts[name] = summarise_column(records[name], self._table.origin)

    def column_details(self, column: Column) -> list[str]:
        """Return values, count, spread, bars, why and label of a column."""
        fact = self.facts[column.name]
        advice = table_health.inspect_table(self._table).suggestions_for([column.name])
        bars = "" if column.kind is Kind.NOMINAL else fact.bars
        why = table_health.role_reason_text(advice[column.name], column)
        label = column_labels(self._table.origin).get(column.name, "")
        return [fact.examples, fact.count_text, fact.range_text, bars, why, label]


_shown = cache_in_session(4)(_Shown)
"""Kept by the table's values: roles and kinds change, and nothing is looked at anew."""


class RequestedColumns(TypedDict):
    """Names of columns that come into view, and the fingerprint of their table."""

    table: str
    names: list[str]


class ColumnChange(TypedDict, total=False):
    """Change of columns: one new role or kind, or a return to the proposed ones."""

    names: Required[list[str]]
    role: Role | None
    kind: Kind | None
    proposed: bool | None


def _look_at(key: str) -> None:
    """Look at columns that somebody comes to."""
    table = session.workspace().table
    request = read_component_value(key, "want", RequestedColumns)
    if table is not None and request and request["table"] == table.fingerprint:
        names = [
            name
            for name in request["names"][:MAX_COLUMNS_PER_REQUEST]
            if name in table.schema
        ]
        _shown(table).add_columns([table.schema[name] for name in names])


def _take_over(key: str) -> None:
    """Keep a change before the page is drawn again."""
    change = read_component_value(key, "change", ColumnChange)
    table = session.workspace().table
    if change and table is not None:
        session.update_workspace(table=copy_with_column_change(table, change))


def copy_with_column_change(table: Table, change: ColumnChange) -> Table:
    """Return the table with the chosen or proposed roles and kinds of some columns.

    Parameters
    ----------
    change : mapping
        ``names`` of columns, and the ``role`` or ``kind`` that they all get, or
        ``proposed`` for what was proposed; names that the table lacks are left out, as
        another tab's click may have opened another table meanwhile.
    """
    table_columns = set(table.schema.names)
    names = [name for name in change["names"] if name in table_columns]
    roles: dict[str, Role | str] = {}
    kinds: dict[str, Kind | str] = {}
    if change.get("proposed"):
        schema = suggest_schema(table.frame, column_labels(table.origin))
        proposed = {column.name: column for column in schema.columns}
        roles = {name: proposed[name].role for name in names}
        kinds = {name: proposed[name].kind for name in names}
    role, kind = change.get("role"), change.get("kind")
    if role:
        roles = dict.fromkeys(names, role)
    if kind:
        kinds = dict.fromkeys(names, kind)
    return table.assign(roles, kinds)
