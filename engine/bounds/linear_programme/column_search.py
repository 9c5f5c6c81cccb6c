"""Steps of column generation with stabilised prices and cutting planes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import CentredRecords, DualPrices, LowerBound
from engine.bounds.edge_cover import edge_cover_sse_and_prices
from engine.bounds.linear_programme.cuts import EFFORTS, PricedCuts, separate_cuts
from engine.bounds.linear_programme.master import MasterProblem, MasterSolution
from engine.bounds.linear_programme.pricing import NO_CUTS, Pricer, safe_dual_bound
from engine.core.context import SILENT, RunContext
from engine.core.typing import Values

COLUMN_GENERATION_KIND = "column-generation"
"""What an outcome calls LB2."""

COLUMNS_PER_ANCHOR = 3
"""Groups that enter for each anchor at once."""

MAX_BRANCHES = 200_000
"""Pricing branches per anchor; beyond, the bound is weaker but valid."""

MAX_CUT_ROUND_FACTOR = 5
"""How often as many cuts as in a first round a later one takes: there is less to gain
from each, and more from many at once."""

MAX_STEPS_PER_CUT_ROUND = 500
"""Steps between two rounds of cuts; never reached but where rounding rules."""

CUT_PHASE_GAP_SHARE = 0.005
"""Share of the gap that a step is to promise where cuts come next."""

MAX_UNPROVEN_CUT_ROUNDS, PROMISED_GAP_SHARE = 10, 0.05
"""Times that cuts are added before it is proven what they close; fewer where the linear
programme promises a share of the gap."""

MIN_RELATIVE_PROGRESS = 1e-6
"""Share of the bound that is not worth another step."""

MAX_BOX_WIDTH = 1e3
"""Width at which the box means nothing any more."""

SMOOTHING_SHARES = (0.4, 0.0)
"""Shares of the middle in prices at which groups are looked for: prices of the linear
programme alone swing to and fro. The second where the first show nothing new."""


@dataclass(frozen=True, eq=False)
class StabilityCentre:
    """Feasible dual prices, around which the master's prices are boxed.

    No group that the programme knows exceeds them: it has a solution in any box around.

    Attributes
    ----------
    prices : ndarray of float64, shape (n_records,)
    cut_prices : ndarray of float64, shape (n_cuts,)
    value : float
        What they prove where larger groups exceed them neither, as SSE.
    size : int
        The largest group size that was priced.
    """

    prices: Values
    cut_prices: Values
    value: float
    size: int

    @property
    def price_scale(self) -> Values:
        """Scale on which a price may move, shape (n_records,)."""
        size = np.abs(self.prices)
        return size + 0.2 * float(np.median(size))


@dataclass
class ColumnGeneration:
    """State of a column generation: master problem, prices, their box, and bound.

    Attributes
    ----------
    records : CentredRecords
    k : int
    pricer : Pricer
    master : MasterProblem
    prices : ndarray of float64, shape (n_records,)
        The best prices so far. Anchors have paid for gains, so that no group exceeds
        them.
    bound : float
        What they prove, as SSE.
    cut_prices : ndarray of float64, shape (n_cuts,)
        Prices of the cuts that belong to `prices`.
    middle : StabilityCentre or None
        The best prices for the sizes that were looked at; None means
        :attr:`best_centre`.
    width : float
        Half of the box's width, in units of the middle's spread.
    placed : bool
        Whether the box may stay where it is, so that the last basis is near the next.
    least : float
        SSE that is not worth another step ahead of more cuts.
    rounds : int
        Rounds of cuts so far.
    effort : int
        Which of :data:`engine.bounds.linear_programme.cuts.EFFORTS` looks for cuts.
    solution : MasterSolution or None
        Solution of the last linear programme.
    free : ndarray of bool, shape (n_records,), or None
        Records whose prices move; None means all.
    """

    records: CentredRecords
    k: int
    pricer: Pricer
    master: MasterProblem
    prices: Values
    bound: float
    cut_prices: Values = field(default_factory=lambda: np.empty(0))
    middle: StabilityCentre | None = None
    width: float = 0.15
    placed: bool = False
    least: float = 0.0
    rounds: int = 0
    effort: int = 0
    solution: MasterSolution | None = None
    free: NDArray[np.bool_] | None = None

    @property
    def cuts(self) -> PricedCuts:
        """Cuts with the dual prices that belong to :attr:`prices`."""
        return PricedCuts(self.master.cuts, self.cut_prices)

    @property
    def best_centre(self) -> StabilityCentre:
        """Stability centre whose dual prices prove the best bound."""
        return StabilityCentre(self.prices, self.cut_prices, self.bound, 2 * self.k - 1)

    @property
    def proof(self) -> DualPrices:
        """Copy of the dual prices that prove the current bound."""
        return DualPrices.with_cuts(self.prices, self.master.cuts, self.cut_prices)

    @property
    def lower_bound(self) -> LowerBound:
        """Current lower bound, with the prices that prove it."""
        has_prices = bool(np.isfinite(self.prices).all())
        return self.records.lower_bound(
            COLUMN_GENERATION_KIND, self.bound, self.proof if has_prices else None
        )

    @property
    def min_gain(self) -> float:
        """Smallest gain of a group that matters."""
        return 1e-9 * float(np.abs(self.prices).mean())


def start_column_generation(
    records: CentredRecords, k: int, ctx: RunContext = SILENT
) -> ColumnGeneration:
    """Return a column generation started from LB1's prices and cheap groups.

    Parameters
    ----------
    records : CentredRecords
        At least 2k, not all equal.
    """
    bound, prices = edge_cover_sse_and_prices(records, k, ctx.subcontext(0.0, 0.3))
    pricer = Pricer(records, k, ctx.subcontext(0.3, 0.4))
    unit = max(float(prices.mean()), 1e-12 * records.sst / records.n)
    search = ColumnGeneration(
        records, k, pricer, MasterProblem(records.X, unit), prices, 0.0
    )
    first = pricer.price_groups(prices, k, -unit, 5, 3000, ctx=ctx.subcontext(0.4, 0.6))
    search.master.add_groups(first.groups)
    exact = pricer.price_groups(
        prices, k, search.min_gain, 1, MAX_BRANCHES, ctx=ctx.subcontext(0.6, 1.0)
    )
    search.bound = max(bound, safe_dual_bound(prices, NO_CUTS, exact.highest, k))
    search.prices = prices - exact.highest
    if np.isfinite(search.prices).all():
        ctx.note("bound", search.bound)
    return search


def generate_columns_in_place(
    search: ColumnGeneration,
    ctx: RunContext = SILENT,
    max_steps: int = MAX_STEPS_PER_CUT_ROUND,
) -> None:
    """Run column-generation steps, in place, until converged, stopped or cut off.

    Parameters
    ----------
    max_steps : int
        Steps at most.
    """
    done: bool | None = search.bound <= 0.0  # then nothing has to be lost
    turn = 0
    while not done and turn < max_steps and not ctx.enough():
        done = step_master_and_test_convergence(
            search, ctx.subcontext(1.0 - 0.9**turn, 1.0 - 0.9 ** (turn + 1))
        )
        if done is None:
            return
        ctx.note("bound", search.bound)
        turn += 1


def step_master_and_test_convergence(
    search: ColumnGeneration,
    ctx: RunContext = SILENT,
    smallest_groups_only: bool = False,
) -> bool | None:
    """Solve the master, price, move the box; return whether done, or None if cut off.

    Parameters
    ----------
    smallest_groups_only : bool
        Whether groups of k are all that is looked at, so that where cuts are priced
        nothing is proven.

    Returns
    -------
    bool or None
        Whether no prices can prove so much more that it is worth a step; None where
        the step was cut short, and proves nothing.
    """
    middle = search.middle or search.best_centre
    free = slice(None) if search.free is None else search.free
    if not search.placed:
        reach = np.zeros(search.records.n)
        reach[free] = search.width * middle.price_scale[free]
        search.master.set_box(middle.prices - reach, middle.prices + reach)
    solution = search.master.solve(ctx)
    if solution is None:
        return None
    search.solution = solution
    expected = solution.value - middle.value
    margin = max(MIN_RELATIVE_PROGRESS * abs(solution.value), search.least)
    # What the box covers is of no account where even prices far off would pay little.
    covered = float(solution.boxed @ middle.price_scale)
    inside = covered <= margin or search.width > MAX_BOX_WIDTH
    little = expected <= margin
    thorough = little and inside and not smallest_groups_only
    for share in SMOOTHING_SHARES:
        prices = share * middle.prices + (1.0 - share) * solution.prices
        charges = share * middle.cut_prices + (1.0 - share) * solution.cut_prices
        fresh, centre, whole = _price(
            search, prices, charges, thorough, smallest_groups_only, ctx
        )
        if fresh > 0 or smallest_groups_only or solution.value - centre.value <= margin:
            break
    if not np.isfinite(centre.prices).all():
        return None
    gained = centre.value - middle.value
    search.placed = inside
    if not inside and gained > 0.1 * expected:
        search.width *= (
            3.0 if gained > 0.8 * (1.0 - SMOOTHING_SHARES[0]) * expected else 1.2
        )
    if gained > 0.0 or centre.size > middle.size:
        middle = centre
    search.middle = middle
    if whole and centre.value > search.bound:
        search.bound, search.prices = centre.value, centre.prices
        search.cut_prices = centre.cut_prices
    if not inside and (fresh == 0 or little):
        search.width *= 3.0  # the programme knows all that matters in this box
    return inside and whole and (fresh == 0 or solution.value - search.bound <= margin)


def _price(
    search: ColumnGeneration,
    prices: Values,
    cut_prices: Values,
    thorough: bool,
    hasty: bool,
    ctx: RunContext,
) -> tuple[int, StabilityCentre, bool]:
    """Enter groups that gain at some prices.

    Larger groups are not looked at while smaller ones gain: with k = 10 they take most
    of the time, and hardly ever gain where the smaller ones do not.

    Returns
    -------
    fresh : int
        How many groups were new.
    found : StabilityCentre
        The prices, lowered to what no group exceeds.
    whole : bool
        Whether groups of all sizes were looked at, so that its value is a bound.
    """
    k, n = search.k, search.records.n
    cuts = PricedCuts(search.master.cuts, cut_prices)
    sizes = range(k, min(2 * k, n + 1)) if cuts.prices.any() else range(k, k + 1)
    highest, fresh = np.zeros(n), 0
    for s in sizes:
        part = ctx.subcontext((s - k) / len(sizes), (s - k + 1) / len(sizes))
        priced = search.pricer.price_groups(
            prices, s, search.min_gain, COLUMNS_PER_ANCHOR, MAX_BRANCHES, cuts, ctx=part
        )
        highest = np.maximum(highest, priced.highest)
        fresh += search.master.add_groups(priced.groups)
        if hasty or (fresh > 0 and not thorough):
            break
    value = safe_dual_bound(prices, cuts, highest, s)
    found = StabilityCentre(prices - highest, cut_prices, value, s)
    return fresh, found, s == sizes[-1]


def add_violated_cuts(
    search: ColumnGeneration, ctx: RunContext = SILENT, n_efforts: int = len(EFFORTS)
) -> bool:
    """Remove idle cuts, add violated ones; return whether any were added.

    Parameters
    ----------
    n_efforts : int
        How many of :data:`engine.bounds.linear_programme.cuts.EFFORTS` may be tried.
    """
    if search.solution is None:
        return False
    middle = search.middle or search.best_centre
    needed = (search.cut_prices > 0.0) | (middle.cut_prices > 0.0)
    survivors = search.master.remove_idle_cuts(needed)
    _realign_cut_prices(search, lambda charges: charges[survivors])
    while search.effort < n_efforts and not ctx.enough():
        cuts = separate_cuts(
            search.master.groups,
            search.solution.weights,
            search.master.cuts,
            search.k,
            EFFORTS[search.effort],
            search.prices,
            min(search.rounds + 1, MAX_CUT_ROUND_FACTOR),
        )
        if cuts:
            search.rounds += 1
            search.master.add_cuts(cuts)
            _realign_cut_prices(search, partial(np.pad, pad_width=(0, len(cuts))))
            return True
        search.effort += 1
    search.effort = min(search.effort, len(EFFORTS) - 1)
    return False


def add_cut_rounds_without_proof(
    search: ColumnGeneration,
    gap: float,
    ctx: RunContext = SILENT,
    n_efforts: int = len(EFFORTS),
    max_rounds: int = MAX_UNPROVEN_CUT_ROUNDS,
) -> int:
    """Add rounds of cuts until they promise enough; return the number of rounds.

    Groups of k are looked at in between: to prove each round takes several times as
    long, and changes hardly anything about what next cuts are found from.

    Parameters
    ----------
    gap : float
        SSE that is open.
    n_efforts : int
        How many of :data:`engine.bounds.linear_programme.cuts.EFFORTS` may be tried.
    max_rounds : int
        Times at most.
    """
    for added in range(max_rounds):
        if not add_violated_cuts(search, ctx, n_efforts):
            return added
        step_master_and_test_convergence(search, ctx, smallest_groups_only=True)
        assert search.solution is not None
        promised = search.solution.value - search.bound
        if ctx.enough() or promised > PROMISED_GAP_SHARE * gap:
            return added + 1
    return max_rounds


def _realign_cut_prices(
    search: ColumnGeneration, change: Callable[[Values], Values]
) -> None:
    """Realign the cuts' prices after a change of the cuts."""
    search.cut_prices = change(search.cut_prices)
    if search.middle is not None:
        charges = change(search.middle.cut_prices)
        search.middle = replace(search.middle, cut_prices=charges)
