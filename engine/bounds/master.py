"""The linear programme over the groups found so far: the outer problem of LB2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.context import SILENT, RunContext
from engine.core.solver import make_solver, solve
from engine.core.typing import Integers, Values

_COLUMNS = 4096
"""Groups entered at once; bounds the memory of looking up their cuts."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A solution of the linear programme and of its dual.

    Attributes
    ----------
    value : float
        What the prices are worth if there are no other groups, as SSE.
    prices : ndarray of float64, shape (n_records,)
    cut_prices : ndarray of float64, shape (n_cuts,)
        At least 0.
    weights : ndarray of float64, shape (n_groups,)
        Share of each group.
    boxed : float
        Records that the box covers instead of groups; 0 where it does not matter.
    """

    value: float
    prices: Values
    cut_prices: Values
    weights: Values
    boxed: float


def sse_of_groups(X: Values, groups: Integers) -> Values:
    """Return the SSE of groups of one size, shape (n_groups,).

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    groups : ndarray of int64, shape (n_groups, s)
    """
    values = X[groups]
    values -= values.mean(axis=1, keepdims=True)
    return np.asarray(np.square(values).sum(axis=(1, 2)))


class Master:
    """min sum SSE(G) z_G, every record in groups of weight 1; prices in a box.

    The box is a pair of columns per record that may cover it, or take cover away, at
    the highest and the lowest price: it keeps prices near a point where they are known
    to be good (Marsten, Hogan and Blankenship 1975, doi:10.1287/opre.23.3.389).

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    unit : float
        SSE that counts as 1 for the solver, whose tolerances are absolute.

    Attributes
    ----------
    groups : list of tuple of int
        Sorted members of each group.
    costs : list of float
        Their SSEs.
    cuts : ndarray of int64, shape (n_cuts, 3)
        Triples of records of which one group at most may hold two.
    """

    def __init__(self, X: Values, unit: float) -> None:
        n = X.shape[0]
        self.X, self.unit = X, unit
        self.groups: list[tuple[int, ...]] = []
        self.costs: list[float] = []
        self.cuts = np.empty((0, 3), dtype=np.int64)
        self._known: set[tuple[int, ...]] = set()
        self._fixed: list[int] = []
        self._solver = make_solver()
        self._solver.setOptionValue("solver", "simplex")
        none = np.empty(0, dtype=np.int32)
        starts = np.zeros(n, dtype=np.int32)
        self._solver.addRows(n, np.ones(n), np.ones(n), 0, starts, none, np.empty(0))
        rows = np.arange(n, dtype=np.int32)
        self._add_columns(np.zeros(n), rows, rows, 1.0)
        self._add_columns(np.zeros(n), rows, rows, -1.0)

    def _add_columns(
        self,
        costs: Values,
        starts: NDArray[np.int32],
        rows: NDArray[np.int32],
        value: float = 1.0,
    ) -> None:
        m = costs.size
        self._solver.addCols(
            m,
            costs,
            np.zeros(m),
            np.full(m, np.inf),
            rows.size,
            starts,
            rows,
            np.full(rows.size, value),
        )

    def fix(self, groups: list[int]) -> None:
        """Keep the weight of these groups at 1 or more, until :meth:`release`."""
        first = 2 * self.X.shape[0]
        for g in groups:
            self._solver.changeColBounds(first + g, 1.0, np.inf)
        self._fixed += groups

    def release(self) -> None:
        """Undo :meth:`fix`."""
        first = 2 * self.X.shape[0]
        for g in self._fixed:
            self._solver.changeColBounds(first + g, 0.0, np.inf)
        self._fixed.clear()

    def set_box(self, low: Values, high: Values) -> None:
        """Keep the prices between `low` and `high`, shape (n_records,)."""
        n = self.X.shape[0]
        costs = np.concatenate([high, -low]) / self.unit
        self._solver.changeColsCost(2 * n, np.arange(2 * n, dtype=np.int32), costs)

    def add(self, groups: Integers) -> int:
        """Add groups of one size, shape (n_groups, s); return how many were new."""
        fresh = []
        for group in map(tuple, np.sort(groups, axis=1).tolist()):
            if group not in self._known:
                self._known.add(group)
                fresh.append(group)
        for start in range(0, len(fresh), _COLUMNS):
            members = np.array(fresh[start : start + _COLUMNS])
            costs = sse_of_groups(self.X, members)
            self.costs += costs.tolist()
            self._add_columns(costs / self.unit, *self._entries(members))
        self.groups += fresh
        return len(fresh)

    def _entries(
        self, members: Integers
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return where each group's rows start, and these rows."""
        (m, s), n = members.shape, self.X.shape[0]
        inside = np.zeros((n, m), dtype=np.int8)
        inside[members, np.arange(m)[:, None]] = 1
        group, cut = np.nonzero(inside[self.cuts].sum(axis=1).T >= 2)
        rows = np.concatenate([members.ravel(), n + cut])
        owner = np.concatenate([np.repeat(np.arange(m), s), group])
        rows = rows[np.argsort(owner, kind="stable")]
        starts = np.cumsum(np.bincount(owner, minlength=m)) - np.bincount(owner)
        return starts.astype(np.int32), rows.astype(np.int32)

    def add_cuts(self, cuts: Integers) -> None:
        """Allow at most one group with two or more of each triple, shape (m, 3)."""
        n, m = self.X.shape[0], len(cuts)
        sizes = np.array([len(group) for group in self.groups])
        owner = np.repeat(np.arange(sizes.size), sizes)
        member = np.concatenate([np.array(group) for group in self.groups])
        order = np.argsort(member, kind="stable")
        first = np.concatenate([[0], np.cumsum(np.bincount(member, minlength=n))])
        of_record = np.split(owner[order], first[1:-1])
        starts: list[int] = []
        columns: list[Integers] = []
        for cut in cuts.tolist():
            found, times = np.unique(
                np.concatenate([of_record[i] for i in cut]), return_counts=True
            )
            starts.append(sum(part.size for part in columns))
            columns.append(found[times >= 2] + 2 * n)
        entries = np.concatenate(columns).astype(np.int32)
        self._solver.addRows(
            m,
            np.full(m, -np.inf),
            np.ones(m),
            entries.size,
            np.array(starts, dtype=np.int32),
            entries,
            np.ones(entries.size),
        )
        self.cuts = np.concatenate([self.cuts, cuts])

    def solve(self, ctx: RunContext = SILENT) -> Solution | None:
        """Solve the linear programme from the last basis; None if cut short."""
        if not solve(self._solver, ctx, 0.0, "Solving the linear programme"):
            return None
        n = self.X.shape[0]
        found = self._solver.getSolution()
        dual: Values = np.array(found.row_dual) * self.unit
        columns: Values = np.array(found.col_value)
        return Solution(
            value=self._solver.getInfo().objective_function_value * self.unit,
            prices=dual[:n],
            cut_prices=np.maximum(-dual[n:], 0.0),
            weights=columns[2 * n :],
            boxed=float(columns[: 2 * n].sum()),
        )
