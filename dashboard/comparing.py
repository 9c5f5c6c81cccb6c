"""What the Compare page draws: figures of the results, and their groups in a plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from dashboard.group_views import GroupView, group_view
from engine.outcome import Outcome
from engine.plan import Plan
from engine.principal import Principal, principal_plane
from engine.table import Kind, Table

POINTS = 5_000
"""Records drawn in one panel at most."""

ALL_POINTS = 15_000
"""Records drawn in all panels together at most: browsers draw them one by one."""


def views(outcomes: Sequence[Outcome], table: Table) -> list[GroupView]:
    """Return the groups of results in one plane, sampled where there are many."""
    limit = min(POINTS, ALL_POINTS // max(1, len(outcomes)))
    return [
        group_view(outcome, plane(outcome.plan, table), limit) for outcome in outcomes
    ]


def plane(plan: Plan, table: Table) -> Principal:
    """Return the first two principal components; worked out once per session."""
    return _plane(
        table.fingerprint,
        plan.quasi_identifiers,
        plan.scaling,
        repr((plan.missing, plan.missing_columns, plan.kinds)),
        plan,
        table,
    )


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _plane(
    fingerprint: str,
    quasi_identifiers: tuple[str, ...],
    scaling: str,
    missing: str,
    _plan: Plan,
    _table: Table,
) -> Principal:
    return principal_plane(_plan, _table)


def far_out(shown: Sequence[GroupView]) -> bool:
    """Return whether a few far records press all others into a corner."""
    points = np.vstack([view.points for view in shown])
    whole = np.ptp(points, axis=0)
    low, high = np.quantile(points, [0.05, 0.95], axis=0)
    return bool((whole > 6.0 * (high - low)).any())


def drawn_words(shown: Sequence[GroupView], plan: Plan) -> str:
    """Say how much of the data is drawn; nothing where it is all."""
    words = []
    if Kind.NOMINAL in plan.kinds.values():
        words.append("Only the columns of numbers count here, categories are left out.")
    if any(view.sampled for view in shown):
        most = max(view.labels.size for view in shown)
        words.append(
            f"About {most:,} of {shown[0].n_records:,} records are drawn per panel: "
            "whole groups, chosen at random."
        )
    return " ".join(words)
