"""Lesson: where noise takes centres, and where a rule brings them back to."""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.charts.theme import BLUE, NEUTRAL, ORANGE
from dashboard.i18n.language import _
from engine.analysis.edited_centres import FACTORS, PRINTED_DISTANCES, Centres, Spread


def way_picture(found: Centres) -> go.Figure:
    """Draw each centre's way: away by noise, and back onto the rule.

    Parameters
    ----------
    found : Centres
    """
    figure = go.Figure()
    for name, colour, ends in (
        (_("Without the rule"), ORANGE, found.free),
        (_("With the rule"), BLUE, found.ruled),
    ):
        away = ends - found.clean
        figure.add_scatter(
            name=name,
            x=away[:, 0],
            y=away @ FACTORS,
            mode="markers+text",
            text=[str(number + 1) for number in range(len(away))],
            textposition="top center",
            marker={"color": colour, "size": 12},
        )
    all_of_them = found.clean, found.free, found.ruled
    clean, free, ruled = (centres - found.clean for centres in all_of_them)
    for start, end, colour in ((clean, free, ORANGE), (free, ruled, BLUE)):
        for a, b in zip(start, end, strict=True):
            figure.add_annotation(
                x=b[0],
                y=b @ FACTORS,
                ax=a[0],
                ay=a @ FACTORS,
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


def distance_picture(spread: Spread) -> go.Figure:
    """Draw how far centres are from the clean ones in all draws, and as printed.

    Parameters
    ----------
    spread : Spread
    """
    figure = go.Figure()
    printed = PRINTED_DISTANCES.get(spread.deviation)
    ways = ((spread.free, ORANGE, -0.18), (spread.ruled, BLUE, 0.18))
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
