"""Vary k, columns and suppression of a plan that misses a keep, and try each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.analysis.need.answer import (
    Alternative,
    RequirementCheck,
    compare_second_and_both_with_rules,
    compare_with_keeps,
    compare_with_rules,
)
from engine.analysis.need.models.model_fit import RefittableModel
from engine.analysis.need.parsed_need import ParsedNeed
from engine.analysis.need.plan_search.search import PlanSearch, is_deadline_past
from engine.analysis.need.plan_search.trials import Trial, rank_feasible_trials
from engine.bounds import NO_BOUND
from engine.core.context import RunContext
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_person_choice

SUPPRESSED_SHARES = (0.01, 0.05)
"""Shares of the records that are left out for once."""

MAX_PLANS_PER_CHANGE = 30
"""Best plans of a search that are tried with each change, of each twenty one: what was
best before need not be so after it."""

TRIALS_PER_PLAN = 20
"""Trials of a search, at least, for each of these plans."""


def try_other_k_values(
    search: PlanSearch,
    best_plans: Sequence[Plan],
    deadline: float | None,
    ctx: RunContext,
) -> tuple[Trial, ...]:
    """Return the best trials of plans with smaller and larger values of k."""
    k, largest = best_plans[0].k, search.table.n_records
    sizes = (2 * k // 3, k // 2, 3, 3 * k // 2, 2 * k)
    trials: list[Trial | None] = []
    for size in dict.fromkeys(max(2, size) for size in sizes):
        if size == k or size > largest:
            continue
        resized = [plan.replace(k=size) for plan in best_plans]
        trials.append(_best_trial(search, resized, deadline, ctx))
    return tuple(trial for trial in trials if trial)


def plans_to_change(search: PlanSearch, best_plan: Plan) -> list[Plan]:
    """Return plans to try with a change: the best, the base and next best ones."""
    n = min(MAX_PLANS_PER_CHANGE, len(search.trials) // TRIALS_PER_PLAN)
    others = [trial.plan for trial in search.best_trials()[:n]]
    plans = [best_plan, search.base.replace(k=best_plan.k), *others]
    return [plan for at, plan in enumerate(plans) if plan not in plans[:at]]


def _best_trial(
    search: PlanSearch, plans: Sequence[Plan], deadline: float | None, ctx: RunContext
) -> Trial | None:
    """Return the best feasible trial of some plans; None if there was none in time."""
    trials: list[Trial] = []
    for plan in plans:
        if is_deadline_past(deadline) or ctx.enough():
            break
        trial = search.try_plan_in_time(plan, deadline, ctx)
        if trial is not None:
            trials.append(trial)
    return next(iter(rank_feasible_trials(trials)), None)


def try_alternatives(
    search: PlanSearch,
    best_plans: Sequence[Plan],
    other_sizes: Sequence[Trial],
    parsed_need: ParsedNeed,
    deadline: float | None,
    ctx: RunContext,
) -> tuple[Alternative, ...]:
    """Return alternatives tried where a keep is missed, those that hold first.

    Records left out, a smaller k with the same weights, and one column at a time that
    does not leave.

    Parameters
    ----------
    search : PlanSearch
    best_plans : sequence of Plan
        To try with each change, first that of the nearest release.
    other_sizes : sequence of Trial
        The plan with other values of k, tried already.
    parsed_need : ParsedNeed
    deadline : float or None
        Reading of :func:`monotonic_without_compiling`.
    """
    best_plan = best_plans[0]
    rows = [
        _compare_alternative(
            search,
            Message(
                "k = {smaller} instead of {k}", smaller=trial.plan.k, k=best_plan.k
            ),
            trial,
            replace(
                parsed_need,
                rules=tuple(rule for rule in parsed_need.rules if rule.least_k <= 2),
            ),
        )
        for trial in other_sizes
        if trial.plan.k < best_plan.k
    ]
    if not best_plan.suppress and not best_plan.household:
        for share in SUPPRESSED_SHARES:
            change = Message("leave out {share} of the records", share=f"{share:.0%}")
            fewer = [plan.replace(suppress=share) for plan in best_plans]
            trial = _best_trial(search, fewer, deadline, ctx)
            if trial:
                rows.append(_compare_alternative(search, change, trial, parsed_need))
    for name in best_plan.quasi_identifiers:
        if is_deadline_past(deadline) or ctx.enough():
            break
        other = _search_without(search, best_plan, name)
        if other is None:
            continue
        narrower = [_without_column(search, plan, name) for plan in best_plans]
        trial = _best_trial(other, narrower, deadline, ctx)
        if trial:
            change = Message("without column {name!r}, also in models", name=name)
            rows.append(_compare_alternative(other, change, trial, parsed_need))
    return tuple(sorted(rows, key=lambda row: not row.holds))


def _search_without(
    search: PlanSearch, best_plan: Plan, name: str
) -> PlanSearch | None:
    """Return a search whose base is a plan without a column; None if it is needed.

    The column does not leave, and models do without its terms.
    """
    names = tuple(each for each in best_plan.quasi_identifiers if each != name)
    if not names or any(name in keep.columns for keep in search.keeps):
        return None
    frame, known = search.table.frame, search.table.schema.names
    subgroups = dict.fromkeys(each.column for each in search.subgroups)
    subgroups.pop(name, None)
    try:
        designs, second_designs = (
            [
                RefittableModel(design.model.without_column(name, known), frame)
                for design in each
            ]
            for each in (search.designs, search.second_designs)
        )
    except ParameterError:  # nothing is left to fit
        return None
    return PlanSearch(
        search.table,
        _without_column(search, best_plan, name),
        search.whole_keeps,
        designs,
        cache=search.cache,
        second_designs=second_designs,
        subgroups=tuple(subgroups),
    )


def _without_column(search: PlanSearch, plan: Plan, name: str) -> Plan:
    """Return a plan in which a column does not leave."""
    return plan.replace(
        quasi_identifiers=tuple(
            each for each in plan.quasi_identifiers if each != name
        ),
        identifiers=(*(plan.identifiers or ()), name),
        # Or the column, now an identifier, might be taken for the one of people.
        person=resolve_person_choice(plan, search.table),
        attribute_weights=_without(plan.attribute_weights, name),
        aggregations=_without(plan.aggregations, name),
        transforms=_without(plan.transforms, name),
    )


def _without(choices: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in choices.items() if key != name}


def _compare_alternative(
    search: PlanSearch, change: Message, trial: Trial, asked: ParsedNeed
) -> Alternative:
    keeps = compare_with_keeps(search.keeps, trial.reached)
    holds = all(keep.held for keep in keeps)
    if holds and (asked.rules or asked.ledger is not None):
        compared, _second = rule_checks_and_second_outcome(search, trial, asked)
        holds = all(rule.held for rule in compared)
    return Alternative(change, trial.plan, keeps, holds)


def rule_checks_and_second_outcome(
    search: PlanSearch, trial: Trial, parsed_need: ParsedNeed
) -> tuple[tuple[RequirementCheck, ...], Outcome | None]:
    """Return the rules compared with a trial's releases, and its second outcome if any.

    The first release is compared alone, and both side by side where there are two.
    """
    outcome = search.outcome_of(trial.plan, NO_BOUND)
    compared = compare_with_rules(
        parsed_need.rules, outcome, search.table, parsed_need.ledger
    )
    if trial.second_plan is None:
        return compared, None
    second = search.outcome_of(trial.second_plan, NO_BOUND)
    compared += compare_second_and_both_with_rules(
        parsed_need.rules, outcome, second, search.table, parsed_need.ledger
    )
    return compared, second
