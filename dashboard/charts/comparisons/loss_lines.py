"""Line chart of losses against k, above the region that lower bounds exclude."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard.charts import theme
from dashboard.charts.figure import ChartFigure
from dashboard.charts.inputs import ResultFigures, bounds_by_k
from dashboard.i18n.language import _

_HEIGHT, _EDGE = 230, 26
"""Height of the picture, and of its margins above and below, in pixels."""

_RINGS_UP_TO = 4
"""Lines beyond this number are not widened where they lie on each other."""


def _method_titles(rows: Sequence[ResultFigures]) -> dict[str, str]:
    """Return every title with its method, in order of first appearance."""
    return {row.title: row.method for row in rows}


def draw_loss_lines(
    results: Sequence[ResultFigures], styles: Mapping[str, theme.MethodStyle]
) -> ChartFigure:
    """Draw loss against k as a line per method, and lower bounds, shaded below.

    Parameters
    ----------
    results : sequence of ResultFigures
        Measured on one scaling.
    styles : mapping of str to MethodStyle
        By method.
    """
    sizes = sorted({row.k for row in results})
    figure = ChartFigure()
    _add_bounds(figure, sizes, bounds_by_k(results))
    lines = {
        title: dict(sorted((row.k, row.loss) for row in results if row.title == title))
        for title in _method_titles(results)
    }
    keys = {(row.title, row.k): row.key for row in results}
    highest = max((row.loss for row in results), default=0.0)
    for place, (title, method) in enumerate(_method_titles(results).items()):
        line, style = lines[title], styles[method]
        # Where later lines lie on top, a wider one still shows on both sides.
        later = list(lines.values())[place + 1 :]
        hidden = min(
            2, sum(_are_indistinguishable(line, other, highest) for other in later)
        )
        hidden = hidden if len(lines) <= _RINGS_UP_TO else 0
        _add_spreads(figure, [row for row in results if row.title == title], style)
        figure.add_scatter(
            name=title,
            x=list(line),
            y=list(line.values()),
            mode="lines+markers",
            line={
                "color": style.colour,
                "width": 2.5 + 3.5 * hidden,
                "dash": style.dash,
            },
            marker={
                "color": style.colour,
                "symbol": style.symbol,
                "size": 9 + 5 * hidden,
            },
            meta=theme.trace_selection_meta(title),
            customdata=[(keys[title, k],) for k in line],
            hovertemplate="k = %{x}: %{y:.3f} %<extra>" + title + "</extra>",
        )
    figure.update_xaxes(title=_("k, minimum group size"), tickvals=sizes)
    figure.update_yaxes(title=_("Information loss (%)"), rangemode="tozero")
    theme.apply_theme(figure, _HEIGHT)
    figure.update_layout(
        margin={"l": 8, "r": 24, "t": _EDGE, "b": _EDGE}, font={"size": 12}
    )
    return figure


def _add_bounds(
    figure: ChartFigure, sizes: Sequence[int], bounds: Mapping[int, float]
) -> None:
    """Draw the lower bounds, and fill what is below them."""
    figure.add_scatter(
        name=_("Lower bound"),
        x=sizes,
        y=[bounds[k] for k in sizes],
        mode="lines+markers",
        line={"color": theme.NEUTRAL, "width": 2, "dash": "6px,3px"},
        marker={"symbol": "line-ew-open", "size": 10, "color": theme.NEUTRAL},
        fill="tozeroy",
        fillcolor=theme.FAINT,
        hovertemplate=_("k = {k}: no grouping can lose less than {bound} %").format(
            k="%{x}", bound="%{y:.3f}"
        )
        + "<extra></extra>",
    )


def _add_spreads(
    figure: ChartFigure, rows: Sequence[ResultFigures], style: theme.MethodStyle
) -> None:
    """Draw mean and deviation over seeds beside a method's line, where it has them."""
    row_by_k = {row.k: row for row in rows if "information_loss" in row.spreads}
    if not row_by_k:
        return
    title = rows[0].title
    over = [row.spreads["information_loss"] for row in row_by_k.values()]
    figure.add_scatter(
        name=_("{method}, mean over seeds").format(method=title),
        x=list(row_by_k),
        y=[spread.mean for spread in over],
        mode="markers",
        marker={"symbol": "line-ew-open", "size": 9, "color": style.colour},
        error_y={
            "type": "data",
            "array": [spread.deviation for spread in over],
            "color": style.colour,
        },
        meta=theme.trace_selection_meta(title),
        customdata=[(row.key,) for row in row_by_k.values()],
        hovertemplate="k = %{x}: %{y:.3f} ± %{error_y.array:.3f} %<extra>"
        + title
        + "</extra>",
        showlegend=False,
    )


def _are_indistinguishable(
    first: Mapping[int, float], second: Mapping[int, float], highest: float
) -> bool:
    """Return whether two lines cannot be told apart where both have points."""
    shared = first.keys() & second.keys()
    return bool(shared) and all(
        abs(first[k] - second[k]) <= 0.006 * highest for k in shared
    )
