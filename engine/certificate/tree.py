"""The tree that closes what prices leave open, as a certificate has it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.bounds.base import Prices, Records
from engine.bounds.branching import Branch, Tree
from engine.bounds.column_search import Search
from engine.bounds.cuts import Cuts
from engine.bounds.listed import Listed
from engine.bounds.master import Master
from engine.bounds.pricing import Pricer
from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.methods.search.columns import all_columns
from engine.methods.search.groups import total_sse

WIDEST = 0.05
"""Share of the SSE that may be open: beyond it there are too many groups to list."""

ROOM = 200_000
"""Groups that are listed at most."""

BRANCHES = 10_000_000
"""Branches for each anchor at most."""


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
    listed = Listed(columns.groups, columns.costs / unit, records.n, k, unit)
    tree = Tree(listed, cuts.sets, proof, target / unit, dives=False)
    while tree.open and tree.grow(ctx):
        pass
    return None if tree.root.proof is proof else _node(tree.root)


def _until(ctx: RunContext, end: float) -> RunContext:
    """Return a context that says enough at some time, if not before."""

    def report(share: float, stage: str) -> None:
        ctx.tick(share, 1.0, stage)

    return RunContext(report, enough=lambda: time.monotonic() >= end or ctx.enough())


def _node(branch: Branch) -> Node:
    """Return a branch with all below it."""
    if branch.below is not None:
        together, apart = map(_node, branch.below)
        pair = Node(pair=branch.pair, together=together, apart=apart)
        return _chain(branch.steps, pair)
    # The last prices of a branch are what it proves, whether or not groups fell away.
    steps = [proof for proof in branch.steps if proof is not branch.proof]
    return _chain(steps, Node(proof=branch.proof))


def _chain(steps: Sequence[Prices], below: Node) -> Node:
    """Return nodes one below the other."""
    for proof in reversed(steps):
        below = Node(proof=proof, below=below)
    return below
