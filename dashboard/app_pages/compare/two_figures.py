"""Figures of two results: measures with the better one, and choices that differ."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dashboard.i18n.language import _
from dashboard.results.scores import value_words
from dashboard.state.changes import choice_label, choice_value
from dashboard.state.history import differences
from engine.measures import MeasureInfo, measures
from engine.pipeline.choices import choices_of
from engine.pipeline.fields.distance import Distance
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

ON_ITS_SCALE = ("information-loss", "released-loss")
"""Measures that mean another thing by other distances."""


@dataclass(frozen=True)
class Figure:
    """One measure of two results.

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


def figures(one: Outcome, other: Outcome) -> list[Figure]:
    """Return every measure that both results have, and which result is better."""
    return [
        Figure(
            _(info.title),
            (_words(info, one), _words(info, other)),
            _better(info, one, other),
            _(info.direction),
            _(info.summary),
        )
        for info in measures.infos()
        if info.id in one.scores and info.id in other.scores
    ]


def _words(info: MeasureInfo, outcome: Outcome) -> str:
    return value_words(info, outcome.scores[info.id].value)


def _better(info: MeasureInfo, one: Outcome, other: Outcome) -> int | None:
    a, b = one.scores[info.id].value, other.scores[info.id].value
    plans = one.plan, other.plan
    alike = plans[0].quasi_identifiers == plans[1].quasi_identifiers
    if info.id in ON_ITS_SCALE:
        alike &= have_same_scale(*plans)
    if not alike or math.isnan(a) or math.isnan(b):
        return None
    if _words(info, one) == _words(info, other):
        return None
    lower = info.direction == "lower is better"
    return int((b < a) == lower)


def have_same_scale(one: Plan, other: Plan) -> bool:
    """Whether losses of two plans are measured by the same distances and weights."""
    names = (*Distance.model_fields, "weights")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def differing_choices(one: Plan, other: Plan) -> list[tuple[str, str]]:
    """Return the choices in which two plans differ, in words for each plan.

    Beside those that :func:`dashboard.results.facts.plan_label` says, and those for
    single columns that only one of the plans protects.
    """
    declared, both = choices_of(Plan), (dict(one), dict(other))
    single = set(one.quasi_identifiers) ^ set(other.quasi_identifiers)
    found = []
    for (name, *column), *values in differences(*both):
        if declared[name].shown == "methods" or name == "polish" or single & {*column}:
            continue
        label = choice_label(name, *column)
        words = [choice_value(value, name) for value in values]
        if words[0] == words[1]:  # both are cut short
            found.append((label, label))
        else:
            found.append((f"{label}: {words[0]}", f"{label}: {words[1]}"))
    return found
