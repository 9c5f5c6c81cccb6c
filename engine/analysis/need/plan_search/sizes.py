"""Choose k where the rules leave it open: the smallest whose release meets them."""

from __future__ import annotations

from collections.abc import Sequence

from engine.analysis.need.held_releases import HeldReleases
from engine.analysis.need.plan_search.search import is_deadline_past
from engine.analysis.need.rules import RULE_MEASURES, Rule
from engine.bounds import NO_BOUND
from engine.core.context import RunContext
from engine.core.errors import Cancelled, InfeasibleError
from engine.data.table import Table
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolved import resolve_person
from engine.pipeline.run import run


def plan_with_smallest_k(
    table: Table, plan: Plan, rules: Sequence[Rule], deadline: float | None
) -> Plan:
    """Return a plan with the smallest k that was found to meet all rules.

    An average risk, uniques or the gain of an attack say no k, but fall as it grows:
    it is doubled until they hold, and then halved back to the smallest. The plan as it
    is where no rule leaves k open, or where none that was tried meets them.

    Parameters
    ----------
    table : Table
    plan : Plan
        Its k is the least that the rules allow.
    rules : sequence of Rule
    deadline : float or None
        Reading of :func:`time.monotonic`, after which what was found so far is taken.
    """
    left_open = [rule for rule in rules if not RULE_MEASURES[rule.measure].field]
    cache = PreparationCache(table)
    counts_people = isinstance(resolve_person(plan, table), tuple)

    def is_met(k: int) -> bool:
        # Groups of people, of a search that may take minutes, are begun only.
        ctx = RunContext(
            enough=lambda: counts_people, cancelled=lambda: is_deadline_past(deadline)
        )
        try:
            outcome = run(
                plan.replace(k=k), table, ctx, preparations=cache, bound=NO_BOUND
            )
        except InfeasibleError:  # groups so large there are none of
            return False
        held = HeldReleases(outcome, table)
        return all(rule.holds(rule.measured(held)) for rule in left_open)

    missed, k, largest = plan.k - 1, plan.k, table.n_records
    has_met = not left_open
    try:
        while not has_met and not (has_met := is_met(k)):
            missed, k = k, min(2 * k, largest)
            if missed == largest:
                return plan
        while left_open and k - missed > 1:
            middle = (missed + k) // 2
            missed, k = (missed, middle) if is_met(middle) else (middle, k)
    except Cancelled:
        return plan.replace(k=k) if has_met else plan
    return plan.replace(k=k)
