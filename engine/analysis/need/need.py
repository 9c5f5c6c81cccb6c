"""The answer to what is needed: found, nearest, impossible by a proof, or open."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.analysis.need.alternatives import try_alternatives, try_other_sizes
from engine.analysis.need.answer import (
    Answer,
    Held,
    Need,
    compare_with_keeps,
    compare_with_rules,
    unknown_rules_and_keeps,
)
from engine.analysis.need.formula import Design, ModelFormula
from engine.analysis.need.keeps import KEEP_KINDS, Keep
from engine.analysis.need.proofs import prove_loss_impossible, prove_rules_impossible
from engine.analysis.need.rules import RULE_MEASURES, Rule, read_rules
from engine.analysis.need.search import Search, Trial
from engine.analysis.need.slopes import Slope
from engine.analysis.need.subgroups import loss_by_subgroup
from engine.bounds import NO_BOUND
from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.message import Message
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

DEFAULT_SECONDS = 60.0
"""Time that a search takes where neither time nor trials are said."""

SEARCH_SHARE = 0.8
"""Of the time, for the search; the rest is for what would meet a missed keep."""

MAX_TRIALS = 100_000

MAX_CHECKED_TRIALS = 40
"""Trials whose rules are measured, the best ones first."""

DEFAULT_OVERLAP = Keep.parse("overlap >= 0.9")
"""What is kept of models that are named without a keep."""


@dataclass(frozen=True)
class Asked:
    """A need, read and checked.

    Attributes
    ----------
    rules : tuple of Rule
    keeps : tuple of Keep
    designs, held_out : tuple of Design
        Models that the search sees, and those that it does not.
    subgroups : tuple of str
    """

    rules: tuple[Rule, ...]
    keeps: tuple[Keep, ...]
    designs: tuple[Design, ...]
    held_out: tuple[Design, ...]
    subgroups: tuple[str, ...]


def need(
    table: Table,
    rules: Sequence[Rule | str],
    keeps: Sequence[Keep | str] = (),
    seconds: float | None = None,
    *,
    base: Plan | None = None,
    models: Sequence[ModelFormula | str] = (),
    held_out: Sequence[ModelFormula | str] = (),
    subgroups: Sequence[str] = (),
    trials: int | None = None,
    seed: int = 0,
    ctx: RunContext = SILENT,
) -> Need:
    """Return the release that keeps what is asked, the nearest one, or a proof.

    Parameters
    ----------
    table : Table
    rules : sequence of Rule or str
        What the release has to answer to, as in ``"prosecutor <= 0.09"``, ``"k >= 11"``
        or the name of a rule set.
    keeps : sequence of Keep or str
        What must still come out, as in ``"overlap >= 0.9"``.
    seconds : float, optional
        Time for all; 60 unless trials are said.
    base : Plan, optional
        Choices that stay; quasi-identifiers are those of the table unless said.
    models : sequence of ModelFormula or str
        As in ``"logit y ~ a + b"``.
    held_out : sequence of ModelFormula or str
        Models of which the overlap is told, and which the search does not see.
    subgroups : sequence of str
        Columns of which each value's loss is told.
    trials : int, optional
        Releases to try, in place of a time.
    seed : int
    ctx : RunContext

    Raises
    ------
    ParameterError
        If a rule, keep or model cannot be read or fitted, or there is no time.
    """
    began = time.monotonic()
    budget = _seconds(seconds, trials)
    limits = tuple(
        rule
        for each in rules
        for rule in ((each,) if isinstance(each, Rule) else read_rules([each]))
    )
    plan = _base_plan(table, base, limits, seed)
    asked = _read_need(table, plan, limits, keeps, models, held_out, subgroups)
    answer = _answer(table, plan, asked, trials, seed, began, budget, ctx)
    ctx.tick(1.0, 1.0, Message("Done"))
    return replace(answer, seconds=time.monotonic() - began)


def _read_need(
    table: Table,
    plan: Plan,
    limits: tuple[Rule, ...],
    keeps: Sequence[Keep | str],
    models: Sequence[ModelFormula | str],
    held_out: Sequence[ModelFormula | str],
    subgroups: Sequence[str],
) -> Asked:
    """Read what is asked for, and refuse what cannot be told of a release."""
    wanted = [Keep.parse(each) if isinstance(each, str) else each for each in keeps]
    formulas, unseen = (_formulas(texts) for texts in (models, held_out))
    is_about_models = any(KEEP_KINDS[keep.kind].of_models for keep in wanted)
    if is_about_models and not formulas:
        raise ParameterError(
            "An overlap, signs or a bias is that of a model: name one, as in "
            '"logit y ~ a + b" (--model).'
        )
    if formulas and not is_about_models:
        wanted.append(DEFAULT_OVERLAP)
    _check_columns(table, plan, wanted, formulas + unseen, subgroups)
    return Asked(
        limits,
        tuple(wanted),
        tuple(Design(model, table.frame) for model in formulas),
        tuple(Design(model, table.frame) for model in unseen),
        tuple(subgroups),
    )


def _answer(
    table: Table,
    plan: Plan,
    asked: Asked,
    trials: int | None,
    seed: int,
    began: float,
    budget: float | None,
    ctx: RunContext,
) -> Need:
    proof = prove_rules_impossible(table, plan, asked.rules)
    if proof is not None:
        return _without_release("impossible", proof, asked)
    search = Search(table, plan, asked.keeps, asked.designs, seed)
    try:
        search.begin(ctx)
    except InfeasibleError as error:
        return _without_release("impossible", error.message, asked)
    deadline = None if budget is None else began + budget
    until = None if budget is None else began + SEARCH_SHARE * budget
    search.extend(trials, until, ctx.subcontext(0.0, SEARCH_SHARE))
    best, outcome, rules = _best_within_rules(search, asked.rules, deadline)
    if best is None or outcome is None:
        sentence = Message(
            "None of {n} releases met the rules, and nothing proves that none can.",
            n=len(search.trials),
        )
        return replace(
            _without_release("open", sentence, asked),
            rules=rules,
            tried=tuple(search.trials),
        )
    held = compare_with_keeps(asked.keeps, best.reached)
    is_found = all(keep.held for keep in held)
    if not is_found:
        proof = prove_loss_impossible(best.plan, asked.keeps, table)
        if proof is not None:
            return replace(
                _without_release("impossible", proof, asked),
                rules=rules,
                keeps=held,
                tried=tuple(search.trials),
            )
    other_sizes = try_other_sizes(search, best.plan, deadline, ctx)
    alternatives = (
        ()
        if is_found
        else try_alternatives(
            search, best.plan, other_sizes, asked.rules, deadline, ctx
        )
    )
    return Need(
        "found" if is_found else "nearest",
        _sentence(held, best),
        best.plan,
        outcome,
        rules,
        held,
        tuple(search.trials),
        0.0,
        loss_by_subgroup(search, outcome, asked.subgroups),
        other_sizes,
        alternatives,
        *_compare_models(search, asked, outcome),
    )


def _best_within_rules(
    search: Search, limits: Sequence[Rule], deadline: float | None
) -> tuple[Trial | None, Outcome | None, tuple[Held, ...]]:
    """Return the best trial whose release meets the rules, and that release.

    Each is run again, the best one first, and that one with its lower bound; neither
    where none meets them.
    """
    compared: tuple[Held, ...] = ()
    for trial in search.best_trials()[:MAX_CHECKED_TRIALS]:
        if compared and deadline is not None and time.monotonic() > deadline:
            break
        outcome = run(
            trial.plan, search.table, preparations=search.cache, bound=NO_BOUND
        )
        compared = compare_with_rules(limits, outcome, search.table)
        if all(rule.held for rule in compared):
            whole = run(trial.plan, search.table, preparations=search.cache)
            return trial, whole, compared
    return None, None, compared


def _compare_models(
    search: Search, asked: Asked, outcome: Outcome
) -> tuple[tuple[Held, ...], tuple[Slope, ...]]:
    """Return the overlap of models that the search did not see, and all others' slopes.

    The overlap stands beside the one that is asked of the others.
    """
    keep = next(
        (keep for keep in asked.keeps if keep.kind == "overlap"), DEFAULT_OVERLAP
    )
    scene = search.compare_release(outcome.partition, outcome.release)
    held_out = tuple(
        replace(held, asked=design.model.text)
        for design in asked.held_out
        for held in compare_with_keeps(
            [keep], [keep.reached(replace(scene, designs=(design,)))]
        )
    )
    return held_out, scene.slopes


def _seconds(seconds: float | None, trials: int | None) -> float | None:
    if trials is not None and not 1 <= trials <= MAX_TRIALS:
        raise ParameterError(
            "The number of trials is {trials}, but must be from 1 to {largest:,}.",
            trials=trials,
            largest=MAX_TRIALS,
        )
    if trials is not None and seconds is None:
        return None
    found = DEFAULT_SECONDS if seconds is None else seconds
    if not (math.isfinite(found) and found > 0.0):
        raise ParameterError(
            "The time is {seconds} s, but a search needs more than none: say some "
            "seconds (--seconds 60), or a number of trials (--trials 500).",
            seconds=found,
        )
    return found


def _formulas(models: Sequence[ModelFormula | str]) -> list[ModelFormula]:
    return [
        ModelFormula.parse(each) if isinstance(each, str) else each for each in models
    ]


def _base_plan(
    table: Table, base: Plan | None, limits: Sequence[Rule], seed: int
) -> Plan:
    """Return the plan with the least k, and what else the rules make groups keep."""
    plan = base or Plan(method="mdav", k=2)
    fields: dict[str, Any] = {"seed": seed, "method": "refined", "parameters": {}}
    fields |= {"polish": False, "seeds": 1}
    if not plan.quasi_identifiers:
        fields["quasi_identifiers"] = table.schema.quasi_identifiers
    fields["k"] = max([2, *(rule.least_k for rule in limits)])
    for rule in limits:
        field = RULE_MEASURES[rule.measure].field
        if field == "p_sensitive":
            fields[field] = max(fields.get(field, 1), int(rule.limit))
        elif field == "t_close":
            fields[field] = min(fields.get(field, 1.0), float(rule.limit))
    return plan.replace(**fields)


def _check_columns(
    table: Table,
    plan: Plan,
    keeps: Sequence[Keep],
    models: Sequence[ModelFormula],
    subgroups: Sequence[str],
) -> None:
    """Refuse what is about columns that do not leave."""
    there = [
        name for name in table.schema.names if name not in (plan.identifiers or ())
    ]
    for model in models:
        model.columns(there)
    for name in (*subgroups, *(name for keep in keeps for name in keep.columns)):
        if name not in there:
            raise ParameterError(
                "Column {column!r} does not leave, or does not exist: what must be "
                "kept can only be about columns of the release.",
                column=name,
            )


def _without_release(answer: Answer, sentence: Message, asked: Asked) -> Need:
    unknown = unknown_rules_and_keeps(asked.rules, asked.keeps)
    return Need(answer, sentence, None, None, *unknown, (), 0.0)


def _sentence(keeps: Sequence[Held], best: Trial) -> Message:
    missed = [keep for keep in keeps if not keep.held]
    if not missed:
        return Message(
            "All rules hold, and all that must be kept is kept, by {method} with k = "
            "{k}, which loses {loss:.2f} %.",
            method=best.plan.name,
            k=best.plan.k,
            loss=best.loss,
        )
    worst = missed[0]
    return Message(
        "All rules hold, but {asked!r} is missed: the best that was found reaches "
        "{reached}{where}.",
        asked=worst.asked,
        reached="-" if worst.reached is None else f"{worst.reached:.3f}",
        where=f" ({worst.weakest})" if worst.weakest else "",
    )
