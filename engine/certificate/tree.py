"""A tree of linear programmes that closes what prices leave open.

All groups that a better partition may hold are listed, and the linear programme over
them is solved. Where groups are taken in part, a pair of records is together in some of
them and not in others: one branch keeps the two together, the other apart (Ryan
and Foster 1981). At each leaf the prices of the programme prove that no partition of
the branch has a smaller SSE; see (8) in :mod:`engine.certificate.certify`.

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
from scipy.sparse import csr_matrix

from engine.bounds.base import Prices, Records
from engine.bounds.column_generation import Search
from engine.bounds.cuts import separate
from engine.bounds.master import Master
from engine.bounds.pricing import Pricer
from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.partition import Labels
from engine.core.solver import make_solver, solve
from engine.core.typing import Booleans, Integers, Values
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


@dataclass(frozen=True, eq=False)
class Node:
    """A leaf with the prices that prove it, or a pair of records and two branches."""

    proof: Prices | None = None
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
    gap = target - float(proof.prices.sum() - proof.cut_prices.sum())
    if not 0.0 < gap <= WIDEST * target:
        return None
    unit = target / records.n
    master = Master(records.X, unit)
    master.cuts = proof.triples
    search = Search(
        records, k, Pricer(records, k, ctx), master, proof.prices, target - gap
    )
    search.cut_prices = proof.cut_prices
    columns = all_columns(search, gap, ROOM, BRANCHES, ctx)
    if columns is None or ctx.enough():
        return None
    programme = _Programme(columns.groups, columns.costs, target, records.n, k, ctx)
    return programme.node(np.zeros(len(columns.groups), dtype=bool))


def _until(ctx: RunContext, end: float) -> RunContext:
    """Return a context that says enough at some time, if not before."""

    def report(share: float, stage: str) -> None:
        ctx.tick(share, 1.0, stage)

    return RunContext(report, enough=lambda: time.monotonic() >= end or ctx.enough())


class _Programme:
    """min cost of listed groups that hold each record once; some groups left out."""

    def __init__(
        self,
        groups: Sequence[Group],
        costs: Values,
        target: float,
        n: int,
        k: int,
        ctx: RunContext,
    ) -> None:
        self.groups, self.n, self.k, self._ctx = list(groups), n, k, ctx
        self.unit = target / n
        self.costs, self.target = costs / self.unit, float(n)
        self.cuts = np.empty((0, 3), dtype=np.int64)
        m = len(self.groups)
        sizes = np.array([len(group) for group in self.groups])
        rows = np.concatenate([np.array(group) for group in self.groups])
        owner = np.repeat(np.arange(m), sizes)
        self._holds = csr_matrix((np.ones(rows.size), (owner, rows)), shape=(m, n))
        self._of = np.split(
            owner[np.argsort(rows, kind="stable")],
            np.cumsum(np.bincount(rows, minlength=n))[:-1],
        )
        self._solver = make_solver()
        self._solver.setOptionValue("solver", "simplex")
        self._solver.setOptionValue("dual_feasibility_tolerance", 1e-10)
        none, zeros = np.empty(0, dtype=np.int32), np.zeros(n, dtype=np.int32)
        ones = np.ones(n)
        self._solver.addRows(n, ones, ones, 0, zeros, none, np.empty(0))
        starts = (np.cumsum(sizes) - sizes).astype(np.int32)
        self._add(self.costs, starts, rows.astype(np.int32))
        # A record may be left out, at a price that no better partition pays.
        single = np.arange(n, dtype=np.int32)
        self._add(np.full(n, DEAREST), single, single)
        self._out = np.zeros(m, dtype=bool)

    def _add(
        self, costs: Values, starts: NDArray[np.int32], rows: NDArray[np.int32]
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
            np.ones(rows.size),
        )

    def node(
        self, out: Booleans, depth: int = 0, leaf: Prices | None = None
    ) -> Node | None:
        """Return the tree below a node; None where time is over before the root.

        Parameters
        ----------
        out : ndarray of bool, shape (n_groups,)
            Groups that the conditions on the way leave out.
        depth : int
        leaf : Prices, optional
            Of the node above, which prove as much here: what remains of a branch for
            which there is no time.
        """
        self._leave_out(out)
        pair = None
        for turn in range(ROUNDS[min(depth, 1)] + 1):
            self._ctx.tick(0, 1, STAGE)
            if self._ctx.enough() or not solve(self._solver, self._ctx, 0.0, STAGE):
                return None if leaf is None else Node(proof=leaf)
            found = self._solver.getSolution()
            leaf = self._leaf(np.array(found.row_dual), out)
            value = self._solver.getInfo().objective_function_value
            if value >= self.target * (1.0 - SLACK):
                return Node(proof=leaf)
            weights = np.array(found.col_value)[: len(self.groups)]
            cuts = separate(self.groups, weights, self.cuts)
            pair = self._pair(weights)
            if len(cuts) == 0 or turn == ROUNDS[min(depth, 1)]:
                break
            self._add_cuts(cuts)
        if pair is None:
            return Node(proof=leaf)
        both = self._met(pair)
        together = self.node(out | (both == 1), depth + 1, leaf)
        apart = self.node(out | (both == 2), depth + 1, leaf)
        return Node(pair=pair, together=together, apart=apart)

    def _leave_out(self, out: Booleans) -> None:
        changed = np.flatnonzero(out != self._out).astype(np.int32)
        high = np.where(out[changed], 0.0, np.inf)
        low = np.zeros(changed.size)
        if changed.size:
            self._solver.changeColsBounds(changed.size, changed, low, high)
        self._out = out.copy()

    def _add_cuts(self, cuts: Integers) -> None:
        columns = [np.flatnonzero(self._met(cut) >= 2) for cut in cuts.tolist()]
        sizes = np.array([one.size for one in columns])
        entries = np.concatenate(columns).astype(np.int32)
        m = len(cuts)
        self._solver.addRows(
            m,
            np.full(m, -np.inf),
            np.ones(m),
            entries.size,
            (np.cumsum(sizes) - sizes).astype(np.int32),
            entries,
            np.ones(entries.size),
        )
        self.cuts = np.concatenate([self.cuts, cuts])

    def _met(self, records: Sequence[int]) -> Integers:
        """Return how many of some records each group holds, shape (n_groups,)."""
        owners = np.concatenate([self._of[i] for i in records])
        return np.bincount(owners, minlength=len(self.groups))

    def _leaf(self, dual: Values, out: Booleans) -> Prices:
        """Return the prices, lowered by what rounding lets a group exceed its cost."""
        prices, paid = dual[: self.n], np.maximum(-dual[self.n :], 0.0)
        priced = np.flatnonzero(paid > 0.0)
        worth = self._holds @ prices
        for number in priced.tolist():
            worth -= paid[number] * (self._met(self.cuts[number].tolist()) >= 2)
        excess = float(np.where(out, -np.inf, worth - self.costs).max(initial=0.0))
        prices = (prices - (excess + 1e-12 * np.abs(prices).max()) / self.k) * self.unit
        return Prices(
            prices, 0, self.cuts[priced].reshape(-1), paid[priced] * self.unit
        )

    def _pair(self, weights: Values) -> tuple[int, int] | None:
        """Return the two records that are most nearly half together; None if whole."""
        shares: dict[tuple[int, int], float] = defaultdict(float)
        for g in np.flatnonzero((weights > 1e-6) & (weights < 1.0 - 1e-6)).tolist():
            for pair in combinations(self.groups[g], 2):
                shares[pair] += float(weights[g])
        best = min(
            shares, key=lambda pair: (abs(shares[pair] - 0.5), pair), default=None
        )
        if best is None or not 1e-6 < shares[best] < 1.0 - 1e-6:
            return None
        return best
