"""The groups themselves: a hull around each, coloured by what its records lose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.charts.grid import grid_of
from dashboard.charts.hulls import Corner, hulls
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

TINTS = ("#5B8DB0", "#8CA6B5", "#B5ADA3", "#D9A066", "#E37222")
"""Of hulls whose records lose little, as much as usual, or much."""

_TIMES = (0.5, 1.0, 2.0, 4.0)
"""Between two tints: how many times the usual loss the records of a group lose."""

_MANY = 2_000
"""Records from which points are drawn by the graphics card, where there is one."""


def group_maps(
    views: Sequence[GroupView], styles: Mapping[str, Style], middle: bool = False
) -> go.Figure:
    """Draw the groups of every method and k side by side on the same axes.

    Small hulls mean that little was lost. The custom data of points are the record's
    row and its group, counted from 1.

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
    usual = float(np.mean(np.concatenate([view.costs for view in views])))
    data: list[dict[str, Any]] = []
    for view in views:
        axes = grid.axes_of(view.title, view.k)
        about = {"name": view.label, "meta": selection_meta(view.title, view.key)}
        data += [hull | about | axes for hull in _hulls(view, usual)]
        points = _records(view, styles[view.method], 0.6)
        data.append(points | about | axes | {"hovertemplate": record_hover(view.label)})
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
    height: int = 560,
) -> go.Figure:
    """Draw the groups of one result: each record a point, around each group a hull.

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
    height : int
        In pixels.
    """
    hulls = _hulls(view, float(view.costs.mean()))
    points = _records(view, style) | {
        "meta": {"key": view.key},
        "hovertemplate": record_hover(),
    }
    figure = go.Figure({"data": [*hulls, *_pointed(view, style, *pointed), points]})
    apply_theme(figure, height, legend=False)
    figure.update_layout(dragmode="zoom", hovermode="closest", font={"size": 12})
    figure.update_xaxes(title=component_title(view, 0), showticklabels=False)
    figure.update_yaxes(
        title=component_title(view, 1), showticklabels=False, showgrid=False
    )
    _in_view(figure, [view], middle)
    return figure


def _pointed(
    view: GroupView, style: Style, row: int, group: int
) -> list[dict[str, Any]]:
    """Return what makes a group, and a record in it, stand out."""
    members = np.flatnonzero(view.labels == group - 1)
    if members.size == 0:
        return []
    shown = view.only(members)
    outline = {
        "type": "scatter",
        "mode": "lines",
        "fill": "toself",
        "fillcolor": fade(style.colour, 0.35),
        "line": {"color": style.colour, "width": 3},
        "hoverinfo": "skip",
    } | _corners(hulls(shown.points, np.zeros_like(shown.labels)))
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
    return [outline, ring]


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
    """Return a diameter in pixels at which many points do not hide the hulls."""
    return 7.0 if count < 100 else 4.0 if count < 500 else 2.5


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


def _records(view: GroupView, style: Style, size: float = 1.0) -> dict[str, Any]:
    """Return the records as points, in a size that suits how many there are."""
    many = view.labels.size > _MANY
    # Half the bytes where numbers are small, and of places still more than a screen
    # can show: what a browser has to read decides how soon a page is there.
    small = max(view.numbers.max(), view.labels.max() + 1) < 2**15
    custom = np.column_stack([view.numbers, view.labels + 1])
    return {
        "type": "scattergl" if many else "scatter",
        "mode": "markers",
        "x": view.points[:, 0].astype(np.float32),
        "y": view.points[:, 1].astype(np.float32),
        "marker": {
            "color": style.colour,
            "size": size * _marker_size(view.labels.size),
        },
        "customdata": custom.astype(np.int16 if small else np.int32),
    }


def _hulls(view: GroupView, usual: float) -> list[dict[str, Any]]:
    """Return the hulls of all groups, a trace for each tint."""
    groups, position = np.unique(view.labels, return_inverse=True)
    shapes = hulls(view.points, position)
    tints = np.digitize(view.costs[groups], usual * np.array(_TIMES))
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "fill": "toself",
            "fillcolor": fade(TINTS[tint], 0.25),
            "line": {"color": fade(TINTS[tint], 0.8), "width": 0.8},
            "hoverinfo": "skip",
        }
        | _corners([shapes[group] for group in np.flatnonzero(tints == tint)])
        for tint in np.unique(tints)
    ]


def _corners(shapes: Sequence[Sequence[Corner]]) -> dict[str, Any]:
    """Return the coordinates of shapes one after the other, a gap after each."""
    gap = (np.nan, np.nan)
    flat = np.array([corner for shape in shapes for corner in (*shape, gap)])
    return {"x": flat[:, 0].astype(np.float32), "y": flat[:, 1].astype(np.float32)}


def span(points: Values, cut: float) -> list[list[float]]:
    """Return [low, high] of both axes with a margin, without the outermost `cut`."""
    low, high = np.quantile(points, [cut, 1.0 - cut], axis=0)
    margin = 0.06 * (high - low) + 1e-9
    bounds = np.column_stack([low - margin, high + margin])
    return [[float(a), float(b)] for a, b in bounds]
