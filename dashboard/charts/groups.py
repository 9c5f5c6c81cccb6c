"""The groups themselves: every record tied to the centre of its group, in one plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.charts.grid import grid_of
from dashboard.charts.inputs import GroupView
from dashboard.charts.theme import (
    CHIP,
    FAINT,
    NEUTRAL,
    Style,
    apply_theme,
    fade,
    note,
    selection_meta,
)
from dashboard.i18n.language import _
from engine.core.typing import Values

_HEIGHT = 560
"""Of the groups of one result, in pixels."""


def group_maps(
    views: Sequence[GroupView], styles: Mapping[str, Style], middle: bool = False
) -> go.Figure:
    """Draw the groups of every method and k side by side on the same axes.

    Each line leads from a record to the centre of its group: short lines mean that
    little was lost. A single line for a whole panel keeps up with many records. The
    custom data are the record's row and its group, counted from 1; a centre has the
    row 0.

    Parameters
    ----------
    views : sequence of GroupView
        At least one, all of one table and scaling.
    styles : mapping of str to Style
        By method.
    middle : bool
        Start with the middle nine tenths of the records in view, where a few far
        ones would press all others together.
    """
    grid = grid_of([(view.title, view.k) for view in views])
    data = []
    for view in views:
        style = styles[view.method]
        data.append(
            _spokes(view)
            | {
                "line": {"color": style.colour, "width": 1},
                "hovertemplate": record_hover(view.label),
                "name": view.label,
                "meta": selection_meta(view.title, view.key),
                **grid.axes_of(view.title, view.k),
            }
        )
    shares = views[0].shares
    foot = _(
        "Across: component 1 ({one} % of the variance). Up: component 2 ({two} %)."
    )
    layout = grid.layout(
        foot.format(one=f"{100.0 * shares[0]:.0f}", two=f"{100.0 * shares[1]:.0f}")
    )
    layout["shapes"] = [_frame(grid.axes_of(view.title, view.k)) for view in views]
    layout["annotations"] += [
        _loss_note(view, grid.axes_of(view.title, view.k)) for view in views
    ]
    figure = go.Figure({"data": data, "layout": layout})
    apply_theme(figure, grid.height, legend=False)
    grid.settle(figure)
    figure.update_layout(dragmode="zoom", hovermode="closest")
    _in_view(figure, views, middle)
    figure.update_yaxes(showgrid=False)
    return figure


def group_map(
    view: GroupView,
    style: Style,
    middle: bool = False,
    pointed: tuple[int, int] = (0, 0),
) -> go.Figure:
    """Draw the groups of one result: each record a point, joined to its centre.

    The custom data of points are the record's row and its group, counted from 1.

    Parameters
    ----------
    view : GroupView
    style : Style
    middle : bool
        As for :func:`group_maps`.
    pointed : tuple of int
        Row of a record and number of a group, counted from 1, that stand out; 0 for
        none.
    """
    lines = _spokes(view) | {
        "line": {"color": fade(style.colour, 0.45), "width": 1},
        "hoverinfo": "skip",
    }
    del lines["customdata"]
    points = {
        "type": "scatter",
        "mode": "markers",
        "x": view.points[:, 0],
        "y": view.points[:, 1],
        "marker": {
            "color": style.colour,
            "size": _marker_size(view.labels.size),
            "symbol": style.symbol,
        },
        "meta": {"key": view.key},
        "customdata": np.column_stack([view.numbers, view.labels + 1]),
        "hovertemplate": record_hover(),
    }
    figure = go.Figure({"data": [lines, *_pointed(view, style, *pointed), points]})
    apply_theme(figure, _HEIGHT, legend=False)
    figure.update_layout(dragmode="zoom", hovermode="closest")
    figure.update_xaxes(title=component_title(view, 0))
    figure.update_yaxes(title=component_title(view, 1))
    _in_view(figure, [view], middle)
    return figure


def _pointed(
    view: GroupView, style: Style, row: int, group: int
) -> list[dict[str, Any]]:
    """Return what makes a group, and a record in it, stand out."""
    members = np.flatnonzero(view.labels == group - 1)
    if members.size == 0:
        return []
    lines = _spokes(view.only(members)) | {
        "line": {"color": style.colour, "width": 4},
        "hoverinfo": "skip",
    }
    del lines["customdata"]
    here = np.flatnonzero(view.numbers == row)
    ring = {
        "type": "scatter",
        "mode": "markers",
        "x": view.points[here, 0],
        "y": view.points[here, 1],
        "marker": {
            "color": "rgba(0,0,0,0)",
            "size": 20,
            "line": {"color": NEUTRAL, "width": 3},
        },
        "hoverinfo": "skip",
    }
    return [lines, ring]


def _in_view(figure: go.Figure, views: Sequence[GroupView], middle: bool) -> None:
    points = np.vstack([view.points for view in views])
    shown = span(points, 0.05 if middle else 0.0)
    figure.update_xaxes(range=shown[0], linecolor=FAINT)
    figure.update_yaxes(range=shown[1], linecolor=FAINT)


def _frame(axes: Mapping[str, str]) -> dict[str, Any]:
    """Return a quiet frame around a panel: axes that panels share have none."""
    return {
        "type": "rect",
        "x0": 0.0,
        "x1": 1.0,
        "y0": 0.0,
        "y1": 1.0,
        "xref": f"{axes['xaxis']} domain",
        "yref": f"{axes['yaxis']} domain",
        "line": {"color": FAINT, "width": 1},
    }


def _loss_note(view: GroupView, axes: Mapping[str, str]) -> dict[str, Any]:
    # Lines pass below it: only a chip of its own can be read in light and dark.
    return note(
        f"IL {view.loss:.2f} %",
        1.0,
        1.0,
        xref=f"{axes['xaxis']} domain",
        yref=f"{axes['yaxis']} domain",
        xanchor="right",
        yanchor="top",
        bgcolor=CHIP,
        borderpad=2,
        font={"size": 12, "color": "white"},
    )


def _marker_size(count: int) -> float:
    """Return a diameter in pixels at which many points do not hide the lines."""
    return 7.0 if count < 100 else 5.0 if count < 1_500 else 3.5


def component_title(view: GroupView, j: int) -> str:
    """Return the title of the axis that shows a component, counted from 0."""
    return _("Component {number} ({share} % of the variance)").format(
        number=j + 1, share=f"{100.0 * view.shares[j]:.0f}"
    )


def record_hover(result: str = "") -> str:
    """Return the hover text of points whose custom data are a record and its group."""
    words = _("record {row}, group {group}").format(
        row="%{customdata[0]:,}", group="%{customdata[1]:,}"
    )
    return f"{words}<extra>{result}</extra>"


def _spokes(view: GroupView) -> dict[str, Any]:
    """Return a line of (point, centre, gap) per record, 3 n_shown vertices."""
    position = np.unique(view.labels, return_inverse=True)[1]
    sizes = np.bincount(position)
    centres = np.column_stack(
        [np.bincount(position, weights=view.points[:, j]) / sizes for j in (0, 1)]
    )
    out = np.full((3 * view.labels.size, 2), np.nan)
    out[0::3] = view.points
    out[1::3] = centres[position]
    # Half the bytes where numbers are small, and of places still more than a screen
    # can show: what a browser has to read decides how soon a page is there.
    small = max(view.numbers.max(), view.labels.max() + 1) < 2**15
    custom = np.zeros((3 * view.labels.size, 2), np.int16 if small else np.int32)
    custom[0::3, 0] = view.numbers
    custom[:, 1] = np.repeat(view.labels + 1, 3)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": out[:, 0].astype(np.float32),
        "y": out[:, 1].astype(np.float32),
        "customdata": custom,
    }


def span(points: Values, cut: float) -> list[list[float]]:
    """Return [low, high] of both axes with a margin, without the outermost `cut`."""
    low, high = np.quantile(points, [cut, 1.0 - cut], axis=0)
    margin = 0.06 * (high - low) + 1e-9
    bounds = np.column_stack([low - margin, high + margin])
    return [[float(a), float(b)] for a, b in bounds]
