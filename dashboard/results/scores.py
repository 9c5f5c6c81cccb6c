"""Scores of results as texts, tables and points of the risk-utility map."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from dashboard.charts.inputs import RiskUtilityPoint, pareto_points
from dashboard.i18n import text_measures
from dashboard.i18n.language import _, n_, within_sentence
from dashboard.results.answers import comparison_baseline_of_score
from dashboard.results.digits import format_short
from dashboard.results.figures import result_figures
from engine.measures import MeasureInfo, Score, measures
from engine.pipeline.outcome import Outcome

FAMILY_NAMES = text_measures.FAMILIES

FIRST_MEASURES = ("record-linkage", "information-loss", "k-anonymity")
"""What people ask for first, family by family."""


def measures_without_score(outcome: Outcome) -> tuple[str, ...]:
    """Return the ids of measures for which an outcome has no score."""
    return tuple(name for name in measures if name not in outcome.scores)


def scores_of_family(outcome: Outcome, family: str) -> list[tuple[MeasureInfo, Score]]:
    """Return (measure, score) pairs of a family, for the scores that an outcome has."""
    infos = sorted(
        (info for info in measures.infos() if info.family == family),
        key=lambda info: (info.id not in FIRST_MEASURES, info.title),
    )
    return [
        (info, outcome.scores[info.id]) for info in infos if info.id in outcome.scores
    ]


def score_text(info: MeasureInfo, value: float) -> str:
    """Return a measure's value as text with its unit."""
    if math.isnan(value):
        return _(text_measures.NO_FIGURE)
    if math.isinf(value):
        return _("infinite")
    return _format_with_unit(value, info.unit)


def _format_with_unit(value: float, unit: str = "") -> str:
    words = {
        "records": n_("record", "records", 1 if value == 1.0 else 2),
        "values": n_("value", "values", 1 if value == 1.0 else 2),
    }
    return f"{format_short(value)} {words.get(unit, _(unit))}".strip()


def exact_score_text(outcome: Outcome, info: MeasureInfo, score: Score) -> str:
    """Return a score with all digits, its interval and its comparison, as text."""
    if math.isnan(score.value):
        return _(text_measures.NO_FIGURE)
    words = [_("Exactly {value}").format(value=_format_exactly(score.value, info.unit))]
    if score.interval is not None:
        low, high = (_format_exactly(end, info.unit) for end in score.interval)
        words.append(_("95 %: {low} to {high}").format(low=low, high=high))
    beside = comparison_baseline_of_score(outcome, info, score).value
    if beside is not None:
        base = _format_exactly(beside, info.unit)
        words.append(_("to compare with {value}").format(value=base))
    return "; ".join(words) + "."


def _format_exactly(value: float, unit: str) -> str:
    return f"{str(float(value)).removesuffix('.0')} {_(unit)}".strip()


def interval_text(info: MeasureInfo, score: Score) -> str:
    """Return a score's 95 % interval as text; empty if it has none."""
    if score.interval is None or math.isnan(score.value):
        return ""
    low, high = score.interval
    return _("95 %: {low} to {high}").format(
        low=_format_with_unit(low), high=_format_with_unit(high, info.unit)
    )


def score_comparison_text(outcome: Outcome, info: MeasureInfo, score: Score) -> str:
    """Return what to compare a score with, and its note, as text; may be empty."""
    words = []
    beside = comparison_baseline_of_score(outcome, info, score)
    if beside.value is not None:
        meaning = _(beside.meaning)
        words.append(
            _("Compare with {value}: {meaning}").format(
                value=score_text(info, beside.value),
                meaning=within_sentence(meaning[:1]) + meaning[1:],
            )
        )
    if score.note:
        words.append(_(score.note))
    return " ".join(words)


def measure_formula_tooltip(info: MeasureInfo) -> str:
    """Return a measure's formula, direction and source, for a tooltip."""
    formula = _(info.formula)
    for sign in "*_$":
        formula = formula.replace(sign, f"\\{sign}")
    direction = _(text_measures.DIRECTIONS[info.direction])
    return f"{formula}  \n{direction}  \n{info.reference}"


def score_table(outcome: Outcome) -> pd.DataFrame:
    """Return a data frame of an outcome's scores, overall and per column."""
    lines = []
    for family, title in FAMILY_NAMES.items():
        for info, score in scores_of_family(outcome, family):
            low, high = score.interval or (None, None)
            beside = comparison_baseline_of_score(outcome, info, score).value
            figures = {"": (score.value, low, high, beside)} | {
                name: (value, None, None, score.baseline_per_column.get(name))
                for name, value in score.per_column.items()
            }
            lines += [
                {
                    _("Family"): _(title),
                    _("Measure"): _(info.title),
                    _("Column"): name or _("all"),
                    _("Value"): value,
                    _("Unit"): _(info.unit),
                    _("95 % from"): start,
                    _("95 % to"): stop,
                    _("Compare with"): baseline,
                    _("Direction"): _(info.direction),
                    _("Meaning"): _(info.summary),
                }
                for name, (value, start, stop, baseline) in figures.items()
            ]
    return pd.DataFrame(lines)


def on_demand_scores_by_title(
    outcomes: Sequence[Outcome],
) -> dict[str, dict[str, float]]:
    """Return {measure title: {plan digest: score}} of measures made on request."""
    scores_by_title: dict[str, dict[str, float]] = {}
    for info in measures.infos():
        values = {
            outcome.plan.digest(): outcome.scores[info.id].value
            for outcome in outcomes
            if info.on_demand and info.id in outcome.scores
        }
        if values:
            scores_by_title[measure_title_with_unit(info)] = values
    return scores_by_title


def measure_title_with_unit(info: MeasureInfo) -> str:
    """Return a measure's name with its unit."""
    return f"{_(info.title)} ({_(info.unit)})" if info.unit else _(info.title)


def measured_risk_and_loss_infos(
    outcomes: Sequence[Outcome],
) -> tuple[list[MeasureInfo], list[MeasureInfo]]:
    """Return two lists of lower-is-better measures scored: risk and privacy; loss."""

    def there(family: str) -> list[MeasureInfo]:
        return [
            info
            for info in measures.infos()
            if info.family == family
            and info.direction == "lower is better"
            and any(_has(outcome, info.id) for outcome in outcomes)
        ]

    return there("risk") + there("privacy"), there("loss")


def risk_utility_points(
    outcomes: Sequence[Outcome], risk_measure: str, loss_measure: str
) -> list[RiskUtilityPoint]:
    """Return a point for each outcome that has finite scores of both measures."""
    points = []
    for outcome in outcomes:
        if not _has(outcome, risk_measure) or not _has(outcome, loss_measure):
            continue
        row = result_figures(outcome)
        score = outcome.scores[risk_measure]
        points.append(
            RiskUtilityPoint(
                row.key,
                row.method,
                row.title,
                row.k,
                score.value,
                outcome.scores[loss_measure].value,
                score.interval,
                row.keeps_k,
                row.spreads.get(loss_measure.replace("-", "_")),
                row.n_seeds,
            )
        )
    return points


def _has(outcome: Outcome, name: str) -> bool:
    score = outcome.scores.get(name)
    return score is not None and math.isfinite(score.value)


def risk_utility_table(
    points: Sequence[RiskUtilityPoint],
    risk_measure: MeasureInfo,
    loss_measure: MeasureInfo,
) -> pd.DataFrame:
    """Return a data frame of the map's points, sorted by risk, then loss."""
    best = {point.key for point in pareto_points(points)}
    ordered = sorted(points, key=lambda entry: (entry.risk, entry.loss))
    content: Mapping[str, list[object]] = {
        _("Method"): [point.title for point in ordered],
        "k": [point.k for point in ordered],
        measure_title_with_unit(risk_measure): [point.risk for point in ordered],
        measure_title_with_unit(loss_measure): [point.loss for point in ordered],
        _("Efficient"): [point.key in best for point in ordered],
        _("Keeps k"): [point.keeps_k for point in ordered],
    }
    over = [point.spread for point in ordered]
    if any(over):
        content = {
            **content,
            _("Mean over seeds (%)"): [
                None if entry is None else entry.mean for entry in over
            ],
            _("Standard deviation"): [
                None if entry is None else entry.deviation for entry in over
            ],
        }
    return pd.DataFrame(content)
