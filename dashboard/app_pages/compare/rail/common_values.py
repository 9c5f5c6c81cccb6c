"""Aggregation: what a group's values become, for all columns or for some."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.app_pages.compare.rail import parameters
from dashboard.i18n import text_choices
from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.state import session
from dashboard.state.carry_over import ByColumn, aggregations_for
from dashboard.state.workspace import Workspace
from engine.aggregate import aggregations
from engine.aggregate.defaults import AUTO, usual_rule
from engine.data.table import Table
from engine.methods import methods

LISTED = 24
"""Columns up to which all are listed; of more, those that are asked for."""


def choose_common_values(table: Table) -> None:
    """Show the choice for all columns, and those for single ones."""
    parameters.choice(
        _("Common value"),
        "aggregation",
        aggregations,
        _(text_choices.AGGREGATION_HELP),
        auto=_(text_choices.AGGREGATION_AUTO),
    )
    ws = session.workspace()
    if table.schema.quasi_identifiers:
        _single_columns(ws, table)
    if _intervals(ws, table):
        st.toggle(
            _("Intervals also as two columns of numbers"),
            help=_(text_choices.INTERVAL_COLUMNS_HELP),
            **session.bound("interval_columns"),
        )


def _single_columns(ws: Workspace, table: Table) -> None:
    chosen = _applying(ws, table).aggregations
    with st.expander(
        _("Another common value for single columns · {count} chosen").format(
            count=len(chosen)
        )
        if chosen
        else _("Another common value for single columns"),
        expanded=bool(chosen),
        key=session.key("common values", "single"),
        type="compact",
    ):
        names = table.schema.quasi_identifiers
        if len(names) > LISTED:
            picked = st.multiselect(
                _("Columns"),
                names,
                help=_(text_choices.AGGREGATION_HELP),
                key=session.key("common values", "columns"),
            )
            names = tuple(name for name in names if name in (*chosen, *picked))
        left, right = st.columns(2)
        for position, name in enumerate(names):
            fits = aggregations_for(table, name)
            usual = join_titles(usual_rules(ws, table, name))
            (right if position % 2 else left).selectbox(
                plain(name),
                [AUTO, *[rule for rule in aggregations if rule in fits]],
                format_func=partial(_rule_words, usual=usual),
                help=_(text_choices.AGGREGATION_HELP),
                **session.bound(
                    "aggregations",
                    name,
                    default=AUTO,
                    # One chosen when the column had another kind does not count now.
                    show=partial(_shown, fits=fits),
                    read=lambda rule: None if rule == AUTO else rule,
                ),
            )


def _shown(rule: str, fits: frozenset[str]) -> str:
    return rule if rule in fits else AUTO


def _rule_words(rule: str, usual: str) -> str:
    if rule == AUTO:
        return _("As above: {usual}").format(usual=usual) if usual else _("As above")
    return _(aggregations.info(rule).title)


def usual_rules(ws: Workspace, table: Table, name: str) -> list[str]:
    """Return what a column becomes without a choice of its own, over all methods."""
    column, values = table.schema[name], table.frame[name]
    has_tree = column.hierarchy is not None
    rules = (
        usual_rule(column.kind, values, has_tree, release, ws.choices.aggregation)
        for release in (methods.info(one).traits.release for one in ws.methods)
    )
    return list(dict.fromkeys(rules))


def join_titles(rules: list[str]) -> str:
    """Return ``mean, mode or interval``."""
    titles = [_(aggregations.info(rule).title).lower() for rule in rules]
    if len(titles) < 2:
        return "".join(titles)
    return _("{first} or {last}").format(first=", ".join(titles[:-1]), last=titles[-1])


def _applying(ws: Workspace, table: Table) -> ByColumn:
    return ws.by_column.applying(table)


def _intervals(ws: Workspace, table: Table) -> bool:
    """Return whether some column may be released as intervals."""
    chosen = _applying(ws, table).aggregations
    return any(
        aggregations.info(rule).common.interval
        for name in table.schema.quasi_identifiers
        for rule in ([chosen[name]] if name in chosen else usual_rules(ws, table, name))
    )
