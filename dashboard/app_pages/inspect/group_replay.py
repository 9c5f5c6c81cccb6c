"""Replay of the formation of groups."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, eq=False)
class GroupReplay:
    """Groups in a plane, and the records around which they were formed.

    Attributes
    ----------
    view : GroupView
    seeds : tuple of int
        Points of the view that groups were formed around.
    """

    view: GroupView
    seeds: tuple[int, ...]


def make_group_replay(outcome: Outcome, table: Table) -> GroupReplay:
    """Return a result's groups in a plane for its replay; only a sample if many."""
    place = group_chart_plane(outcome.plan, table)
    view = make_group_view(
        outcome, place, cached_group_costs(outcome, table), MAX_REPLAYED_RECORDS
    )
    if outcome.partition.seeds is None:
        return GroupReplay(view, ())
    seeds = set(outcome.partition.seeds.tolist())
    return GroupReplay(
        view, tuple(place for place, row in enumerate(view.rows) if int(row) in seeds)
    )


def replay_caption(replay: GroupReplay) -> str:
    """Return a sentence on the replay's order and, of a sample, its group count."""
    view = replay.view
    words = _("The order is that in which the method formed its groups.")
    if view.is_sampled:
        groups = np.unique(view.labels).size
        shown = _("{count} of {all} groups are shown, chosen at random and whole.")
        words += " " + shown.format(count=f"{groups:,}", all=f"{view.n_groups:,}")
    return words
