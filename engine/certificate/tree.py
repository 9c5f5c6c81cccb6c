"""Branch-and-bound tree of a certificate, to close the gap left by dual prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.bounds.base import CentredRecords, DualPrices
from engine.bounds.linear_programme.branching import BranchAndBound, BranchNode
from engine.bounds.linear_programme.column_generation import context_with_deadline
from engine.bounds.linear_programme.column_search import ColumnGeneration
from engine.bounds.linear_programme.cuts import PricedCuts
from engine.bounds.linear_programme.explicit_groups import GroupList
from engine.bounds.linear_programme.master import MasterProblem
from engine.bounds.linear_programme.pricing import Pricer
from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.methods.search.integer_programmes.columns import all_relevant_columns
from engine.methods.search.integer_programmes.groups import total_group_sse

MAX_OPEN_SHARE = 0.05
"""Share of the SSE that may be open: beyond it there are too many groups to list."""

MAX_LISTED_GROUPS = 200_000
"""Groups that are listed at most."""

MAX_BRANCHES = 10_000_000
"""Branches for each anchor at most."""


@dataclass(frozen=True, eq=False)
class ProofNode:
    """Node of a proof tree: prices (with or without a subtree), or a pair with two.

    Attributes
    ----------
    proof : DualPrices or None
    below : ProofNode or None
        About the groups that a better partition may hold by these prices.
    pair : tuple of (int, int) or None
    together, apart : ProofNode or None
    """

    proof: DualPrices | None = None
    below: ProofNode | None = None
    pair: tuple[int, int] | None = None
    together: ProofNode | None = None
    apart: ProofNode | None = None


def build_proof_tree(
    X: Values,
    labels: Labels,
    k: int,
    dual_prices: DualPrices,
    ctx: RunContext,
    seconds: float,
) -> ProofNode | None:
    """Return a branch-and-bound tree that proves no less than prices, or None if none.

    Where time ends before all branches are closed, it proves less than `labels` lose.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    labels : ndarray of int64, shape (n_records,)
        The partition that nothing is to be better than.
    dual_prices : DualPrices
        Such that no group costs less than its prices less those of its cuts.
    seconds : float
        Time at most.
    """
    ctx = context_with_deadline(ctx, seconds)
    records = CentredRecords.from_array(X)
    target = total_group_sse(records.X, labels)
    cuts = PricedCuts(dual_prices.cuts_as_sets, dual_prices.cut_prices)
    gap = target - (float(dual_prices.prices.sum()) - cuts.total_price)
    if not 0.0 < gap <= MAX_OPEN_SHARE * target:
        return None
    unit = target / records.n
    master = MasterProblem(records.X, unit)
    master.cuts = list(cuts.sets)
    search = ColumnGeneration(
        records, k, Pricer(records, k, ctx), master, dual_prices.prices, target - gap
    )
    search.cut_prices = dual_prices.cut_prices
    columns = all_relevant_columns(search, gap, MAX_LISTED_GROUPS, MAX_BRANCHES, ctx)
    if columns is None or ctx.enough():
        return None
    listed = GroupList(columns.groups, columns.costs / unit, records.n, k, unit)
    tree = BranchAndBound(listed, cuts.sets, dual_prices, target / unit, dives=False)
    while tree.n_open and tree.expand(ctx):
        pass
    return None if tree.root.proof is dual_prices else _proof_node(tree.root)


def _proof_node(branch: BranchNode) -> ProofNode:
    """Return a branch with all below it."""
    if branch.below is not None:
        together, apart = map(_proof_node, branch.below)
        pair = ProofNode(pair=branch.pair, together=together, apart=apart)
        return _chain(branch.steps, pair)
    # The last prices of a branch are what it proves, whether or not groups fell away.
    steps = [proof for proof in branch.steps if proof is not branch.proof]
    return _chain(steps, ProofNode(proof=branch.proof))


def _chain(steps: Sequence[DualPrices], below: ProofNode) -> ProofNode:
    """Return nodes one below the other."""
    for proof in reversed(steps):
        below = ProofNode(proof=proof, below=below)
    return below
