"""Replay: the groups of a result, and the records they began with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dashboard.charts.inputs import GroupView
from dashboard.i18n.language import _
from dashboard.results.group_views import group_view
from dashboard.ui.group_plane import costs, plane
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

POINTS = 1_500
"""Records replayed at most: every step has them all."""


@dataclass(frozen=True, eq=False)
class Replay:
    """Groups to be replayed.

    Attributes
    ----------
    view : GroupView
    seeds : tuple of int
        Points of the view that groups were formed around.
    """

    view: GroupView
    seeds: tuple[int, ...]


def replay_of(outcome: Outcome, table: Table) -> Replay:
    """Return a result's groups in their plane; whole groups, sampled above a limit."""
    place = plane(outcome.plan, table)
    view = group_view(outcome, place, costs(outcome, table), POINTS)
    if outcome.partition.seeds is None:
        return Replay(view, ())
    seeds = set(outcome.partition.seeds.tolist())
    return Replay(
        view, tuple(place for place, row in enumerate(view.rows) if int(row) in seeds)
    )


def drawn_words(replay: Replay) -> str:
    """Say how much is replayed, and what the order means."""
    view = replay.view
    words = _("The order is that in which the method formed its groups.")
    if view.sampled:
        groups = np.unique(view.labels).size
        shown = _("{count} of {all} groups are shown, chosen at random and whole.")
        words += " " + shown.format(count=f"{groups:,}", all=f"{view.n_groups:,}")
    return words
