"""Groups of a result, placed in a plane to be drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dashboard.results.facts import plan_title, series
from engine.core.principal import Principal
from engine.pipeline.outcome import Outcome


@dataclass(frozen=True, eq=False)
class GroupView:
    """One result's groups in the plane of the first two principal components.

    Attributes
    ----------
    key, title : str
    method : str
        As in :class:`Facts`.
    k : int
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
    numbers : ndarray of int64, shape (n_shown,)
        The same as rows of the table, counted from 1.
    """

    key: str
    title: str
    method: str
    k: int
    loss: float
    points: NDArray[np.float64]
    labels: NDArray[np.int64]
    shares: NDArray[np.float64]
    n_records: int
    n_groups: int
    rows: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @property
    def label(self) -> str:
        """Name and k, for one result among many."""
        return f"{self.title}, k = {self.k}"

    def only(self, shown: NDArray[np.int64]) -> GroupView:
        """Return a view of some of the records that are shown, by their places."""
        return replace(
            self,
            points=self.points[shown],
            labels=self.labels[shown],
            rows=self.rows[shown],
            numbers=self.numbers[shown],
        )

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
        key=outcome.plan.digest(),
        title=plan_title(outcome.plan),
        method=series(outcome.plan),
        k=outcome.plan.k,
        loss=outcome.information_loss,
        points=plane.scores[shown],
        labels=labels[shown],
        shares=plane.shares,
        n_records=labels.size,
        n_groups=sizes.size,
        rows=shown,
        numbers=np.asarray(outcome.release.rows)[shown] + 1,
    )
