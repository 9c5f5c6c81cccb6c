"""Risk against loss: every result a point, the efficient ones joined, a ceiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard.charts.figure import Figure
from dashboard.charts.inputs import MapPoint, efficient
from dashboard.charts.theme import (
    FAINT,
    NEUTRAL,
    VERMILION,
    Style,
    apply_theme,
    fade,
    seeds_words,
    selection_meta,
)
from dashboard.i18n.language import _

_SIZE = 11
"""Of a point, in pixels."""

_HEIGHT = 250
"""Of the map, in pixels."""

_NEAR = 0.12
"""Share of an axis within which labels would lie on each other."""


def risk_utility(
    points: Sequence[MapPoint],
    styles: Mapping[str, Style],
    risk: str,
    loss: str,
    ceiling: float | None = None,
    ringed: str = "",
) -> Figure:
    """Draw results by risk (across) and loss (up).

    Results that do not keep k are pale. Each point's custom data begin with its key.

    Parameters
    ----------
    points : sequence of MapPoint
    styles : mapping of str to Style
        By method.
    risk, loss : str
        Titles of the axes.
    ceiling : float, optional
        The most risk that is accepted.
    ringed : str
        Key of the result that stands out.
    """
    figure = Figure()
    _frontier(figure, efficient(points))
    for title, method in {point.title: point.method for point in points}.items():
        own = [point for point in points if point.title == title]
        _method(figure, own, styles[method], ringed)
        _spreads(figure, own, styles[method])
    named = labelled(points)
    figure.add_scatter(
        name="k",
        showlegend=False,
        x=[point.risk for point in named],
        y=[point.loss for point in named],
        # Points that nobody sees keep the words from the points that one does.
        mode="markers+text",
        marker={"color": "rgba(0,0,0,0)", "size": _SIZE},
        text=[f"k = {point.k}" for point in named],
        textposition="top right",
        cliponaxis=False,
        hoverinfo="skip",
    )
    if ceiling is not None:
        _line(figure, ceiling, max((p.risk for p in points), default=ceiling))
    figure.update_xaxes(title=risk, showgrid=True, gridcolor=FAINT)
    figure.update_yaxes(title=loss)
    apply_theme(figure, _HEIGHT, legend=False)
    figure.update_layout(font={"size": 12}, margin={"r": 40})
    return figure


def _frontier(figure: Figure, best: Sequence[MapPoint]) -> None:
    figure.add_scatter(
        name=_("Efficient"),
        x=[point.risk for point in best],
        y=[point.loss for point in best],
        mode="lines",
        line={"color": NEUTRAL, "width": 2, "dash": "6px,3px", "shape": "hv"},
        hoverinfo="skip",
    )


def labelled(points: Sequence[MapPoint]) -> list[MapPoint]:
    """Return the points that get their k written beside them.

    Of points with one k that lie on each other, only the first: the others' labels
    would make it unreadable.
    """
    across = _reach([point.risk for point in points])
    up = _reach([point.loss for point in points])
    chosen: list[MapPoint] = []
    for point in sorted(points, key=lambda one: (one.risk, one.loss)):
        near = any(
            other.k == point.k
            and abs(other.risk - point.risk) <= _NEAR * across
            and abs(other.loss - point.loss) <= _NEAR * up
            for other in chosen
        )
        if not near:
            chosen.append(point)
    return chosen


def _reach(values: Sequence[float]) -> float:
    return max(values) - min(values) if values else 0.0


def _method(
    figure: Figure, points: Sequence[MapPoint], style: Style, ringed: str
) -> None:
    figure.add_scatter(
        name=points[0].title,
        x=[point.risk for point in points],
        y=[point.loss for point in points],
        mode="markers",
        cliponaxis=False,
        marker={
            "color": style.colour,
            "symbol": style.symbol,
            "size": _SIZE,
            "opacity": [1.0 if point.keeps_k else 0.4 for point in points],
            "line": {
                "color": NEUTRAL,
                "width": [3 if point.key == ringed else 0 for point in points],
            },
        },
        meta=selection_meta(points[0].title),
        customdata=[(point.key, point.k, _between(point)) for point in points],
        hovertemplate=(
            "<b>%{fullData.name}</b>, k = %{customdata[1]}<br>"
            + _("risk {risk}<br>loss {loss}").format(
                risk="%{x:.3~g}%{customdata[2]}", loss="%{y:.3~g}"
            )
            + "<extra></extra>"
        ),
    )


def _spreads(figure: Figure, points: Sequence[MapPoint], style: Style) -> None:
    """Draw mean and deviation of the loss over seeds, above the first one's risk."""
    own = [(one, one.spread) for one in points if one.spread is not None]
    if not own:
        return
    words = seeds_words("%{y:.3f}")
    figure.add_scatter(
        name=points[0].title,
        x=[one.risk for one, _over in own],
        y=[over.mean for _one, over in own],
        mode="markers",
        marker={"symbol": "line-ew-open", "size": 12, "color": style.colour},
        error_y={
            "type": "data",
            "array": [over.deviation for _one, over in own],
            "color": style.colour,
            "thickness": 2,
            "width": 3,
        },
        meta=selection_meta(points[0].title),
        customdata=[
            (one.key, one.k, one.n_seeds, over.deviation, over.least, over.most)
            for one, over in own
        ],
        hovertemplate=(
            f"<b>{points[0].title}</b>, k = %{{customdata[1]}}<br>{words}"
            "<extra></extra>"
        ),
    )


def _between(point: MapPoint) -> str:
    if point.risk_interval is None:
        return ""
    low, high = point.risk_interval
    return " " + _("({low} to {high})").format(low=f"{low:.3g}", high=f"{high:.3g}")


def _line(figure: Figure, ceiling: float, highest: float) -> None:
    figure.add_vrect(
        x0=ceiling,
        x1=1.08 * max(highest, ceiling),
        fillcolor=fade(VERMILION, 0.08),
        line={"width": 0},
        layer="below",
    )
    figure.add_vline(x=ceiling, line={"color": VERMILION, "width": 2})
    figure.add_annotation(
        text=_("Your ceiling"),
        font={"color": VERMILION},
        showarrow=False,
        x=ceiling,
        xref="x",
        xanchor="left",
        y=1,
        yref="y domain",
        yanchor="top",
    )
