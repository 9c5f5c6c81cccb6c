"""Figures of two results: measures with the better one, and choices that differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dashboard.i18n.language import _
from dashboard.results.scores import value_words
from engine.measures import MeasureInfo, measures
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

ON_ITS_SCALE = ("information-loss", "released-loss")
"""Measures that mean another thing on another scaling."""


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
        alike &= plans[0].scaling == plans[1].scaling
        alike &= plans[0].weights == plans[1].weights
    if not alike or math.isnan(a) or math.isnan(b):
        return None
    if _words(info, one) == _words(info, other):
        return None
    lower = info.direction == "lower is better"
    return int((b < a) == lower)


def differing(one: Plan, other: Plan) -> list[tuple[str, str]]:
    """Return the choices in which two plans differ, beside method and k, in words."""
    names: dict[str, str] = {
        "scaling": _("scaling"),
        "missing": _("missing values"),
        "aggregations": _("common values"),
        "quasi_identifiers": _("quasi-identifiers"),
        "strata": _("strata"),
        "constraints": _("rules"),
        "rounding": _("rounding"),
        "p_sensitive": "p",
        "t_close": "t",
        "entropy_l": "l",
        "recursive_c": "c",
        "recursive_l": _("l of recursive (c, l)"),
        "k_map": "k-map",
        "suppress": _("outliers left out"),
        "suppress_cells": _("cells left out"),
        "sampling_fraction": _("sampling fraction"),
        "blocks": _("blocks"),
        "seed": _("seed"),
    }
    found = []
    for field, title in names.items():
        values = getattr(one, field), getattr(other, field)
        if values[0] != values[1]:
            words = [f"{title}: {_plain(value)}" for value in values]
            found.append((words[0], words[1]))
    return found


def _plain(value: Any) -> str:
    if hasattr(value, "values"):
        value = sorted(set(value.values()))
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value)) or _("none")
    return _("none") if value is None or value == "" else str(value)
