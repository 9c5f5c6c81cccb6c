"""The groups themselves: every record tied to the centre of its group, in one plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from dashboard.charts.sizes import panels
from dashboard.charts.theme import Style, dress, fade
from dashboard.group_views import GroupView

Values = NDArray[np.float64]

_PANEL, _GAP = 300, 90
"""Height of a panel and of the room between two, in pixels."""

_MARGINS = 90
"""Room above and below all panels, in pixels."""


def group_maps(
    views: Sequence[GroupView], styles: Mapping[str, Style], middle: bool = False
) -> go.Figure:
    """Draw the groups of several results side by side on the same axes.

    Each record is a point, joined to the centre of its group: short lines mean that
    little was lost.

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
    lines, columns = panels(len(views))
    height = _MARGINS + _PANEL * lines + _GAP * (lines - 1)
    figure = make_subplots(
        rows=lines,
        cols=columns,
        shared_xaxes="all",
        shared_yaxes="all",
        subplot_titles=[f"{view.title}: IL {view.loss:.2f} %" for view in views],
        horizontal_spacing=0.03,
        vertical_spacing=_GAP / (height - _MARGINS),
    )
    for place, view in enumerate(views):
        style = styles[view.method]
        where = {"row": place // columns + 1, "col": place % columns + 1}
        spokes = _spokes(view.points, view.labels)
        figure.add_scatter(
            x=spokes[:, 0],
            y=spokes[:, 1],
            mode="lines",
            line={"color": fade(style.colour, 0.45), "width": 1},
            hoverinfo="skip",
            **where,
        )
        figure.add_scatter(
            x=view.points[:, 0],
            y=view.points[:, 1],
            mode="markers",
            marker={
                "color": style.colour,
                "size": _marker_size(view.labels.size),
                "symbol": style.symbol,
            },
            customdata=view.labels + 1,
            hovertemplate="group %{customdata:,}<extra></extra>",
            **where,
        )
    shares = views[0].shares
    for line in range(1, lines + 1):
        figure.update_yaxes(title=_axis(2, shares[1]), row=line, col=1)
    for column in range(1, columns + 1):
        figure.update_xaxes(title=_axis(1, shares[0]), row=lines, col=column)
    dress(figure, height, legend=False)
    figure.update_layout(margin={"t": 36}, dragmode="zoom")
    figure.update_annotations(font={"size": 15})
    figure.update_xaxes(showticklabels=True)
    points = np.vstack([view.points for view in views])
    shown = span(points, 0.05 if middle else 0.0)
    figure.update_xaxes(range=shown[0])
    figure.update_yaxes(range=shown[1])
    return figure


def _marker_size(count: int) -> float:
    """Return a diameter in pixels at which many points do not hide the lines."""
    return 6.0 if count < 100 else 4.0 if count < 1_500 else 2.5


def _axis(component: int, share: float) -> str:
    return f"Component {component} ({100.0 * share:.0f} % of the variance)"


def _spokes(points: Values, labels: NDArray[np.int64]) -> Values:
    """Return (point, centre, gap) per record as one line, shape (3 n_shown, 2)."""
    _, position = np.unique(labels, return_inverse=True)
    sizes = np.bincount(position)
    centres = np.column_stack(
        [np.bincount(position, weights=points[:, j]) / sizes for j in (0, 1)]
    )
    out = np.full((3 * labels.size, 2), np.nan)
    out[0::3] = points
    out[1::3] = centres[position]
    return out


def span(points: Values, cut: float) -> list[list[float]]:
    """Return [low, high] of both axes with a margin, without the outermost `cut`."""
    low, high = np.quantile(points, [cut, 1.0 - cut], axis=0)
    margin = 0.06 * (high - low) + 1e-9
    bounds = np.column_stack([low - margin, high + margin])
    return [[float(a), float(b)] for a, b in bounds]
