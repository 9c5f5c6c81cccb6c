"""Lesson chart: values on a line, with the means of groups."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from dashboard.charts.lesson_inputs import GroupedLine
from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.charts.theme import PALETTE
from dashboard.i18n.language import _


def draw_line_picture(grouped_line: GroupedLine) -> go.Figure:
    """Draw each value on a line, joined to the mean that replaces it.

    Parameters
    ----------
    grouped_line : GroupedLine
    """
    figure = go.Figure()
    for place, group in enumerate(np.argsort(grouped_line.means)):
        own, mean = (
            grouped_line.values[grouped_line.labels == group],
            float(grouped_line.means[group]),
        )
        colour = PALETTE[place % len(PALETTE)]
        ways = np.column_stack([own, np.full(own.size, mean), np.full(own.size, None)])
        figure.add_scatter(
            x=ways.ravel(),
            y=[0.0, 1.0, None] * own.size,
            mode="lines",
            line={"color": colour, "width": 3},
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=own,
            y=np.zeros(own.size),
            mode="markers",
            marker={"color": colour, "size": 16},
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[mean],
            y=[1.0],
            mode="markers+text",
            text=[f"<b>{mean:.3g}</b>"],
            textposition="top center",
            textfont={"size": 26},
            marker={"color": colour, "size": 22, "symbol": "diamond"},
            hoverinfo="skip",
        )
    order = np.sort(grouped_line.values)
    figure.add_scatter(
        x=order,
        y=np.where(np.arange(order.size) % 2, -0.16, -0.08),  # neighbours are close
        mode="text",
        text=[f"{value:g}" for value in order],
        textfont={"size": 18},
        hoverinfo="skip",
    )
    apply_lesson_theme(figure, has_legend=False)
    figure.update_xaxes(title_text=_("Value"), range=[-2, 55])
    figure.update_yaxes(
        range=[-0.35, 1.35],
        tickvals=[0.0, 1.0],
        ticktext=[_("Before"), _("After")],
        showgrid=False,
    )
    return figure.update_layout(showlegend=False)
