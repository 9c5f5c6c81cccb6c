"""Groups of a result, placed in a plane to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dashboard.facts import plan_title, series
from engine.outcome import Outcome
from engine.principal import Principal


@dataclass(frozen=True, eq=False)
class GroupView:
    """One result's groups in the plane of the first two principal components.

    Attributes
    ----------
    title : str
    method : str
        As in :class:`Facts`.
    loss : float
        Per cent.
    points : ndarray of float64, shape (n_shown, 2)
    labels : ndarray of int64, shape (n_shown,)
    shares : ndarray of float64, shape (2,)
        Share of the variance that each component explains.
    n_records, n_groups : int
        Before sampling.
    rows : ndarray of int64, shape (n_shown,)
        Records of the release that are shown.
    """

    title: str
    method: str
    loss: float
    points: NDArray[np.float64]
    labels: NDArray[np.int64]
    shares: NDArray[np.float64]
    n_records: int
    n_groups: int
    rows: NDArray[np.int64]

    @property
    def sampled(self) -> bool:
        """Whether some groups are left out."""
        return self.labels.size < self.n_records


def group_view(outcome: Outcome, plane: Principal, limit: int = 5_000) -> GroupView:
    """Place an outcome's groups in a plane, drawing whole groups above a limit.

    Parameters
    ----------
    outcome : Outcome
    plane : Principal
        Of the same plan and table.
    limit : int
        Records to show at most; groups are drawn at random with a fixed seed.
    """
    labels, sizes = outcome.partition.labels, outcome.partition.sizes
    keep = np.ones(sizes.size, dtype=np.bool_)
    if labels.size > limit:
        order = np.random.default_rng(0).permutation(sizes.size)
        keep[order] = np.cumsum(sizes[order]) <= limit
    shown = np.flatnonzero(keep[labels])
    if shown.size == 0:  # a single group can be larger than the limit
        shown = np.sort(np.random.default_rng(0).permutation(labels.size)[:limit])
    return GroupView(
        title=plan_title(outcome.plan),
        method=series(outcome.plan),
        loss=outcome.information_loss,
        points=plane.scores[shown],
        labels=labels[shown],
        shares=plane.shares,
        n_records=labels.size,
        n_groups=sizes.size,
        rows=shown,
    )
