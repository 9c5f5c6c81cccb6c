"""Risk against loss: every result a point, the efficient ones joined, a ceiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dashboard.charts.theme import FAINT, NEUTRAL, VERMILION, Style, dress, fade
from dashboard.measured import MapPoint, efficient

_FRONTIER = "Efficient"
_CEILING = "Your ceiling"


def risk_utility(
    points: Sequence[MapPoint],
    styles: Mapping[str, Style],
    risk: str,
    loss: str,
    ceiling: float | None = None,
    chosen: str = "",
) -> go.Figure:
    """Draw results by risk (across) and loss (up).

    Results that do not keep k are pale, and the chosen one has a ring. Each point's
    custom data begin with its key.

    Parameters
    ----------
    points : sequence of MapPoint
    styles : mapping of str to Style
        By method.
    risk, loss : str
        Titles of the axes.
    ceiling : float, optional
        The most risk that is accepted.
    chosen : str
        Key of a point.
    """
    figure = go.Figure()
    _frontier(figure, efficient(points))
    for title, method in {point.title: point.method for point in points}.items():
        _method(figure, [p for p in points if p.title == title], styles[method], chosen)
    if ceiling is not None:
        _line(figure, ceiling, max((p.risk for p in points), default=ceiling))
    figure.update_xaxes(title=risk, showgrid=True, gridcolor=FAINT)
    figure.update_yaxes(title=loss)
    figure.update_layout(clickmode="event+select")
    return dress(figure, 460)


def _frontier(figure: go.Figure, best: Sequence[MapPoint]) -> None:
    figure.add_scatter(
        name=_FRONTIER,
        x=[point.risk for point in best],
        y=[point.loss for point in best],
        mode="lines",
        line={"color": NEUTRAL, "width": 2, "dash": "6px,3px", "shape": "hv"},
        hoverinfo="skip",
    )


def _method(
    figure: go.Figure, points: Sequence[MapPoint], style: Style, chosen: str
) -> None:
    ring = [3.0 if point.key == chosen else 0.0 for point in points]
    figure.add_scatter(
        name=points[0].title,
        x=[point.risk for point in points],
        y=[point.loss for point in points],
        mode="markers+text",
        text=[str(point.k) for point in points],
        textposition="top right",
        cliponaxis=False,
        marker={
            "color": style.colour,
            "symbol": style.symbol,
            "size": 13,
            "opacity": [1.0 if point.keeps_k else 0.4 for point in points],
            "line": {"color": NEUTRAL, "width": ring},
        },
        # Streamlit would fade what is not selected: the ring says enough.
        unselected={"marker": {"opacity": 0.9}},
        customdata=[(point.key, point.k, _between(point)) for point in points],
        hovertemplate=(
            "<b>%{fullData.name}</b>, k = %{customdata[1]}<br>risk %{x:.3~g}"
            "%{customdata[2]}<br>loss %{y:.3~g}<extra></extra>"
        ),
    )


def _between(point: MapPoint) -> str:
    if point.risk_interval is None:
        return ""
    low, high = point.risk_interval
    return f" ({low:.3g} to {high:.3g})"


def _line(figure: go.Figure, ceiling: float, highest: float) -> None:
    figure.add_vrect(
        x0=ceiling,
        x1=1.08 * max(highest, ceiling),
        fillcolor=fade(VERMILION, 0.08),
        line_width=0,
        layer="below",
    )
    figure.add_vline(
        x=ceiling,
        line={"color": VERMILION, "width": 2},
        annotation={"text": _CEILING, "font": {"color": VERMILION}, "yanchor": "top"},
    )
