"""Column generation under way: prices, groups and cuts, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import LowerBound, Prices, Records
from engine.bounds.cuts import EFFORTS, Cuts, separate
from engine.bounds.edge_cover import edge_cover_prices
from engine.bounds.master import Master, Solution
from engine.bounds.pricing import NO_CUTS, Pricer, safe_sum
from engine.core.context import SILENT, RunContext
from engine.core.typing import Values

KIND = "column-generation"
"""What an outcome calls LB2."""

KEEP = 3
"""Groups that enter for each anchor at once."""

LIMIT = 200_000
"""Branches for each anchor; more are left open, which lowers the bound."""

MOST_TIMES = 5
"""How often as many cuts as in a first round a later one takes: there is less to gain
from each, and more from many at once."""

TURNS = 500
"""Steps between two rounds of cuts; never reached but where rounding rules."""

FINE = 0.005
"""Share of the gap that a step is to promise where cuts come next."""

HASTE, PROMISE = 10, 0.05
"""Times that cuts are added before it is proven what they close; fewer where the linear
programme promises a share of the gap."""

LITTLE = 1e-6
"""Share of the bound that is not worth another step."""

WIDEST = 1e3
"""Width at which the box means nothing any more."""

SHARES = (0.4, 0.0)
"""Shares of the middle in prices at which groups are looked for: prices of the linear
programme alone swing to and fro. The second where the first show nothing new."""


@dataclass(frozen=True, eq=False)
class Middle:
    """Prices that no group of some sizes exceeds.

    No group that the programme knows exceeds them: it has a solution in any box around.

    Attributes
    ----------
    prices : ndarray of float64, shape (n_records,)
    cut_prices : ndarray of float64, shape (n_cuts,)
    value : float
        What they prove where larger groups exceed them neither, as SSE.
    size : int
        The largest that was looked at.
    """

    prices: Values
    cut_prices: Values
    value: float
    size: int

    @property
    def spread(self) -> Values:
        """How far a price may reasonably move, shape (n_records,)."""
        size = np.abs(self.prices)
        return size + 0.2 * float(np.median(size))


@dataclass
class Search:
    """Column generation under way.

    Attributes
    ----------
    records : Records
    k : int
    pricer : Pricer
    master : Master
    prices : ndarray of float64, shape (n_records,)
        The best prices so far. Anchors have paid for gains, so that no group exceeds
        them.
    bound : float
        What they prove, as SSE.
    cut_prices : ndarray of float64, shape (n_cuts,)
        Those that belong to the prices.
    middle : Middle or None
        The best prices for the sizes that were looked at; None means :attr:`best`.
    width : float
        Half of the box's width, in units of the middle's spread.
    placed : bool
        Whether the box may stay where it is, so that the last basis is near the next.
    least : float
        SSE that is not worth another step ahead of more cuts.
    rounds : int
        Of cuts so far.
    effort : int
        Which of :data:`engine.bounds.cuts.EFFORTS` looks for cuts.
    solution : Solution or None
        Of the last linear programme.
    free : ndarray of bool, shape (n_records,), or None
        Records whose prices move; None means all.
    """

    records: Records
    k: int
    pricer: Pricer
    master: Master
    prices: Values
    bound: float
    cut_prices: Values = field(default_factory=lambda: np.empty(0))
    middle: Middle | None = None
    width: float = 0.15
    placed: bool = False
    least: float = 0.0
    rounds: int = 0
    effort: int = 0
    solution: Solution | None = None
    free: NDArray[np.bool_] | None = None

    @property
    def cuts(self) -> Cuts:
        """The cuts with the prices that belong to :attr:`prices`."""
        return Cuts(self.master.cuts, self.cut_prices)

    @property
    def best(self) -> Middle:
        """The prices that prove the bound."""
        return Middle(self.prices, self.cut_prices, self.bound, 2 * self.k - 1)

    @property
    def proof(self) -> Prices:
        """What proves the bound, as it is now: it does not change with the search."""
        return Prices.with_cuts(self.prices, self.master.cuts, self.cut_prices)

    @property
    def proven(self) -> LowerBound:
        """The bound, with the prices that prove it."""
        known = bool(np.isfinite(self.prices).all())
        return self.records.bound(KIND, self.bound, self.proof if known else None)

    @property
    def floor(self) -> float:
        """A gain too small to matter."""
        return 1e-9 * float(np.abs(self.prices).mean())


def start(records: Records, k: int, ctx: RunContext = SILENT) -> Search:
    """Return a search that begins at LB1's prices, with the groups they nearly pay.

    Parameters
    ----------
    records : Records
        At least 2k, not all equal.
    k : int
    ctx : RunContext
    """
    bound, prices = edge_cover_prices(records, k, ctx.part(0.0, 0.3))
    pricer = Pricer(records, k, ctx.part(0.3, 0.4))
    unit = max(float(prices.mean()), 1e-12 * records.sst / records.n)
    search = Search(records, k, pricer, Master(records.X, unit), prices, 0.0)
    first = pricer.find(prices, k, -unit, 5, 3000, ctx=ctx.part(0.4, 0.6))
    search.master.add(first.groups)
    exact = pricer.find(prices, k, search.floor, 1, LIMIT, ctx=ctx.part(0.6, 1.0))
    search.bound = max(bound, safe_sum(prices, NO_CUTS, exact.highest, k))
    search.prices = prices - exact.highest
    if np.isfinite(search.prices).all():
        ctx.note("bound", search.bound)
    return search


def generate(search: Search, ctx: RunContext = SILENT, turns: int = TURNS) -> None:
    """Take steps until they prove nothing more.

    Parameters
    ----------
    search : Search
    ctx : RunContext
    turns : int
        Steps at most.
    """
    done: bool | None = search.bound <= 0.0  # then nothing has to be lost
    turn = 0
    while not done and turn < turns and not ctx.enough():
        done = step(search, ctx.part(1.0 - 0.9**turn, 1.0 - 0.9 ** (turn + 1)))
        if done is None:
            return
        ctx.note("bound", search.bound)
        turn += 1


def step(search: Search, ctx: RunContext = SILENT, hasty: bool = False) -> bool | None:
    """Solve the linear programme in its box, price, and move or keep the box.

    Parameters
    ----------
    search : Search
    ctx : RunContext
    hasty : bool
        Whether groups of k are all that is looked at, so that where cuts are priced
        nothing is proven.

    Returns
    -------
    bool or None
        Whether no prices can prove so much more that it is worth a step; None where
        the step was cut short, and proves nothing.
    """
    middle = search.middle or search.best
    free = slice(None) if search.free is None else search.free
    if not search.placed:
        reach = np.zeros(search.records.n)
        reach[free] = search.width * middle.spread[free]
        search.master.set_box(middle.prices - reach, middle.prices + reach)
    solution = search.master.solve(ctx)
    if solution is None:
        return None
    search.solution = solution
    expected = solution.value - middle.value
    least = max(LITTLE * abs(solution.value), search.least)
    # What the box covers is of no account where even prices far off would pay little.
    covered = float(solution.boxed @ middle.spread)
    inside = covered <= least or search.width > WIDEST
    little = expected <= least
    thorough = little and inside and not hasty
    for share in SHARES:
        prices = share * middle.prices + (1.0 - share) * solution.prices
        charges = share * middle.cut_prices + (1.0 - share) * solution.cut_prices
        fresh, found, whole = _price(search, prices, charges, thorough, hasty, ctx)
        if fresh > 0 or hasty or solution.value - found.value <= least:
            break
    if not np.isfinite(found.prices).all():
        return None
    gained = found.value - middle.value
    search.placed = inside
    if not inside and gained > 0.1 * expected:
        search.width *= 3.0 if gained > 0.8 * (1.0 - SHARES[0]) * expected else 1.2
    if gained > 0.0 or found.size > middle.size:
        middle = found
    search.middle = middle
    if whole and found.value > search.bound:
        search.bound, search.prices = found.value, found.prices
        search.cut_prices = found.cut_prices
    if not inside and (fresh == 0 or little):
        search.width *= 3.0  # the programme knows all that matters in this box
    return inside and whole and (fresh == 0 or solution.value - search.bound <= least)


def _price(
    search: Search,
    prices: Values,
    cut_prices: Values,
    thorough: bool,
    hasty: bool,
    ctx: RunContext,
) -> tuple[int, Middle, bool]:
    """Enter groups that gain at some prices.

    Larger groups are not looked at while smaller ones gain: with k = 10 they take most
    of the time, and hardly ever gain where the smaller ones do not.

    Returns
    -------
    fresh : int
        How many groups were new.
    found : Middle
        The prices, lowered to what no group exceeds.
    whole : bool
        Whether groups of all sizes were looked at, so that its value is a bound.
    """
    k, n = search.k, search.records.n
    cuts = Cuts(search.master.cuts, cut_prices)
    sizes = range(k, min(2 * k, n + 1)) if cuts.prices.any() else range(k, k + 1)
    highest, fresh = np.zeros(n), 0
    for s in sizes:
        part = ctx.part((s - k) / len(sizes), (s - k + 1) / len(sizes))
        priced = search.pricer.find(
            prices, s, search.floor, KEEP, LIMIT, cuts, ctx=part
        )
        highest = np.maximum(highest, priced.highest)
        fresh += search.master.add(priced.groups)
        if hasty or (fresh > 0 and not thorough):
            break
    value = safe_sum(prices, cuts, highest, s)
    found = Middle(prices - highest, cut_prices, value, s)
    return fresh, found, s == sizes[-1]


def tighten(
    search: Search, ctx: RunContext = SILENT, efforts: int = len(EFFORTS)
) -> bool:
    """Add cuts that the last solution exceeds; return whether there were any.

    Parameters
    ----------
    search : Search
    ctx : RunContext
    efforts : int
        How many of :data:`engine.bounds.cuts.EFFORTS` may be tried.
    """
    if search.solution is None:
        return False
    middle = search.middle or search.best
    needed = (search.cut_prices > 0.0) | (middle.cut_prices > 0.0)
    kept = search.master.forget_cuts(needed)
    _arrange(search, lambda charges: charges[kept])
    while search.effort < efforts and not ctx.enough():
        cuts = separate(
            search.master.groups,
            search.solution.weights,
            search.master.cuts,
            search.k,
            EFFORTS[search.effort],
            search.prices,
            min(search.rounds + 1, MOST_TIMES),
        )
        if cuts:
            search.rounds += 1
            search.master.add_cuts(cuts)
            _arrange(search, partial(np.pad, pad_width=(0, len(cuts))))
            return True
        search.effort += 1
    search.effort = min(search.effort, len(EFFORTS) - 1)
    return False


def tighten_hastily(
    search: Search,
    gap: float,
    ctx: RunContext = SILENT,
    efforts: int = len(EFFORTS),
    most: int = HASTE,
) -> int:
    """Add cuts until they promise something; return how many times there were any.

    Groups of k are looked at in between: to prove each round takes several times as
    long, and changes hardly anything about what next cuts are found from.

    Parameters
    ----------
    search : Search
    gap : float
        SSE that is open.
    ctx : RunContext
    efforts : int
        How many of :data:`engine.bounds.cuts.EFFORTS` may be tried.
    most : int
        Times at most.
    """
    for added in range(most):
        if not tighten(search, ctx, efforts):
            return added
        step(search, ctx, hasty=True)
        assert search.solution is not None
        promised = search.solution.value - search.bound
        if ctx.enough() or promised > PROMISE * gap:
            return added + 1
    return most


def _arrange(search: Search, change: Callable[[Values], Values]) -> None:
    """Have prices of cuts go with the cuts as they are now."""
    search.cut_prices = change(search.cut_prices)
    if search.middle is not None:
        charges = change(search.middle.cut_prices)
        search.middle = replace(search.middle, cut_prices=charges)
