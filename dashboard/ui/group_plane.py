"""The plane that groups are drawn in, shared by the pages that draw them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from dashboard.charts.inputs import GroupView
from dashboard.i18n.language import _, current
from dashboard.results.group_views import group_costs
from dashboard.results.planes import (
    Axis,
    Plane,
    attribute_axis,
    component_axis,
    components_of,
    of_numbers,
    usual_attributes,
)
from dashboard.state import session
from dashboard.state.session_cache import BY_VALUES, per_session
from dashboard.ui.prepared import preparations
from engine.core.principal import Principal
from engine.core.typing import Values
from engine.data.kinds import Kind
from engine.data.read_attribute import read_attribute
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.prepare import shared
from engine.pipeline.resolved import ResolvedPlan


def _axis_words(usual: str, name: str) -> str:
    return name or usual


def ask_for_middle(far: bool) -> bool:
    """Ask whether far records should be left out of view; return the answer."""
    if not far:
        return False
    return st.toggle(
        _("Leave far records out of view"),
        value=True,
        key=session.key("middle only"),
        help=_(
            "A few far records would press all others together. Loss counts them all."
        ),
        persist_state="session",
    )


def _points(plan: ResolvedPlan) -> tuple[Any, ...]:
    """Return what the points of a plan depend on."""
    return (shared(plan),)


def plane(plan: ResolvedPlan, table: Table) -> Plane:
    """Return the plane that was chosen: the usual one, unless attributes are named."""
    ws = session.workspace()
    across, up = (
        name if name in plan.quasi_identifiers else usual
        for name, usual in zip((ws.across, ws.up), _usual(plan, table), strict=True)
    )
    # Two different components, where neither is an attribute.
    return Plane(
        _axis(plan, table, across, 0, current()),
        _axis(plan, table, up, 0 if across else 1, current()),
    )


@per_session(8, {**BY_VALUES, ResolvedPlan: _points})
def _usual(plan: ResolvedPlan, table: Table) -> tuple[str, str]:
    """Return the attributes that are drawn where nobody says; see planes."""
    kinds = _kinds(plan)
    values = {name: int(table.frame[name].nunique()) for name in kinds}
    return usual_attributes(kinds, values)


def _kinds(plan: ResolvedPlan) -> dict[str, Kind]:
    return {name: plan.kinds[name] for name in plan.quasi_identifiers}


@per_session(8, {**BY_VALUES, ResolvedPlan: _points})
def _axis(
    plan: ResolvedPlan, table: Table, name: str, component: int, language: str
) -> Axis:
    """Return one axis; worked out once per session.

    `language` is that of its title.
    """
    if not name:
        return component_axis(
            _components(plan, table), component, of_numbers(_kinds(plan))
        )
    kinded = table.assign(kinds={name: plan.kinds[name]})
    attribute, values = read_attribute(kinded, name)
    return attribute_axis(attribute, values, preparations(table).of(plan).points.rows)


@per_session(4, {**BY_VALUES, ResolvedPlan: _points})
def _components(plan: ResolvedPlan, table: Table) -> Principal:
    return components_of(preparations(table).of(plan).points, _kinds(plan))


def choose_plane(table: Table) -> None:
    """Ask what the axes show, for every picture of groups."""
    names = table.schema.quasi_identifiers
    for label, field, component in (
        (_("Across"), "across", _("automatic")),
        (_("Up"), "up", _("automatic")),
    ):
        st.selectbox(
            label,
            ["", *names],
            format_func=partial(_axis_words, component),
            help=_(
                "Automatic are components, the directions in which the numbers of "
                "the records differ most, or attributes where few are numbers. "
                "Categories stand side by side, each one's records spread about its "
                "place."
            ),
            **session.bound(field, show=lambda name: name if name in names else ""),
        )


@per_session(32)
def costs(outcome: Outcome, table: Table) -> Values:
    """Return what the records of each group lose on average; worked out once."""
    points = preparations(table).of(outcome.plan).points
    return group_costs(outcome, points.X)


def has_outliers(shown: Sequence[GroupView]) -> bool:
    """Return whether a few far records press all others into a corner."""
    points = np.vstack([view.points for view in shown])
    whole = np.ptp(points, axis=0)
    low, high = np.quantile(points, [0.05, 0.95], axis=0)
    return bool((whole > 6.0 * (high - low)).any())
