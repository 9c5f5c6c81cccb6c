"""Find plans that meet a missed keep: vary k, columns and suppression, and try each."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.analysis.need.answer import (
    Alternative,
    compare_both_with_rules,
    compare_with_keeps,
    compare_with_rules,
)
from engine.analysis.need.parsed_need import ParsedNeed
from engine.analysis.need.search import PlanSearch
from engine.analysis.need.trials import Trial
from engine.bounds import NO_BOUND
from engine.core.context import RunContext
from engine.core.message import Message
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

SUPPRESSED_SHARES = (0.01, 0.05)
"""Shares of the records that are left out for once."""


def try_other_sizes(
    search: PlanSearch, best_plan: Plan, deadline: float | None, ctx: RunContext
) -> tuple[Trial, ...]:
    """Return trials of a plan with smaller and larger values of k."""
    k, largest = best_plan.k, search.table.n_records
    sizes = (2 * k // 3, k // 2, 3, 3 * k // 2, 2 * k)
    trials = []
    for size in dict.fromkeys(max(2, size) for size in sizes):
        if size == k or size > largest:
            continue
        if _is_over(deadline, ctx):
            break
        trials.append(search.try_plan(best_plan.replace(k=size)))
    return tuple(trial for trial in trials if trial.is_feasible)


def try_alternatives(
    search: PlanSearch,
    best_plan: Plan,
    other_sizes: Sequence[Trial],
    asked: ParsedNeed,
    deadline: float | None,
    ctx: RunContext,
) -> tuple[Alternative, ...]:
    """Return plans tried to meet a missed keep, those that hold first.

    Records left out, a smaller k with the same weights, and no column at a time among
    those that intruders are said to know.

    Parameters
    ----------
    search : PlanSearch
    best_plan : Plan
        Of the nearest release.
    other_sizes : sequence of Trial
        The plan with other values of k, tried already.
    asked : ParsedNeed
    deadline : float or None
        Reading of :func:`time.monotonic`.
    ctx : RunContext
    """
    rows = [
        _compare_alternative(
            search,
            Message(
                "k = {smaller} instead of {k}", smaller=trial.plan.k, k=best_plan.k
            ),
            trial,
            replace(
                asked,
                rules=tuple(rule for rule in asked.rules if rule.least_k <= 2),
            ),
        )
        for trial in other_sizes
        if trial.plan.k < best_plan.k
    ]
    for change, fields in _changes_of(best_plan):
        if _is_over(deadline, ctx):
            break
        other = search
        if "quasi_identifiers" in fields:  # the loss is that of other columns
            base = search.base.replace(**fields)
            other = PlanSearch(
                search.table,
                base,
                search.keeps,
                search.designs,
                cache=search.cache,
                second_designs=search.second_designs,
            )
        trial = other.try_plan(best_plan.replace(**fields))
        if trial.is_feasible:
            rows.append(_compare_alternative(search, change, trial, asked))
    return tuple(sorted(rows, key=lambda row: not row.holds))


def _is_over(deadline: float | None, ctx: RunContext) -> bool:
    late = deadline is not None and time.monotonic() > deadline
    return late or ctx.enough()


def _changes_of(best: Plan) -> list[tuple[Message, Mapping[str, Any]]]:
    """Return changes of the plan but for k, each in words and as its fields."""
    changes: list[tuple[Message, Mapping[str, Any]]] = []
    if not best.suppress and not best.household:
        changes += [
            (
                Message("leave out {share} of the records", share=f"{share:.0%}"),
                {"suppress": share},
            )
            for share in SUPPRESSED_SHARES
        ]
    names = best.quasi_identifiers
    if len(names) > 1:
        changes += [
            (
                Message("column {name!r} leaves as it is", name=name),
                {
                    "quasi_identifiers": tuple(each for each in names if each != name),
                    "attribute_weights": _without(best.attribute_weights, name),
                    "aggregations": _without(best.aggregations, name),
                },
            )
            for name in names
        ]
    return changes


def _without(choices: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in choices.items() if key != name}


def _compare_alternative(
    search: PlanSearch, change: Message, trial: Trial, asked: ParsedNeed
) -> Alternative:
    keeps = compare_with_keeps(search.keeps, trial.reached)
    holds = all(keep.held for keep in keeps)
    if holds and (asked.rules or asked.ledger is not None):
        outcome = run(
            trial.plan, search.table, preparations=search.cache, bound=NO_BOUND
        )
        compared = compare_with_rules(asked.rules, outcome, search.table, asked.ledger)
        if trial.second_plan is not None:
            second = run(
                trial.second_plan,
                search.table,
                preparations=search.cache,
                bound=NO_BOUND,
            )
            compared += compare_both_with_rules(
                asked.rules, outcome, second, search.table, asked.ledger
            )
        holds = all(rule.held for rule in compared)
    return Alternative(change, trial.plan, keeps, holds)
