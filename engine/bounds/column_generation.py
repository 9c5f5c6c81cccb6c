"""LB2: the linear programme over all groups, of which only the useful ones are made.

Every partition into groups of k to 2k-1 records is a choice of groups that hold each
record once; larger groups split at no loss. Allowing groups in part gives

    min sum SSE(G) z_G   with   sum of z_G over G that hold i = 1,   z >= 0,       (1)

and prices p prove, with the largest gain g_i = sum of prices - SSE of any group whose
anchor is i, or 0,

    no SSE is below   sum p_i - sum g_i.                                           (2)

Groups enter as they gain at the prices of the programme over those known so far. Then
cuts enter that every partition respects and the solution does not, see
:mod:`engine.bounds.cuts`; (2) holds with the sum of the cuts' prices taken off, and
with gains that have paid for the cuts. Only (2), with gains found by exact search,
becomes the bound. Without cuts groups of exactly k are enough; see
:func:`engine.bounds.pricing.safe_sum`.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import EPS, LowerBound, Prices, Records
from engine.bounds.cuts import EFFORTS, Cuts, separate
from engine.bounds.edge_cover import edge_cover_prices
from engine.bounds.master import Master, Solution
from engine.bounds.pricing import NO_CUTS, Pricer, safe_sum
from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError
from engine.core.message import Message
from engine.core.typing import Values

KIND = "column-generation"
"""What an outcome calls LB2."""

MOST_RECORDS = 5_000
"""Records whose distances fit into memory."""

KEEP = 3
"""Groups that enter for each anchor at once."""

LIMIT = 200_000
"""Branches for each anchor; more are left open, which lowers the bound."""

MOST_TIMES = 5
"""How often as many cuts as in a first round a later one takes: there is less to gain
from each, and more from many at once."""

TURNS = 500
"""Steps between two rounds of cuts; never reached but where rounding rules."""


def column_generation_bound(
    X: NDArray[np.float64],
    k: int,
    ctx: RunContext = SILENT,
    seconds: float = math.inf,
    cuts: bool = True,
) -> LowerBound:
    """Return LB2, at least as high as LB1.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        At most 5,000 records.
    k : int
        Minimum group size, at least 2.
    ctx : RunContext
        Told the bound as it rises, as the figure ``"bound"``; may end the search with
        what is proven (``enough``).
    seconds : float
        Time budget; what is proven by then is returned.
    cuts : bool
        Whether cuts raise it above the value of (1), those that are found in short.

    Raises
    ------
    InfeasibleError
        If there are too many records.

    Notes
    -----
    Safe against the tolerances of the solver and against rounding: (2) holds for any
    prices, distances are lowered by the largest error that centring and squaring can
    cause, and (2) by that of its additions.

    References
    ----------
    du Merle O, Hansen P, Jaumard B, Mladenović N (1999). An interior point algorithm
    for minimum sum-of-squares clustering. SIAM Journal on Scientific Computing 21(4),
    1485-1505. doi:10.1137/S1064827597328327
    """
    clock = time.monotonic()
    records = Records.of(X)
    if records.n > MOST_RECORDS:
        raise InfeasibleError(
            "The column-generation bound takes at most {most_records:,} records, but "
            "there are {n_records:,}: use the edge-cover bound.",
            most_records=MOST_RECORDS,
            n_records=records.n,
        )
    if records.n < k or records.sst == 0.0:
        return records.bound(KIND, 0.0)
    if records.n < 2 * k:
        return records.bound(KIND, one_group(records))
    ctx = within(ctx, seconds - (time.monotonic() - clock))
    search = start(records, k, ctx.part(0.0, 0.3))
    generate(search, ctx.part(0.3, 0.7))
    while cuts and not ctx.enough() and tighten(search, ctx, 1):
        generate(search, ctx.part(0.7, 1.0))
    ctx.tick(1, 1, Message("Lower bound"))
    return search.proven


def within(ctx: RunContext, seconds: float) -> RunContext:
    """Return a context that says enough after some seconds, if not before."""
    end = time.monotonic() + seconds

    def report(share: float, stage: str) -> None:
        ctx.tick(share, 1.0, stage)

    def enough() -> bool:
        return time.monotonic() >= end or ctx.enough()

    return RunContext(report, enough=enough, hear=ctx.note)


def one_group(records: Records) -> float:
    """Return the SSE of all records as one group, lowered by its rounding."""
    slack = 4.0 * EPS * (records.n + 8.0) * records.sst
    slack += 4.0 * records.slack * records.n * math.sqrt(records.sst / records.n)
    return max(records.sst * (1.0 - records.relative) - slack, 0.0)


LITTLE = 1e-6
"""Share of the bound that is not worth another step."""

WIDEST = 1e3
"""Width at which the box means nothing any more."""


@dataclass(frozen=True, eq=False)
class Middle:
    """Prices that no group of some sizes exceeds.

    No group that the programme knows exceeds them: it has a solution in any box around.

    Attributes
    ----------
    prices : ndarray of float64, shape (n_records,)
    value : float
        What they prove where larger groups exceed them neither, as SSE.
    size : int
        The largest that was looked at.
    """

    prices: Values
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
        Of the box; None means at :attr:`prices`.
    width : float
        Half of the box's width, in units of the middle's spread.
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
    turn, search.middle = 0, None
    while not done and turn < turns and not ctx.enough():
        done = step(search, ctx.part(1.0 - 0.9**turn, 1.0 - 0.9 ** (turn + 1)))
        if done is None:
            return
        ctx.note("bound", search.bound)
        turn += 1


def step(search: Search, ctx: RunContext = SILENT) -> bool | None:
    """Solve the linear programme in its box, price, and move or keep the box.

    Returns
    -------
    bool or None
        Whether no prices can prove so much more that it is worth a step; None where
        the step was cut short, and proves nothing.
    """
    middle = search.middle or Middle(search.prices, search.bound, 2 * search.k - 1)
    reach = search.width * middle.spread
    if search.free is not None:
        reach = np.where(search.free, reach, 0.0)
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
    fresh, found, whole = _price(search, solution, little and inside, ctx)
    if not np.isfinite(found.prices).all():
        return None
    gained = found.value - middle.value
    if gained > 0.1 * expected:
        search.width *= 3.0 if gained > 0.8 * expected else 1.2
    elif gained < 0.0:
        search.width = max(0.6 * search.width, 1e-3)
    if gained > 0.0 or found.size > middle.size:
        middle = found
    search.middle = middle
    if whole and found.value > search.bound:
        search.bound, search.prices = found.value, found.prices
        search.cut_prices = solution.cut_prices
    if fresh == 0 or (little and not inside):
        search.width *= 3.0  # the programme knows all that matters in this box
    return inside and whole and (fresh == 0 or solution.value - search.bound <= least)


def _price(
    search: Search, solution: Solution, thorough: bool, ctx: RunContext
) -> tuple[int, Middle, bool]:
    """Enter groups that gain at the prices of a solution.

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
    cuts = Cuts(search.master.cuts, solution.cut_prices)
    sizes = range(k, min(2 * k, n + 1)) if cuts.prices.any() else range(k, k + 1)
    highest, fresh = np.zeros(n), 0
    for s in sizes:
        part = ctx.part((s - k) / len(sizes), (s - k + 1) / len(sizes))
        priced = search.pricer.find(
            solution.prices, s, search.floor, KEEP, LIMIT, cuts, ctx=part
        )
        highest = np.maximum(highest, priced.highest)
        fresh += search.master.add(priced.groups)
        if fresh > 0 and not thorough:
            break
    value = safe_sum(solution.prices, cuts, highest, s)
    return fresh, Middle(solution.prices - highest, value, s), s == sizes[-1]


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
    kept = search.master.forget_cuts(search.cut_prices > 0.0)
    search.cut_prices = search.cut_prices[kept]
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
            search.cut_prices = np.concatenate([search.cut_prices, np.zeros(len(cuts))])
            search.width = 0.1
            return True
        search.effort += 1
    search.effort = min(search.effort, len(EFFORTS) - 1)
    return False
