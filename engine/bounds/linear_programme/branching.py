"""Branch and bound over listed groups, to close the gap between bound and loss.

All groups that a better partition may hold are listed, and the linear programme over
them is solved, with cuts. By its prices fewer groups matter; only these go on. Where
groups are taken in part, a pair of records is together in some of them and not in
others: one branch keeps the two together, the other apart (Ryan and Foster 1981). At
each leaf the prices of the programme prove that no partition of the branch has a
smaller SSE; see (8) in :mod:`engine.certificate.certify`.

The branches that prove least are divided first, a number of them side by side. So what
comes out after some rounds is the same on any number of cores.

References
----------
Barnhart C, Johnson EL, Nemhauser GL, Savelsbergh MWP, Vance PH (1998).
Branch-and-price: column generation for solving huge integer programs. Operations
Research 46(3), 316-329. doi:10.1287/opre.46.3.316

Achterberg T, Koch T, Martin A (2005). Branching rules revisited. Operations Research
Letters 33(1), 42-54. doi:10.1016/j.orl.2004.04.002
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from engine.bounds.base import DualPrices
from engine.bounds.linear_programme.cuts import EFFORTS, Cut, separate_cuts
from engine.bounds.linear_programme.explicit_groups import (
    PROVING_STAGE,
    GroupList,
    GroupProgramme,
    SimplexBasis,
)
from engine.core.context import RunContext
from engine.core.parallel import map_in_threads
from engine.core.typing import Booleans, Integers, Values

EQUAL_LOSS_TOLERANCE = 1e-10
"""Share of the SSE below which two partitions lose the same."""

PARALLEL_BRANCHES = 8
"""Branches divided at once, on as many cores as there are; a number of its own, so that
the same tree comes out on any number of cores."""

MIN_CUT_ROUND_GAIN = 0.05
"""Share of the gap that a round of cuts closes where another is tried ahead of dividing
the branch."""

CUT_EFFORT = EFFORTS[1]
"""How far cuts are searched for at a node."""

COMPACTION_SHARE = 0.8
"""Share of the groups left at which removing pruned ones pays off."""

MAX_BRANCHING_CANDIDATES = 8
"""Record pairs that strong branching tries before the best pair divides a node."""

MAX_STRONG_BRANCHING_STEPS = 150
"""Simplex iterations of a strong-branching trial."""

INTEGRALITY_TOLERANCE = 1e-6
"""How far weights may be from whole numbers."""

DIVE_WEIGHT = 0.8
"""Weight from which a dive fixes groups at 1."""


@dataclass(eq=False)
class BranchNode:
    """Subproblem with fixed pairs of records: together in a group, or separate.

    Attributes
    ----------
    some : ndarray of int64
        Listed groups that partitions of this node may hold.
    cuts : list of Cut
    proof : DualPrices
        Dual prices such that none of these groups costs less.
    value : float
        Lower bound that they prove, in units.
    basis : SimplexBasis or None
        Last basis of the node's linear programme.
    steps : list of DualPrices
        Dual prices by which groups fell away, one after the other, ahead of `proof`.
    pair : tuple of (int, int) or None
        Records that divide the node.
    below : tuple of (BranchNode, BranchNode) or None
        Nodes with the pair together, and apart.
    whole : bool
        Whether the node is not to be divided: its solution is integral, or none came.
    """

    some: Integers
    cuts: list[Cut]
    proof: DualPrices
    value: float
    basis: SimplexBasis | None = None
    steps: list[DualPrices] = field(default_factory=list)
    pair: tuple[int, int] | None = None
    below: tuple[BranchNode, BranchNode] | None = None
    whole: bool = False


class BranchAndBound:
    """Branch-and-bound tree with its open nodes and the resulting lower bound.

    Parameters
    ----------
    listed : GroupList
        All groups that a partition of less than the target may hold.
    cuts : sequence of Cut
    proof : DualPrices
        Such that no listed group costs less.
    target : float
        SSE that is to be proven, or reached, in units.
    dives : bool
        Whether better partitions are looked for, which then are the target.

    Attributes
    ----------
    root : BranchNode
    target : float
    best : ndarray of int64 or None
        Groups of the best partition that was found.
    nodes : int
        Branches that were made.
    """

    def __init__(
        self,
        listed: GroupList,
        cuts: Sequence[Cut],
        proof: DualPrices,
        target: float,
        dives: bool = True,
    ) -> None:
        self._listed, self._dives = listed, dives
        every = np.arange(listed.membership_matrix.shape[0])
        self.root = BranchNode(every, list(cuts), proof, listed.dual_value(proof))
        self.target = target
        self.best: Integers | None = None
        self.nodes = 1
        self._open, self._ended = [self.root], math.inf
        self._close()

    @property
    def lower_bound(self) -> float:
        """Lower bound on the SSE, in units; near the target when no node is open."""
        return min([self.target, self._ended, *(node.value for node in self._open)])

    @property
    def n_open(self) -> int:
        """Number of nodes that may hold a better partition."""
        return len(self._open)

    def expand(self, ctx: RunContext) -> bool:
        """Branch on the nodes with the lowest bound; return whether time was left.

        Parameters
        ----------
        ctx : RunContext
            Where it says enough, nothing changes.
        """
        self._open.sort(key=lambda node: node.value)  # of equals the first to come
        chosen = self._open[:PARALLEL_BRANCHES]

        def task(number: int, inner: RunContext) -> tuple[BranchNode, Integers | None]:
            quiet = RunContext(inner.report_share, enough=ctx.enough)
            try:
                work = _Work(self._listed, chosen[number], self.target, quiet)
                return work.solve_node(self._dives)
            except _Over:
                # No time, and nothing changes, or the solver has failed: what is known
                # of the branch remains.
                return replace(chosen[number], whole=True), None

        results = map_in_threads(
            task, len(chosen), ctx.subcontext(0.0, 0.0), PROVING_STAGE
        )
        if ctx.enough():
            return False
        self._open = self._open[PARALLEL_BRANCHES:]
        for old, (new, best) in zip(chosen, results, strict=True):
            vars(old).update(vars(new))
            self._open += old.below or (old,)
            self.nodes += len(old.below or ())
            if best is not None and self._cost(best) < self.target:
                self.best, self.target = best, self._cost(best)
        self._close()
        return True

    def _cost(self, groups: Integers) -> float:
        return float(self._listed.costs[groups].sum())

    def _close(self) -> None:
        """Go on with those branches only that may hold a better partition."""
        goal = self.target * (1.0 - EQUAL_LOSS_TOLERANCE)
        closed_nodes = [node for node in self._open if node.whole or node.value >= goal]
        self._ended = min([self._ended, *(node.value for node in closed_nodes)])
        self._open = [node for node in self._open if node not in closed_nodes]


class _Over(Exception):
    """There is no more time, or no solution."""


class _Work:
    """What is done at one branch."""

    def __init__(
        self, listed: GroupList, branch: BranchNode, target: float, ctx: RunContext
    ) -> None:
        self._listed, self._target, self._ctx = listed, target, ctx
        # The branch itself changes only where there is time for all of it.
        self._branch = replace(branch, steps=list(branch.steps))
        self._programme = GroupProgramme(
            listed, branch.some, branch.cuts, branch.proof, branch.basis
        )

    def solve_node(self, dives: bool) -> tuple[BranchNode, Integers | None]:
        """Solve a node with its children; return a partition if one was found."""
        branch, programme, best = self._branch, self._programme, None
        weights, needs_cuts = self._tighten()
        basis = programme.current_basis()
        branch.cuts, branch.basis = programme.drop_slack_cuts(basis)
        if needs_cuts or self._closed(branch):
            return branch, None
        shares = self._shares(weights)
        if not shares:
            branch.whole = True
            return branch, self._partition(weights)
        self._drop(branch)
        programme.restrict_groups(branch.some)
        if dives:
            best = self._dive(weights)
            programme.restrict_groups(branch.some)
            programme.restore_basis(basis)
        branch.pair = self._choose(shares, basis)
        both = self._listed.count_in_pair(branch.some, branch.pair)
        branch.below = self._below(both != 1, basis), self._below(both != 2, basis)
        return branch, best

    def _closed(self, branch: BranchNode) -> bool:
        return branch.value >= self._target * (1.0 - EQUAL_LOSS_TOLERANCE)

    def _solve(self) -> Values:
        weights = self._programme.solve(self._ctx)
        if weights is None:
            raise _Over
        return weights

    def _tighten(self) -> tuple[Values, bool]:
        """Add cuts; return the weights, and whether more cuts are worth a try."""
        branch, programme, listed = self._branch, self._programme, self._listed
        weights = self._solve()
        self._keep(branch)
        if self._closed(branch):
            return weights, False
        before, gap = branch.value, self._target - branch.value
        members = [listed.groups[g] for g in programme.inside.tolist()]
        cuts = separate_cuts(
            members, weights, programme.cuts, listed.k, CUT_EFFORT, branch.proof.prices
        )
        if not cuts:
            return weights, False
        programme.add_cuts(cuts)
        weights = self._solve()
        self._keep(branch)
        return weights, branch.value - before > MIN_CUT_ROUND_GAIN * gap

    def _keep(self, branch: BranchNode) -> None:
        """Take over what the last solution proves, if it is more."""
        proof = self._programme.safe_dual_prices()
        value = self._listed.dual_value(proof)
        if value >= branch.value:
            branch.proof, branch.value = proof, value

    def _drop(self, branch: BranchNode) -> None:
        """Leave out groups that cost more than a better partition can pay."""
        min_gain = branch.value - self._target - 1e-9 * self._target
        group_mask = self._listed.reduced_gains(branch.some, branch.proof) > min_gain
        if group_mask.sum() < COMPACTION_SHARE * group_mask.size:
            branch.steps.append(branch.proof)
            branch.some = branch.some[group_mask]

    def _shares(self, weights: Values) -> dict[tuple[int, int], float]:
        """Return how far two records are together, where that is not whole."""
        shares: dict[tuple[int, int], float] = defaultdict(float)
        for g in np.flatnonzero(
            (weights > INTEGRALITY_TOLERANCE) & (weights < 1.0 - INTEGRALITY_TOLERANCE)
        ).tolist():
            for pair in combinations(self._listed.groups[self._programme.inside[g]], 2):
                shares[pair] += float(weights[g])
        return {
            pair: share
            for pair, share in shares.items()
            if INTEGRALITY_TOLERANCE < share < 1.0 - INTEGRALITY_TOLERANCE
        }

    def _choose(
        self, shares: dict[tuple[int, int], float], basis: SimplexBasis
    ) -> tuple[int, int]:
        """Return the pair that promises most whichever way it goes."""
        price = self._branch.proof.prices

        def worth(pair: tuple[int, int]) -> float:
            share = shares[pair]
            return min(share, 1.0 - share) * float(min(price[list(pair)]))

        some = sorted(shares, key=lambda pair: (-worth(pair), pair))[
            :MAX_BRANCHING_CANDIDATES
        ]
        programme, value = self._programme, self._branch.value
        best, best_score = some[0], -np.inf
        for pair in some:
            rises = []
            counts = self._listed.count_in_pair(programme.inside, pair)
            for other in (1, 2):
                rise = (
                    programme.strong_branching_bound(
                        counts == other, MAX_STRONG_BRANCHING_STEPS, self._ctx
                    )
                    - value
                )
                rises.append(min(max(rise, 1e-9), self._target - value))
                programme.restore_basis(basis)
            if self._ctx.enough():
                raise _Over
            if rises[0] * rises[1] > best_score:
                best, best_score = pair, rises[0] * rises[1]
        return best

    def _below(self, kept_mask: Booleans, basis: SimplexBasis) -> BranchNode:
        """Return a branch of the groups that keep a condition, with its programme."""
        above, programme = self._branch, self._programme
        some = above.some[kept_mask]
        branch = BranchNode(some, above.cuts, above.proof, above.value)
        programme.restrict_groups(some)
        programme.restore_basis(basis)
        self._solve()
        self._keep(branch)
        branch.cuts, branch.basis = programme.drop_slack_cuts(programme.current_basis())
        if not self._closed(branch):
            self._drop(branch)
        return branch

    def _dive(self, weights: Values) -> Integers | None:
        """Return a better partition that follows the solution, if there is one."""
        programme, holds = self._programme, self._listed.membership_matrix
        while True:
            part = (weights > INTEGRALITY_TOLERANCE) & (
                weights < 1.0 - INTEGRALITY_TOLERANCE
            )
            if not part.any():
                return self._partition(weights)
            # Groups of one record do not weigh more than 1 together: no two are heavy.
            heavy = part & (weights > DIVE_WEIGHT)
            if not heavy.any():
                heavy[np.argmax(np.where(part, weights, 0.0))] = True
            heavy_groups = programme.inside[heavy]
            counts = holds[heavy_groups].sum(axis=0).A1
            some = programme.some
            clash = (holds[some] @ counts > 0.0) & ~np.isin(some, heavy_groups)
            programme.restrict_groups(some[~clash])
            weights = self._solve()
            if programme.value >= self._target:
                return None

    def _partition(self, weights: Values) -> Integers | None:
        """Return the groups of whole weights, if they hold each record once."""
        groups = self._programme.inside[weights > 0.5]
        is_exact_cover = self._listed.membership_matrix[groups].sum(axis=0).A1 == 1.0
        return groups if is_exact_cover.all() else None
