"""Group sizes: one small histogram per method and k, all on the same axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dashboard.charts.grid import grid_of
from dashboard.charts.inputs import Facts
from dashboard.charts.theme import FAINT, NEUTRAL, Style, apply_theme, selection_meta
from dashboard.i18n.language import _

_BARS_WITH_LABELS = 8
_MAX_BARS = 40


def size_histograms(rows: Sequence[Facts], styles: Mapping[str, Style]) -> go.Figure:
    """Draw the group sizes of every method and k side by side.

    Each bar's custom data are its smallest and its largest size.

    Parameters
    ----------
    rows : sequence of Facts
        At least one; methods come in this order.
    styles : mapping of str to Style
        By method.
    """
    grid = grid_of([(row.title, row.k) for row in rows])
    low = min(min(row.sizes) for row in rows)
    high = max(max(row.sizes) for row in rows)
    step = max(1, -(-(high - low + 1) // _MAX_BARS))
    tallest = 0
    data = []
    for row in rows:
        bars = binned(row.sizes, low, step)
        tallest = max(tallest, *bars.values())
        data.append(
            {
                "type": "bar",
                "x": [start + (step - 1) / 2 for start in bars],
                "y": list(bars.values()),
                "width": 0.85 * step,
                "marker": {
                    "color": styles[row.method].colour,
                    "pattern": {"shape": styles[row.method].pattern},
                    "line": {"width": 0},
                },
                # A single large group would be invisible beside hundreds without it.
                "text": [f"{count:,}" for count in bars.values()]
                if len(bars) <= _BARS_WITH_LABELS
                else None,
                "textposition": "outside",
                "textangle": 0,
                "textfont": {"size": 11},
                "cliponaxis": False,
                "name": row.label,
                "meta": selection_meta(row.title, row.key),
                "customdata": [(start, start + step - 1) for start in bars],
                "hovertemplate": _hover(step),
                **grid.axes_of(row.title, row.k),
            }
        )
    figure = go.Figure(
        {
            "data": data,
            "layout": grid.layout(
                _("Across: records in a group. Up: number of such groups.")
            ),
        }
    )
    apply_theme(figure, grid.height, legend=False)
    grid.settle(figure)
    figure.update_layout(bargap=0.0)
    figure.update_xaxes(
        range=[low - 0.7 * step, high + 0.7 * step],
        ticks="outside",
        tickcolor=NEUTRAL,
        showline=True,
        linecolor=FAINT,
        **({"dtick": 1} if high - low < _BARS_WITH_LABELS else {}),
    )
    figure.update_yaxes(range=[0, tallest * 1.25], fixedrange=True)
    return figure


def binned(sizes: Mapping[int, int], low: int, step: int) -> dict[int, int]:
    """Return the number of groups by smallest size of each bar."""
    bars: dict[int, int] = {}
    for size, count in sorted(sizes.items()):
        start = low + (size - low) // step * step
        bars[start] = bars.get(start, 0) + count
    return bars


def _hover(step: int) -> str:
    words = (
        _("{groups} groups of {size} records")
        if step == 1
        else _("{groups} groups of {size} to {last} records")
    ).format(groups="%{y:,}", size="%{customdata[0]:,}", last="%{customdata[1]:,}")
    return words + "<extra>%{fullData.name}</extra>"
