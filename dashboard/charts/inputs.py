"""Inputs of charts: data classes, and the bounds and efficient points to draw."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import CLOSED_GAP_PERCENT
from engine.core.numerics.trace import TracePoint
from engine.pipeline.planning.seeds import SeedSpread as OverSeeds
from engine.pipeline.protection.probabilistic import ProbabilisticSizes

PER_ATTRIBUTE_BOUND = "per-attribute"
"""Kind of bound on methods that group each attribute on its own."""


NO_BOUND_KIND = "none"
"""Kind of bound where groups may have any size, or no bound is known yet."""


REFINED_SUFFIX = ", polished"
"""Added to the name of a method whose groups were refined by local search."""


@dataclass(frozen=True, eq=False)
class ResultFigures:
    """One result's loss, bound, k, sizes and other figures, for charts and tables.

    Attributes
    ----------
    key : str
        Digest of the plan.
    method, title : str
        Identifier, followed by `REFINED_SUFFIX` for polished groups; name on screen,
        with the parameters that are not the default.
    k : int
    scaling : str
        Title.
    loss, bound : float
        Information loss and its lower bound, in per cent of the variation.
    bound_kind : str
        Which bound it is, as :class:`engine.bounds.LowerBound` names it.
    sizes : mapping of int to int
        How many groups there are of each size, in records, or in people who count.
    seconds : float
        Time of the method alone.
    k_released : int
        k counted on the released values.
    penalty : float
        Normalised certainty penalty (NCP), in per cent.
    discernibility : float
        Sum of squared group sizes.
    class_size : float
        Mean group size in units of k.
    generalised : bool
        Whether some columns hold categories or are released as intervals: there NCP
            says more.
    drawn : ProbabilisticSizes or None
        Group sizes, where records drew their groups and no size is promised.
    n_seeds : int
        With how many seeds it was run.
    spreads : mapping of str to OverSeeds
        How figures vary over them, by name as in
        :data:`engine.pipeline.planning.seeds.SEED_FIGURES`; empty where there is one
        seed.
    n_persons, n_records : int
        Released; no persons where records count.
    """

    key: str
    method: str
    title: str
    k: int
    scaling: str
    loss: float
    bound: float
    bound_kind: str
    sizes: Mapping[int, int]
    seconds: float
    k_released: int
    penalty: float
    discernibility: float
    class_size: float
    generalised: bool
    drawn: ProbabilisticSizes | None = None
    n_seeds: int = 1
    spreads: Mapping[str, OverSeeds] = field(default_factory=dict)
    n_persons: int = 0
    n_records: int = 0

    @cached_property
    def identity(self) -> tuple[Hashable, ...]:
        """All figures as a hashable tuple, for cache keys of charts."""
        values = (getattr(self, entry.name) for entry in fields(self))
        return tuple(
            tuple(value.items()) if isinstance(value, Mapping) else value
            for value in values
        )

    @property
    def gap(self) -> float:
        """Loss minus lower bound, in per cent of the loss."""
        return avoidable_percent(self.loss, self.bound)

    @property
    def keeps_k(self) -> bool:
        """Whether every record shares its released values with k - 1 other records.

        Never where groups were drawn: they have k records by chance at most.
        """
        return self.drawn is None and self.k_released >= self.k

    @property
    def has_whole_record_bound(self) -> bool:
        """Whether a lower bound on groupings of whole records holds for this result."""
        return self.bound_kind not in (PER_ATTRIBUTE_BOUND, NO_BOUND_KIND)

    @property
    def is_best_possible(self) -> bool:
        """Whether the lower bound equals the loss, up to a certificate's tolerance."""
        return self.has_whole_record_bound and self.gap <= CLOSED_GAP_PERCENT

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return sum(self.sizes.values())

    @property
    def label(self) -> str:
        """Method's title and k."""
        return f"{self.title}, k = {self.k}"


def _digest_arrays(*arrays: NDArray[Any]) -> bytes:
    hasher = sha256()
    for array in arrays:
        hasher.update(array.tobytes())
    return hasher.digest()


def avoidable_percent(loss: float, bound: float) -> float:
    """Return how many per cent of a loss other groups may avoid, by a lower bound."""
    return 100.0 * (loss - bound) / loss if loss > 0.0 else 0.0


def bounds_by_k(results: Sequence[ResultFigures]) -> dict[int, float]:
    """Return the lower bound to draw for each k, preferring one on whole records."""
    bounds: dict[int, float] = {}
    for row in sorted(results, key=lambda row: not row.has_whole_record_bound):
        bounds.setdefault(row.k, row.bound)
    return dict(sorted(bounds.items()))


Ticks = tuple[tuple[float, str], ...]


@dataclass(frozen=True, eq=False)
class RecordPositions:
    """Positions of a result's records in a plane, and the records' groups.

    Attributes
    ----------
    points : ndarray of float32, shape (n_rows, 2)
        NaN for rows that are not in the result; none after its last row.
    groups : ndarray of int, shape (n_rows,)
        Counted from 1; 0 for rows that are not in the result.
    """

    points: NDArray[np.float32]
    groups: NDArray[np.int16] | NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class GroupView:
    """One result's groups in a plane: points, labels, costs and axes.

    Attributes
    ----------
    key, title : str
    method : str
        As in :class:`ResultFigures`.
    k : int
    loss : float
        Per cent.
    points : ndarray of float64, shape (n_shown, 2)
    labels : ndarray of int64, shape (n_shown,)
    titles : tuple of str
        Of the axes: what they show.
    ticks : tuple of two tuples of (place, words)
        Along the axes; empty where the numbers say it, None where they say nothing.
    n_records, n_groups : int
        Before sampling.
    rows : ndarray of int64, shape (n_shown,)
        Records of the release that are shown.
    numbers : ndarray of int64, shape (n_shown,)
        Rows of the table that these records are, counted from 1.
    costs : ndarray of float64, shape (n_groups,)
        What the records of each group lose on average, in per cent of what all vary
        by on average; groups that are not shown too.
    everyone : RecordPositions or None
        All records, where some are not shown; None in a window, or of too many.
    """

    key: str
    title: str
    method: str
    k: int
    loss: float
    points: NDArray[np.float64]
    labels: NDArray[np.int64]
    titles: tuple[str, str]
    ticks: tuple[Ticks | None, Ticks | None]
    n_records: int
    n_groups: int
    rows: NDArray[np.int64]
    numbers: NDArray[np.int64]
    costs: NDArray[np.float64]
    everyone: RecordPositions | None = None

    @property
    def label(self) -> str:
        """Method's title and k."""
        return f"{self.title}, k = {self.k}"

    def restrict_to(self, shown: NDArray[np.int64]) -> GroupView:
        """Return the view of some of its records, given by positions in it."""
        return replace(
            self,
            points=self.points[shown],
            labels=self.labels[shown],
            rows=self.rows[shown],
            numbers=self.numbers[shown],
        )

    @cached_property
    def digest(self) -> bytes:
        """Digest of the records and groups in the view."""
        return _digest_arrays(self.points, self.labels, self.rows, self.costs)

    @property
    def is_sampled(self) -> bool:
        """Whether some of the result's records are not in the view."""
        return self.labels.size < self.n_records


Window = tuple[tuple[float, float], tuple[float, float]]
"""Part of a plane: from and to, across and up."""


@dataclass(frozen=True, eq=False)
class CountedCells:
    """Cells of a plane, with the number and the cost of the records in each.

    Attributes
    ----------
    key : str
        Digest of the plan.
    places : ndarray of float64, shape (n_cells, 2)
        Means of the records of each cell.
    counts : ndarray of int64, shape (n_cells,)
        Records in it.
    costs : ndarray of float64, shape (n_cells,)
        What these lose on average, as in :class:`GroupView`.
    usual : float
        What a record of the result loses whose loss is neither high nor low.
    titles, ticks
        As in :class:`GroupView`.
    window : Window
        What is to be in view.
    """

    key: str
    places: NDArray[np.float64]
    counts: NDArray[np.int64]
    costs: NDArray[np.float64]
    usual: float
    titles: tuple[str, str]
    ticks: tuple[Ticks | None, Ticks | None]
    window: Window

    @cached_property
    def digest(self) -> bytes:
        """Digest of the cells."""
        return _digest_arrays(self.places, self.counts, self.costs)


@dataclass(frozen=True, eq=False)
class AttributeDistribution:
    """Shares of an attribute's values: in the original, and in each of two results.

    Attributes
    ----------
    name : str
    places : ndarray of float64, shape (n_bars,), or None
        Middles of the intervals; None for categories.
    labels : tuple of str
        Of the intervals or categories.
    shares : tuple of three ndarrays of float64, shape (n_bars,)
        Per cent of the records, by weight where there is one.
    """

    name: str
    places: NDArray[np.float64] | None
    labels: tuple[str, ...]
    shares: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class CorrelationChanges:
    """Correlations of attributes before protection, and their changes in two results.

    Attributes
    ----------
    names : tuple of str
    before : ndarray of float64, shape (n_names, n_names)
    changes : tuple of two ndarrays of the same shape
    """

    names: tuple[str, ...]
    before: NDArray[np.float64]
    changes: tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class RiskUtilityPoint:
    """Risk and loss of one result on the risk-utility map.

    Attributes
    ----------
    key : str
        Digest of the plan.
    method, title : str
        As in :class:`dashboard.charts.inputs.ResultFigures`.
    k : int
    risk, loss : float
        Lower is better.
    risk_interval : tuple of float or None
    keeps_k : bool
    spread : OverSeeds or None
        Of the loss, where there are several seeds. Risk is that of the first one's
        release.
    n_seeds : int
    """

    key: str
    method: str
    title: str
    k: int
    risk: float
    loss: float
    risk_interval: tuple[float, float] | None = None
    keeps_k: bool = True
    spread: OverSeeds | None = None
    n_seeds: int = 1


def pareto_points(points: Sequence[RiskUtilityPoint]) -> list[RiskUtilityPoint]:
    """Return the Pareto-efficient points that keep k, one of equals, by rising risk.

    Results that do not keep k are not among them: their losses buy less.
    """
    frontier: list[RiskUtilityPoint] = []
    for point in sorted(points, key=lambda candidate: (candidate.risk, candidate.loss)):
        if point.keeps_k and (not frontier or point.loss < frontier[-1].loss):
            frontier.append(point)
    return frontier


@dataclass(frozen=True, eq=False)
class SearchCurve:
    """Loss and bound of one search over time.

    Attributes
    ----------
    label : str
        Name and k.
    method : str
        As in :class:`dashboard.charts.inputs.ResultFigures`.
    points : tuple of TracePoint
        At each moment at which loss or bound changed.
    seconds : float
        Until when both stayed as they were last.
    """

    label: str
    method: str
    points: tuple[TracePoint, ...]
    seconds: float

    @property
    def final_loss(self) -> float | None:
        """Last loss in per cent; None before there is one."""
        return self.points[-1].loss if self.points else None

    @property
    def final_bound(self) -> float | None:
        """Last lower bound in per cent; None before there is one."""
        return self.points[-1].bound if self.points else None
