"""Keeps and models of a need, parsed and checked; its time limit and base plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.analysis.need.keeps import KEEP_KINDS, Keep
from engine.analysis.need.models.formula import ModelFormula
from engine.analysis.need.models.model_fit import RefittableModel
from engine.analysis.need.rules import RULE_MEASURES, Rule
from engine.analysis.releases.ledger import Ledger
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.data.conversion.numeric import is_numeric_column
from engine.data.kinds import Role
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan

DEFAULT_SECONDS = 60.0
"""Time that a search takes where neither time nor trials are said."""

MAX_TRIALS = 100_000

DEFAULT_OVERLAP = Keep.parse("overlap >= 0.9")
"""What is kept of models that are named without a keep."""


@dataclass(frozen=True)
class ParsedNeed:
    """The rules, keeps and models of a need, read and checked.

    Attributes
    ----------
    rules : tuple of Rule
    keeps : tuple of Keep
    designs, held_out : tuple of RefittableModel
        Models that the search sees, and those that it does not.
    second_designs : tuple of RefittableModel
        Models of a second release of the same file.
    subgroups : tuple of str
    ledger : Ledger or None
        Earlier releases of the same records.
    """

    rules: tuple[Rule, ...]
    keeps: tuple[Keep, ...]
    designs: tuple[RefittableModel, ...]
    held_out: tuple[RefittableModel, ...]
    subgroups: tuple[str, ...]
    ledger: Ledger | None = None
    second_designs: tuple[RefittableModel, ...] = ()


def parse_need(
    table: Table,
    plan: Plan,
    rules: tuple[Rule, ...],
    keeps: Sequence[Keep | str],
    models: Sequence[ModelFormula | str],
    held_out: Sequence[ModelFormula | str],
    subgroups: Sequence[str],
    second_keeps: Sequence[Keep | str] = (),
    second_models: Sequence[ModelFormula | str] = (),
    fit_model: Callable[[ModelFormula, Table], RefittableModel] | None = None,
) -> ParsedNeed:
    """Return a need, parsed and checked; raise if its parts cannot judge a release.

    Models are fitted by `fit_model`, where those that were fitted already are known.
    """
    fit_model = fit_model or (lambda model, table: RefittableModel(model, table.frame))
    formulas, unseen = _formulas(models), _formulas(held_out)
    more = _formulas(second_models)
    first_keeps = _keeps_with_models(keeps, formulas, "--model")
    others = _keeps_with_models(second_keeps, more, "--second-model")
    if others and not first_keeps:
        raise ParameterError(
            "Two releases need something to keep each: name a model or a keep of the "
            "first one (--model, --keep)."
        )
    both = (*first_keeps, *(replace(keep, release=2) for keep in others))
    _check_columns(table, plan, both, formulas + unseen + more, subgroups)
    designs, unseen_designs, second_designs = (
        tuple(fit_model(model, table) for model in each)
        for each in (formulas, unseen, more)
    )
    return ParsedNeed(
        rules,
        both,
        designs,
        unseen_designs,
        tuple(subgroups),
        second_designs=second_designs,
    )


def _keeps_with_models(
    keeps: Sequence[Keep | str], formulas: Sequence[ModelFormula], option: str
) -> list[Keep]:
    """Return the keeps of one release, parsed; an overlap where models have none."""
    all_keeps = [Keep.parse(each) if isinstance(each, str) else each for each in keeps]
    is_about_models = any(KEEP_KINDS[keep.kind].of_models for keep in all_keeps)
    if is_about_models and not formulas:
        raise ParameterError(
            "An overlap, signs, coverage or a bias is that of a model: name one, as in "
            '"logit y ~ a + b" ({option}).',
            option=option,
        )
    if formulas and not is_about_models:
        all_keeps.append(DEFAULT_OVERLAP)
    return all_keeps


def resolve_seconds(seconds: float | None, trials: int | None) -> float | None:
    """Return the time limit of a search in seconds; None if only trials are given.

    Raises
    ------
    ParameterError
        If there is no time, or there are no trials or too many.
    """
    if trials is not None and not 1 <= trials <= MAX_TRIALS:
        raise ParameterError(
            "The number of trials is {trials}, but must be from 1 to {largest:,}.",
            trials=trials,
            largest=MAX_TRIALS,
        )
    if trials is not None and seconds is None:
        return None
    limit = DEFAULT_SECONDS if seconds is None else seconds
    if not (math.isfinite(limit) and limit > 0.0):
        raise ParameterError(
            "The time is {seconds} s, but a search needs more than none: say some "
            "seconds (--seconds 60), or a number of trials (--trials 500).",
            seconds=limit,
        )
    return limit


def _formulas(models: Sequence[ModelFormula | str]) -> list[ModelFormula]:
    return [
        ModelFormula.parse(each) if isinstance(each, str) else each for each in models
    ]


def make_base_plan(
    table: Table, base: Plan | None, rules: Sequence[Rule], seed: int
) -> Plan:
    """Return the base plan with method refined and the rules' k and privacy fields."""
    plan = base or Plan(method="mdav", k=2)
    fields: dict[str, Any] = {"seed": seed, "method": "refined", "parameters": {}}
    fields |= {"polish": False, "seeds": 1}
    if not plan.quasi_identifiers:
        fields["quasi_identifiers"] = table.schema.quasi_identifiers
    fields["k"] = max([2, *(rule.least_k for rule in rules)])
    for rule in rules:
        field = RULE_MEASURES[rule.measure].field
        if field in ("p_sensitive", "k_map"):
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
    removed = resolve_plan(plan, table).identifiers
    columns = [name for name in table.schema.names if name not in removed]
    for model in models:
        for name in model.columns((*columns, *table.schema.with_role(Role.UNDECIDED))):
            if name not in columns:
                raise model.refuse(
                    Message(
                        "the release has no column {name!r}, as its role is undecided: "
                        "say one, such as roles={{{name!r}: 'other'}}",
                        name=name,
                    )
                )
    for name in (*subgroups, *(name for keep in keeps for name in keep.columns)):
        if name not in columns:
            raise ParameterError(
                "Column {column!r} does not leave, or does not exist: what must be "
                "kept can only be about columns of the release.",
                column=name,
            )
    for keep in keeps:
        _check_numbers(table, plan, keep)


def _check_numbers(table: Table, plan: Plan, keep: Keep) -> None:
    """Refuse what compares numbers of columns that have none, or only one."""
    fewest = KEEP_KINDS[keep.kind].n_numeric
    if not fewest:
        return
    varied = [
        name
        for name in keep.columns or plan.quasi_identifiers
        if is_numeric_column(table.frame[name]) and table.frame[name].nunique() > 1
    ]
    for name in keep.columns:
        if name not in varied:
            raise ParameterError(
                "The requirement {keep!r} compares numbers, but column {column!r} has "
                "none, or only one: name columns with several.",
                keep=keep.text,
                column=name,
            )
    if len(varied) < fewest:
        raise ParameterError(
            "The requirement {keep!r} compares {fewest} columns of numbers or more, "
            "but is about {n}: name them in brackets.",
            keep=keep.text,
            fewest=fewest,
            n=len(varied),
        )
