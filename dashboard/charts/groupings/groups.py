"""Charts of groups in a plane: records as points, and hulls coloured by loss."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.charts import theme
from dashboard.charts.comparisons.grid import make_panel_grid
from dashboard.charts.figure import ChartFigure
from dashboard.charts.groupings.hulls import (
    Corner,
    are_hulls_tangled,
    convex_hulls,
    keep_legible_groups,
)
from dashboard.charts.inputs import CountedCells, GroupView, Ticks, Window
from dashboard.i18n.language import _
from engine.core.typing import Values

HULL_COLOURS = ("#5B8DB0", "#8CA6B5", "#B5ADA3", "#D9A066", "#E37222")
"""Of hulls whose records lose little, as much as usual, or much."""

LOSS_FACTORS = (0.5, 1.0, 2.0, 4.0)
"""Between two tints: how many times the usual loss the records of a group lose."""

HIGHLIGHT_META = {"groups": True}
"""In the meta of records: while one is pointed at, its group lights up everywhere."""


_MANY, _MANY_ALONE = 2_000, 500
"""Records from which points are drawn by the graphics card, where there is one: of a
panel among others, and of one that follows a slider and has to be drawn at once.
"""


def draw_group_maps(
    group_views: Sequence[GroupView],
    styles: Mapping[str, theme.MethodStyle],
    crops_outliers: bool = False,
) -> ChartFigure:
    """Draw groups in a plane, a panel with the same axes for each method and k.

    Small hulls mean that little was lost. The custom data of points are the record's
    row and its group, counted from 1.

    Parameters
    ----------
    group_views : sequence of GroupView
        At least one, all of one table and scaling.
    styles : mapping of str to MethodStyle
        By method.
    crops_outliers : bool
        Start with the middle nine tenths of the records in view, where a few far
        ones would press all others together.
    """
    grid = make_panel_grid([(view.title, view.k) for view in group_views])
    usual = _median_loss(group_views)
    data: list[dict[str, Any]] = []
    frames, losses = [], []
    marks = are_hulls_tangled(group_views)
    window = visible_window(group_views, crops_outliers)
    for view in group_views:
        axes = grid.panel_axes(view.title, view.k)
        frames.append(_panel_frame(axes))
        losses.append(_loss_annotation(view, axes))
        meta = theme.trace_selection_meta(view.title, view.key)
        about = {"name": view.label, "meta": meta}
        points = _record_trace(view, styles[view.method].colour, 0.6)
        if marks:
            points["marker"]["color"] = _colour_by_loss(view, usual)
        legible = keep_legible_groups(view, marks, window)
        data += [hull | about | axes for hull in _hull_traces(legible, usual)]
        data.append(
            points
            | about
            | axes
            | {
                "hovertemplate": record_hover_template(view.label),
                "meta": meta | HIGHLIGHT_META | _group_of_rows(view),
            }
        )
    x_title, y_title = group_views[0].titles
    layout = grid.layout_settings(
        _("Across: {one}. Up: {two}.").format(one=x_title, two=y_title)
    )
    layout["meta"] = _row_positions(group_views)
    layout["shapes"] = frames
    layout["annotations"] += losses
    figure = ChartFigure(data, layout)
    theme.apply_theme(figure, grid.height_px, has_legend=False)
    grid.set_margins(figure)
    figure.update_layout(dragmode="zoom", hovermode="closest")
    _show(figure, window)
    figure.update_yaxes(showgrid=False)
    return figure


def draw_group_map(
    view: GroupView,
    style: theme.MethodStyle,
    crops_outliers: bool = False,
    selected: tuple[int, int] = (0, 0),
    height: int = 560,
    window: Window | None = None,
    note: str = "",
) -> ChartFigure:
    """Draw one result's groups: a point per record shown, and hulls where legible.

    The custom data of points are the record's row and its group, counted from 1.

    Parameters
    ----------
    view : GroupView
    style : MethodStyle
    crops_outliers : bool
        As for :func:`draw_group_maps`.
    selected : tuple of int
        Row of a record and number of a group, counted from 1, that stand out; 0 for
        none.
    height : int
        In pixels.
    window : Window, optional
        What is in view; `crops_outliers` counts without it.
    note : str
        Above: which result it is.
    """
    usual, marks = _median_loss([view]), are_hulls_tangled([view])
    view_window = window or visible_window([view], crops_outliers)
    hulls = _hull_traces(keep_legible_groups(view, marks, view_window), usual)
    points = _record_trace(view, style.colour, many=_MANY_ALONE) | {
        "meta": {"key": view.key} | HIGHLIGHT_META,
        "hovertemplate": record_hover_template(),
    }
    if marks:
        points["marker"]["color"] = _colour_by_loss(view, usual)
    figure = ChartFigure([*hulls, *_highlight_traces(view, style, *selected), points])
    lay_out_plane(figure, view, view_window, height, note)
    return figure


def lay_out_plane(
    figure: ChartFigure,
    plane: GroupView | CountedCells,
    window: Window,
    height: int,
    note: str,
) -> None:
    """Give the chart of one result's plane its size, axes, and the note above it.

    Parameters
    ----------
    figure : ChartFigure
        Changed in place.
    plane : GroupView or CountedCells
        What is drawn; it names the axes.
    window : Window
        What is in view.
    height : int
        In pixels.
    note : str
        Above; may be empty.
    """
    theme.apply_theme(figure, height, has_legend=False)
    figure.update_layout(dragmode="zoom", hovermode="closest", font={"size": 12})
    if note:
        figure.add_annotation(
            **theme.text_annotation(f"<b>{note}</b>", 0.0, 1.0, 12, xanchor="left")
        )
    for axis, j in ((figure.update_xaxes, 0), (figure.update_yaxes, 1)):
        axis(
            title=plane.titles[j], showgrid=False, **axis_tick_settings(plane.ticks[j])
        )
    _show(figure, window)


def visible_window(group_views: Sequence[GroupView], crops_outliers: bool) -> Window:
    """Return the ranges of both axes in view: of all points, or of the middle 90 %."""
    points = np.vstack([view.points for view in group_views])
    whole = axis_ranges(points, 0.0)
    inner = axis_ranges(points, 0.05 if crops_outliers else 0.0)
    # Categories are never far: all of them stay in view.
    (a, b), (c, d) = (whole[j] if group_views[0].ticks[j] else inner[j] for j in (0, 1))
    return (a, b), (c, d)


def _highlight_traces(
    view: GroupView, style: theme.MethodStyle, row: int, group: int
) -> list[dict[str, Any]]:
    """Return what makes a group, and a record in it, stand out."""
    members = np.flatnonzero(view.labels == group - 1)
    if members.size == 0:
        return []
    group_view = view.restrict_to(members)
    outline = {
        "type": "scatter",
        "mode": "lines",
        "fill": "toself",
        "fillcolor": theme.rgba_colour(style.colour, 0.35),
        "line": {"color": style.colour, "width": 3},
        "hoverinfo": "skip",
    } | _join_shapes(convex_hulls(group_view.points, np.zeros_like(group_view.labels)))
    positions = np.flatnonzero(view.numbers == row)
    ring = {
        "type": "scatter",
        "mode": "markers",
        "x": view.points[positions, 0],
        "y": view.points[positions, 1],
        "marker": {
            "color": "rgba(0,0,0,0)",
            "size": 20,
            "line": {"color": theme.NEUTRAL, "width": 3},
        },
        "hoverinfo": "skip",
    }
    return [outline, ring]


def _show(figure: ChartFigure, window: Window) -> None:
    figure.update_xaxes(range=list(window[0]), linecolor=theme.FAINT)
    figure.update_yaxes(range=list(window[1]), linecolor=theme.FAINT)


def _panel_frame(axes: Mapping[str, str]) -> dict[str, Any]:
    """Return a quiet frame around a panel: axes that panels share have none."""
    return {
        "type": "rect",
        "x0": 0.0,
        "x1": 1.0,
        "y0": 0.0,
        "y1": 1.0,
        "xref": f"{axes['xaxis']} domain",
        "yref": f"{axes['yaxis']} domain",
        "line": {"color": theme.FAINT, "width": 1},
    }


def _loss_annotation(view: GroupView, axes: Mapping[str, str]) -> dict[str, Any]:
    # Lines pass below it: only a chip of its own can be read in light and dark.
    return theme.text_annotation(
        f"IL {view.loss:.1f} %" if view.loss >= 1.0 else f"IL {view.loss:.2g} %",
        1.0,
        1.0,
        xref=f"{axes['xaxis']} domain",
        yref=f"{axes['yaxis']} domain",
        xanchor="right",
        yanchor="top",
        bgcolor=theme.CHIP,
        borderpad=2,
        font={"size": 12, "color": "white"},
    )


def _group_of_rows(view: GroupView) -> dict[str, Any]:
    """Return the group of each row of the table, drawn or not, for what lights up."""
    return (
        {}
        if view.everyone is None
        else {"groupOf": _encode_numbers(view.everyone.groups)}
    )


def _row_positions(group_views: Sequence[GroupView]) -> dict[str, Any]:
    """Return where each row of the table lies: all panels have the same plane."""
    all_ = [view.everyone.points for view in group_views if view.everyone is not None]
    if not all_:
        return {}
    places = np.full((max(map(len, all_)), 2), np.nan, dtype=np.float32)
    for points in all_:
        present_mask = ~np.isnan(points[:, 0])
        places[: len(points)][present_mask] = points[present_mask]
    return {"places": [_encode_numbers(places[:, 0]), _encode_numbers(places[:, 1])]}


def _encode_numbers(values: NDArray[Any]) -> dict[str, str]:
    """Return numbers in a quarter of the letters, as Plotly has them where it can."""
    data = np.ascontiguousarray(values).tobytes()
    return {"dtype": values.dtype.str[1:], "bdata": b64encode(data).decode()}


def _marker_diameter(count: int) -> float:
    """Return a diameter in pixels at which many points do not hide the hulls."""
    for max_count, size in ((100, 7.0), (500, 4.0), (5_000, 2.5)):
        if count < max_count:
            return size
    return 1.6


def axis_tick_settings(ticks: Ticks | None) -> dict[str, Any]:
    """Return Plotly's settings of an axis for given ticks; None hides the labels."""
    if not ticks:
        return {"showticklabels": ticks is not None, "nticks": 5}
    return {
        "tickvals": [place for place, _words in ticks],
        "ticktext": [words for _place, words in ticks],
        "showticklabels": True,
        "tickangle": 0,
    }


def record_hover_template(title: str = "") -> str:
    """Return the hover text template of a record's point: its row and group."""
    words = _("record {row}, group {group}").format(
        row="%{customdata[0]:,}", group="%{customdata[1]:,}"
    )
    return f"{words}<extra>{title}</extra>"


def _median_loss(group_views: Sequence[GroupView]) -> float:
    """Return what a record loses whose loss is neither high nor low."""
    return float(
        np.median(np.concatenate([view.costs[view.labels] for view in group_views]))
    )


def _colour_by_loss(view: GroupView, usual: float) -> list[str]:
    """Return a colour for each record: by what its group's records lose."""
    tints = np.digitize(view.costs, usual * np.array(LOSS_FACTORS))
    return [HULL_COLOURS[tint] for tint in tints[view.labels]]


def _record_trace(
    view: GroupView, colour: str, size: float = 1.0, many: int = _MANY
) -> dict[str, Any]:
    """Return the records as points, in a size that suits how many there are."""
    # Half the bytes where numbers are small, and of places still more than a screen
    # can show: what a browser has to read decides how soon a page is there.
    small = max(view.numbers.max(), view.labels.max() + 1) < 2**15
    custom = np.column_stack([view.numbers, view.labels + 1])
    return {
        "type": "scattergl" if view.labels.size > many else "scatter",
        "mode": "markers",
        "x": view.points[:, 0].astype(np.float32),
        "y": view.points[:, 1].astype(np.float32),
        "marker": {"color": colour, "size": size * _marker_diameter(view.labels.size)},
        "customdata": custom.astype(np.int16 if small else np.int32),
    }


def _hull_traces(view: GroupView, usual: float) -> list[dict[str, Any]]:
    """Return the hulls of all groups, a trace for each tint."""
    groups, position = np.unique(view.labels, return_inverse=True)
    shapes = convex_hulls(view.points, position)
    tints = np.digitize(view.costs[groups], usual * np.array(LOSS_FACTORS))
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "fill": "toself",
            "fillcolor": theme.rgba_colour(HULL_COLOURS[tint], 0.25),
            "line": {"color": theme.rgba_colour(HULL_COLOURS[tint], 0.8), "width": 0.8},
            "hoverinfo": "skip",
        }
        | _join_shapes([shapes[group] for group in np.flatnonzero(tints == tint)])
        for tint in np.unique(tints)
    ]


def _join_shapes(shapes: Sequence[Sequence[Corner]]) -> dict[str, Any]:
    """Return the coordinates of shapes one after the other, a gap after each."""
    gap = (np.nan, np.nan)
    flat = np.array([corner for shape in shapes for corner in (*shape, gap)])
    return {"x": flat[:, 0].astype(np.float32), "y": flat[:, 1].astype(np.float32)}


def axis_ranges(points: Values, cut_share: float) -> list[list[float]]:
    """Return [low, high] of both axes with a margin, less a share at each end."""
    low, high = np.quantile(points, [cut_share, 1.0 - cut_share], axis=0)
    margin = 0.06 * (high - low) + 1e-9
    bounds = np.column_stack([low - margin, high + margin])
    return [[float(a), float(b)] for a, b in bounds]
