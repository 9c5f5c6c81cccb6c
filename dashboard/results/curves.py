"""Curves of searches: loss and lower bound over time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from dashboard.charts.inputs import SearchCurve, avoidable_percent
from dashboard.i18n.language import _
from dashboard.results.figures import plan_label, series_id_of_plan
from engine.bounds.base import CLOSED_GAP_PERCENT
from engine.core.numerics.trace import TracePoint
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan


def make_search_curve(
    plan: Plan, points: tuple[TracePoint, ...], seconds: float
) -> SearchCurve:
    """Return the curve of loss and bound over time of a plan's search."""
    return SearchCurve(plan_label(plan), series_id_of_plan(plan), points, seconds)


def search_curves_of_outcomes(outcomes: Sequence[Outcome]) -> list[SearchCurve]:
    """Return the search curves of those outcomes that have a trace of their search."""
    return [
        make_search_curve(outcome.plan, outcome.trace, outcome.seconds["partition"])
        for outcome in outcomes
        if outcome.trace
    ]


def curve_summary(search_curve: SearchCurve) -> str:
    """Return a sentence on the loss and bound that a search reached; "" if none."""
    if search_curve.final_loss is None:
        return ""
    loss = f"{search_curve.final_loss:.3f}"
    if search_curve.final_bound is None:
        return _("**{loss} %** lost so far.").format(loss=loss)
    gap = avoidable_percent(search_curve.final_loss, search_curve.final_bound)
    if gap <= CLOSED_GAP_PERCENT:
        return _("**{loss} %** lost: proven best possible.").format(loss=loss)
    return _(
        "**{loss} %** lost so far; no grouping can lose less than {bound} %, so at "
        "most {gap} % of it is avoidable."
    ).format(
        loss=loss,
        bound=f"{search_curve.final_bound:.3f}",
        gap=f"{math.ceil(10.0 * gap) / 10.0:.1f}",
    )


def search_curve_table(search_curves: Sequence[SearchCurve]) -> pd.DataFrame:
    """Return a data frame with a row per point of each curve: time, loss and bound."""
    lines = [(each.label, *point) for each in search_curves for point in each.points]
    figures = [_("Seconds"), _("IL (%)"), _("Lower bound (%)")]
    frame = pd.DataFrame(lines, columns=[_("Search"), *figures])
    return frame.astype(dict.fromkeys(figures, float))
