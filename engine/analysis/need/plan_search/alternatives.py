"""Trials with another k, and if a keep is missed, with fewer records or columns.

Each change is first tried on a few of the best plans of the search. What is best after
a change need not be near these, so that it has a short search of its own as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
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
from engine.analysis.need.plan_search.trials import Trial
from engine.bounds import NO_BOUND
from engine.core.context import SILENT, RunContext
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.parallel import map_in_threads
from engine.kernels.compilation.compiling import monotonic_without_compiling
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_person_choice

SUPPRESSED_SHARES = (0.01, 0.05)
"""Shares of the records that are left out for once."""

MAX_PLANS_PER_CHANGE = 4
"""Plans of a search that are tried with each change: the best need not stay so."""

TRIALS_PER_PLAN = 20
"""Trials of a search, at least, for each of these plans."""

SMALLER_K_SHARE, SUPPRESSED_SHARE, NARROWER_SHARE = 0.15, 0.05, 0.03
"""Of a search's number of trials, for the own search of a change: smaller k help most
often, and trials that leave records out take longest."""

PLANS_SHARE = 0.2
"""Of the time that is left, until which changes are tried on more than one plan."""

OWN_SEARCHES_SHARE = 0.9
"""Of the time that is left, until which own searches go on; then rules are checked."""


class ChangesTried(NamedTuple):
    """Best trial per other k, and if a keep is missed, alternatives and what is not.

    Attributes
    ----------
    other_sizes : tuple of Trial
    alternatives : tuple of Alternative
        First those that hold.
    untried : tuple of Message
        Changes that no time was left for.
    """

    other_sizes: tuple[Trial, ...]
    alternatives: tuple[Alternative, ...] = ()
    untried: tuple[Message, ...] = ()


class _Change(NamedTuple):
    """A change of a plan, its search (None without time), and plans, best first.

    The search's trials, none at first, are all with this change. To what tries the
    plans it adds the share of trials of a search of its own, 0 without.
    """

    says: Message
    search: PlanSearch | None
    plans: list[Plan]
    share: float = 0.0

    @property
    def best_trial(self) -> Trial | None:
        """The best feasible trial with the change, None without any."""
        trials = [] if self.search is None else self.search.best_trials()
        return next(iter(trials), None)


def try_changes(
    search: PlanSearch,
    best_plan: Plan,
    is_found: bool,
    parsed_need: ParsedNeed,
    n_trials: int | None,
    deadline: float | None,
    ctx: RunContext,
) -> ChangesTried:
    """Return the best trial per other k; if a keep is missed, also alternatives.

    An alternative is a smaller k, records left out, or one column that does not leave.
    Where it does not meet the keeps at once, it has a search of its own, of a share of
    the trials or in a part of the time left.

    Parameters
    ----------
    search : PlanSearch
    best_plan : Plan
        Of the release that was found, or of the nearest one.
    is_found : bool
        Whether no keep is missed: then this plan alone is tried with other k.
    parsed_need : ParsedNeed
    n_trials : int or None
        Of the search, if they and not its time were said.
    deadline : float or None
        Reading of :func:`monotonic_without_compiling`.
    """
    from threadpoolctl import threadpool_limits

    plans = [best_plan] if is_found else _plans_to_change(search, best_plan)
    sizes = _size_changes(search, plans)
    others = [] if is_found else list(_other_changes(search, plans, deadline, ctx))
    changes = [*sizes, *others]
    # Sums must not depend on cores.
    with threadpool_limits(1):
        _try_plans(changes, deadline, ctx)
        if not is_found:
            _search_anew(changes, n_trials, deadline, ctx)
    other_sizes = tuple(each.best_trial for each in sizes if each.best_trial)
    if is_found:
        return ChangesTried(other_sizes)
    free = tuple(rule for rule in parsed_need.rules if rule.least_k <= 2)
    needs = [replace(parsed_need, rules=free)] * len(sizes)
    needs += [parsed_need] * len(others)
    offered = [
        (change, needed)
        for change, needed in zip(changes, needs, strict=True)
        if not change.plans or change.plans[0].k <= best_plan.k
    ]
    rows, untried = list[Alternative](), list[Message]()
    for change, needed in offered:
        row = None
        if change.search is not None and (trial := change.best_trial) is not None:
            row = _compare_alternative(
                change.search, change.says, trial, needed, deadline, ctx
            )
        if row is not None:
            rows.append(row)
        elif change.search is None or change.best_trial or not change.search.trials:
            untried.append(change.says)
    rows.sort(key=lambda row: not row.holds)
    return ChangesTried(other_sizes, tuple(rows), tuple(untried))


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
            search.copy_with_fixed(k=size),
            list(dict.fromkeys(plan.replace(k=size) for plan in plans)),
            SMALLER_K_SHARE if size < k else 0.0,
        )
        for size in sizes
        if size != k and size <= largest
    ]


def _other_changes(
    search: PlanSearch, plans: Sequence[Plan], deadline: float | None, ctx: RunContext
) -> Iterator[_Change]:
    """Yield changes that leave out records or a column, without search if too late."""
    best_plan = plans[0]
    if not best_plan.suppress and not best_plan.household:
        for share in SUPPRESSED_SHARES:
            yield _Change(
                Message("leave out {share} of the records", share=f"{share:.0%}"),
                search.copy_with_fixed(suppress=share),
                [plan.replace(suppress=share) for plan in plans],
                SUPPRESSED_SHARE,
            )
    # Or a column, then an identifier, might be taken for the one of people.
    person = resolve_person_choice(best_plan, search.table)
    names = best_plan.quasi_identifiers
    for name in names if len(names) > 1 else ():
        if any(name in keep.columns for keep in search.keeps):
            continue
        says = Message("without column {name!r}, also in models", name=name)
        if is_deadline_past(deadline) or ctx.enough():
            yield _Change(says, None, [])
            continue
        base = _without_column(best_plan, name, person)
        other = _search_without(search, base, name)
        if other is not None:
            narrower = [_without_column(plan, name, person) for plan in plans]
            yield _Change(says, other, narrower, NARROWER_SHARE)


def _try_plans(
    changes: Sequence[_Change], deadline: float | None, ctx: RunContext
) -> None:
    """Try each change with the best plan before any with another one, while in time."""
    until = _time_after_share(PLANS_SHARE, deadline)
    # If time is short, it is used for what helps most often.
    changes = sorted(changes, key=lambda change: -change.share)
    turns = zip_longest(*(change.plans for change in changes))
    for number, turn in enumerate(turns):
        last = until if number else deadline

        def try_change(
            place: int,
            own: RunContext,
            turn: tuple[Plan | None, ...] = turn,
            last: float | None = last,
        ) -> Trial | None:
            search, plan = changes[place].search, turn[place]
            # Some changes have fewer plans.
            if search is None or plan is None or is_deadline_past(last) or ctx.enough():
                return None
            return search.try_plan_in_time(plan, deadline, own)

        if is_deadline_past(last) or ctx.enough():
            return
        stage = Message("Trying plans")
        own_ctx = ctx.subcontext(0.0, 0.0)
        tried = map_in_threads(try_change, len(changes), own_ctx, stage)
        for change, trial in zip(changes, tried, strict=True):
            if change.search is not None and trial is not None:
                change.search.trials.append(trial)


def _search_anew(
    changes: Sequence[_Change],
    n_trials: int | None,
    deadline: float | None,
    ctx: RunContext,
) -> None:
    """Search on with changes that may be offered and do not meet the keeps yet."""
    searched = sorted(
        (
            (change.share, change.search)
            for change in changes
            if change.search is not None
            and change.share
            and (trial := change.best_trial) is not None
            and trial.margin < 0.0
        ),
        key=lambda each: -each[0],
    )
    end = _time_after_share(OWN_SEARCHES_SHARE, deadline)
    open_share = sum(share for share, _search in searched)
    for share, search in searched:
        n = None
        if n_trials is not None:
            n = len(search.trials) + math.ceil(share * n_trials)
        until = _time_after_share(min(1.0, share / open_share), end)
        search.extend(n, until, ctx.subcontext(0.0, 0.0), end)
        open_share -= share


def _time_after_share(share: float, deadline: float | None) -> float | None:
    """Return the reading after a share of the time that is left to a deadline."""
    if deadline is None:
        return None
    now = monotonic_without_compiling()
    return now + share * max(0.0, deadline - now)


def _search_without(search: PlanSearch, base: Plan, name: str) -> PlanSearch | None:
    """Return a search whose base is a plan without a column; None without any model.

    The column does not leave, and models do without its terms.
    """
    frame, names = search.table.frame, search.table.schema.names
    subgroups = dict.fromkeys(each.column for each in search.subgroups)
    subgroups.pop(name, None)
    try:
        designs, second_designs = (
            [
                RefittableModel(design.model.without_column(name, names), frame)
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
        search.seed,
        search.cache,
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
    search: PlanSearch,
    change: Message,
    trial: Trial,
    need: ParsedNeed,
    deadline: float | None,
    ctx: RunContext,
) -> Alternative | None:
    """Return an alternative; None if time was over before its rules were measured."""
    keeps = compare_with_keeps(search.keeps, trial.reached)
    holds = all(keep.held for keep in keeps)
    if holds and (need.rules or need.ledger is not None):
        compared, _second = rule_checks_and_second_outcome(
            search, trial, need, deadline, ctx
        )
        if any(rule.reached is None for rule in compared):
            return None
        holds = all(rule.held for rule in compared)
    return Alternative(change, trial.plan, keeps, holds)


def rule_checks_and_second_outcome(
    search: PlanSearch,
    trial: Trial,
    parsed_need: ParsedNeed,
    deadline: float | None = None,
    ctx: RunContext = SILENT,
) -> tuple[tuple[RequirementCheck, ...], Outcome | None]:
    """Return checks of the rules on a trial's releases, and its second outcome if any.

    The first release is compared alone, and both side by side where there are two.
    Attacks that are not over at the deadline leave a rule's value unknown.
    """
    outcome = search.outcome_of(trial.plan, NO_BOUND)
    arguments = (search.table, parsed_need.ledger, deadline, ctx)
    compared = compare_with_rules(parsed_need.rules, outcome, *arguments)
    if trial.second_plan is None:
        return compared, None
    second = search.outcome_of(trial.second_plan, NO_BOUND)
    compared += compare_second_and_both_with_rules(
        parsed_need.rules, outcome, second, *arguments
    )
    return compared, second
