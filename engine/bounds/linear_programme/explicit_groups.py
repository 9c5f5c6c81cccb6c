"""Linear programme over an explicit list of groups, reused between branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import DualPrices
from engine.bounds.linear_programme.cuts import (
    Cut,
    Group,
    PricedCuts,
    group_incidence_matrix,
)
from engine.bounds.linear_programme.master import ProgrammeWithCuts
from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.numerics.solver import (
    add_columns,
    solve_unless_stopped,
    try_solve_to_optimality,
)
from engine.core.typing import Booleans, Integers, Values

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PROVING_STAGE = Message("Proving")

ARTIFICIAL_COST = 1e3
"""Price, in units of the mean, of leaving a record out: more than any group gains."""

INITIAL_GROUPS_PER_RECORD = 6
"""Groups for each record that a programme begins with; others enter as they gain."""

_BASIC_STATUS = 1
"""What HiGHS calls a basic variable."""


@dataclass(frozen=True, eq=False)
class GroupList:
    """Explicit list of all groups that a better partition can contain.

    Attributes
    ----------
    groups : sequence of tuple of int
        Sorted members.
    costs : ndarray of float64, shape (n_groups,)
        Their SSEs, in units.
    n : int
        Number of records.
    k : int
        The least size of a group.
    unit : float
        SSE that counts as 1.
    """

    groups: Sequence[Group]
    costs: Values
    n: int
    k: int
    unit: float

    @cached_property
    def membership_matrix(self) -> csr_matrix:
        """Return the 0-1 matrix of groups by records, shape (n_groups, n_records)."""
        return group_incidence_matrix(self.groups, self.n)

    def reduced_gains(self, groups: Integers, proof: DualPrices) -> Values:
        """Return prices minus costs minus cut prices of some groups, in units."""
        holds = self.membership_matrix[groups]
        cuts = PricedCuts(proof.cuts_as_sets, proof.cut_prices)
        worth = holds @ proof.prices - cuts.coefficients(holds) @ cuts.prices
        return np.asarray(worth / self.unit - self.costs[groups])

    def dual_value(self, proof: DualPrices) -> float:
        """Return the lower bound that prices prove, in units."""
        cuts = PricedCuts(proof.cuts_as_sets, proof.cut_prices)
        return (float(proof.prices.sum()) - cuts.total_price) / self.unit

    def count_in_pair(self, groups: Integers, pair: tuple[int, int]) -> Integers:
        """Return the number of records of a pair in each group: 0, 1 or 2."""
        return np.asarray(
            self.membership_matrix[groups][:, list(pair)].sum(axis=1)
        ).ravel()


@dataclass(frozen=True, eq=False)
class SimplexBasis:
    """Simplex basis to warm-start another linear programme.

    Attributes
    ----------
    inside : ndarray of int64
        Groups that it knows.
    columns, rows : ndarray of int8
        HiGHS's states of leaving records out and of these groups, and of its rows.
    """

    inside: Integers
    columns: NDArray[np.int8]
    rows: NDArray[np.int8]


class GroupProgramme(ProgrammeWithCuts):
    """Set-partitioning linear programme over listed groups, with cuts.

    Parameters
    ----------
    listed : GroupList
    some : ndarray of int64
        Groups that may be chosen, in order.
    cuts : sequence of Cut
    above : DualPrices
        Dual prices by which the first groups are chosen, without a basis.
    basis : SimplexBasis, optional
        Basis of a programme with the same cuts and these groups, and perhaps others.

    Attributes
    ----------
    some, inside : ndarray of int64
        Groups that may be chosen, and those that the programme knows.
    cuts : list of Cut
    value : float
        Objective of the last solution, in units.
    """

    def __init__(
        self,
        listed: GroupList,
        some: Integers,
        cuts: Sequence[Cut],
        above: DualPrices,
        basis: SimplexBasis | None = None,
    ) -> None:
        from scipy.sparse import identity

        n = listed.n
        super().__init__(n)
        self.listed, self.some = listed, some
        self.inside = np.empty(0, dtype=np.int64)
        self.value = -np.inf
        self._entered = np.zeros(len(listed.groups), dtype=bool)
        self._solver.setOptionValue("dual_feasibility_tolerance", 1e-10)
        # A record may be left out, at a price that no better partition pays.
        single = identity(n, format="csr")
        add_columns(self._solver, np.full(n, ARTIFICIAL_COST), single)
        self.add_cuts(cuts)
        if basis is None:
            gains = listed.reduced_gains(some, above)
            self._enter(
                some[np.argsort(-gains, kind="stable")[: INITIAL_GROUPS_PER_RECORD * n]]
            )
            return
        may = self._may()
        stay_mask = may[basis.inside]
        self._enter(basis.inside[stay_mask])
        columns = np.concatenate([basis.columns[:n], basis.columns[n:][stay_mask]])
        self.restore_basis(SimplexBasis(self.inside, columns, basis.rows))

    def _may(self) -> Booleans:
        """Return which of all listed groups may be chosen."""
        may = np.zeros(len(self.listed.groups), dtype=bool)
        may[self.some] = True
        return may

    def _enter(self, chosen: Integers) -> None:
        """Take in groups."""
        holds = self.listed.membership_matrix[chosen]
        self.enter_groups(self.listed.costs[chosen], holds)
        self._entered[chosen] = True
        self.inside = np.concatenate([self.inside, chosen])

    def add_cuts(self, cuts: Sequence[Cut]) -> None:
        """Add cuts as rows of the programme."""
        if not cuts:
            return
        holds = self.listed.membership_matrix[self.inside]
        self.enter_cuts(cuts, holds, self.listed.n)

    def restrict_groups(self, groups: Integers) -> None:
        """Forbid all groups but these."""
        self.some = groups
        may = self._may()[self.inside]
        self._bound(np.arange(may.size), np.where(may, np.inf, 0.0))

    def _bound(self, places: Integers, max_weights: Values) -> None:
        """Set the largest weights of groups at some places of :attr:`inside`."""
        columns = (places + self.listed.n).astype(np.int32)
        zeros = np.zeros(columns.size)
        self._solver.changeColsBounds(columns.size, columns, zeros, max_weights)

    def current_basis(self) -> SimplexBasis:
        """Return the solver's basis."""
        basis = self._solver.getBasis()
        states = (
            np.array([int(state) for state in some], dtype=np.int8)
            for some in (basis.col_status, basis.row_status)
        )
        return SimplexBasis(self.inside, *states)

    def restore_basis(self, basis: SimplexBasis) -> None:
        """Set the basis; columns added since become non-basic."""
        from highspy import HighsBasis, HighsBasisStatus

        names = {int(state): state for state in HighsBasisStatus.__members__.values()}
        fresh = [0] * (self.inside.size + self.listed.n - basis.columns.size)
        solver_basis = HighsBasis()
        solver_basis.col_status = [names[s] for s in basis.columns.tolist() + fresh]
        solver_basis.row_status = [names[s] for s in basis.rows.tolist()]
        solver_basis.valid, solver_basis.alien = True, True
        self._solver.setBasis(solver_basis)

    def drop_slack_cuts(self, basis: SimplexBasis) -> tuple[list[Cut], SimplexBasis]:
        """Return the binding cuts, and the basis without the rows of the other cuts."""
        n = self.listed.n
        binding = basis.rows[n:] != _BASIC_STATUS
        cuts = [self.cuts[c] for c in np.flatnonzero(binding).tolist()]
        rows = np.concatenate([basis.rows[:n], basis.rows[n:][binding]])
        return cuts, SimplexBasis(basis.inside, basis.columns, rows)

    def solve(self, ctx: RunContext) -> Values | None:
        """Return the optimal weights of groups in :attr:`inside`; None without time."""
        n = self.listed.n
        while True:
            ctx.tick(0, 1, PROVING_STAGE)
            solver = self._solver
            if ctx.enough() or not try_solve_to_optimality(solver, ctx, PROVING_STAGE):
                return None
            solution = self._solver.getSolution()
            self.value = self._solver.getInfo().objective_function_value
            dual = np.array(solution.row_dual)
            outside = self.some[~self._entered[self.some]]
            gains = self.listed.reduced_gains(outside, self._prices(dual, 0.0))
            places = np.flatnonzero(gains > 1e-10)
            if places.size == 0:
                self._dual = dual
                return np.array(solution.col_value)[n:]
            best = np.argsort(-gains[places], kind="stable")[
                : INITIAL_GROUPS_PER_RECORD * n
            ]
            self._enter(outside[places[best]])

    def strong_branching_bound(
        self, barred: Booleans, steps: int, ctx: RunContext
    ) -> float:
        """Return the objective after some simplex steps with `barred` groups forbidden.

        The basis is then another; see :meth:`restore_basis`.

        Parameters
        ----------
        barred : ndarray of bool, shape (n_inside,)
        steps : int
            Steps of the dual simplex method, whose values only rise.
        """
        places = np.flatnonzero(barred & self._may()[self.inside])
        self._bound(places, np.zeros(places.size))
        self._solver.setOptionValue("simplex_iteration_limit", steps)
        solve_unless_stopped(self._solver, ctx, PROVING_STAGE)
        value = self._solver.getInfo().objective_function_value
        self._solver.setOptionValue("simplex_iteration_limit", 2**31 - 1)
        self._bound(places, np.full(places.size, np.inf))
        return float(value)

    def _prices(self, dual: Values, less: float) -> DualPrices:
        n, unit = self.listed.n, self.listed.unit
        paid = np.maximum(-dual[n:], 0.0) * unit
        return DualPrices.with_cuts((dual[:n] - less) * unit, self.cuts, paid)

    def safe_dual_prices(self) -> DualPrices:
        """Return the dual prices, lowered to be valid despite rounding."""
        plain = self._prices(self._dual, 0.0)
        excess = float(self.listed.reduced_gains(self.some, plain).max(initial=0.0))
        excess += 1e-12 * float(np.abs(self._dual).max())
        return self._prices(self._dual, excess / self.listed.k)
