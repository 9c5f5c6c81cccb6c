"""Bounds on values from group sums, by propagation and by linear programmes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.numerics.solver import make_highs_solver
from engine.core.typing import Booleans, Integers, Values

MAX_PROPAGATION_ROUNDS = 50
"""Times that bounds are carried from groups to records and back."""

MAX_PROGRAMME_UNKNOWNS = 2_000
"""Unknowns of a linear programme."""

N_RANDOM_DIRECTIONS = 4
"""Programmes that show most unknowns to be free, before any is asked about alone."""

MAX_SINGLE_UNKNOWNS = 1_000
"""Unknowns that are asked about alone, at most."""


@dataclass(frozen=True, eq=False)
class SumConstraints:
    """Lower and upper bounds of the sums over the groups of several releases.

    Attributes
    ----------
    groups : ndarray of int64, shape (n_sums, n_records)
        Group of each record in each release; -1 for none.
    low, high : list of ndarray of float64, shape (n_groups,)
        Bounds of each group's sum, by release.
    """

    groups: Integers
    low: list[Values]
    high: list[Values]


def sum_constraints_from_means(
    groups: Integers, released_means: Values, max_errors: Values
) -> SumConstraints:
    """Return the constraints on group sums that follow from released means.

    Parameters
    ----------
    groups : ndarray of int64, shape (n_sums, n_records)
    released_means : ndarray of float64, shape (n_sums, n_records)
        The released means.
    max_errors : ndarray of float64, shape (n_sums,)
        How far they may be from the true ones.
    """
    low, high = list[Values](), list[Values]()
    for labels, means, error in zip(groups, released_means, max_errors, strict=True):
        is_grouped = labels >= 0
        size = np.bincount(labels[is_grouped])
        total = np.bincount(labels[is_grouped], means[is_grouped])
        low.append(total - size * error)
        high.append(total + size * error)
    return SumConstraints(groups, low, high)


def tighten_bounds_by_sums(
    sums: SumConstraints,
    low: Values,
    high: Values,
    max_rounds: int = MAX_PROPAGATION_ROUNDS,
) -> tuple[Values, Values]:
    """Return lower and upper bounds of each value, tightened by one sum after another.

    Each is what a sum leaves when all others of the group are at their ends: so they
    hold, but may be wider than what all sums say at once.

    Parameters
    ----------
    sums : SumConstraints
    low, high : ndarray of float64, shape (n_records,)
        Bounds that are known before.
    max_rounds : int
    """
    low, high = low.copy(), high.copy()
    min_change = 1e-6 * float((high - low).max(initial=0.0))
    for _ in range(max_rounds):
        before = float((high - low).sum())
        for labels, below, above in zip(sums.groups, sums.low, sums.high, strict=True):
            rows = np.flatnonzero(labels >= 0)
            groups = labels[rows]
            lows = np.bincount(groups, low[rows])
            highs = np.bincount(groups, high[rows])
            up = above[groups] - (lows[groups] - low[rows])
            down = below[groups] - (highs[groups] - high[rows])
            high[rows] = np.maximum(np.minimum(high[rows], up), low[rows])
            low[rows] = np.minimum(np.maximum(low[rows], down), high[rows])
        if before - float((high - low).sum()) <= min_change:
            break
    return low, high


def narrow_mask_and_exactness(
    sums: SumConstraints,
    low: Values,
    high: Values,
    is_asked: Booleans,
    max_width: float,
) -> tuple[Booleans, bool]:
    """Return a mask of asked values bounded within a width, and whether it is complete.

    Parameters
    ----------
    sums : SumConstraints
    low, high : ndarray of float64, shape (n_records,)
        Bounds that are known before.
    is_asked : ndarray of bool, shape (n_records,)
        Whose intervals matter.
    max_width : float

    Returns
    -------
    narrow : ndarray of bool, shape (n_records,)
    exact : bool
        False where too much is unknown for linear programmes, so that values may be
        known better than said.
    """
    low, high = tighten_bounds_by_sums(sums, low, high)
    narrow = is_asked & (high - low <= max_width)
    unknown = np.flatnonzero(high - low > 1e-9 * max(max_width, 1e-300))
    if not (is_asked & ~narrow).any() or len(sums.groups) < 2:
        return narrow, True
    if unknown.size > MAX_PROGRAMME_UNKNOWNS:
        return narrow, False
    programme = _Programme(sums, low, high, unknown)
    lows, highs = programme.reachable_extremes()
    places = np.flatnonzero((is_asked & ~narrow)[unknown] & (highs - lows <= max_width))
    for i in places[:MAX_SINGLE_UNKNOWNS].tolist():
        narrow[unknown[i]] = programme.interval_width(i) <= max_width
    return narrow, places.size <= MAX_SINGLE_UNKNOWNS


class _Programme:
    """All sums at once, over the values that are not known."""

    def __init__(
        self, sums: SumConstraints, low: Values, high: Values, unknown: Integers
    ) -> None:
        from scipy.sparse import csr_array

        self.bounds = np.column_stack([low[unknown], high[unknown]])
        middle = (low + high) / 2.0
        rows, below, above = [], [], []
        for labels, lows, highs in zip(sums.groups, sums.low, sums.high, strict=True):
            is_grouped = labels >= 0
            is_known = is_grouped.copy()
            is_known[unknown] = False
            fixed = np.bincount(labels[is_known], middle[is_known], lows.size)
            groups = labels[unknown]
            at = np.flatnonzero(groups >= 0)
            shape = (lows.size, unknown.size)
            rows.append(csr_array((np.ones(at.size), (groups[at], at)), shape=shape))
            below.append(lows - fixed)
            above.append(highs - fixed)
        matrix = np.vstack([each.toarray() for each in rows])
        some = matrix.any(axis=1)
        slack = 1e-9 * float(np.abs(self.bounds).max(initial=1.0))
        self.matrix = csr_array(matrix[some])
        self.low = np.concatenate(below)[some] - slack
        self.high = np.concatenate(above)[some] + slack
        self._solver = self._loaded()

    def _loaded(self) -> Any:
        import highspy

        solver = make_highs_solver()
        model = highspy.HighsModel()
        lp = model.lp_
        lp.num_row_, lp.num_col_ = self.matrix.shape
        lp.col_cost_ = np.zeros(len(self.bounds))
        lp.col_lower_, lp.col_upper_ = self.bounds.T.copy()
        lp.row_lower_, lp.row_upper_ = self.low, self.high
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = self.matrix.indptr
        lp.a_matrix_.index_ = self.matrix.indices
        lp.a_matrix_.value_ = self.matrix.data
        solver.passModel(model)
        return solver

    def _solve(self, cost: Values) -> Values:
        """Return the values that make a sum of them least; the last basis helps."""
        n = cost.size
        self._solver.changeColsCost(n, np.arange(n, dtype=np.int32), cost)
        self._solver.run()
        return np.array(self._solver.getSolution().col_value)

    def reachable_extremes(self) -> tuple[Values, Values]:
        """Return ends that the values can reach, from some directions."""
        n = len(self.bounds)
        lows, highs = np.full(n, np.inf), np.full(n, -np.inf)
        rng = np.random.default_rng(0)
        for _ in range(N_RANDOM_DIRECTIONS):
            cost = rng.uniform(-1.0, 1.0, n)
            for signed in (cost, -cost):
                x = self._solve(signed)
                lows, highs = np.minimum(lows, x), np.maximum(highs, x)
        return lows, highs

    def interval_width(self, i: int) -> float:
        """Return the width of one value's interval."""
        cost = np.zeros(len(self.bounds))
        cost[i] = 1.0
        return float(self._solve(-cost)[i] - self._solve(cost)[i])
