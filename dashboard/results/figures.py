"""Figures of results (loss, bound, k) for charts and tables, with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from dashboard.charts.inputs import REFINED_SUFFIX, ResultFigures
from dashboard.i18n.language import _, within_sentence
from dashboard.i18n.markdown import quote_name
from dashboard.results.digits import format_short
from engine.aggregate import aggregations
from engine.data.kinds import Kind
from engine.methods import methods
from engine.pipeline.compare import Failure, Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.points.scaling import scalings


def plan_label(plan: Plan) -> str:
    """Return a plan's title and k as a label."""
    return f"{plan_title(plan)}, k = {plan.k}"


def plan_title(plan: Plan) -> str:
    """Return the title of a plan's method, with polish and non-default parameters."""
    info = methods.info(plan.method)
    changed = [
        f"{within_sentence(_(parameter.label))} "
        f"{_plain_value(plan.parameters[parameter.name])}"
        for parameter in info.parameters
        if plan.parameters.get(parameter.name, parameter.default) != parameter.default
    ]
    title = _(info.title)
    if plan.polish:
        title = _("{method}, polished").format(method=title)
    return title + (f" ({', '.join(changed)})" if changed else "")


def _plain_value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def series_id_of_plan(plan: Plan) -> str:
    """Return the id of a plan's chart series: its method, marked if polished."""
    return plan.method + (REFINED_SUFFIX if plan.polish else "")


def result_figures(outcome: Outcome) -> ResultFigures:
    """Return an outcome's figures for charts: loss, bound, k, group sizes, seconds."""
    unique_sizes, counts = np.unique(outcome.group_sizes, return_counts=True)
    sizes = dict(zip(unique_sizes.tolist(), counts.tolist(), strict=True))
    return ResultFigures(
        key=outcome.plan.digest(),
        method=series_id_of_plan(outcome.plan),
        title=plan_title(outcome.plan),
        k=outcome.plan.k,
        scaling=_(scalings.info(outcome.plan.scaling).title),
        loss=outcome.information_loss,
        bound=outcome.bound.per_cent,
        bound_kind=outcome.bound.kind,
        sizes=MappingProxyType(sizes),
        n_persons=outcome.n_persons,
        n_records=outcome.partition.n_records,
        seconds=outcome.seconds["partition"],
        k_released=outcome.k_released,
        penalty=outcome.scores["certainty-penalty"].value,
        discernibility=outcome.scores["discernibility"].value,
        class_size=outcome.scores["average-class-size"].value,
        generalised=Kind.NOMINAL in outcome.plan.kinds.values()
        or any(
            not aggregations.info(rule).common.numeric
            for rule in outcome.plan.aggregations.values()
        ),
        drawn=outcome.probabilistic,
        n_seeds=max(1, len(outcome.by_seed)),
        spreads=outcome.spreads,
    )


def loss_basis(outcome: Outcome) -> str:
    """Return words on how loss was measured: scaling, categories and weights."""
    plan = outcome.plan
    scaling = _(scalings.info(plan.scaling).title)
    words = [_("on {scaling} scaling").format(scaling=scaling)]
    if Kind.NOMINAL in plan.kinds.values():
        words.append(_("of numbers and categories, as points"))
    if plan.weights is not None:
        words.append(_("weighted by {column}").format(column=quote_name(plan.weights)))
    return ", ".join(words)


def loss_text(outcome: Outcome) -> str:
    """Return a result's information loss with its name and unit."""
    return f"{_('IL')} {format_short(outcome.information_loss)} %"


def optimality_text_or_none(figures: ResultFigures) -> str | None:
    """Return how near the optimum a result is, in words; None if no bound tells."""
    if not figures.has_whole_record_bound or figures.bound <= 0.0 < figures.loss:
        return None
    if figures.is_best_possible:
        return _("proven best possible")
    if figures.gap < 0.5:
        return _("proven nearly best possible")
    return _("no grouping can lose less than {bound} %").format(
        bound=format_short(figures.bound)
    )


def figures_with_best_bounds(outcomes: Sequence[Outcome]) -> list[ResultFigures]:
    """Return outcomes' figures; groups of whole records get the best bound for their k.

    A bound on all groupings holds for every method that groups whole records, also
    when another run has found it. Methods that group each attribute on its own, or
    make groups of any size, can lose less and keep theirs.
    """
    rows = [result_figures(outcome) for outcome in outcomes]
    best: dict[int, ResultFigures] = {}
    for row in rows:
        if row.has_whole_record_bound and (
            row.k not in best or row.bound > best[row.k].bound
        ):
            best[row.k] = row
    return [
        replace(row, bound=best[row.k].bound, bound_kind=best[row.k].bound_kind)
        if row.has_whole_record_bound
        else row
        for row in rows
    ]


def outcomes_and_failures(
    results: Sequence[Result],
) -> tuple[list[Outcome], list[Failure]]:
    """Return two lists: the outcomes and the failures among results."""
    outcomes = [result for result in results if isinstance(result, Outcome)]
    failures = [result for result in results if isinstance(result, Failure)]
    return outcomes, failures


def result_label(outcome: Outcome) -> str:
    """Return a result's method, k and loss as one line of text."""
    return f"{plan_label(outcome.plan)}: {loss_text(outcome)}"


def table_row_of_record(outcome: Outcome, record_index: int) -> int:
    """Return the table's row, counted from 1, of the release's record at an index."""
    return int(outcome.release.rows[record_index]) + 1


def release_record_of_table_row(outcome: Outcome, table_row: int) -> int | None:
    """Return the index of a table row (from 1) among the release's records, or None."""
    place = int(np.searchsorted(outcome.release.rows, table_row - 1))
    rows = outcome.release.rows
    return place if place < rows.size and rows[place] == table_row - 1 else None
