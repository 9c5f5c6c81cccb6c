"""Describe a measure and its score as plain values, for JSON and tables."""

from __future__ import annotations

import math
from typing import Any

from engine.measures.base import MeasureInfo, Score


def describe(info: MeasureInfo) -> dict[str, Any]:
    """Return a measure's registered description as plain values, ready for JSON.

    A limit that does not exist is None.
    """
    return {
        "id": info.id,
        "aliases": list(info.aliases),
        "title": info.title,
        "family": info.family,
        "summary": info.summary,
        "formula": info.formula,
        "direction": info.direction,
        "unit": info.unit,
        "reference": info.reference,
        "limits": list(map(finite_or_none, info.limits)),
        "baseline": info.baseline,
        "on_demand": info.on_demand,
    }


def describe_score(info: MeasureInfo, score: Score) -> dict[str, Any]:
    """Return a score and its measure's description as plain values, ready for JSON."""
    return {
        "id": info.id,
        "title": info.title,
        "family": info.family,
        "value": finite_or_none(score.value),
        "unit": info.unit,
        "interval": None if score.interval is None else list(score.interval),
        "baseline": None if score.baseline is None else finite_or_none(score.baseline),
        "baseline_meaning": info.baseline,
        "meaning": info.summary,
        "direction": info.direction,
        "formula": info.formula,
        "reference": info.reference,
        "columns": {name: finite_or_none(x) for name, x in score.per_column.items()},
    }


def finite_or_none(value: float) -> float | None:
    """Return a finite number unchanged, None for NaN and infinity."""
    return float(value) if math.isfinite(value) else None
