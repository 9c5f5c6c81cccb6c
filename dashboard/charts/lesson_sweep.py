"""Lesson: loss and linkage against a parameter, and against each other."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.charts.theme import BLUE, NEUTRAL, ORANGE, fade
from dashboard.i18n.language import _
from engine.analysis.sweep import Swept


def sweep_picture(found: Sequence[Swept], name: str) -> go.Figure:
    """Draw loss and linkage against the parameter.

    Parameters
    ----------
    found : sequence of Swept
        By rising value.
    name : str
        Of the parameter.
    """
    figure = go.Figure()
    values = [one.value for one in found]
    least, most = [one.least for one in found], [one.most for one in found]
    figure.add_scatter(
        x=[*values, *values[::-1]],
        y=[*most, *least[::-1]],
        mode="lines",
        fill="toself",
        fillcolor=fade(BLUE, 0.2),
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )
    for title, colour, ys in (
        (_("Information loss"), BLUE, [one.loss for one in found]),
        (_("Records found"), ORANGE, [one.linkage for one in found]),
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
    figure.update_xaxes(title_text=name, type="log")
    figure.update_yaxes(title_text=_("Per cent"), rangemode="tozero")
    return figure


def trade_picture(found: Sequence[Swept], noise: Sequence[Swept]) -> go.Figure:
    """Draw loss and linkage against each other, beside noise.

    Parameters
    ----------
    found : sequence of Swept
        By rising value of a parameter.
    noise : sequence of Swept
        The baseline, by rising deviation.
    """
    figure = go.Figure()
    for title, colour, dash, some in (
        (_("Fuzzy groups"), BLUE, "solid", found),
        (_("Plain noise"), NEUTRAL, "6px,4px", noise),
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
