"""Replay of the formation of groups."""

from __future__ import annotations

import numpy as np

from dashboard.charts.inputs import GroupView
from dashboard.i18n.language import _
from dashboard.results.group_views import make_group_view
from dashboard.ui.browser_components.group_plane import (
    cached_group_costs,
    group_chart_plane,
)
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

MAX_REPLAYED_RECORDS = 1_500
"""Records replayed at most: every step has them all."""


def make_group_replay(
    outcome: Outcome, table: Table
) -> tuple[GroupView, tuple[int, ...]]:
    """Return a result's groups in a plane, and points that groups began at, if known.

    Of many records only a sample is there. Groups were formed around the points, which
    are numbered as in the view.
    """
    place = group_chart_plane(outcome.plan, table)
    view = make_group_view(
        outcome, place, cached_group_costs(outcome, table), MAX_REPLAYED_RECORDS
    )
    if outcome.partition.seeds is None:
        return view, ()
    seeds = set(outcome.partition.seeds.tolist())
    return view, tuple(at for at, row in enumerate(view.rows) if int(row) in seeds)


def replay_caption(view: GroupView) -> str:
    """Return text on the replay's order and, of a sample, on the groups shown."""
    words = _("The order is that in which the method formed its groups.")
    if view.is_sampled:
        groups = np.unique(view.labels).size
        template = _("{count} of {all} groups are shown, chosen at random and whole.")
        words += " " + template.format(count=f"{groups:,}", all=f"{view.n_groups:,}")
    return words
