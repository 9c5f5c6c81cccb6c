"""Trials with another k, and if a keep is missed, with fewer records or columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any, NamedTuple

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
"""Plans of a search that are tried with each change: the best need not stay so."""

TRIALS_PER_PLAN = 20
"""Trials of a search, at least, for each of these plans."""


class _Change(NamedTuple):
    """A change of a plan, the search that tries it, and plans with it, best first."""

    says: Message
    search: PlanSearch
    plans: list[Plan]


def try_changes(
    search: PlanSearch,
    best_plan: Plan,
    is_found: bool,
    parsed_need: ParsedNeed,
    deadline: float | None,
    ctx: RunContext,
) -> tuple[tuple[Trial, ...], tuple[Alternative, ...]]:
    """Return the best trial per other k; if a keep is missed, also alternatives.

    An alternative is a smaller k, records left out, or one column that does not leave;
    first those that hold.

    Parameters
    ----------
    search : PlanSearch
    best_plan : Plan
        Of the release that was found, or of the nearest one.
    is_found : bool
        Whether no keep is missed: then this plan alone is tried with other k.
    parsed_need : ParsedNeed
    deadline : float or None
        Reading of :func:`monotonic_without_compiling`.
    """
    plans = [best_plan] if is_found else _plans_to_change(search, best_plan)
    sizes = _size_changes(search, plans)
    others = [] if is_found else list(_other_changes(search, plans, deadline, ctx))
    trials = _best_trials([*sizes, *others], deadline, ctx)
    other_sizes = tuple(trial for trial in trials[: len(sizes)] if trial)
    if is_found:
        return other_sizes, ()
    free = tuple(rule for rule in parsed_need.rules if rule.least_k <= 2)
    asked = [replace(parsed_need, rules=free)] * len(sizes)
    asked += [parsed_need] * len(others)
    rows = [
        _compare_alternative(change.search, change.says, trial, needed)
        for change, trial, needed in zip([*sizes, *others], trials, asked, strict=True)
        if trial and change.plans[0].k <= best_plan.k
    ]
    return other_sizes, tuple(sorted(rows, key=lambda row: not row.holds))


def _plans_to_change(search: PlanSearch, best_plan: Plan) -> list[Plan]:
    """Return plans to try with a change: the best, the base and next best ones."""
    n = min(MAX_PLANS_PER_CHANGE, len(search.trials) // TRIALS_PER_PLAN)
    others = [trial.plan for trial in search.best_trials()[:n]]
    plans = (best_plan, search.base.replace(k=best_plan.k), *others)
    return list(dict.fromkeys(plans))


def _size_changes(search: PlanSearch, plans: Sequence[Plan]) -> list[_Change]:
    k, largest = plans[0].k, search.table.n_records
    sizes = dict.fromkeys(
        max(2, size) for size in (2 * k // 3, k // 2, 3, 3 * k // 2, 2 * k)
    )
    return [
        _Change(
            Message("k = {smaller} instead of {k}", smaller=size, k=k),
            search,
            list(dict.fromkeys(plan.replace(k=size) for plan in plans)),
        )
        for size in sizes
        if size != k and size <= largest
    ]


def _other_changes(
    search: PlanSearch, plans: Sequence[Plan], deadline: float | None, ctx: RunContext
) -> Iterator[_Change]:
    """Yield changes that leave out records or a column, until the deadline."""
    best_plan = plans[0]
    if not best_plan.suppress and not best_plan.household:
        for share in SUPPRESSED_SHARES:
            yield _Change(
                Message("leave out {share} of the records", share=f"{share:.0%}"),
                search,
                [plan.replace(suppress=share) for plan in plans],
            )
    # Or a column, then an identifier, might be taken for the one of people.
    person = resolve_person_choice(best_plan, search.table)
    names = best_plan.quasi_identifiers
    for name in names if len(names) > 1 else ():
        if is_deadline_past(deadline) or ctx.enough():
            return
        base = _without_column(best_plan, name, person)
        other = _search_without(search, base, name)
        if other is not None:
            narrower = [_without_column(plan, name, person) for plan in plans]
            says = Message("without column {name!r}, also in models", name=name)
            yield _Change(says, other, narrower)


def _best_trials(
    changes: Sequence[_Change], deadline: float | None, ctx: RunContext
) -> list[Trial | None]:
    """Return each change's best feasible trial; None if it had none in time.

    Each change is tried with the best plan before any is with another one.
    """
    trials: list[list[Trial]] = [[] for _ in changes]
    turns = zip_longest(*(change.plans for change in changes))
    for number, plan in chain.from_iterable(map(enumerate, turns)):
        if is_deadline_past(deadline) or ctx.enough():
            break
        if plan is None:  # the change has fewer plans
            continue
        trial = changes[number].search.try_plan_in_time(plan, deadline, ctx)
        if trial is not None:
            trials[number].append(trial)
    return [next(iter(rank_feasible_trials(some)), None) for some in trials]


def _search_without(search: PlanSearch, base: Plan, name: str) -> PlanSearch | None:
    """Return a search whose base is a plan without a column; None if it is needed.

    The column does not leave, and models do without its terms.
    """
    if any(name in keep.columns for keep in search.keeps):
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
        base,
        search.whole_keeps,
        designs,
        cache=search.cache,
        second_designs=second_designs,
        subgroups=tuple(subgroups),
    )


def _without_column(plan: Plan, name: str, person: tuple[str, ...] | str) -> Plan:
    """Return a plan in which a column does not leave."""
    names = tuple(each for each in plan.quasi_identifiers if each != name)
    return plan.replace(
        quasi_identifiers=names,
        identifiers=(*(plan.identifiers or ()), name),
        person=person,
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
    """Return checks of the rules on a trial's releases, and its second outcome if any.

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
