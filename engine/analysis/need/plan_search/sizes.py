"""Choice of k where rules leave it open: the least found whose release meets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.analysis.need.held_releases import HeldReleases
from engine.analysis.need.plan_search.search import is_deadline_past
from engine.analysis.need.rules import RULE_MEASURES, Rule
from engine.bounds import NO_BOUND
from engine.core.context import RunContext
from engine.core.errors import Cancelled, InfeasibleError
from engine.data.table import Table
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_person_choice
from engine.pipeline.run import run


def plan_with_smallest_k(
    table: Table, plan: Plan, rules: Sequence[Rule], deadline: float | None
) -> Plan:
    """Return the plan with the least k found to meet rules that leave k open, or as is.

    An average risk, uniques or the gain of an attack say no k, but fall as it grows:
    it is doubled until they hold, and then halved back to the smallest. Groups of
    people, of a search that may take minutes, are begun only; from the k that these
    say, whole ones are looked at upwards or downwards. The plan as it is where no rule
    leaves k open, or where none that was tried meets them.

    Parameters
    ----------
    plan : Plan
        Its k is the least that the rules allow.
    rules : sequence of Rule
    deadline : float or None
        Reading of :func:`monotonic_without_compiling`, after which what was found so
        far is taken: the least k that meets the rules, else the largest that was tried,
        which misses them by least.
    """
    left_open = [rule for rule in rules if not RULE_MEASURES[rule.measure].field]
    if not left_open:
        return plan
    cache, largest = PreparationCache(table), table.n_records
    counts_people = isinstance(resolve_person_choice(plan, table), tuple)
    k, step = plan.k, plan.k
    for is_begun_only in (True, False) if counts_people else (False,):
        met: list[int] = []
        tried: list[int] = []

        def is_met(
            size: int,
            is_begun_only: bool = is_begun_only,
            met: list[int] = met,
            tried_sizes: list[int] = tried,
        ) -> bool:
            ctx = RunContext(
                enough=lambda: is_begun_only,
                cancelled=lambda: is_deadline_past(deadline),
            )
            sized = plan.replace(k=size)
            try:
                outcome = run(sized, table, ctx, preparations=cache, bound=NO_BOUND)
            except InfeasibleError:  # groups so large there are none of
                return False
            tried_sizes.append(size)
            release = HeldReleases(outcome, table, ctx=ctx)
            if not all(rule.holds(rule.measured(release).value) for rule in left_open):
                return False
            met.append(size)
            return True

        try:
            _narrow_down(is_met, k, step, plan.k, largest)
        except Cancelled:
            return plan.replace(k=min(met, default=max(tried, default=k)))
        if not met:
            return plan
        k, step = min(met), 1
    return plan.replace(k=k)


def _narrow_down(
    is_met: Callable[[int], bool], k: int, step: int, least: int, largest: int
) -> None:
    """Ask for sizes from k on in growing steps, then between, until two are next."""
    if is_met(k):
        upper, missed = k, least - 1
        while upper > least:
            lower, step = max(least, upper - step), 2 * step
            if not is_met(lower):
                missed = lower
                break
            upper = lower
    else:
        missed, upper = k, min(k + step, largest)
        while missed < largest and not is_met(upper):
            step *= 2
            missed, upper = upper, min(upper + step, largest)
        if missed == largest:
            return
    while upper - missed > 1:
        middle = (missed + upper) // 2
        missed, upper = (missed, middle) if is_met(middle) else (middle, upper)
