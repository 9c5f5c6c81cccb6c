"""Losses: bars per method, lines against k; information loss always with its bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import plotly.graph_objects as go

from dashboard.charts.inputs import Facts, bounds
from dashboard.charts.theme import FAINT, NEUTRAL, Style, apply_theme, selection_meta
from dashboard.i18n.language import _

_GROUP_WIDTH = 0.8
_LABELS_UP_TO = 12
"""Bars beyond this number carry no printed figure: it would not fit."""

_RINGS_UP_TO = 4
"""Lines beyond this number are not widened where they lie on each other."""


def _titles(rows: Sequence[Facts]) -> dict[str, str]:
    """Return every title with its method, in order of first appearance."""
    return {row.title: row.method for row in rows}


def loss_bars(rows: Sequence[Facts], styles: Mapping[str, Style]) -> go.Figure:
    """Draw loss as bars grouped by k; a line over each group is its lower bound.

    Results that do not keep k are pale: what they lose buys less.

    Parameters
    ----------
    rows : sequence of Facts
        Measured on one scaling: losses on two scalings must not be compared.
    styles : mapping of str to Style
        By method.
    """
    sizes, least = sorted({row.k for row in rows}), bounds(rows)
    figure = _bars(
        rows,
        styles,
        lambda row: row.loss,
        _("loss {loss} %<br>at most {gap} % of it avoidable").format(
            loss="%{y:.3f}", gap="%{customdata[2]:.0f}"
        ),
    )
    figure.add_scatter(
        name=_("Lower bound"),
        x=[x for i in range(len(sizes)) for x in (i - 0.44, i + 0.44, None)],
        y=[y for k in sizes for y in (least[k], least[k], None)],
        mode="lines",
        line={"color": NEUTRAL, "width": 3, "dash": "6px,3px"},
        hovertemplate=_("No grouping can lose less than {bound} %").format(
            bound="%{y:.3f}"
        )
        + "<extra></extra>",
    )
    figure.update_yaxes(title=_("Information loss (%)"), rangemode="tozero")
    return apply_theme(figure, 400)


def penalty_bars(rows: Sequence[Facts], styles: Mapping[str, Style]) -> go.Figure:
    """Draw the certainty penalty as bars grouped by k; takes the same.

    It does not depend on the scaling.
    """
    hover = _("penalty {penalty} %").format(penalty="%{y:.3f}")
    figure = _bars(rows, styles, lambda row: row.penalty, hover)
    figure.update_yaxes(title=_("Certainty penalty (%)"), rangemode="tozero")
    return apply_theme(figure, 400)


def _bars(
    rows: Sequence[Facts],
    styles: Mapping[str, Style],
    value: Callable[[Facts], float],
    hover: str,
) -> go.Figure:
    """Draw a figure of every result as bars grouped by k, methods side by side."""
    sizes = sorted({row.k for row in rows})
    titles = _titles(rows)
    cells = {(row.title, row.k): row for row in rows}
    width = _GROUP_WIDTH / max(1, len(titles))
    labelled = len(rows) <= _LABELS_UP_TO
    figure = go.Figure()
    for place, (title, method) in enumerate(titles.items()):
        present = [k for k in sizes if (title, k) in cells]
        values = [value(cells[title, k]) for k in present]
        figure.add_bar(
            name=title,
            x=[sizes.index(k) for k in present],
            y=values,
            width=width * 0.94,
            offset=-_GROUP_WIDTH / 2 + place * width,
            marker={
                "color": styles[method].colour,
                "opacity": [1.0 if cells[title, k].keeps_k else 0.45 for k in present],
                "pattern": {"shape": styles[method].pattern},
                "line": {"width": 0},
                "cornerradius": 3,
            },
            text=[_short(one) for one in values] if labelled else None,
            textposition="outside",
            textangle=0,
            cliponaxis=False,
            meta=selection_meta(title),
            customdata=[(cells[title, k].key, k, cells[title, k].gap) for k in present],
            hovertemplate=(
                f"<b>{title}</b>, k = %{{customdata[1]}}<br>{hover}<extra></extra>"
            ),
        )
    figure.update_xaxes(
        tickvals=list(range(len(sizes))),
        ticktext=[f"k = {k}" for k in sizes],
        range=[-0.5, len(sizes) - 0.5],
        fixedrange=True,
    )
    return figure


def loss_lines(rows: Sequence[Facts], styles: Mapping[str, Style]) -> go.Figure:
    """Draw loss against k, one line per method, over the region below the bound.

    Parameters
    ----------
    rows : sequence of Facts
        Measured on one scaling.
    styles : mapping of str to Style
        By method.
    """
    sizes = sorted({row.k for row in rows})
    least = bounds(rows)
    figure = go.Figure()
    figure.add_scatter(
        name=_("Lower bound"),
        x=sizes,
        y=[least[k] for k in sizes],
        mode="lines+markers",
        line={"color": NEUTRAL, "width": 2, "dash": "6px,3px"},
        marker={"symbol": "line-ew-open", "size": 10, "color": NEUTRAL},
        fill="tozeroy",
        fillcolor=FAINT,
        hovertemplate=_("k = {k}: no grouping can lose less than {bound} %").format(
            k="%{x}", bound="%{y:.3f}"
        )
        + "<extra></extra>",
    )
    lines = {
        title: dict(sorted((row.k, row.loss) for row in rows if row.title == title))
        for title in _titles(rows)
    }
    keys = {(row.title, row.k): row.key for row in rows}
    highest = max((row.loss for row in rows), default=0.0)
    for place, (title, method) in enumerate(_titles(rows).items()):
        line, style = lines[title], styles[method]
        # Where later lines lie on top, a wider one still shows on both sides.
        later = list(lines.values())[place + 1 :]
        hidden = min(2, sum(_coincide(line, other, highest) for other in later))
        hidden = hidden if len(lines) <= _RINGS_UP_TO else 0
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
            meta=selection_meta(title),
            customdata=[(keys[title, k],) for k in line],
            hovertemplate="k = %{x}: %{y:.3f} %<extra>" + title + "</extra>",
        )
    figure.update_xaxes(title=_("k, minimum group size"), tickvals=sizes)
    figure.update_yaxes(title=_("Information loss (%)"), rangemode="tozero")
    return apply_theme(figure, 400)


def _coincide(
    one: Mapping[int, float], other: Mapping[int, float], highest: float
) -> bool:
    """Return whether two lines cannot be told apart where both have points."""
    shared = one.keys() & other.keys()
    return bool(shared) and all(
        abs(one[k] - other[k]) <= 0.006 * highest for k in shared
    )


def _short(loss: float) -> str:
    """Return a loss with as many digits as a bar has room for."""
    return f"{loss:.1f}" if loss >= 10.0 else f"{loss:.2f}"
