"""What every lower bound is, and how records are measured so that it stays safe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

import numpy as np

from engine.core.context import RunContext
from engine.core.json_types import Listed
from engine.core.message import Message
from engine.core.parallel import side_by_side
from engine.core.statistics import per_cent
from engine.core.typing import Integers, Values

T = TypeVar("T")

EPS = float(np.finfo(np.float64).eps)
"""Distance from 1 to the next float64; rounding errs by at most half of it."""

CLOSED = 1e-7
"""Gap in per cent of the loss up to which loss and bound are one: the billionth part
that the checker of certificates leaves open, too."""

STAGE = Message("Lower bound")
"""What a run is doing while it works one out."""


def without_notes(ctx: RunContext) -> RunContext:
    """Return a context that notes no figures: a bound's are not those of the groups."""
    return RunContext(lambda share, stage: ctx.tick(share, 1.0, STAGE))


def each(task: Callable[[int, RunContext], T], count: int, ctx: RunContext) -> list[T]:
    """Return what a task gives for 0 to count - 1, worked out side by side."""
    return [task(0, ctx)] if count == 1 else side_by_side(task, count, ctx, STAGE)


@dataclass(frozen=True, eq=False)
class Prices:
    """Prices that prove a bound, in the order of the records.

    Attributes
    ----------
    prices : ndarray of float64, shape (n_records,)
        Of pairs, u in :mod:`engine.bounds.edge_cover`, where there are `neighbours`;
        else of groups, such that none costs less than its prices less those of its
        cuts, but for rounding.
    neighbours : int
        Pairs that every record needs, t; 0 for prices of groups.
    cuts : ndarray of int64
        For each cut its number of records, its divisor, and the records; see
        :data:`engine.bounds.cuts.Cut`.
    cut_prices : ndarray of float64, shape (n_cuts,)
    """

    prices: Annotated[Values, Listed(float)]
    neighbours: int = 0
    cuts: Annotated[Integers, Listed(int)] = field(
        default_factory=lambda: np.empty(0, dtype=np.int64)
    )
    cut_prices: Annotated[Values, Listed(float)] = field(
        default_factory=lambda: np.empty(0)
    )

    @property
    def sets(self) -> list[tuple[tuple[int, ...], int]]:
        """The cuts, as records and divisor."""
        found, flat = [], self.cuts.tolist()
        while flat:
            size, divisor = flat[:2]
            found.append((tuple(flat[2 : size + 2]), divisor))
            flat = flat[size + 2 :]
        return found

    @classmethod
    def with_cuts(
        cls,
        prices: Values,
        sets: Sequence[tuple[tuple[int, ...], int]],
        cut_prices: Values,
    ) -> Prices:
        """Return prices of groups with those cuts that have a price."""
        priced = np.flatnonzero(cut_prices > 0.0)
        flat: list[int] = []
        for c in priced.tolist():
            records, divisor = sets[c]
            flat += [len(records), divisor, *records]
        cuts = np.array(flat, dtype=np.int64)
        return cls(prices, cuts=cuts, cut_prices=cut_prices[priced])


@dataclass(frozen=True)
class LowerBound:
    """A number that no partition can stay below.

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
    proof : Prices or None
        What proves it of all records as one part, for a certificate.
    """

    kind: str
    sse: float
    per_cent: float
    proof: Prices | None = field(default=None, compare=False, repr=False)


NO_BOUND = LowerBound("none", 0.0, 0.0)
"""What holds for groups of any size."""


@dataclass(frozen=True, eq=False)
class Records:
    """Records around their mean, and how far rounding can move a distance.

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
    def of(cls, X: Values) -> Records:
        """Centre records.

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

    def lowered(self, squared: Values) -> Values:
        """Return squared distances that rounding has not made too large.

        Parameters
        ----------
        squared : ndarray of float64
            Squared distances as computed from `X`, each with one rounding per
            operation.
        """
        distances = np.maximum(np.sqrt(squared) - self.slack, 0.0)
        return np.square(distances) * (1.0 - self.relative)

    def bound(self, kind: str, sse: float, proof: Prices | None = None) -> LowerBound:
        """Return a lower bound on the SSE of these records; never below 0."""
        sse = max(sse, 0.0)
        return LowerBound(kind, sse, per_cent(sse, self.sst), proof)
