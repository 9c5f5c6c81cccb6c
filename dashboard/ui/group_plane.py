"""The plane that groups are drawn in, shared by the pages that draw them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from dashboard.charts.inputs import GroupView
from dashboard.i18n.language import _
from dashboard.results.group_views import group_costs
from dashboard.state import session
from dashboard.state.session_cache import BY_VALUES, per_session
from dashboard.ui.prepared import preparations
from engine.core.principal import Principal, principal_components
from engine.core.typing import Values
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.prepare import shared
from engine.pipeline.resolved import ResolvedPlan


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


@per_session(4, {**BY_VALUES, ResolvedPlan: _points})
def plane(plan: ResolvedPlan, table: Table) -> Principal:
    """Return the first two principal components; worked out once per session."""
    return principal_components(preparations(table).of(plan).points.X)


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
