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
from engine.analysis.need.plan_search.trials import Trial
from engine.bounds import NO_BOUND
from engine.core.context import RunContext
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_person_choice

SUPPRESSED_SHARES = (0.01, 0.05)
"""Shares of the records that are left out for once."""


def try_other_k_values(
    search: PlanSearch, best_plan: Plan, deadline: float | None, ctx: RunContext
) -> tuple[Trial, ...]:
    """Return trials of a plan with smaller and larger values of k."""
    k, largest = best_plan.k, search.table.n_records
    sizes = (2 * k // 3, k // 2, 3, 3 * k // 2, 2 * k)
    trials: list[Trial | None] = []
    for size in dict.fromkeys(max(2, size) for size in sizes):
        if size == k or size > largest:
            continue
        if is_deadline_past(deadline) or ctx.enough():
            break
        resized = best_plan.replace(k=size)
        trials.append(search.try_plan_in_time(resized, deadline, ctx))
    return tuple(trial for trial in trials if trial and trial.is_feasible)


def try_alternatives(
    search: PlanSearch,
    best_plan: Plan,
    other_sizes: Sequence[Trial],
    parsed_need: ParsedNeed,
    deadline: float | None,
    ctx: RunContext,
) -> tuple[Alternative, ...]:
    """Return plans tried to meet a missed keep; first the plans that meet it.

    Records left out, a smaller k with the same weights, and one column at a time that
    does not leave.

    Parameters
    ----------
    search : PlanSearch
    best_plan : Plan
        Of the nearest release.
    other_sizes : sequence of Trial
        The plan with other values of k, tried already.
    parsed_need : ParsedNeed
    deadline : float or None
        Reading of :func:`monotonic_without_compiling`.
    """
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
            if is_deadline_past(deadline) or ctx.enough():
                break
            change = Message("leave out {share} of the records", share=f"{share:.0%}")
            fewer = best_plan.replace(suppress=share)
            trial = search.try_plan_in_time(fewer, deadline, ctx)
            if trial and trial.is_feasible:
                rows.append(_compare_alternative(search, change, trial, parsed_need))
    for name in best_plan.quasi_identifiers:
        if is_deadline_past(deadline) or ctx.enough():
            break
        other = _search_without(search, best_plan, name)
        if other is None:
            continue
        trial = other.try_plan_in_time(other.base, deadline, ctx)
        if trial and trial.is_feasible:
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
    base = best_plan.replace(
        quasi_identifiers=names,
        identifiers=(*(best_plan.identifiers or ()), name),
        # Or the column, now an identifier, might be taken for the one of people.
        person=resolve_person_choice(best_plan, search.table),
        attribute_weights=_without(best_plan.attribute_weights, name),
        aggregations=_without(best_plan.aggregations, name),
        transforms=_without(best_plan.transforms, name),
    )
    return PlanSearch(
        search.table,
        base,
        search.whole_keeps,
        designs,
        cache=search.cache,
        second_designs=second_designs,
        subgroups=tuple(subgroups),
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
