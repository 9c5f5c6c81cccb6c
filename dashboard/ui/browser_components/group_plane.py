"""Plane in which pages draw groups: its axes, outliers in it, and groups' costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from dashboard.charts.inputs import GroupView
from dashboard.i18n.language import _, current
from dashboard.results import planes
from dashboard.results.group_views import mean_group_costs
from dashboard.state import session
from dashboard.state.caches.session_cache import HASH_BY_VALUES, cache_in_session
from dashboard.ui.runs.preparations import preparation_cache
from engine.core.numerics.principal import PrincipalComponents
from engine.core.typing import Values
from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.pipeline.grouping.prepare import preparation_key
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolve_plan import ResolvedPlan


def ask_to_hide_outliers(has_far_records: bool) -> bool:
    """Show a toggle to hide far records and return it; if there are none, False."""
    if not has_far_records:
        return False
    return st.toggle(
        _("Leave far records out of view"),
        value=True,
        key=session.widget_key("middle only"),
        help=_(
            "A few far records would press all others together. Loss counts them all."
        ),
        persist_state="session",
    )


def _points_key(plan: ResolvedPlan) -> tuple[Any, ...]:
    """Return what the points of a plan depend on."""
    return (preparation_key(plan),)


def group_chart_plane(plan: ResolvedPlan, table: Table) -> planes.RecordPlane:
    """Return the plane for drawing groups: chosen attributes, else the default axes."""
    ws = session.workspace()
    across, up = (
        name if name in plan.quasi_identifiers else usual
        for name, usual in zip(
            (ws.across, ws.up), _default_attributes(plan, table), strict=True
        )
    )
    # Two different components, where neither is an attribute.
    return planes.RecordPlane(
        _plane_axis(plan, table, across, 0, current()),
        _plane_axis(plan, table, up, 0 if across else 1, current()),
    )


@cache_in_session(8, {**HASH_BY_VALUES, ResolvedPlan: _points_key})
def _default_attributes(plan: ResolvedPlan, table: Table) -> tuple[str, str]:
    """Return the attributes that are drawn where nobody says; see planes."""
    kinds = _attribute_kinds(plan)
    values = {name: int(table.frame[name].nunique()) for name in kinds}
    return planes.default_axis_attributes(kinds, values)


def _attribute_kinds(plan: ResolvedPlan) -> dict[str, Kind]:
    return {name: plan.kinds[name] for name in plan.quasi_identifiers}


@cache_in_session(8, {**HASH_BY_VALUES, ResolvedPlan: _points_key})
def _plane_axis(
    plan: ResolvedPlan, table: Table, name: str, component: int, language: str
) -> planes.PlaneAxis:
    """Return one axis; worked out once per session.

    `language` is that of its title.
    """
    if not name:
        return planes.component_axis(
            _principal_components(plan, table),
            component,
            planes.do_components_omit_categories(_attribute_kinds(plan)),
        )
    kinded = table.assign(kinds={name: plan.kinds[name]})
    attribute, values = read_attribute_and_numbers(kinded, name)
    return planes.attribute_axis(
        attribute, values, preparation_cache(table).get(plan).points.rows
    )


@cache_in_session(4, {**HASH_BY_VALUES, ResolvedPlan: _points_key})
def _principal_components(plan: ResolvedPlan, table: Table) -> PrincipalComponents:
    return planes.principal_plane_components(
        preparation_cache(table).get(plan).points, _attribute_kinds(plan)
    )


def show_axis_inputs(table: Table) -> None:
    """Show a choice of attribute, or automatic, for each axis of group charts."""
    names = table.schema.quasi_identifiers
    for label, field in ((_("Across"), "across"), (_("Up"), "up")):
        st.selectbox(
            label,
            ["", *names],
            format_func=lambda name: name or _("automatic"),
            help=_(
                "Automatic are components, the directions in which the numbers of "
                "the records differ most, or attributes where few are numbers. "
                "Categories stand side by side, each one's records spread about its "
                "place."
            ),
            **session.bind_widget(
                field, to_widget=lambda name: name if name in names else ""
            ),
        )


@cache_in_session(32)
def cached_group_costs(outcome: Outcome, table: Table) -> Values:
    """Return each group's mean squared distance to its mean, in % of all records'."""
    points = preparation_cache(table).get(outcome.plan).points
    return mean_group_costs(outcome, points.X)


def has_outliers(views: Sequence[GroupView]) -> bool:
    """Return whether an axis's range is over 6 times that of its middle 90 %."""
    points = np.vstack([view.points for view in views])
    whole = np.ptp(points, axis=0)
    low, high = np.quantile(points, [0.05, 0.95], axis=0)
    return bool((whole > 6.0 * (high - low)).any())
