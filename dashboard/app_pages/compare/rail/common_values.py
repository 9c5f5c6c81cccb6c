"""Inputs for how the values of a group are aggregated, and the default aggregations."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.app_pages.compare.rail import parameters
from dashboard.app_pages.compare.rail.field_widgets import list_or_ask_columns
from dashboard.i18n import text_choices
from dashboard.i18n.language import _, within_sentence
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.state.new_tables.carry_over import aggregations_for_column
from dashboard.state.workspace import Workspace, low_median_aggregations_by_column
from engine.aggregate import aggregations
from engine.aggregate.defaults import AUTO, suitable_or_default_aggregation_id
from engine.data.table import Table
from engine.methods import methods


def show_aggregation_inputs(table: Table) -> None:
    """Show inputs for how group values are aggregated, for all or single columns."""
    parameters.show_registry_entry_picker(
        _("Common value"),
        "aggregation",
        aggregations,
        _(text_choices.AGGREGATION_HELP),
        auto_meaning=_(
            "As suits the method and the column. CAAT and KACA give intervals, and the "
            "nearest common ancestor of categories; other methods the mean of numbers "
            "and the most frequent category."
        ),
    )
    ws = session.workspace()
    if table.schema.quasi_identifiers:
        _show_column_choices(ws, table)
    if _can_be_intervals(ws, table):
        st.toggle(
            _("Intervals also as two columns of numbers"),
            help=_(
                "Beside [45, 52] in column age come two columns age_from and age_to, "
                "with which one can calculate."
            ),
            **session.bind_widget("interval_columns"),
        )


def _show_column_choices(ws: Workspace, table: Table) -> None:
    chosen = ws.column_choices.applicable_to(table).aggregations
    with st.expander(
        _("Another common value for single columns · {count} chosen").format(
            count=len(chosen)
        )
        if chosen
        else _("Another common value for single columns"),
        expanded=bool(chosen),
        key=session.widget_key("common values", "single"),
        type="compact",
    ):
        names = list_or_ask_columns(
            session.widget_key("common values", "columns"),
            table.schema.quasi_identifiers,
            chosen,
            _(text_choices.AGGREGATION_HELP),
        )
        left, right = st.columns(2)
        for position, name in enumerate(names):
            fits = aggregations_for_column(table, name)
            usual = join_aggregation_titles(default_aggregations(ws, table, name))
            (right if position % 2 else left).selectbox(
                escape_text(name),
                [AUTO, *[rule for rule in aggregations if rule in fits]],
                format_func=partial(_rule_text, usual=usual),
                help=_(text_choices.AGGREGATION_HELP),
                **session.bind_widget(
                    "aggregations",
                    name,
                    default=AUTO,
                    # One chosen when the column had another kind does not count now.
                    to_widget=partial(_rule_label, fits=fits),
                    from_widget=lambda rule: None if rule == AUTO else rule,
                ),
            )


def _rule_label(rule: str, fits: frozenset[str]) -> str:
    return rule if rule in fits else AUTO


def _rule_text(rule: str, usual: str) -> str:
    if rule == AUTO:
        return _("As above: {usual}").format(usual=usual) if usual else _("As above")
    return _(aggregations.info(rule).title)


def default_aggregations(ws: Workspace, table: Table, column_name: str) -> list[str]:
    """Return ids of aggregations that chosen methods use for a column by default."""
    column, values = table.schema[column_name], table.frame[column_name]
    has_tree, rule = column.hierarchy is not None, ws.shared_plan.aggregation
    rules = (
        low_median_aggregations_by_column(ws, table, method, [column_name]).get(
            column_name
        )
        or suitable_or_default_aggregation_id(
            column.kind, values, has_tree, methods.info(method).traits.release, rule
        )
        for method in ws.methods
    )
    return list(dict.fromkeys(rules))


def join_aggregation_titles(aggregation_ids: list[str]) -> str:
    """Return titles of aggregations as a phrase, such as ``mean, mode or interval``."""
    titles = [
        within_sentence(_(aggregations.info(rule).title)) for rule in aggregation_ids
    ]
    if len(titles) < 2:
        return "".join(titles)
    return _("{first} or {last}").format(first=", ".join(titles[:-1]), last=titles[-1])


def _can_be_intervals(ws: Workspace, table: Table) -> bool:
    """Return whether some column may be released as intervals."""
    chosen = ws.column_choices.applicable_to(table).aggregations
    return any(
        aggregations.info(rule).common.interval
        for name in table.schema.quasi_identifiers
        for rule in (
            [chosen[name]] if name in chosen else default_aggregations(ws, table, name)
        )
    )
