"""Risk-utility map: results by risk and loss, with the efficient frontier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard.charts import theme
from dashboard.charts.figure import ChartFigure
from dashboard.charts.inputs import RiskUtilityPoint, pareto_points
from dashboard.i18n.language import _

_POINT_SIZE_PX = 11
"""Size of a point, in pixels."""

_MAP_HEIGHT_PX = 250
"""Height of the map, in pixels."""

_MIN_LABEL_DISTANCE = 0.12
"""Share of an axis within which labels would lie on each other."""


def draw_risk_utility_map(
    points: Sequence[RiskUtilityPoint],
    styles: Mapping[str, theme.MethodStyle],
    risk_title: str,
    loss_title: str,
    ceiling: float | None = None,
    ringed_key: str = "",
) -> ChartFigure:
    """Draw results by risk (across) and loss (up), with the efficient frontier.

    Results that do not keep k are pale. Each point's custom data begin with its key.

    Parameters
    ----------
    points : sequence of RiskUtilityPoint
    styles : mapping of str to MethodStyle
        By method.
    risk_title, loss_title : str
        Titles of the axes.
    ceiling : float, optional
        The most risk that is accepted.
    ringed_key : str
        Key of the result that stands out.
    """
    figure = ChartFigure()
    _draw_frontier(figure, pareto_points(points))
    for title, method in {point.title: point.method for point in points}.items():
        dots = [point for point in points if point.title == title]
        _draw_method(figure, dots, styles[method], ringed_key)
        several = [(dot, dot.spread) for dot in dots if dot.spread is not None]
        colour = styles[method].colour
        theme.add_seed_spreads(
            figure,
            colour,
            several,
            "y",
            x=[dot.risk for dot, _over in several],  # that of the first seed
            marker={"symbol": "line-ew-open", "size": 12, "color": colour},
        )
    named = choose_labelled_points(points)
    figure.add_scatter(
        name="k",
        showlegend=False,
        x=[point.risk for point in named],
        y=[point.loss for point in named],
        # Points that nobody sees keep the words from the points that one does.
        mode="markers+text",
        marker={"color": "rgba(0,0,0,0)", "size": _POINT_SIZE_PX},
        text=[f"k = {point.k}" for point in named],
        textposition="top right",
        cliponaxis=False,
        hoverinfo="skip",
    )
    if ceiling is not None:
        _draw_ceiling(figure, ceiling, max((p.risk for p in points), default=ceiling))
    figure.update_xaxes(title=risk_title, showgrid=True, gridcolor=theme.FAINT)
    figure.update_yaxes(title=loss_title)
    theme.apply_theme(figure, _MAP_HEIGHT_PX, has_legend=False)
    figure.update_layout(font={"size": 12}, margin={"r": 40})
    return figure


def _draw_frontier(figure: ChartFigure, best: Sequence[RiskUtilityPoint]) -> None:
    figure.add_scatter(
        name=_("Efficient"),
        x=[point.risk for point in best],
        y=[point.loss for point in best],
        mode="lines",
        line={"color": theme.NEUTRAL, "width": 2, "dash": "6px,3px", "shape": "hv"},
        hoverinfo="skip",
    )


def choose_labelled_points(
    points: Sequence[RiskUtilityPoint],
) -> list[RiskUtilityPoint]:
    """Return the points to label with k: none near a labelled point of the same k.

    The others' labels would make the first one's unreadable.
    """
    across = _reach([point.risk for point in points])
    up = _reach([point.loss for point in points])
    chosen: list[RiskUtilityPoint] = []
    for point in sorted(points, key=lambda candidate: (candidate.risk, candidate.loss)):
        near = any(
            other.k == point.k
            and abs(other.risk - point.risk) <= _MIN_LABEL_DISTANCE * across
            and abs(other.loss - point.loss) <= _MIN_LABEL_DISTANCE * up
            for other in chosen
        )
        if not near:
            chosen.append(point)
    return chosen


def _reach(values: Sequence[float]) -> float:
    return max(values) - min(values) if values else 0.0


def _draw_method(
    figure: ChartFigure,
    points: Sequence[RiskUtilityPoint],
    style: theme.MethodStyle,
    ringed: str,
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
            "size": _POINT_SIZE_PX,
            "opacity": [1.0 if point.keeps_k else 0.4 for point in points],
            "line": {
                "color": theme.NEUTRAL,
                "width": [3 if point.key == ringed else 0 for point in points],
            },
        },
        meta=theme.trace_selection_meta(points[0].title),
        customdata=[(point.key, point.k, _interval_text(point)) for point in points],
        hovertemplate=(
            "<b>%{fullData.name}</b>, k = %{customdata[1]}<br>"
            + _("risk {risk}<br>loss {loss}").format(
                risk="%{x:.3~g}%{customdata[2]}", loss="%{y:.3~g}"
            )
            + "<extra></extra>"
        ),
    )


def _interval_text(point: RiskUtilityPoint) -> str:
    if point.risk_interval is None:
        return ""
    low, high = point.risk_interval
    return " " + _("({low} to {high})").format(low=f"{low:.3g}", high=f"{high:.3g}")


def _draw_ceiling(figure: ChartFigure, ceiling: float, highest: float) -> None:
    figure.add_vrect(
        x0=ceiling,
        x1=1.08 * max(highest, ceiling),
        fillcolor=theme.rgba_colour(theme.VERMILION, 0.08),
        line={"width": 0},
        layer="below",
    )
    figure.add_vline(x=ceiling, line={"color": theme.VERMILION, "width": 2})
    figure.add_annotation(
        text=_("Your ceiling"),
        font={"color": theme.VERMILION},
        showarrow=False,
        x=ceiling,
        xref="x",
        xanchor="left",
        y=1,
        yref="y domain",
        yanchor="top",
    )
