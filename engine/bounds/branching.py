"""A tree of linear programmes over listed groups, which closes what prices leave open.

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

from engine.bounds.base import Prices
from engine.bounds.cuts import EFFORTS, Cut, separate
from engine.bounds.listed import STAGE, Basis, Listed, Programme
from engine.core.context import RunContext
from engine.core.parallel import side_by_side
from engine.core.typing import Booleans, Integers, Values

SLACK = 1e-10
"""Share of the SSE below which two partitions lose the same."""

BESIDE = 8
"""Branches divided at once, on as many cores as there are; a number of its own, so that
the same tree comes out on any number of cores."""

WORTH = 0.05
"""Share of the gap that a round of cuts closes where another is tried ahead of dividing
the branch."""

EFFORT = EFFORTS[1]
"""How far these are searched for."""

FEWER = 0.8
"""Share of the groups that is left where it pays to write down which fell away."""

CANDIDATES = 8
"""Pairs that are tried before one of them divides a branch."""

STEPS = 150
"""Steps of the simplex method in a trial."""

WHOLE = 1e-6
"""How far weights may be from whole numbers."""

HEAVY = 0.8
"""Weight of groups that a dive takes together."""


@dataclass(eq=False)
class Branch:
    """Partitions that keep some pairs of records together, and others apart.

    Attributes
    ----------
    some : ndarray of int64
        Listed groups that they may hold.
    cuts : list of Cut
    proof : Prices
        What no such group costs less than.
    value : float
        What that proves, in units.
    basis : Basis or None
        Of its programme.
    steps : list of Prices
        By which groups fell away, one after the other, ahead of `proof`.
    pair : tuple of (int, int) or None
        What divides it.
    below : tuple of (Branch, Branch) or None
        Together, and apart.
    """

    some: Integers
    cuts: list[Cut]
    proof: Prices
    value: float
    basis: Basis | None = None
    steps: list[Prices] = field(default_factory=list)
    pair: tuple[int, int] | None = None
    below: tuple[Branch, Branch] | None = None
    whole: bool = False


class Tree:
    """Branches, and the least SSE that any of them leaves possible.

    Parameters
    ----------
    listed : Listed
        All groups that a partition of less than the target may hold.
    cuts : sequence of Cut
    proof : Prices
        Such that no listed group costs less.
    target : float
        SSE that is to be proven, or reached, in units.
    dives : bool
        Whether better partitions are looked for, which then are the target.

    Attributes
    ----------
    root : Branch
    target : float
    best : ndarray of int64 or None
        Groups of the best partition that was found.
    nodes : int
        Branches that were made.
    """

    def __init__(
        self,
        listed: Listed,
        cuts: Sequence[Cut],
        proof: Prices,
        target: float,
        dives: bool = True,
    ) -> None:
        self._listed, self._dives = listed, dives
        every = np.arange(listed.holds.shape[0])
        self.root = Branch(every, list(cuts), proof, listed.proven(proof))
        self.target = target
        self.best: Integers | None = None
        self.nodes = 1
        self._open, self._ended = [self.root], math.inf
        self._close()

    @property
    def bound(self) -> float:
        """What no partition is below, in units; about the target once all is closed."""
        return min([self.target, self._ended, *(one.value for one in self._open)])

    @property
    def open(self) -> int:
        """How many branches may hold a better partition."""
        return len(self._open)

    def grow(self, ctx: RunContext) -> bool:
        """Divide the branches that prove least; return whether there was time.

        Parameters
        ----------
        ctx : RunContext
            Where it says enough, nothing changes.
        """
        self._open.sort(key=lambda one: one.value)  # of equals the first to come
        chosen = self._open[:BESIDE]

        def task(number: int, inner: RunContext) -> tuple[Branch, Integers | None]:
            quiet = RunContext(
                lambda share, stage: inner.tick(share, 1.0, stage), enough=ctx.enough
            )
            try:
                work = _Work(self._listed, chosen[number], self.target, quiet)
                return work.run(self._dives)
            except _Over:
                # No time, and nothing changes, or the solver has failed: what is known
                # of the branch remains.
                return replace(chosen[number], whole=True), None

        found = side_by_side(task, len(chosen), ctx.part(0.0, 0.0), STAGE)
        if ctx.enough():
            return False
        self._open = self._open[BESIDE:]
        for old, (new, best) in zip(chosen, found, strict=True):
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
        goal = self.target * (1.0 - SLACK)
        ended = [one for one in self._open if one.whole or one.value >= goal]
        self._ended = min([self._ended, *(one.value for one in ended)])
        self._open = [one for one in self._open if one not in ended]


class _Over(Exception):
    """There is no more time, or no solution."""


class _Work:
    """What is done at one branch."""

    def __init__(
        self, listed: Listed, branch: Branch, target: float, ctx: RunContext
    ) -> None:
        self._listed, self._target, self._ctx = listed, target, ctx
        # The branch itself changes only where there is time for all of it.
        self._branch = replace(branch, steps=list(branch.steps))
        self._programme = Programme(
            listed, branch.some, branch.cuts, branch.proof, branch.basis
        )

    def run(self, dives: bool) -> tuple[Branch, Integers | None]:
        """Return the branch with those below it, and a partition if one was found."""
        branch, programme, best = self._branch, self._programme, None
        weights, again = self._tighten()
        basis = programme.basis()
        branch.cuts, branch.basis = programme.without_idle_cuts(basis)
        if again or self._closed(branch):
            return branch, None
        shares = self._shares(weights)
        if not shares:
            branch.whole = True
            return branch, self._partition(weights)
        self._drop(branch)
        programme.limit(branch.some)
        if dives:
            best = self._dive(weights)
            programme.limit(branch.some)
            programme.go_back(basis)
        branch.pair = self._choose(shares, basis)
        both = self._listed.with_both(branch.some, branch.pair)
        branch.below = self._below(both != 1, basis), self._below(both != 2, basis)
        return branch, best

    def _closed(self, branch: Branch) -> bool:
        return branch.value >= self._target * (1.0 - SLACK)

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
        before, left = branch.value, self._target - branch.value
        members = [listed.groups[g] for g in programme.inside.tolist()]
        found = separate(
            members, weights, programme.cuts, listed.k, EFFORT, branch.proof.prices
        )
        if not found:
            return weights, False
        programme.add_cuts(found)
        weights = self._solve()
        self._keep(branch)
        return weights, branch.value - before > WORTH * left

    def _keep(self, branch: Branch) -> None:
        """Take over what the last solution proves, if it is more."""
        proof = self._programme.proof()
        value = self._listed.proven(proof)
        if value >= branch.value:
            branch.proof, branch.value = proof, value

    def _drop(self, branch: Branch) -> None:
        """Leave out groups that cost more than a better partition can pay."""
        least = branch.value - self._target - 1e-9 * self._target
        left = self._listed.gains(branch.some, branch.proof) > least
        if left.sum() < FEWER * left.size:
            branch.steps.append(branch.proof)
            branch.some = branch.some[left]

    def _shares(self, weights: Values) -> dict[tuple[int, int], float]:
        """Return how far two records are together, where that is not whole."""
        shares: dict[tuple[int, int], float] = defaultdict(float)
        for g in np.flatnonzero((weights > WHOLE) & (weights < 1.0 - WHOLE)).tolist():
            for pair in combinations(self._listed.groups[self._programme.inside[g]], 2):
                shares[pair] += float(weights[g])
        return {
            pair: share for pair, share in shares.items() if WHOLE < share < 1.0 - WHOLE
        }

    def _choose(
        self, shares: dict[tuple[int, int], float], basis: Basis
    ) -> tuple[int, int]:
        """Return the pair that promises most whichever way it goes."""
        price = self._branch.proof.prices

        def worth(pair: tuple[int, int]) -> float:
            share = shares[pair]
            return min(share, 1.0 - share) * float(min(price[list(pair)]))

        some = sorted(shares, key=lambda pair: (-worth(pair), pair))[:CANDIDATES]
        programme, value = self._programme, self._branch.value
        best, most = some[0], -np.inf
        for pair in some:
            rises = []
            held = self._listed.with_both(programme.inside, pair)
            for other in (1, 2):
                rise = programme.trial(held == other, STEPS, self._ctx) - value
                rises.append(min(max(rise, 1e-9), self._target - value))
                programme.go_back(basis)
            if self._ctx.enough():
                raise _Over
            if rises[0] * rises[1] > most:
                best, most = pair, rises[0] * rises[1]
        return best

    def _below(self, kept: Booleans, basis: Basis) -> Branch:
        """Return a branch of the groups that keep a condition, with its programme."""
        above, programme = self._branch, self._programme
        some = above.some[kept]
        branch = Branch(some, above.cuts, above.proof, above.value)
        programme.limit(some)
        programme.go_back(basis)
        self._solve()
        self._keep(branch)
        branch.cuts, branch.basis = programme.without_idle_cuts(programme.basis())
        if not self._closed(branch):
            self._drop(branch)
        return branch

    def _dive(self, weights: Values) -> Integers | None:
        """Return a better partition that follows the solution, if there is one."""
        programme, holds = self._programme, self._listed.holds
        while True:
            part = (weights > WHOLE) & (weights < 1.0 - WHOLE)
            if not part.any():
                return self._partition(weights)
            # Groups of one record do not weigh more than 1 together: no two are heavy.
            heavy = part & (weights > HEAVY)
            if not heavy.any():
                heavy[np.argmax(np.where(part, weights, 0.0))] = True
            taken = programme.inside[heavy]
            held = holds[taken].sum(axis=0).A1
            some = programme.some
            clash = (holds[some] @ held > 0.0) & ~np.isin(some, taken)
            programme.limit(some[~clash])
            weights = self._solve()
            if programme.value >= self._target:
                return None

    def _partition(self, weights: Values) -> Integers | None:
        """Return the groups of whole weights, if they hold each record once."""
        groups = self._programme.inside[weights > 0.5]
        once = self._listed.holds[groups].sum(axis=0).A1 == 1.0
        return groups if once.all() else None
