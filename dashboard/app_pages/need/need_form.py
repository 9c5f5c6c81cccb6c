"""What the sentences of a need say, as plain values, and the request read from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.i18n import text_need
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.jobs.needs import NeedRequest
from dashboard.state.caches.fitted_models import MAX_FITTED_RECORDS, fit_or_reuse_model
from dashboard.state.workspace import Workspace, make_plan
from engine.analysis.need import Keep, ModelFormula, read_rules_and_sets
from engine.analysis.need.models.formula import quote_column
from engine.analysis.need.parsed_need import make_base_plan, parse_need
from engine.analysis.need.proofs import prove_rules_impossible
from engine.analysis.need.rules import Rule
from engine.core.errors import EngineError
from engine.data.kinds import Role
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan

OWN = "own"
"""In the place of a rule set: rules that people write themselves."""

DEFAULTS: Mapping[str, Any] = {
    "rule_set": OWN,
    "own_rules": "k >= 11",
    "family": "",
    "response": None,
    "regressors": (),
    "overlap": 0.9,
    "table": (),
    "table_limit": 5.0,
    "more": "",
    "weights": None,
    "held_out": "",
    "subgroups": (),
    "suppress": 0.0,
    "seconds": 60,
    "references": False,
    "second": "",
}
"""What the sentences say before somebody fills them."""


@dataclass(frozen=True)
class NeedQuestion:
    """Request that the form's sentences make and its base plan, or what is wrong.

    Attributes
    ----------
    request : NeedRequest or None
        None where something is wrong.
    base : Plan or None
        The choices that stay.
    problem : str
        What is wrong, in one sentence; empty where nothing is.
    sentence : int
        Which of the form's sentences it is about: 1, rules, or 2, analysis.
    """

    request: NeedRequest | None
    base: Plan | None
    problem: str = ""
    sentence: int = 1


def read_need_question(ws: Workspace, table: Table) -> NeedQuestion:
    """Return the request that the form's sentences make, or what is wrong with it."""
    form = {**DEFAULTS, **ws.need_said}
    keeps, models = _keeps_and_models(list_form_lines(form, "more"))
    second_keeps, second_models = _keeps_and_models(list_form_lines(form, "second"))
    if form["family"] and not (form["response"] and form["regressors"]):
        return NeedQuestion(None, None, _(text_need.MODEL_INCOMPLETE), 2)
    rules = [form["rule_set"]]
    if rules == [OWN]:
        rules = list_form_lines(form, "own_rules")
    if not rules:
        return NeedQuestion(None, None, _("Say at least one rule."))
    try:
        if form["family"]:
            models.insert(0, _formula_text(form))
        if models:
            keeps.insert(0, Keep.build("overlap", form["overlap"]).text)
        if form["table"]:
            limit = form["table_limit"] / 100.0
            keeps.append(Keep.build("table", limit, form["table"]).text)
        keeps = keeps or [Keep.build("loss", 100.0).text]
    except EngineError as error:
        return NeedQuestion(None, None, escape_text(_(error.message)), 2)
    held_out = list_form_lines(form, "held_out")
    request = NeedRequest(
        tuple(rules),
        tuple(keeps),
        tuple(models),
        tuple(held_out),
        subgroups=tuple(form["subgroups"]),
        seconds=float(form["seconds"]),
        seed=int(ws.shared_plan.seed),
        references=bool(form["references"]),
        ledger=ws.ledger.to_bytes().decode() if ws.ledger and ws.ledger.entries else "",
        second_keeps=tuple(second_keeps),
        second_models=tuple(second_models),
    )
    try:
        base = make_plan(ws, "mdav", 2).replace(suppress=form["suppress"])
        limits = read_rules_and_sets(request.rules)
        plan = make_base_plan(table, base, limits, request.seed)
        proof = None
        if plan.quasi_identifiers:  # or it is said elsewhere
            resolve_plan(plan, table)
            proof = prove_rules_impossible(table, plan, limits)
    except EngineError as error:
        return NeedQuestion(None, None, escape_text(_(error.message)))
    try:
        _check_analysis(request, plan, limits, table)
    except EngineError as error:
        return NeedQuestion(None, None, escape_text(_(error.message)), 2)
    if proof is not None:
        return NeedQuestion(None, None, escape_text(_(proof)))
    return NeedQuestion(request, base)


def _keeps_and_models(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    models = [line for line in lines if "~" in line]
    return [line for line in lines if line not in models], models


def _check_analysis(
    request: NeedRequest, plan: Plan, rules: tuple[Rule, ...], table: Table
) -> None:
    """Raise for what a search would refuse: nobody has to start one to be told.

    Raises
    ------
    EngineError
        If a model or a keep cannot judge a release.
    """
    for model in (*request.models, *request.held_out, *request.second_models):
        ModelFormula.parse(model).columns(list_releasable_columns(table))
    if plan.quasi_identifiers and table.n_records <= MAX_FITTED_RECORDS:
        parse_need(
            table,
            plan,
            rules,
            request.keeps,
            request.models,
            request.held_out,
            request.subgroups,
            request.second_keeps,
            request.second_models,
            fit_or_reuse_model,
        )


def _formula_text(values: Mapping[str, Any]) -> str:
    response, *regressors = map(
        quote_column, (values["response"], *values["regressors"])
    )
    regressors_text = " + ".join(regressors)
    return ModelFormula(
        values["family"], response, regressors_text, values["weights"] or ""
    ).text


def list_releasable_columns(table: Table) -> list[str]:
    """Return the columns that a release may have, by their roles."""
    gone = (Role.IDENTIFIER, Role.UNDECIDED)
    return [column.name for column in table.schema.columns if column.role not in gone]


def list_form_lines(values: Mapping[str, Any], name: str) -> list[str]:
    """Return the lines that somebody has written into a field, or its default."""
    text = str(values.get(name, DEFAULTS[name]))
    return [line.strip() for line in text.splitlines() if line.strip()]
