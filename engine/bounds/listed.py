"""The linear programme over groups that are all listed, from one node to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import Prices
from engine.bounds.cuts import Cut, Cuts, Group, membership
from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.solver import (
    add_columns,
    add_rows,
    make_solver,
    solve,
    solve_optimally,
)
from engine.core.typing import Booleans, Integers, Values

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

STAGE = Message("Proving")

DEAREST = 1e3
"""Price, in units of the mean, of leaving a record out: more than any group gains."""

FIRST = 6
"""Groups for each record that a programme begins with; others enter as they gain."""

_BASIC = 1
"""What HiGHS calls a basic variable."""


@dataclass(frozen=True, eq=False)
class Listed:
    """Groups, all those that matter.

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
    def holds(self) -> csr_matrix:
        """Return which records groups hold, as 1s, shape (n_groups, n_records)."""
        return membership(self.groups, self.n)

    def gains(self, some: Integers, proof: Prices) -> Values:
        """Return prices less costs less cuts of some groups, in units."""
        holds, cuts = self.holds[some], Cuts(proof.sets, proof.cut_prices)
        worth = holds @ proof.prices - cuts.charged(holds) @ cuts.prices
        return np.asarray(worth / self.unit - self.costs[some])

    def proven(self, proof: Prices) -> float:
        """Return what prices prove, in units."""
        cuts = Cuts(proof.sets, proof.cut_prices)
        return (float(proof.prices.sum()) - cuts.paid) / self.unit

    def with_both(self, some: Integers, pair: tuple[int, int]) -> Integers:
        """Return how many of two records some groups hold."""
        return np.asarray(self.holds[some][:, list(pair)].sum(axis=1)).ravel()


@dataclass(frozen=True, eq=False)
class Basis:
    """Where a programme has come to: another begins there.

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


class Programme:
    """min cost of listed groups that hold each record once, with cuts.

    Parameters
    ----------
    listed : Listed
    some : ndarray of int64
        Groups that may be chosen, in order.
    cuts : sequence of Cut
    above : Prices
        By which groups enter first.
    basis : Basis, optional
        Of a programme with the same cuts and these groups, and perhaps others.

    Attributes
    ----------
    some, inside : ndarray of int64
        Groups that may be chosen, and those that the programme knows.
    cuts : list of Cut
    value : float
        Of the last solution, in units.
    """

    def __init__(
        self,
        listed: Listed,
        some: Integers,
        cuts: Sequence[Cut],
        above: Prices,
        basis: Basis | None = None,
    ) -> None:
        from scipy.sparse import csr_matrix, identity

        n = listed.n
        self.listed, self.some = listed, some
        self.cuts: list[Cut] = []
        self.inside = np.empty(0, dtype=np.int64)
        self.value = -np.inf
        self._entered = np.zeros(len(listed.groups), dtype=bool)
        self._solver = make_solver()
        self._solver.setOptionValue("solver", "simplex")
        self._solver.setOptionValue("dual_feasibility_tolerance", 1e-10)
        add_rows(self._solver, np.ones(n), np.ones(n), csr_matrix((n, 0)))
        # A record may be left out, at a price that no better partition pays.
        single = identity(n, format="csr")
        add_columns(self._solver, np.full(n, DEAREST), single)
        self.add_cuts(cuts)
        if basis is None:
            gains = listed.gains(some, above)
            self._enter(some[np.argsort(-gains, kind="stable")[: FIRST * n]])
            return
        may = self._may()
        kept = may[basis.inside]
        self._enter(basis.inside[kept])
        columns = np.concatenate([basis.columns[:n], basis.columns[n:][kept]])
        self.go_back(Basis(self.inside, columns, basis.rows))

    def _may(self) -> Booleans:
        """Return which of all listed groups may be chosen."""
        may = np.zeros(len(self.listed.groups), dtype=bool)
        may[self.some] = True
        return may

    def _enter(self, chosen: Integers) -> None:
        """Take in groups."""
        from scipy.sparse import hstack

        holds = self.listed.holds[chosen]
        charged = Cuts(self.cuts, np.empty(0)).charged(holds)
        both = hstack([holds, charged], format="csr")
        add_columns(self._solver, self.listed.costs[chosen], both)
        self._entered[chosen] = True
        self.inside = np.concatenate([self.inside, chosen])

    def add_cuts(self, cuts: Sequence[Cut]) -> None:
        """Add rows."""
        if not cuts:
            return
        new = Cuts(cuts, np.empty(0))
        charged = new.charged(self.listed.holds[self.inside]).T.tocsr()
        least, most = np.full(len(cuts), -np.inf), new.most.astype(np.float64)
        add_rows(self._solver, least, most, charged, self.listed.n)
        self.cuts += cuts

    def limit(self, some: Integers) -> None:
        """Let only these groups be chosen."""
        self.some = some
        may = self._may()[self.inside]
        self._bound(np.arange(may.size), np.where(may, np.inf, 0.0))

    def _bound(self, places: Integers, most: Values) -> None:
        """Set the largest weights of groups at some places of :attr:`inside`."""
        columns = (places + self.listed.n).astype(np.int32)
        zeros = np.zeros(columns.size)
        self._solver.changeColsBounds(columns.size, columns, zeros, most)

    def basis(self) -> Basis:
        """Return where the solver has come to."""
        found = self._solver.getBasis()
        states = (
            np.array([int(state) for state in some], dtype=np.int8)
            for some in (found.col_status, found.row_status)
        )
        return Basis(self.inside, *states)

    def go_back(self, basis: Basis) -> None:
        """Begin anew from a basis; groups that have entered since stand by."""
        from highspy import HighsBasis, HighsBasisStatus

        names = {int(state): state for state in HighsBasisStatus.__members__.values()}
        fresh = [0] * (self.inside.size + self.listed.n - basis.columns.size)
        found = HighsBasis()
        found.col_status = [names[s] for s in basis.columns.tolist() + fresh]
        found.row_status = [names[s] for s in basis.rows.tolist()]
        found.valid, found.alien = True, True
        self._solver.setBasis(found)

    def without_idle_cuts(self, basis: Basis) -> tuple[list[Cut], Basis]:
        """Return the cuts that bind, and the basis without the others' rows."""
        n = self.listed.n
        binding = basis.rows[n:] != _BASIC
        cuts = [self.cuts[c] for c in np.flatnonzero(binding).tolist()]
        rows = np.concatenate([basis.rows[:n], basis.rows[n:][binding]])
        return cuts, Basis(basis.inside, basis.columns, rows)

    def solve(self, ctx: RunContext) -> Values | None:
        """Return the weights of :attr:`inside`; None where there is no time."""
        n = self.listed.n
        while True:
            ctx.tick(0, 1, STAGE)
            if ctx.enough() or not solve_optimally(self._solver, ctx, 0.0, STAGE):
                return None
            found = self._solver.getSolution()
            self.value = self._solver.getInfo().objective_function_value
            dual = np.array(found.row_dual)
            outside = self.some[~self._entered[self.some]]
            gains = self.listed.gains(outside, self._prices(dual, 0.0))
            places = np.flatnonzero(gains > 1e-10)
            if places.size == 0:
                self._dual = dual
                return np.array(found.col_value)[n:]
            best = np.argsort(-gains[places], kind="stable")[: FIRST * n]
            self._enter(outside[places[best]])

    def trial(self, barred: Booleans, steps: int, ctx: RunContext) -> float:
        """Return what the value comes to in some steps where groups are barred, too.

        The basis is then another; see :meth:`go_back`.

        Parameters
        ----------
        barred : ndarray of bool, shape (n_inside,)
        steps : int
            Of the dual simplex method, whose values only rise.
        """
        places = np.flatnonzero(barred & self._may()[self.inside])
        self._bound(places, np.zeros(places.size))
        self._solver.setOptionValue("simplex_iteration_limit", steps)
        solve(self._solver, ctx, 0.0, STAGE)
        value = self._solver.getInfo().objective_function_value
        self._solver.setOptionValue("simplex_iteration_limit", 2**31 - 1)
        self._bound(places, np.full(places.size, np.inf))
        return float(value)

    def _prices(self, dual: Values, less: float) -> Prices:
        n, unit = self.listed.n, self.listed.unit
        paid = np.maximum(-dual[n:], 0.0) * unit
        return Prices.with_cuts((dual[:n] - less) * unit, self.cuts, paid)

    def proof(self) -> Prices:
        """Return the prices, lowered by what rounding lets a group exceed its cost."""
        plain = self._prices(self._dual, 0.0)
        excess = float(self.listed.gains(self.some, plain).max(initial=0.0))
        excess += 1e-12 * float(np.abs(self._dual).max())
        return self._prices(self._dual, excess / self.listed.k)
