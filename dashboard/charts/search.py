"""Chart of searches: loss and lower bound over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from dashboard.charts.figure import ChartFigure
from dashboard.charts.inputs import SearchCurve
from dashboard.charts.theme import LINE_DASHES, NEUTRAL, MethodStyle, apply_theme
from dashboard.i18n.language import _


def draw_search_curves(
    curves: Sequence[SearchCurve], styles: Mapping[str, MethodStyle], height: int = 360
) -> ChartFigure:
    """Draw loss and lower bound of searches against seconds.

    Each figure holds until the next one, so lines are steps; the axis does not begin
    at zero, because what matters is the room between loss and bound.

    Parameters
    ----------
    curves : sequence of SearchCurve
        Measured on one scaling.
    styles : mapping of str to MethodStyle
        By method.
    height : int
        In pixels.
    """
    figure = ChartFigure()
    drawn: Counter[str] = Counter()
    for place, each in enumerate(curves):
        style = styles[each.method]
        # One method with several k: its colour each time, with another dash.
        dash = (LINE_DASHES.index(style.dash) + drawn[each.method]) % len(LINE_DASHES)
        drawn[each.method] += 1
        seconds = [point.seconds for point in each.points]
        end = max([each.seconds, *seconds])
        figure.add_scatter(
            name=each.label,
            x=[*seconds, end],
            y=[*(point.loss for point in each.points), each.final_loss],
            mode="lines",
            line={
                "color": style.colour,
                "width": 2.5,
                "dash": LINE_DASHES[dash],
                "shape": "hv",
            },
            hovertemplate="%{x:.1f} s: %{y:.3f} %<extra>" + each.label + "</extra>",
        )
        figure.add_scatter(
            name=_("Lower bound"),
            legendgroup="bound",
            showlegend=place == 0,
            x=[*seconds, end],
            y=[*(point.bound for point in each.points), each.final_bound],
            mode="lines",
            line={"color": NEUTRAL, "width": 2, "dash": "6px,3px", "shape": "hv"},
            hovertemplate=_("No grouping can lose less than {bound} %").format(
                bound="%{y:.3f}"
            )
            + f"<extra>{each.label}</extra>",
        )
    figure.update_xaxes(title=_("Seconds"), rangemode="tozero")
    figure.update_yaxes(title=_("Information loss (%)"))
    return apply_theme(figure, height)
