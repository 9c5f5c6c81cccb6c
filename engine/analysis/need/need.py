"""The answer to what is needed: found, nearest, impossible by a proof, or open."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from engine.analysis.need.formula import Design, ModelFormula
from engine.analysis.need.keeps import KEEP_KINDS, Keep, Reached
from engine.analysis.need.rules import RULE_MEASURES, Rule
from engine.analysis.need.search import Search, Trial
from engine.bounds import NO_BOUND
from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.message import Message
from engine.core.statistics import mean_by_group
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

Answer = Literal["found", "nearest", "open", "impossible"]

DEFAULT_SECONDS = 60.0
"""Time that a search takes where neither time nor trials are said."""

SEARCH_SHARE = 0.8
"""Of the time, for the search; the rest is for what would meet a missed keep."""

MAX_TRIALS = 100_000

N_LISTED = 400
"""Trials that the answer lists, for the chart of risk against what is kept."""


@dataclass(frozen=True)
class Held:
    """A rule or a keep beside what the release reaches.

    Attributes
    ----------
    asked : str
        As it was written.
    reached : float
        NaN where the release tells nothing.
    held : bool
    weakest : str
        The slope, column or cell that is worst; empty for rules.
    source : str
        Of a rule.
    """

    asked: str
    reached: float
    held: bool
    weakest: str = ""
    source: str = ""

    def summary(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        reached = None if math.isnan(self.reached) else self.reached
        extra = {"weakest": self.weakest} if self.weakest else {}
        extra |= {"source": self.source} if self.source else {}
        return {"asked": self.asked, "reached": reached, "held": self.held} | extra


@dataclass(frozen=True)
class Alternative:
    """Something else that was tried because a keep is missed.

    Attributes
    ----------
    change : Message
        What would be done otherwise.
    keeps : tuple of Held
    holds : bool
        Whether all rules that it does not change, and all keeps, hold.
    """

    change: Message
    keeps: tuple[Held, ...]
    holds: bool

    def summary(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        keeps = [keep.summary() for keep in self.keeps]
        return {"change": str(self.change), "keeps": keeps, "holds": self.holds}


@dataclass(frozen=True, eq=False)
class Need:
    """What came of a need.

    Attributes
    ----------
    answer : {"found", "nearest", "open", "impossible"}
        All rules and keeps hold; the rules do; no release met the rules and there is
        no proof that none can; there is one.
    sentence : Message
        The answer in words, with the proof of what is impossible.
    plan : Plan or None
    outcome : Outcome or None
        The release of an answer that has one.
    rules, keeps : tuple of Held
    subgroups : tuple of dict
        Records and information loss of each subgroup, the loss in per cent.
    alternatives : tuple of Alternative
    held_out : tuple of Held
        Keeps that the search did not see.
    tried : tuple of Trial
    seconds : float
    """

    answer: Answer
    sentence: Message
    plan: Plan | None
    outcome: Outcome | None
    rules: tuple[Held, ...]
    keeps: tuple[Held, ...]
    tried: tuple[Trial, ...]
    seconds: float
    subgroups: tuple[dict[str, Any], ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    held_out: tuple[Held, ...] = ()

    @property
    def overfitting(self) -> Message:
        """What the search saw of the original, in one sentence."""
        return Message(
            "{n} releases of the original were compared by what was asked to be kept "
            "and by nothing else; the choice among them tells an intruder which of "
            "them does best in that.",
            n=len(self.tried),
        )

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        outcome = {} if self.outcome is None else self.outcome.summary()
        return {
            "answer": self.answer,
            "sentence": str(self.sentence),
            "plan": None if self.plan is None else self.plan.model_dump(mode="json"),
            "rules": [rule.summary() for rule in self.rules],
            "keeps": [keep.summary() for keep in self.keeps],
            "tried": [_summary_of_trial(trial) for trial in self.tried[:N_LISTED]],
            "n_tried": len(self.tried),
            "seconds": self.seconds,
            "subgroups": list(self.subgroups),
            "would_meet": [each.summary() for each in self.alternatives],
            "held_out": [each.summary() for each in self.held_out],
            "overfitting": str(self.overfitting),
            "outcome": outcome,
        }


def _summary_of_trial(trial: Trial) -> dict[str, Any]:
    values = [None if math.isnan(each.value) else each.value for each in trial.reached]
    loss = trial.loss if math.isfinite(trial.loss) else None
    return {
        "method": trial.plan.method,
        "scaling": trial.plan.scaling,
        "attribute_weights": dict(trial.plan.attribute_weights),
        "aggregations": dict(trial.plan.aggregations),
        "k": trial.plan.k,
        "loss": loss,
        "keeps": values,
    }


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
    from engine.analysis.need.rules import read_rules

    began = time.monotonic()
    budget = _seconds(seconds, trials)
    limits = tuple(
        rule
        for each in rules
        for rule in ((each,) if isinstance(each, Rule) else read_rules([each]))
    )
    wanted = [Keep.parse(each) if isinstance(each, str) else each for each in keeps]
    formulas, unseen = (_formulas(some) for some in (models, held_out))
    if any(KEEP_KINDS[keep.kind].of_models for keep in wanted) and not formulas:
        raise ParameterError(
            "An overlap, signs or a bias is that of a model: name one, as in "
            '"logit y ~ a + b" (--model).'
        )
    if formulas and not any(KEEP_KINDS[keep.kind].of_models for keep in wanted):
        wanted.append(Keep.parse("overlap >= 0.9"))
    plan = _base_plan(table, base, limits, seed)
    _check_columns(table, plan, wanted, formulas + unseen, subgroups)
    proof = _impossible(table, plan, limits)
    if proof is not None:
        return _without_release("impossible", proof, limits, wanted, began)
    designs = [Design(model, table.frame) for model in formulas]
    others = [Design(model, table.frame) for model in unseen]
    search = Search(table, plan, wanted, designs, seed)
    deadline = None if budget is None else began + SEARCH_SHARE * budget
    try:
        # What every plan would be refused for, in its own sentence.
        run(plan, table, bound=NO_BOUND)
    except InfeasibleError as error:
        return _without_release("impossible", error.args[0], limits, wanted, began)
    search.extend(trials, deadline, ctx)
    ranked = sorted(
        (trial for trial in search.trials if trial.outcome is not None),
        key=lambda trial: (trial.margin < 0.0, _order(trial)),
    )
    best, checked = None, tuple[Held, ...]()
    for trial in ranked[:MAX_CHECKED]:
        assert trial.outcome is not None
        checked = _checked(limits, trial.outcome, table)
        if all(rule.held for rule in checked):
            best = trial
            break
    if best is None:
        sentence = Message(
            "None of {n} releases met the rules, and nothing proves that none can.",
            n=len(search.trials),
        )
        return Need(
            "open",
            sentence,
            None,
            None,
            checked,
            (),
            tuple(search.trials),
            time.monotonic() - began,
        )
    assert best.outcome is not None
    scene = search.scene(best.outcome)
    held = _held(wanted, best.reached)
    all_held = all(keep.held for keep in held)
    alternatives = (
        ()
        if all_held
        else _alternatives(
            search, best, limits, None if budget is None else began + budget, ctx
        )
    )
    proven = None if all_held else _loss_is_impossible(best, wanted, table)
    if proven is not None:
        return Need(
            "impossible",
            proven,
            None,
            None,
            checked,
            held,
            tuple(search.trials),
            time.monotonic() - began,
        )
    return Need(
        "found" if all_held else "nearest",
        _sentence(held, checked, best),
        best.plan,
        best.outcome,
        checked,
        held,
        tuple(search.trials),
        time.monotonic() - began,
        tuple(_by_subgroup(search, best.outcome, subgroups)),
        alternatives,
        tuple(
            Held(design.model.text, value, value >= 0.9, name)
            for design in others
            for value, name in [_weakest_overlap(design, scene.release)]
        ),
    )


MAX_CHECKED = 40
"""Trials whose rules are measured, the best ones first."""


def _order(trial: Trial) -> tuple[float, float]:
    """Return the loss first where everything is kept, else what is missed."""
    if trial.margin >= 0.0:
        return (0.0, trial.loss)
    return (-trial.margin, trial.loss)


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
    names = table.schema.quasi_identifiers if base is None else ()
    plan = base or Plan(method="mdav", k=2, quasi_identifiers=names)
    fields: dict[str, Any] = {"seed": seed, "method": "refined", "parameters": {}}
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


def _impossible(table: Table, plan: Plan, limits: Sequence[Rule]) -> Message | None:
    """Return why no release can keep the rules; None where nothing proves it."""
    for rule in limits:
        if RULE_MEASURES[rule.measure].field != "p_sensitive":
            continue
        if not plan.confidential:
            raise ParameterError(
                "The rule {rule!r} is about confidential columns: name them "
                "(--confidential).",
                rule=rule.text,
            )
        for name in plan.confidential:
            distinct = int(table.frame[name].nunique())
            if distinct < rule.limit:
                return Message(
                    "No release can keep {rule!r}: column {column!r} has {distinct} "
                    "values in the whole file.",
                    rule=rule.text,
                    column=name,
                    distinct=distinct,
                )
    n = table.n_records
    if n < plan.k:
        return Message(
            "No release can keep the rules: they ask for groups of {k}, and there are "
            "{n} records.",
            k=plan.k,
            n=n,
        )
    return None


def _loss_is_impossible(
    best: Trial, keeps: Sequence[Keep], table: Table
) -> Message | None:
    """Return the proof that no groups lose as little as is asked; None without."""
    asked = [keep for keep in keeps if keep.kind == "loss"]
    if not asked or best.plan.suppress:
        return None
    plain = best.plan.replace(scaling="zscore", attribute_weights={}, transforms={})
    bound = run(plain, table).bound.per_cent
    for keep in asked:
        if bound > keep.limit:
            return Message(
                "No groups of {k} can keep {keep!r}: it is proven that all lose at "
                "least {bound:.4f} %.",
                k=plain.k,
                keep=keep.text,
                bound=bound,
            )
    return None


def _without_release(
    answer: Answer,
    sentence: Message,
    limits: Sequence[Rule],
    keeps: Sequence[Keep],
    began: float,
) -> Need:
    nothing = float("nan")
    return Need(
        answer,
        sentence,
        None,
        None,
        tuple(Held(rule.text, nothing, False, source=rule.source) for rule in limits),
        tuple(Held(keep.text, nothing, False) for keep in keeps),
        (),
        time.monotonic() - began,
    )


def _checked(
    limits: Sequence[Rule], outcome: Outcome, table: Table
) -> tuple[Held, ...]:
    """Return the rules beside what a release reaches, compared as fractions."""
    rows = []
    for rule in limits:
        value: Fraction = RULE_MEASURES[rule.measure].measure(outcome, table)
        rows.append(
            Held(rule.text, float(value), rule.holds(value), source=rule.source)
        )
    return tuple(rows)


def _held(keeps: Sequence[Keep], reached: Sequence[Reached]) -> tuple[Held, ...]:
    return tuple(
        Held(keep.text, each.value, keep.holds(each.value), each.weakest)
        for keep, each in zip(keeps, reached, strict=True)
    )


def _weakest_overlap(design: Design, release: Any) -> tuple[float, str]:
    from engine.analysis.need.keeps import interval_overlap

    overlaps = interval_overlap(design.fit_before, design.fit(release))
    if np.isnan(overlaps).any():
        place = int(np.flatnonzero(np.isnan(overlaps))[0])
    else:
        place = int(overlaps.argmin())
    return float(overlaps[place]), design.names[place]


def _sentence(keeps: Sequence[Held], rules: Sequence[Held], best: Trial) -> Message:
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
        "{reached:.3f}{where}.",
        asked=worst.asked,
        reached=worst.reached,
        where=f" ({worst.weakest})" if worst.weakest else "",
    )


def _by_subgroup(
    search: Search, outcome: Outcome, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return who pays: the loss of each value's records, beside that of all."""
    X, known = search.points
    place = np.full(search.table.n_records, -1, dtype=np.int64)
    place[known] = np.arange(known.size)
    rows, labels = outcome.release.rows, outcome.partition.labels
    some = X[place[rows]]
    apart = ((some - mean_by_group(some, labels)[labels]) ** 2).sum(axis=1)
    spread = ((some - some.mean(axis=0)) ** 2).sum() / len(some)
    found = []
    for name in names:
        texts = search.table.frame[name].iloc[rows].astype("str").to_numpy()
        for value in sorted(set(texts.tolist())):
            mine = texts == value
            found.append(
                {
                    "column": name,
                    "value": value,
                    "n_records": int(mine.sum()),
                    "loss": 100.0 * float(apart[mine].mean() / spread),
                }
            )
    return found


def _alternatives(
    search: Search,
    best: Trial,
    limits: Sequence[Rule],
    deadline: float | None,
    ctx: RunContext,
) -> tuple[Alternative, ...]:
    """Try what would meet a keep that is missed: fewer, or smaller groups, each run.

    Records left out, a smaller k with the same weights, and no column at a time among
    those that intruders are said to know.
    """
    k, names = best.plan.k, best.plan.quasi_identifiers
    changes: list[tuple[Message, dict[str, Any]]] = []
    if not best.plan.suppress and not best.plan.household:
        changes += [
            (
                Message("leave out {share} of the records", share=f"{share:.0%}"),
                {"suppress": share},
            )
            for share in (0.01, 0.05)
        ]
    changes += [
        (Message("k = {smaller} instead of {k}", smaller=smaller, k=k), {"k": smaller})
        for smaller in dict.fromkeys([max(2, 2 * k // 3), max(2, k // 2), 3])
        if smaller < k
    ]
    if len(names) > 1:
        changes += [
            (
                Message("column {name!r} leaves as it is", name=name),
                {
                    "quasi_identifiers": tuple(one for one in names if one != name),
                    "attribute_weights": {
                        one: weight
                        for one, weight in best.plan.attribute_weights.items()
                        if one != name
                    },
                    "aggregations": {
                        one: way
                        for one, way in best.plan.aggregations.items()
                        if one != name
                    },
                },
            )
            for name in names
        ]
    rows = []
    for change, fields in changes:
        if ctx.enough() or (deadline is not None and time.monotonic() > deadline):
            break
        other = Search(
            search.table,
            search.base.replace(
                **{name: value for name, value in fields.items() if name != "k"},
                k=fields.get("k", k),
            )
            if "quasi_identifiers" in fields
            else search.base,
            search.keeps,
            search.designs,
        )
        trial = other.try_plan(best.plan.replace(**fields))
        if trial.outcome is None:
            continue
        keeps = _held(search.keeps, trial.reached)
        rules = _checked(
            [rule for rule in limits if "k" not in fields or rule.least_k <= 2],
            trial.outcome,
            search.table,
        )
        holds = all(each.held for each in (*keeps, *rules))
        rows.append(Alternative(change, keeps, holds))
    return tuple(sorted(rows, key=lambda row: not row.holds))
