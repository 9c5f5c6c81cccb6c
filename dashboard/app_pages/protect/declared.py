"""Widgets that are made from what a plan's field declares: its type, label and help."""

from __future__ import annotations

from types import NoneType
from typing import Any, Literal, get_args, get_origin

import streamlit as st
from annotated_types import Ge, Le

from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.state.shared_choices import DECLARED
from engine.pipeline.plan import Plan

OTHERWISE = frozenset(
    {
        "polish",
        "scaling",
        "aggregation",
        "aggregations",
        "interval_columns",
        "rounding",
        "missing",
        "missing_columns",
        "constraints",
        "strata",
        "small_strata",
        "blocks",
        "p_sensitive",
        "t_close",
    }
)
"""Choices that have a widget of their own, here or on another page."""


def show_declared() -> None:
    """Show all choices that have no widget of their own."""
    for name in DECLARED:
        if name not in OTHERWISE:
            _show(name)


def _show(name: str) -> None:
    """Show the widget that suits a field's type.

    Raises
    ------
    TypeError
        If there is none: a mistake in the program.
    """
    declared, kind = DECLARED[name], Plan.model_fields[name].annotation
    label = _(declared.label)
    label, help_ = label[:1].upper() + label[1:], _(declared.help) or None
    tied = session.bound(name)
    if kind is bool:
        st.toggle(label, help=help_, **tied)
    elif kind is int:
        low, high = _limit(name, Ge, "ge"), _limit(name, Le, "le")
        st.number_input(label, low, high, step=1, help=help_, **tied)
    elif kind is float:
        low, high = _limit(name, Ge, "ge"), _limit(name, Le, "le")
        st.number_input(label, low, high, format="%g", help=help_, **tied)
    elif get_origin(kind) is Literal:
        st.segmented_control(
            label, get_args(kind), format_func=_, required=True, help=help_, **tied
        )
    elif kind is str or set(get_args(kind)) == {str, NoneType}:
        st.text_input(label, help=help_, **tied)
    else:
        raise TypeError(f"there is no widget for {name}: {kind}")


def _limit(name: str, kind: type, attribute: str) -> Any:
    """Return the least or the largest value that a field takes; None without one."""
    for one in Plan.model_fields[name].metadata:
        if isinstance(one, kind):
            return getattr(one, attribute)
    return None
