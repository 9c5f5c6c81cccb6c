"""Lesson: where noise takes centres, and where a rule brings them back to."""

from __future__ import annotations

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.charts.theme import BLUE, NEUTRAL, ORANGE
from dashboard.i18n.language import _
from engine.analysis.edited_centres import FACTORS, PRINTED_DISTANCES, Centres, Spread


def edits_picture(found: Centres, spread: Spread) -> go.Figure:
    """Draw arrows from clean to noisy to ruled centres, and distances over many draws.

    Parameters
    ----------
    found : Centres
    spread : Spread
    """
    figure = make_subplots(
        cols=2,
        column_widths=[0.56, 0.44],
        horizontal_spacing=0.14,
    )
    _arrows(figure, found)
    _distances(figure, spread)
    apply_lesson_theme(figure)
    figure.update_xaxes(
        title_text=_("Moved in v1, one draw of the noise"), row=1, col=1
    )
    figure.update_yaxes(title_text=_("Off the rule"), row=1, col=1)
    figure.update_xaxes(title_text=_("Centre, many draws"), dtick=1, row=1, col=2)
    figure.update_yaxes(
        title_text=_("Distance from the clean centre"), rangemode="tozero", row=1, col=2
    )
    return figure


def _arrows(figure: go.Figure, found: Centres) -> None:
    """Draw each centre's way: away by noise, and back onto the rule."""
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
            row=1,
            col=1,
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
    figure.add_hline(0.0, line={"color": NEUTRAL, "width": 2}, row=1, col=1)


def _distances(figure: go.Figure, spread: Spread) -> None:
    """Draw the distances of all draws, and the printed ones."""
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
                row=1,
                col=2,
            )
        if printed is not None:
            figure.add_scatter(
                name=_("Printed"),
                x=[number + shift for number in range(1, len(printed[way]) + 1)],
                y=printed[way],
                mode="markers",
                marker={"color": NEUTRAL, "symbol": "x", "size": 11},
                showlegend=way == 0,
                row=1,
                col=2,
            )
