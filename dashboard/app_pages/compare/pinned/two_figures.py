"""Comparison of two results by the measures that both have, and by their choices."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dashboard.i18n.language import _
from dashboard.results.scores import score_text
from dashboard.state.snapshots.changes import choice_label, choice_value_text
from dashboard.state.snapshots.history import iterate_differences
from engine.measures import MeasureInfo, measures
from engine.pipeline.fields.distance import DistanceFields
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of

SCALE_DEPENDENT_MEASURES = ("information-loss", "released-loss")
"""Measures that mean another thing by other distances."""


@dataclass(frozen=True)
class MeasureComparison:
    """Values of one measure of two results as text, and which is better, if either.

    Attributes
    ----------
    title, direction, meaning : str
    words : tuple of str
    better : int or None
        0 for the first, 1 for the second; None where they are equal or cannot be
        compared.
    """

    title: str
    words: tuple[str, str]
    better: int | None
    direction: str
    meaning: str


def compare_shared_measures(
    first_outcome: Outcome, second_outcome: Outcome
) -> list[MeasureComparison]:
    """Return two results' values of each shared measure as text, and the better one."""
    return [
        MeasureComparison(
            _(info.title),
            (_score_text(info, first_outcome), _score_text(info, second_outcome)),
            _better_index(info, first_outcome, second_outcome),
            _(info.direction),
            _(info.summary),
        )
        for info in measures.infos()
        if info.id in first_outcome.scores and info.id in second_outcome.scores
    ]


def _score_text(info: MeasureInfo, outcome: Outcome) -> str:
    return score_text(info, outcome.scores[info.id].value)


def _better_index(
    info: MeasureInfo, first_outcome: Outcome, second_outcome: Outcome
) -> int | None:
    a, b = first_outcome.scores[info.id].value, second_outcome.scores[info.id].value
    plans = first_outcome.plan, second_outcome.plan
    alike = plans[0].quasi_identifiers == plans[1].quasi_identifiers
    if info.id in SCALE_DEPENDENT_MEASURES:
        alike &= have_equal_distances_and_weights(*plans)
    if not alike or math.isnan(a) or math.isnan(b):
        return None
    if _score_text(info, first_outcome) == _score_text(info, second_outcome):
        return None
    lower = info.direction == "lower is better"
    return int((b < a) == lower)


def have_equal_distances_and_weights(first_plan: Plan, second_plan: Plan) -> bool:
    """Return whether two plans have equal choices of distances, and equal weights."""
    names = (*DistanceFields.model_fields, "weights")
    return all(
        getattr(first_plan, name) == getattr(second_plan, name) for name in names
    )


def list_differing_choices(
    first_plan: Plan, second_plan: Plan
) -> list[tuple[str, str]]:
    """Return pairs of texts on two plans' differing choices, save those in labels.

    Beside those that :func:`dashboard.results.figures.plan_label` says, and those for
    single columns that only one of the plans protects.
    """
    declared = choice_infos_of(Plan)
    # A plan's own mapping has its digest too, once that was asked for.
    both = [
        {name: getattr(plan, name) for name in declared}
        for plan in (first_plan, second_plan)
    ]
    single = set(first_plan.quasi_identifiers) ^ set(second_plan.quasi_identifiers)
    pairs = []
    for (name, *column), *values in iterate_differences(*both):
        if declared[name].shown == "methods" or name == "polish" or single & {*column}:
            continue
        label = choice_label(name, *column)
        words = [choice_value_text(value, name) for value in values]
        if words[0] == words[1]:  # both are cut short
            pairs.append((label, label))
        else:
            pairs.append((f"{label}: {words[0]}", f"{label}: {words[1]}"))
    return pairs
