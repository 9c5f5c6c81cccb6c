"""Types and helpers of lower bounds: dual prices, centred records, parallel tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, TypeVar

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.numerics.statistics import loss_percent
from engine.core.parallel import map_in_threads
from engine.core.text.json_types import ArrayAsList
from engine.core.typing import Integers, Values

T = TypeVar("T")

EPS = float(np.finfo(np.float64).eps)
"""Distance from 1 to the next float64; rounding errs by at most half of it."""

CLOSED_GAP_PERCENT = 1e-7
"""Gap in per cent of the loss up to which loss and bound are one: the billionth part
that the checker of certificates leaves open, too."""

BOUND_STAGE = Message("Lower bound")
"""Progress stage shown while a lower bound is computed."""


def progress_only_context(ctx: RunContext) -> RunContext:
    """Return a context that passes on progress only: no figures, no early stop."""
    return RunContext(lambda share, stage: ctx.tick(share, 1.0, BOUND_STAGE))


def map_parallel(
    task: Callable[[int, RunContext], T], count: int, ctx: RunContext
) -> list[T]:
    """Return the results of a task for numbers 0 to count - 1, computed in threads."""
    return (
        [task(0, ctx)] if count == 1 else map_in_threads(task, count, ctx, BOUND_STAGE)
    )


@dataclass(frozen=True, eq=False)
class DualPrices:
    """Dual prices of records, and of cuts, that prove a lower bound.

    Attributes
    ----------
    prices : ndarray of float64, shape (n_records,)
        Prices of pairs, u in :mod:`engine.bounds.edge_cover`, with `neighbours`; else
        of groups, such that none costs less than its prices less those of its cuts, but
        for rounding.
    neighbours : int
        Pairs that every record needs, t; 0 for prices of groups.
    cuts : ndarray of int64
        For each cut its number of records, its divisor, and the records; see
        :data:`engine.bounds.linear_programme.cuts.Cut`.
    cut_prices : ndarray of float64, shape (n_cuts,)
    """

    prices: Annotated[Values, ArrayAsList(float)]
    neighbours: int = 0
    cuts: Annotated[Integers, ArrayAsList(int)] = field(
        default_factory=lambda: np.empty(0, dtype=np.int64)
    )
    cut_prices: Annotated[Values, ArrayAsList(float)] = field(
        default_factory=lambda: np.empty(0)
    )

    @property
    def cuts_as_sets(self) -> list[tuple[tuple[int, ...], int]]:
        """Cuts as sorted records of each cut, with its divisor."""
        sets, flat = [], self.cuts.tolist()
        while flat:
            size, divisor = flat[:2]
            sets.append((tuple(flat[2 : size + 2]), divisor))
            flat = flat[size + 2 :]
        return sets

    @classmethod
    def with_cuts(
        cls,
        prices: Values,
        sets: Sequence[tuple[tuple[int, ...], int]],
        cut_prices: Values,
    ) -> DualPrices:
        """Return dual prices with the cuts that have a positive price."""
        priced = np.flatnonzero(cut_prices > 0.0)
        flat: list[int] = []
        for c in priced.tolist():
            records, divisor = sets[c]
            flat += [len(records), divisor, *records]
        cuts = np.array(flat, dtype=np.int64)
        return cls(prices, cuts=cuts, cut_prices=cut_prices[priced])


@dataclass(frozen=True)
class LowerBound:
    """A lower bound on the loss of partitions into allowed groups, SSE and per cent.

    Attributes
    ----------
    kind : str
        Which bound it is: ``"nearest"`` is LB0, ``"edge-cover"`` LB1 and
        ``"column-generation"`` LB2; ``"per-attribute"`` holds where groups may
        differ by attribute, ``"persons"`` where k counts persons; ``"none"``, 0, where
        groups need not have k records.
    sse : float
        No partition into groups of at least k has a smaller SSE.
    per_cent : float
        The same as information loss, ``100 * sse / SST``.
    proof : DualPrices or None
        What proves it of all records as one part, for a certificate.
    """

    kind: str
    sse: float
    per_cent: float
    proof: DualPrices | None = field(default=None, compare=False, repr=False)


NO_BOUND = LowerBound("none", 0.0, 0.0)
"""The trivial bound 0, valid for groups of any size."""


@dataclass(frozen=True, eq=False)
class CentredRecords:
    """Records centred at their mean, with bounds on rounding errors of distances.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        Centred values, C-contiguous.
    sst : float
        Sum of squares around the mean.
    slack : float
        A distance of two records, as computed from `X`, may exceed that of the
        values as they were given by at most this much, besides `relative`.
    relative : float
        Largest relative error of a squared distance from squaring and adding.
    """

    X: Values
    sst: float
    slack: float
    relative: float

    @classmethod
    def from_array(cls, X: Values) -> CentredRecords:
        """Return records centred at their mean.

        Parameters
        ----------
        X : ndarray of float64, shape (n_records, n_attributes)
        """
        p = X.shape[1]
        if X.shape[0] == 0:
            return cls(np.ascontiguousarray(X), 0.0, 0.0, 0.0)
        centred = np.ascontiguousarray(X - X.mean(axis=0))
        far = float(np.abs(X).max() + np.abs(centred).max())
        return cls(
            X=centred,
            sst=float(np.square(centred).sum()),
            slack=4.0 * EPS * float(np.sqrt(p)) * far,
            relative=EPS * (2.0 * p + 8.0),
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.X.shape[0])

    def select(self, records: slice | Integers) -> CentredRecords:
        """Return some of the records, centred as all are."""
        return replace(self, X=np.ascontiguousarray(self.X[records]))

    def lower_sq_distances(self, squared: Values) -> Values:
        """Return squared distances lowered by their largest rounding error.

        Parameters
        ----------
        squared : ndarray of float64
            Squared distances as computed from `X`, each with one rounding per
            operation.
        """
        distances = np.maximum(np.sqrt(squared) - self.slack, 0.0)
        return np.square(distances) * (1.0 - self.relative)

    def lower_bound(
        self, kind: str, sse: float, proof: DualPrices | None = None
    ) -> LowerBound:
        """Return the SSE as a lower bound on the loss of these records, at least 0."""
        sse = max(sse, 0.0)
        return LowerBound(kind, sse, loss_percent(sse, self.sst), proof)
