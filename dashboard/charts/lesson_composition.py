"""Lesson chart: records revealed by several releases together."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.charts.groups import axis_ranges
from dashboard.charts.lesson_inputs import ComposedRelease
from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.charts.theme import NEUTRAL, VERMILION
from dashboard.i18n.language import _


def draw_composition_picture(
    composed: ComposedRelease, axis_titles: Sequence[str]
) -> go.Figure:
    """Draw the records; those that several releases reveal exactly in colour.

    Parameters
    ----------
    composed : ComposedRelease
    axis_titles : sequence of str
        Of the two axes.
    """
    figure = go.Figure()
    points = composed.plane.values
    looks = (
        (_("Hidden"), ~composed.opened, NEUTRAL, "circle", 11),
        (_("Found exactly"), composed.opened, VERMILION, "star", 18),
    )
    for name, some, colour, symbol, size in looks:
        figure.add_scatter(
            name=name,
            x=points[some, 0],
            y=points[some, 1],
            mode="markers",
            marker={"color": colour, "symbol": symbol, "size": size},
            showlegend=True,
            hovertemplate="%{x:g}, %{y:g}<extra></extra>",
        )
    ends = axis_ranges(points, 0.0)
    apply_lesson_theme(figure)
    figure.update_xaxes(title_text=axis_titles[0], range=ends[0])
    figure.update_yaxes(title_text=axis_titles[1], range=ends[1])
    return figure
