"""Rounded outlines of groups, with lines to their centres."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.charts.hulls import convex_hulls
from dashboard.charts.theme import PALETTE, fade
from engine.core.partition import Labels
from engine.core.typing import Values

_RING_CORNERS = 20
"""Corners of the ring around each point, of which the outline is made."""


def rounded_outline(points: Values, reach: tuple[float, float]) -> Values:
    """Return the rounded convex outline of points, shape (n_corners, 2), closed.

    Parameters
    ----------
    points : ndarray of float64, shape (n_points, 2)
        At least one.
    reach : tuple of float
        How far the outline keeps from the points along each axis.
    """
    turn = np.linspace(0.0, 2.0 * np.pi, _RING_CORNERS, endpoint=False)
    ring = np.column_stack([np.cos(turn), np.sin(turn)]) * reach
    corners = (points[:, np.newaxis] + ring).reshape(-1, 2)
    return np.array(convex_hulls(corners, np.zeros(len(corners), np.int64))[0])


def neighbour_distinct_colours(centres: Values, scale: Values) -> list[str]:
    """Return a colour for each group that its nearest groups do not have.

    Parameters
    ----------
    centres : ndarray of float64, shape (n_groups, 2)
    scale : ndarray of float64, shape (2,)
        Lengths of the axes.
    """
    places = centres / scale
    chosen: list[int] = []
    for number, place in enumerate(places):
        away = np.square(places[:number] - place).sum(axis=1)
        near = [chosen[other] for other in np.argsort(away, kind="stable")]
        free = [one for one in range(len(PALETTE)) if one not in near[:5]]
        chosen.append(free[number % len(free)])
    return [PALETTE[one] for one in chosen]


def draw_groups(
    figure: go.Figure,
    points: Values,
    labels: Labels,
    centres: Values,
    *,
    names: Sequence[str],
    span: Values,
    size: float = 11.0,
    room: float = 1.0,
) -> None:
    """Draw each group's outline, its records, and lines to what replaces them.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    points : ndarray of float64, shape (n_records, 2)
    labels : ndarray of int64, shape (n_records,)
    centres : ndarray of float64, shape (n_groups, 2)
    names : sequence of str
        What records and centres are called in the legend.
    span : ndarray of float64, shape (2,)
        Lengths of the axes in the picture.
    size : float
        Diameter of a record in pixels.
    room : float
        How far outlines keep from their records, 1 for just so far.
    """
    looks = neighbour_distinct_colours(centres, span)
    reach = (0.014 * room * float(span[0]), 0.022 * room * float(span[1]))
    for colour in PALETTE:
        groups = [number for number, look in enumerate(looks) if look == colour]
        parts = [rounded_outline(points[labels == group], reach) for group in groups]
        shape = _with_gaps(parts)
        figure.add_scatter(
            x=shape[:, 0],
            y=shape[:, 1],
            mode="lines",
            fill="toself",
            fillcolor=fade(colour, 0.22),
            line={"color": fade(colour, 0.85), "width": 1.5},
            hoverinfo="skip",
            showlegend=False,
        )
    spokes = np.full((3 * labels.size, 2), np.nan)
    spokes[0::3], spokes[1::3] = points, centres[labels]
    figure.add_scatter(
        x=spokes[:, 0],
        y=spokes[:, 1],
        mode="lines",
        line={"color": "rgba(138, 143, 152, 0.9)", "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=points[:, 0],
        y=points[:, 1],
        name=names[0],
        mode="markers",
        marker={
            "color": [looks[label] for label in labels],
            "size": size,
            "line": {"color": "white", "width": 1},
        },
        customdata=labels + 1,
        hovertemplate="group %{customdata}<extra></extra>",
    )
    figure.add_scatter(
        x=centres[:, 0],
        y=centres[:, 1],
        name=names[1],
        mode="markers",
        marker={
            "color": looks,
            "size": 1.5 * size,
            "symbol": "diamond",
            "line": {"color": "white", "width": 2},
        },
        hoverinfo="skip",
    )


def _with_gaps(parts: Sequence[Values]) -> Values:
    """Return shapes one after the other, a gap after each."""
    gap = np.full((1, 2), np.nan)
    return np.vstack([one for part in parts for one in (part, gap)] or [gap])
