"""Curves of searches: loss and bound over time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from dashboard.charts.inputs import Curve
from dashboard.i18n.language import _
from dashboard.results.facts import plan_label, series
from engine.bounds.base import CLOSED
from engine.core.trace import Point
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan


def curve(plan: Plan, points: tuple[Point, ...], seconds: float) -> Curve:
    """Return the curve of a search that has come so far."""
    return Curve(plan_label(plan), series(plan), points, seconds)


def curves(outcomes: Sequence[Outcome]) -> list[Curve]:
    """Return the curves of the outcomes that came from a search."""
    return [
        curve(outcome.plan, outcome.trace, outcome.seconds["partition"])
        for outcome in outcomes
        if outcome.trace
    ]


def curve_words(found: Curve) -> str:
    """Say where a search has come to."""
    if found.loss is None:
        return ""
    loss = f"{found.loss:.3f}"
    if found.bound is None:
        return _("**{loss} %** lost so far.").format(loss=loss)
    gap = 100.0 * (found.loss - found.bound) / found.loss if found.loss > 0.0 else 0.0
    if gap <= CLOSED:
        return _("**{loss} %** lost: proven best possible.").format(loss=loss)
    return _(
        "**{loss} %** lost so far; no grouping can lose less than {bound} %, so at "
        "most {gap} % of it is avoidable."
    ).format(
        loss=loss, bound=f"{found.bound:.3f}", gap=f"{math.ceil(10.0 * gap) / 10.0:.1f}"
    )


def curve_table(found: Sequence[Curve]) -> pd.DataFrame:
    """Return one line per point of every curve."""
    lines = [(each.label, *point) for each in found for point in each.points]
    figures = [_("Seconds"), _("IL (%)"), _("Lower bound (%)")]
    frame = pd.DataFrame(lines, columns=[_("Search"), *figures])
    return frame.astype(dict.fromkeys(figures, float))
