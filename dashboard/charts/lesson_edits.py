"""Lesson charts: displacement of centres by noise, and their return to a rule."""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.charts.theme import BLUE, NEUTRAL, ORANGE
from dashboard.i18n.language import _
from engine.analysis.edited_centres import (
    PRINTED_DISTANCES,
    RULE_FACTORS,
    DrawsSummary,
    FittedCentres,
)


def draw_centre_paths(fitted_centres: FittedCentres) -> go.Figure:
    """Draw each centre's path: away by noise, and back onto the rule.

    Parameters
    ----------
    fitted_centres : FittedCentres
    """
    figure = go.Figure()
    for name, colour, ends in (
        (_("Without the rule"), ORANGE, fitted_centres.free),
        (_("With the rule"), BLUE, fitted_centres.ruled),
    ):
        away = ends - fitted_centres.clean
        figure.add_scatter(
            name=name,
            x=away[:, 0],
            y=away @ RULE_FACTORS,
            mode="markers+text",
            text=[str(number + 1) for number in range(len(away))],
            textposition="top center",
            marker={"color": colour, "size": 12},
        )
    all_of_them = fitted_centres.clean, fitted_centres.free, fitted_centres.ruled
    clean, free, ruled = (centres - fitted_centres.clean for centres in all_of_them)
    for start, end, colour in ((clean, free, ORANGE), (free, ruled, BLUE)):
        for a, b in zip(start, end, strict=True):
            figure.add_annotation(
                x=b[0],
                y=b @ RULE_FACTORS,
                ax=a[0],
                ay=a @ RULE_FACTORS,
                xref="x",
                yref="y",
                axref="x",
                ayref="y",
                showarrow=True,
                arrowhead=2,
                arrowwidth=2,
                arrowcolor=colour,
                text="",
            )
    figure.add_hline(0.0, line={"color": NEUTRAL, "width": 2})
    apply_lesson_theme(figure)
    figure.update_xaxes(title_text=_("Moved in v1, one draw of the noise"))
    figure.update_yaxes(title_text=_("Off the rule"))
    return figure


def draw_centre_distances(draws_summary: DrawsSummary) -> go.Figure:
    """Draw the centres' distances from the clean ones, in all draws and as printed.

    Parameters
    ----------
    draws_summary : DrawsSummary
    """
    figure = go.Figure()
    printed = PRINTED_DISTANCES.get(draws_summary.deviation)
    ways = ((draws_summary.free, ORANGE, -0.18), (draws_summary.ruled, BLUE, 0.18))
    for way, (values, colour, shift) in enumerate(ways):
        for number, column in enumerate(values.T, start=1):
            figure.add_box(
                y=column,
                x=[number + shift] * len(column),
                marker={"color": colour},
                boxpoints=False,
                width=0.3,
                showlegend=False,
            )
        if printed is not None:
            figure.add_scatter(
                name=_("Printed"),
                x=[number + shift for number in range(1, len(printed[way]) + 1)],
                y=printed[way],
                mode="markers",
                marker={"color": NEUTRAL, "symbol": "x", "size": 11},
                showlegend=way == 0,
            )
    apply_lesson_theme(figure)
    figure.update_xaxes(title_text=_("Centre, many draws"), dtick=1)
    figure.update_yaxes(
        title_text=_("Distance from the clean centre"), rangemode="tozero"
    )
    return figure
