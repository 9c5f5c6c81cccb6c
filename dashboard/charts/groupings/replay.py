"""Animation of how groups were formed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from dashboard.charts.groupings.groups import (
    axis_ranges,
    axis_tick_settings,
    record_hover_template,
)
from dashboard.charts.inputs import GroupView
from dashboard.charts.theme import NEUTRAL, SKY, VERMILION, apply_theme, rgba_colour
from dashboard.i18n.language import _

MAX_STEPS = 150
"""Steps drawn at most; with more groups, several are formed in one."""

STEP_MILLISECONDS = 350
"""How long a step is shown."""


def count_groups_after_steps(n_groups: int) -> list[int]:
    """Return how many groups are formed after each step of a replay, step 0 first."""
    steps = min(MAX_STEPS, n_groups)
    return [round(n_groups * step / steps) for step in range(steps + 1)]


def draw_replay(
    view: GroupView,
    start_points: Sequence[int],
    crops_outliers: bool = False,
    start_at_group: int = 0,
) -> go.Figure:
    """Return an animation of the groups in the order in which they were formed.

    Parameters
    ----------
    view : GroupView
        Its labels number groups in the order in which they were formed.
    start_points : sequence of int
        Positions in the view of the points that groups were formed around.
    crops_outliers : bool
        Keep the middle nine tenths of each axis in view, where a few far ones would
        press all others together.
    start_at_group : int
        Begin where this group is formed, counted from 1; 0 for the beginning.

    Returns
    -------
    plotly.graph_objects.Figure
        With a frame for each step, a slider, and buttons to play and pause. The
        custom data of records are their rows and groups, counted from 1.
    """
    labels, order = np.unique(view.labels, return_inverse=True)
    stops = count_groups_after_steps(int(order.max()) + 1)
    formed = np.flatnonzero(labels == start_at_group - 1)
    start = int(np.searchsorted(stops, formed[0], side="right")) if formed.size else 0
    frames = [
        _step_frame(
            view.points, order, set(start_points), stops[max(0, step - 1)], stop, step
        )
        for step, stop in enumerate(stops)
    ]
    # Each frame replaces the first traces; what answers a click stays.
    figure = go.Figure(
        data=[*frames[start].data, _clickable_records(view)], frames=frames
    )
    apply_theme(figure, 560)
    ranges = axis_ranges(view.points, 0.05 if crops_outliers else 0.0)
    for axis, j in ((figure.update_xaxes, 0), (figure.update_yaxes, 1)):
        axis(range=ranges[j], title=view.titles[j], **axis_tick_settings(view.ticks[j]))
    figure.update_layout(
        margin={"t": 44, "b": 8},
        updatemenus=[_play_buttons()],
        sliders=[_step_slider(stops, start)],
    )
    return figure


def _step_frame(
    points: NDArray[np.float64],
    order: NDArray[np.int64],
    seeds: set[int],
    before: int,
    now: int,
    step: int,
) -> go.Frame:
    """Draw what is left, what was grouped before, and the groups of this step."""
    new = (order >= before) & (order < now)
    started = [point for point in np.flatnonzero(new).tolist() if point in seeds]
    return go.Frame(
        name=str(step),
        data=[
            _dot_trace(
                points[order >= now], _("No group yet"), NEUTRAL, 4, "circle-open"
            ),
            _dot_trace(
                points[order < before],
                _("In a group"),
                rgba_colour(SKY, 0.6),
                5,
                "circle",
            ),
            _dot_trace(points[new], _("Grouped now"), VERMILION, 8, "circle"),
            _dot_trace(points[started], _("Formed around"), VERMILION, 16, "star-open"),
        ],
    )


def _clickable_records(view: GroupView) -> go.Scatter:
    """Return records that are not seen, but say who they are and can be clicked."""
    return go.Scatter(
        x=view.points[:, 0],
        y=view.points[:, 1],
        mode="markers",
        marker={"color": "rgba(0,0,0,0)", "size": 9},
        showlegend=False,
        meta={"key": view.key},
        customdata=np.column_stack([view.numbers, view.labels + 1]),
        hovertemplate=record_hover_template(),
    )


def _dot_trace(
    points: NDArray[np.float64], name: str, colour: str, size: int, symbol: str
) -> go.Scatter:
    # A point nowhere keeps the name in the legend while there are no others.
    x, y = (np.append(np.round(points[:, j], 4), np.nan) for j in (0, 1))
    return go.Scatter(
        x=x,
        y=y,
        name=name,
        mode="markers",
        marker={"color": colour, "size": size, "symbol": symbol},
        hoverinfo="skip",
    )


def _play_buttons() -> dict[str, Any]:
    play = {
        "frame": {"duration": STEP_MILLISECONDS, "redraw": False},
        "fromcurrent": True,
        "transition": {"duration": 0},
    }
    stop = {"frame": {"duration": 0}, "mode": "immediate"}
    return {
        "type": "buttons",
        "direction": "left",
        "showactive": False,
        "x": 0.0,
        "xanchor": "left",
        "y": -0.16,
        "yanchor": "top",
        "pad": {"t": 8, "r": 8},
        "bgcolor": "rgba(138, 143, 152, 0.15)",
        "buttons": [
            {"label": _("▶ Play"), "method": "animate", "args": [None, play]},
            {"label": _("❚❚ Pause"), "method": "animate", "args": [[None], stop]},
        ],
    }


def _step_slider(stops: Sequence[int], start: int) -> dict[str, Any]:
    show = {"frame": {"duration": 0, "redraw": False}, "mode": "immediate"}
    return {
        "active": start,
        "x": 0.2,
        "len": 0.8,
        "y": -0.12,
        "pad": {"t": 0},
        "currentvalue": {"prefix": _("Groups formed: "), "xanchor": "right"},
        "transition": {"duration": 0},
        "ticklen": 0,
        "minorticklen": 0,
        "steps": [
            {"label": f"{stop:,}", "method": "animate", "args": [[str(step)], show]}
            for step, stop in enumerate(stops)
        ],
    }
