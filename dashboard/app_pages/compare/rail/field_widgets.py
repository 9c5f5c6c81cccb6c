"""Widgets generated from declarations of a plan's fields; notes on disabled choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import streamlit as st
from annotated_types import Ge, Le

from dashboard.i18n.language import _, capitalize_first, join_names
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.state.new_tables.carry_over import can_transform_column
from dashboard.state.shared_choices import COLUMN_CHOICES, SHARED_CHOICES
from engine.data.table import Table
from engine.pipeline.plan import Plan

LIGHT, HEAVY = 0.0, 5.0
"""Ends of the slider of a number by column, unless more was chosen."""

MAX_LISTED_COLUMNS = 24
"""Columns up to which each has its widget; of more, those that are asked for."""


def show_generated_choice_widgets(table: Table) -> None:
    """Show generated widgets for the shared choices that have no hand-made widget."""
    for name, declared in SHARED_CHOICES.items():
        if declared.widget == "own":
            continue
        if name in COLUMN_CHOICES:
            _show_by_column(name, table)
        else:
            show_shared_choice_widget(name)


def show_excluded_choices_and_reasons() -> None:
    """Show which choices are disabled, by which other choice, and why."""
    greyed: dict[tuple[str, str], list[str]] = {}
    for name, by in session.workspace().excluded_choices.items():
        greyed.setdefault(by, []).append(_(SHARED_CHOICES[name].label))
    for (choice_name, reason), labels in greyed.items():
        words = _("Beside {choice}, because {reason}, these are greyed out: {others}.")
        choice = _(SHARED_CHOICES[choice_name].label)
        others = join_names(labels)
        st.caption(words.format(choice=choice, reason=_(reason), others=others))


def _show_by_column(name: str, table: Table) -> None:
    """Show the widgets of a choice for single columns, one each."""
    declared = SHARED_CHOICES[name]
    columns = columns_allowing_own_choice(name, table)
    if not columns:
        return
    chosen = {
        column_name: what
        for column_name, what in _chosen_values(name).items()
        if column_name in columns
    }
    label = _(declared.label).format(column=_("single columns"))
    label = capitalize_first(label)
    if chosen:
        label = _("{choice} · {count} chosen").format(choice=label, count=len(chosen))
    with st.expander(
        label,
        expanded=bool(chosen),
        key=session.widget_key(name, "panel"),
        type="compact",
    ):
        st.caption(_(declared.help))
        key = session.widget_key(name, "columns")
        for column in list_or_ask_columns(key, columns, chosen, _(declared.help)):
            _show_one(name, column)


def list_or_ask_columns(
    key: str, columns: tuple[str, ...], chosen: Iterable[str], help_: str
) -> tuple[str, ...]:
    """Return the columns that get a widget: of many, those chosen or asked for here."""
    if len(columns) <= MAX_LISTED_COLUMNS:
        return columns
    picked = st.multiselect(_("Columns"), columns, help=help_, key=key)
    return tuple(column for column in columns if column in (*chosen, *picked))


def _show_one(name: str, column: str) -> None:
    """Show the widget of one column."""
    help_ = _(SHARED_CHOICES[name].help)
    kind = get_args(Plan.model_fields[name].annotation)[1]
    unnamed: Any = SHARED_CHOICES[name].unnamed
    tied = session.bind_widget(
        name,
        column,
        default=unnamed,
        from_widget=lambda value: None if value == unnamed else value,
    )
    if kind is float and unnamed == 0.0:
        st.number_input(escape_text(column), 0.0, format="%g", help=help_, **tied)
    elif kind is float:
        now = float(_chosen_values(name).get(column, unnamed))
        largest = max(HEAVY, now)
        st.slider(escape_text(column), LIGHT, largest, step=0.25, help=help_, **tied)
    elif get_origin(kind) is Literal:
        st.segmented_control(
            escape_text(column),
            get_args(kind),
            format_func=_,
            required=True,
            help=help_,
            **tied,
        )
    else:
        raise TypeError(f"there is no widget for {name} of a column: {kind}")


def _chosen_values(name: str) -> Mapping[str, Any]:
    values: Mapping[str, Any] = getattr(session.workspace().shared_plan, name)
    return values


def columns_allowing_own_choice(choice: str, table: Table) -> tuple[str, ...]:
    """Return the quasi-identifiers for which a choice can be made column by column."""
    schema = table.schema
    if not SHARED_CHOICES[choice].numeric:
        return schema.quasi_identifiers
    return tuple(filter(partial(can_transform_column, table), schema.quasi_identifiers))


def show_shared_choice_widget(choice: str) -> None:
    """Show a widget that fits the type of a choice that all methods share.

    Raises
    ------
    TypeError
        If there is none: a mistake in the program.
    """
    declared, kind = SHARED_CHOICES[choice], Plan.model_fields[choice].annotation
    label = _(declared.label)
    label, help_ = capitalize_first(label), _(declared.help) or None
    tied = session.bind_widget(choice)
    if kind is bool:
        st.toggle(label, help=help_, **tied)
    elif kind is int or set(get_args(kind)) == {int, NoneType}:
        low, high = _limit(choice, Ge, "ge"), _limit(choice, Le, "le")
        st.number_input(label, low, high, None, step=1, help=help_, **tied)
    elif kind is float:
        low, high = _limit(choice, Ge, "ge"), _limit(choice, Le, "le")
        st.number_input(label, low, high, format="%g", help=help_, **tied)
    elif get_origin(kind) is Literal:
        st.segmented_control(
            label, get_args(kind), format_func=_, required=True, help=help_, **tied
        )
    elif kind is str or set(get_args(kind)) == {str, NoneType}:
        st.text_input(label, help=help_, **tied)
    else:
        raise TypeError(f"there is no widget for {choice}: {kind}")


def _limit(name: str, kind: type, attribute: str) -> Any:
    """Return the least or the largest value that a field takes; None without one."""
    for constraint in Plan.model_fields[name].metadata:
        if isinstance(constraint, kind):
            return getattr(constraint, attribute)
    return None
