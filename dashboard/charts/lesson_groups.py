"""Lessons: records in groups, and what each group becomes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.charts.group_outlines import draw_groups
from dashboard.charts.groups import span
from dashboard.charts.lesson_inputs import Grouped
from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.i18n.language import _


def group_picture(found: Grouped, titles: Sequence[str]) -> go.Figure:
    """Draw records in their groups, and what each of them becomes.

    Parameters
    ----------
    found : Grouped
    titles : sequence of str
        Of the two axes.
    """
    figure = go.Figure()
    ends = _draw(figure, found, 11.0, 1.0)
    apply_lesson_theme(figure)
    figure.update_xaxes(title=titles[0], range=ends[0])
    figure.update_yaxes(title=titles[1], range=ends[1])
    return figure


def ten_picture(found: Grouped) -> go.Figure:
    """Draw the ten records in their groups, each cluster with its values beside it.

    Parameters
    ----------
    found : Grouped
    """
    figure = go.Figure()
    ends = _draw(figure, found, 10.0, 2.2)
    points = found.plane.values
    cuts = np.flatnonzero(np.diff(points[:, 0]) > CLUSTER) + 1
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
    figure.update_xaxes(title=found.plane.names[0], range=ends[0])
    figure.update_yaxes(title=found.plane.names[1], range=ends[1])
    return figure


CLUSTER = 10.0
"""Distance from which on the next record belongs to another cluster."""


def _draw(
    figure: go.Figure, found: Grouped, size: float, room: float
) -> list[list[float]]:
    """Draw the groups and return the ends of both axes."""
    points = found.plane.values
    ends = span(points, 0.0)
    draw_groups(
        figure,
        points,
        found.labels,
        found.centres,
        names=(_("Record"), _("What the file says instead")),
        span=np.array([high - low for low, high in ends]),
        size=size,
        room=room,
    )
    figure.update_layout(legend={"itemsizing": "constant"})
    return ends
