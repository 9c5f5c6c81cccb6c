"""Lesson charts: records in groups and their common values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.charts.group_outlines import add_group_outlines
from dashboard.charts.groups import axis_ranges
from dashboard.charts.lesson_inputs import GroupedPoints
from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.i18n.language import _


def draw_group_picture(grouped: GroupedPoints, axis_titles: Sequence[str]) -> go.Figure:
    """Draw records in their groups, with lines to the values that replace them.

    Parameters
    ----------
    grouped : GroupedPoints
    axis_titles : sequence of str
        Of the two axes.
    """
    figure = go.Figure()
    ends = _draw_groups(figure, grouped, 11.0, 1.0)
    apply_lesson_theme(figure)
    figure.update_xaxes(title_text=axis_titles[0], range=ends[0])
    figure.update_yaxes(title_text=axis_titles[1], range=ends[1])
    return figure


def draw_ten_record_picture(grouped: GroupedPoints) -> go.Figure:
    """Draw the ten records in their groups, with each cluster's values beside it.

    Parameters
    ----------
    grouped : GroupedPoints
    """
    figure = go.Figure()
    ends = _draw_groups(figure, grouped, 10.0, 2.2)
    points = grouped.plane.values
    cuts = np.flatnonzero(np.diff(points[:, 0]) > MIN_CLUSTER_DISTANCE) + 1
    for cluster in np.split(points, cuts):
        # Towards the middle of the picture, where there is room.
        low = float(cluster.mean()) < float(points.mean())
        figure.add_annotation(
            x=float(cluster[:, 0].max() if low else cluster[:, 0].min()),
            y=float(cluster[:, 1].min() if low else cluster[:, 1].max()),
            text="  ".join(f"{value:g}" for value in cluster[:, 0]),
            font={"size": 20},
            showarrow=False,
            xanchor="left" if low else "right",
            yanchor="top" if low else "bottom",
            xshift=28 if low else -28,
        )
    apply_lesson_theme(figure)
    figure.update_xaxes(title_text=grouped.plane.names[0], range=ends[0])
    figure.update_yaxes(title_text=grouped.plane.names[1], range=ends[1])
    return figure


MIN_CLUSTER_DISTANCE = 10.0
"""Distance from which on the next record belongs to another cluster."""


def _draw_groups(
    figure: go.Figure, grouped: GroupedPoints, size: float, room: float
) -> list[list[float]]:
    """Draw the groups and return the ends of both axes."""
    points = grouped.plane.values
    ends = axis_ranges(points, 0.0)
    add_group_outlines(
        figure,
        points,
        grouped.labels,
        grouped.centres,
        legend_names=(_("Record"), _("What the file says instead")),
        axis_lengths=np.array([high - low for low, high in ends]),
        marker_px=size,
        outline_distance=room,
    )
    figure.update_layout(legend={"itemsizing": "constant"})
    return ends
