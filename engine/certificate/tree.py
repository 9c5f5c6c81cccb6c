"""A tree of linear programmes that closes what prices leave open.

All groups that a better partition may hold are listed, and the linear programme over
them is solved, with cuts. By its prices fewer groups matter; only these go on. Where
groups are taken in part, a pair of records is together in some of them and not in
others: one branch keeps the two together, the other apart (Ryan and Foster 1981). At
each leaf the prices of the programme prove that no partition of the branch has a
smaller SSE; see (8) in :mod:`engine.certificate.certify`.

References
----------
Barnhart C, Johnson EL, Nemhauser GL, Savelsbergh MWP, Vance PH (1998).
Branch-and-price: column generation for solving huge integer programs. Operations
Research 46(3), 316-329. doi:10.1287/opre.46.3.316
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import hstack

from engine.bounds.base import Prices, Records
from engine.bounds.column_generation import Search
from engine.bounds.cuts import Cut, Cuts, membership, separate
from engine.bounds.master import Master
from engine.bounds.pricing import Pricer
from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.partition import Labels
from engine.core.solver import make_solver, solve
from engine.core.typing import Integers, Values
from engine.methods.search.programme import Group, all_columns, total_sse

STAGE = Message("Proving")

WIDEST = 0.05
"""Share of the SSE that may be open: beyond it there are too many groups to list."""

ROOM = 200_000
"""Groups that are listed at most."""

BRANCHES = 10_000_000
"""Branches for each anchor at most."""

ROUNDS = 30, 3
"""Rounds of cuts at the root, and at every other node."""

SLACK = 1e-10
"""Share of the SSE below which two partitions lose the same."""

DEAREST = 1e3
"""Price, in units of the mean, of leaving a record out: more than any group gains."""

FIRST = 6
"""Groups for each record that a programme begins with; others enter as they gain."""

FEWER = 0.7
"""Share of the groups that is left where it pays to write down which fell away."""


@dataclass(frozen=True, eq=False)
class Node:
    """Prices that hold, and what closes the rest; or a pair, and two branches.

    Attributes
    ----------
    proof : Prices or None
    below : Node or None
        About the groups that a better partition may hold by these prices.
    pair : tuple of (int, int) or None
    together, apart : Node or None
    """

    proof: Prices | None = None
    below: Node | None = None
    pair: tuple[int, int] | None = None
    together: Node | None = None
    apart: Node | None = None


def close(
    X: Values, labels: Labels, k: int, proof: Prices, ctx: RunContext, seconds: float
) -> Node | None:
    """Return a tree that proves more than prices do; None where there is no time.

    Where time ends before all branches are closed, it proves less than `labels` lose.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    labels : ndarray of int64, shape (n_records,)
        The partition that nothing is to be better than.
    k : int
    proof : Prices
        Such that no group costs less than its prices less those of its cuts.
    ctx : RunContext
    seconds : float
        Time at most.
    """
    ctx = _until(ctx, time.monotonic() + seconds)
    records = Records.of(X)
    target = total_sse(records.X, labels)
    cuts = Cuts(proof.sets, proof.cut_prices)
    gap = target - (float(proof.prices.sum()) - cuts.paid)
    if not 0.0 < gap <= WIDEST * target:
        return None
    unit = target / records.n
    master = Master(records.X, unit)
    master.cuts = list(cuts.sets)
    search = Search(
        records, k, Pricer(records, k, ctx), master, proof.prices, target - gap
    )
    search.cut_prices = proof.cut_prices
    columns = all_columns(search, gap, ROOM, BRANCHES, ctx)
    if columns is None or ctx.enough():
        return None
    tree = _Tree(columns.groups, columns.costs / unit, records.n, k, unit, ctx)
    return tree.node(np.arange(len(columns.groups)), list(cuts.sets), proof, 0)


def _until(ctx: RunContext, end: float) -> RunContext:
    """Return a context that says enough at some time, if not before."""

    def report(share: float, stage: str) -> None:
        ctx.tick(share, 1.0, stage)

    return RunContext(report, enough=lambda: time.monotonic() >= end or ctx.enough())


class _Tree:
    """The listed groups; each node is about some of them."""

    def __init__(
        self,
        groups: Sequence[Group],
        costs: Values,
        n: int,
        k: int,
        unit: float,
        ctx: RunContext,
    ) -> None:
        self.groups, self.costs, self.n, self.k = groups, costs, n, k
        self.unit, self.ctx, self.target = unit, ctx, float(n)
        self.holds = membership(groups, n)

    def gains(self, some: Integers, proof: Prices) -> Values:
        """Return prices less costs less cuts of some groups, in units."""
        holds, cuts = self.holds[some], Cuts(proof.sets, proof.cut_prices)
        worth = holds @ proof.prices - cuts.charged(holds) @ cuts.prices
        return np.asarray(worth / self.unit - self.costs[some])

    def proven(self, proof: Prices) -> float:
        """Return what prices prove, in units."""
        cuts = Cuts(proof.sets, proof.cut_prices)
        return (float(proof.prices.sum()) - cuts.paid) / self.unit

    def node(
        self, some: Integers, cuts: list[Cut], above: Prices, depth: int
    ) -> Node | None:
        """Return the tree below a node; None where time is over before the first.

        Parameters
        ----------
        some : ndarray of int64
            Groups that the conditions on the way leave.
        cuts : list of Cut
            Those to begin with.
        above : Prices
            Of the node above, which hold here, too: what remains of a branch for which
            there is no time.
        depth : int
        """
        steps: list[Prices] = []
        programme = _Programme(self, some, cuts, above)
        best, pair, rounds = above, None, ROUNDS[min(depth, 1)]
        for turn in range(rounds + 1):
            weights = programme.solve()
            if weights is None:
                break
            proof = programme.proof()
            if self.proven(proof) >= self.proven(best):
                best = proof
            value = self.proven(best)
            if value >= self.target * (1.0 - SLACK):
                break
            left = self.gains(some, best) > value - self.target - 1e-9 * self.target
            if left.sum() < FEWER * some.size:
                steps.append(best)
                some = some[left]
                programme = _Programme(self, some, programme.cuts, best)
                continue
            members = [self.groups[g] for g in programme.inside.tolist()]
            pair = _pair(members, weights)
            found = separate(members, weights, programme.cuts, self.k)
            if not found or turn == rounds:
                break
            programme.add_cuts(found)
        done = self.proven(best) >= self.target * (1.0 - SLACK) or self.ctx.enough()
        below = None
        if not done and pair is not None:
            below = self._branches(some, programme.cuts, best, pair, depth)
        return _chain([*steps, best], below) if best is not above else below

    def _branches(
        self,
        some: Integers,
        cuts: list[Cut],
        proof: Prices,
        pair: tuple[int, int],
        depth: int,
    ) -> Node:
        """Return a node that has a pair of records together, or apart."""
        both = self.holds[some][:, list(pair)].sum(axis=1).A1
        together = self.node(some[both != 1], cuts, proof, depth + 1)
        apart = self.node(some[both != 2], cuts, proof, depth + 1)
        left = Node(proof=proof)
        return Node(pair=pair, together=together or left, apart=apart or left)


def _chain(steps: Sequence[Prices], below: Node | None) -> Node | None:
    """Return nodes one below the other."""
    for proof in reversed(steps):
        below = Node(proof=proof, below=below)
    return below


class _Programme:
    """min cost of listed groups that hold each record once, with cuts."""

    def __init__(
        self, tree: _Tree, some: Integers, cuts: Sequence[Cut], above: Prices
    ) -> None:
        self._tree, self.some, n = tree, some, tree.n
        self.cuts: list[Cut] = []
        self.inside = np.empty(0, dtype=np.int64)
        self._entered = np.zeros(some.size, dtype=bool)
        self._solver = make_solver()
        self._solver.setOptionValue("solver", "simplex")
        self._solver.setOptionValue("dual_feasibility_tolerance", 1e-10)
        none, zeros = np.empty(0, dtype=np.int32), np.zeros(n, dtype=np.int32)
        self._solver.addRows(n, np.ones(n), np.ones(n), 0, zeros, none, np.empty(0))
        # A record may be left out, at a price that no better partition pays.
        single = np.arange(n, dtype=np.int32)
        self._add(np.full(n, DEAREST), single, single, np.ones(n))
        self.add_cuts(cuts)
        gains = tree.gains(some, above)
        self._enter(np.argsort(-gains, kind="stable")[: FIRST * n])

    def _add(
        self,
        costs: Values,
        starts: NDArray[np.int32],
        rows: NDArray[np.int32],
        values: Values,
    ) -> None:
        m = costs.size
        self._solver.addCols(
            m, costs, np.zeros(m), np.full(m, np.inf), rows.size, starts, rows, values
        )

    def _enter(self, places: Integers) -> None:
        """Take in the groups at some places of the list."""
        chosen = self.some[places]
        holds = self._tree.holds[chosen]
        charged = Cuts(self.cuts, np.empty(0)).charged(holds)
        both = hstack([holds, charged], format="csr")
        self._add(
            self._tree.costs[chosen],
            both.indptr[:-1].astype(np.int32),
            both.indices.astype(np.int32),
            both.data,
        )
        self._entered[places] = True
        self.inside = np.concatenate([self.inside, chosen])

    def add_cuts(self, cuts: Sequence[Cut]) -> None:
        """Add rows."""
        if not cuts:
            return
        new, m = Cuts(cuts, np.empty(0)), len(cuts)
        found = new.charged(self._tree.holds[self.inside]).tocsc()
        self._solver.addRows(
            m,
            np.full(m, -np.inf),
            new.most.astype(np.float64),
            found.nnz,
            found.indptr[:-1].astype(np.int32),
            (found.indices + self._tree.n).astype(np.int32),
            found.data,
        )
        self.cuts += cuts

    def solve(self) -> Values | None:
        """Return the weights of :attr:`inside`; None where there is no time."""
        ctx, n = self._tree.ctx, self._tree.n
        while True:
            ctx.tick(0, 1, STAGE)
            if ctx.enough() or not solve(self._solver, ctx, 0.0, STAGE):
                return None
            found = self._solver.getSolution()
            dual = np.array(found.row_dual)
            gains = self._tree.gains(self.some, self._prices(dual, 0.0))
            gains[self._entered] = 0.0
            places = np.flatnonzero(gains > 1e-9)
            if places.size == 0:
                self._dual = dual
                return np.array(found.col_value)[n:]
            best = np.argsort(-gains[places], kind="stable")[: FIRST * n]
            self._enter(places[best])

    def _prices(self, dual: Values, less: float) -> Prices:
        n, unit = self._tree.n, self._tree.unit
        paid = np.maximum(-dual[n:], 0.0) * unit
        return Prices.with_cuts((dual[:n] - less) * unit, self.cuts, paid)

    def proof(self) -> Prices:
        """Return the prices, lowered by what rounding lets a group exceed its cost."""
        plain = self._prices(self._dual, 0.0)
        excess = float(self._tree.gains(self.some, plain).max(initial=0.0))
        excess += 1e-12 * float(np.abs(self._dual).max())
        return self._prices(self._dual, excess / self._tree.k)


def _pair(groups: Sequence[Group], weights: Values) -> tuple[int, int] | None:
    """Return the two records that are most nearly half together; None if whole."""
    shares: dict[tuple[int, int], float] = defaultdict(float)
    for g in np.flatnonzero((weights > 1e-6) & (weights < 1.0 - 1e-6)).tolist():
        for pair in combinations(groups[g], 2):
            shares[pair] += float(weights[g])
    best = min(shares, key=lambda pair: (abs(shares[pair] - 0.5), pair), default=None)
    if best is None or not 1e-6 < shares[best] < 1.0 - 1e-6:
        return None
    return best
