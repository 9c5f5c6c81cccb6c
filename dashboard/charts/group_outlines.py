"""Rounded outlines of groups, with lines to their centres."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.charts.hulls import convex_hulls
from dashboard.charts.theme import PALETTE, rgba_colour
from engine.core.partition import Labels
from engine.core.typing import Values

_RING_CORNERS = 20
"""Corners of the ring around each point, of which the outline is made."""


def rounded_outline(points: Values, reach: tuple[float, float]) -> Values:
    """Return the rounded convex outline of points as a closed line, (n_corners, 2).

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


def choose_group_colours(centres: Values, axis_lengths: Values) -> list[str]:
    """Return a colour for each group that differs from those of its nearest groups.

    Parameters
    ----------
    centres : ndarray of float64, shape (n_groups, 2)
    axis_lengths : ndarray of float64, shape (2,)
        Lengths of the axes.
    """
    places = centres / axis_lengths
    chosen: list[int] = []
    for number, place in enumerate(places):
        away = np.square(places[:number] - place).sum(axis=1)
        near = [chosen[other] for other in np.argsort(away, kind="stable")]
        free = [one for one in range(len(PALETTE)) if one not in near[:5]]
        chosen.append(free[number % len(free)])
    return [PALETTE[one] for one in chosen]


def add_group_outlines(
    figure: go.Figure,
    points: Values,
    labels: Labels,
    centres: Values,
    *,
    legend_names: Sequence[str],
    axis_lengths: Values,
    marker_px: float = 11.0,
    outline_distance: float = 1.0,
) -> None:
    """Add each group's outline, records and lines to their centre to a figure.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    points : ndarray of float64, shape (n_records, 2)
    labels : ndarray of int64, shape (n_records,)
    centres : ndarray of float64, shape (n_groups, 2)
    legend_names : sequence of str
        What records and centres are called in the legend.
    axis_lengths : ndarray of float64, shape (2,)
        Lengths of the axes in the picture.
    marker_px : float
        Diameter of a record in pixels.
    outline_distance : float
        How far outlines keep from their records, 1 for just so far.
    """
    looks = choose_group_colours(centres, axis_lengths)
    reach = (
        0.014 * outline_distance * float(axis_lengths[0]),
        0.022 * outline_distance * float(axis_lengths[1]),
    )
    for colour in PALETTE:
        groups = [number for number, look in enumerate(looks) if look == colour]
        parts = [rounded_outline(points[labels == group], reach) for group in groups]
        shape = _with_gaps(parts)
        figure.add_scatter(
            x=shape[:, 0],
            y=shape[:, 1],
            mode="lines",
            fill="toself",
            fillcolor=rgba_colour(colour, 0.22),
            line={"color": rgba_colour(colour, 0.85), "width": 1.5},
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
        name=legend_names[0],
        mode="markers",
        marker={
            "color": [looks[label] for label in labels],
            "size": marker_px,
            "line": {"color": "white", "width": 1},
        },
        customdata=labels + 1,
        hovertemplate="group %{customdata}<extra></extra>",
    )
    figure.add_scatter(
        x=centres[:, 0],
        y=centres[:, 1],
        name=legend_names[1],
        mode="markers",
        marker={
            "color": looks,
            "size": 1.5 * marker_px,
            "symbol": "diamond",
            "line": {"color": "white", "width": 2},
        },
        hoverinfo="skip",
    )


def _with_gaps(parts: Sequence[Values]) -> Values:
    """Return shapes one after the other, a gap after each."""
    gap = np.full((1, 2), np.nan)
    return np.vstack([one for part in parts for one in (part, gap)] or [gap])
