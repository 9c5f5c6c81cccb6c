"""Lesson charts: loss and linkage against a parameter."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.charts.theme import BLUE, NEUTRAL, ORANGE, rgba_colour
from dashboard.i18n.language import _
from engine.analysis.sweep import SweepResult


def draw_sweep_picture(results: Sequence[SweepResult], parameter: str) -> go.Figure:
    """Draw loss and linkage against the values of a parameter.

    Parameters
    ----------
    results : sequence of SweepResult
        By rising value.
    parameter : str
        Of the parameter.
    """
    figure = go.Figure()
    values = [one.value for one in results]
    least, most = [one.least for one in results], [one.most for one in results]
    figure.add_scatter(
        x=[*values, *values[::-1]],
        y=[*most, *least[::-1]],
        mode="lines",
        fill="toself",
        fillcolor=rgba_colour(BLUE, 0.2),
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )
    for title, colour, ys in (
        (_("Information loss"), BLUE, [one.loss for one in results]),
        (_("Records found"), ORANGE, [one.linkage for one in results]),
    ):
        figure.add_scatter(
            name=title,
            x=values,
            y=ys,
            mode="lines+markers",
            line={"color": colour, "width": 3},
            marker={"size": 9},
            hovertemplate="%{y:.1f} %",
        )
    apply_lesson_theme(figure)
    figure.update_xaxes(title_text=parameter, type="log")
    figure.update_yaxes(title_text=_("Per cent"), rangemode="tozero")
    return figure


def draw_trade_off_picture(
    fuzzy_results: Sequence[SweepResult], noise_results: Sequence[SweepResult]
) -> go.Figure:
    """Draw linkage against loss for fuzzy groups, beside that of plain noise.

    Parameters
    ----------
    fuzzy_results : sequence of SweepResult
        By rising value of a parameter.
    noise_results : sequence of SweepResult
        The baseline, by rising deviation.
    """
    figure = go.Figure()
    for title, colour, dash, some in (
        (_("Fuzzy groups"), BLUE, "solid", fuzzy_results),
        (_("Plain noise"), NEUTRAL, "6px,4px", noise_results),
    ):
        figure.add_scatter(
            name=title,
            x=[one.loss for one in some],
            y=[one.linkage for one in some],
            mode="lines+markers",
            line={"color": colour, "width": 3, "dash": dash},
            marker={"size": 9},
            hovertemplate="%{x:.1f} %, %{y:.1f} %",
        )
    apply_lesson_theme(figure)
    figure.update_xaxes(title_text=_("Information loss (%)"), rangemode="tozero")
    figure.update_yaxes(title_text=_("Records found (%)"), rangemode="tozero")
    return figure
