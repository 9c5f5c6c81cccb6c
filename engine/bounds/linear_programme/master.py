"""Restricted master problem of LB2: the linear programme over generated groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from engine.bounds.linear_programme.cuts import Cut, PricedCuts, group_incidence_matrix
from engine.core.context import SILENT, RunContext
from engine.core.numerics.solver import (
    add_columns,
    add_rows,
    make_highs_solver,
    try_solve_to_optimality,
)
from engine.core.typing import Booleans, Integers, Values

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_IDLE_ROUNDS = 2
"""Rounds in a row after which an idle cut is removed."""

_COLUMNS_PER_CALL = 4096
"""Groups entered at once; bounds the memory of looking up their cuts."""


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """Objective, prices and group weights of the master problem's optimum.

    Attributes
    ----------
    value : float
        What the prices are worth if there are no other groups, as SSE.
    prices : ndarray of float64, shape (n_records,)
    cut_prices : ndarray of float64, shape (n_cuts,)
        At least 0.
    weights : ndarray of float64, shape (n_groups,)
        Share of each group.
    boxed : ndarray of float64, shape (n_records,)
        How much of each record the box covers instead of groups, or takes away; 0 where
        it does not matter.
    """

    value: float
    prices: Values
    cut_prices: Values
    weights: Values
    boxed: Values


def sse_per_group(X: Values, groups: Integers) -> Values:
    """Return the SSE of each of several groups of equal size, shape (n_groups,).

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    groups : ndarray of int64, shape (n_groups, s)
    """
    values = X[groups]
    values -= values.mean(axis=1, keepdims=True)
    return np.asarray(np.square(values).sum(axis=(1, 2)))


class ProgrammeWithCuts:
    """A linear programme that covers every record once, whose groups pay for cuts.

    Attributes
    ----------
    cuts : list of Cut
        What the groups may not exceed.
    """

    def __init__(self, n_records: int) -> None:
        from scipy.sparse import csr_matrix

        self.cuts: list[Cut] = []
        self._solver = make_highs_solver()
        self._solver.setOptionValue("solver", "simplex")
        ones = np.ones(n_records)
        add_rows(self._solver, ones, ones, csr_matrix((n_records, 0)))

    def enter_groups(self, costs: Values, holds: csr_matrix) -> None:
        """Add groups as columns, with what each pays of the cuts.

        Parameters
        ----------
        costs : ndarray of float64, shape (n_groups,)
        holds : csr_matrix of float64, shape (n_groups, n_records)
        """
        from scipy.sparse import hstack

        charged = PricedCuts(self.cuts, np.empty(0)).coefficients(holds)
        add_columns(self._solver, costs, hstack([holds, charged], format="csr"))

    def enter_cuts(
        self, cuts: Sequence[Cut], holds: csr_matrix, first_column: int
    ) -> None:
        """Add cuts as rows.

        Parameters
        ----------
        cuts : sequence of Cut
        holds : csr_matrix of float64, shape (n_groups, n_records)
            All groups of the programme.
        first_column : int
            Column of the programme that the first group is.
        """
        new = PricedCuts(cuts, np.empty(0))
        charged = new.coefficients(holds).T.tocsr()
        caps = new.right_hand_sides.astype(np.float64)
        add_rows(self._solver, np.full(caps.size, -np.inf), caps, charged, first_column)
        self.cuts += cuts


class MasterProblem(ProgrammeWithCuts):
    """Restricted master problem: minimise sum SSE(G) z_G, with prices in a box.

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
    cuts : list of Cut
        What the groups may not exceed.
    """

    def __init__(self, X: Values, unit: float) -> None:
        from scipy.sparse import identity

        n = X.shape[0]
        super().__init__(n)
        self.X, self.unit = X, unit
        self.groups: list[tuple[int, ...]] = []
        self.costs: list[float] = []
        self._idle = np.empty(0, dtype=np.int64)
        self._known: set[tuple[int, ...]] = set()
        single = identity(n, format="csr")
        add_columns(self._solver, np.zeros(n), single)
        add_columns(self._solver, np.zeros(n), -single)

    def fix_groups(self, groups: list[int]) -> None:
        """Constrain the weight of these groups to at least 1."""
        first = 2 * self.X.shape[0]
        for g in groups:
            self._solver.changeColBounds(first + g, 1.0, np.inf)

    def set_box(self, low: Values, high: Values) -> None:
        """Constrain the prices to `low` to `high`, shape (n_records,)."""
        n = self.X.shape[0]
        costs = np.concatenate([high, -low]) / self.unit
        self._solver.changeColsCost(2 * n, np.arange(2 * n, dtype=np.int32), costs)

    def add_groups(self, groups: Integers) -> int:
        """Add groups of one size, (n_groups, group_size); return how many were new."""
        fresh = []
        for group in map(tuple, np.sort(groups, axis=1).tolist()):
            if group not in self._known:
                self._known.add(group)
                fresh.append(group)
        for start in range(0, len(fresh), _COLUMNS_PER_CALL):
            members = np.array(fresh[start : start + _COLUMNS_PER_CALL])
            costs = sse_per_group(self.X, members)
            self.costs += costs.tolist()
            holds = group_incidence_matrix(members, self.X.shape[0])
            self.enter_groups(costs / self.unit, holds)
        self.groups += fresh
        return len(fresh)

    def add_cuts(self, cuts: Sequence[Cut]) -> None:
        """Add cuts as rows of the programme."""
        n = self.X.shape[0]
        self.enter_cuts(cuts, group_incidence_matrix(self.groups, n), 2 * n)
        self._idle = np.concatenate([self._idle, np.zeros(len(cuts), dtype=np.int64)])

    def remove_idle_cuts(self, needed: Booleans) -> Booleans:
        """Remove cuts idle for several calls; return a bool mask of the cuts that stay.

        Parameters
        ----------
        needed : ndarray of bool, shape (n_cuts,)
            Cuts that stay in any case.

        Returns
        -------
        ndarray of bool, shape (n_cuts,)
            Cuts that are left.
        """
        from highspy import HighsBasisStatus

        n, basis = self.X.shape[0], self._solver.getBasis()
        states = list(basis.row_status)
        loose = np.array([each == HighsBasisStatus.kBasic for each in states[n:]], bool)
        self._idle = np.where(loose & ~needed, self._idle + 1, 0)
        cut_mask = self._idle < MAX_IDLE_ROUNDS
        gone = n + np.flatnonzero(~cut_mask)
        if gone.size > 0:
            self._solver.deleteRows(gone.size, gone.astype(np.int32))
            # Without rows that are basic, what is left is a basis.
            row_mask = np.concatenate([np.ones(n, dtype=bool), cut_mask])
            basis.row_status = list(compress(states, row_mask))
            self._solver.setBasis(basis)
            self.cuts = list(compress(self.cuts, cut_mask))
            self._idle = self._idle[cut_mask]
        return cut_mask

    def solve(self, ctx: RunContext = SILENT) -> MasterSolution | None:
        """Solve the programme from the last basis; None if interrupted or failed."""
        stage = "Solving the linear programme"
        if not try_solve_to_optimality(self._solver, ctx, stage):
            return None
        n = self.X.shape[0]
        solution = self._solver.getSolution()
        dual: Values = np.array(solution.row_dual) * self.unit
        columns: Values = np.array(solution.col_value)
        return MasterSolution(
            value=self._solver.getInfo().objective_function_value * self.unit,
            prices=dual[:n],
            cut_prices=np.maximum(-dual[n:], 0.0),
            weights=columns[2 * n :],
            boxed=columns[:n] + columns[n : 2 * n],
        )
