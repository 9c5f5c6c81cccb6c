"""Group sizes: one small histogram per method and k, all on the same axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard.charts.theme import FAINT, NEUTRAL, Style, dress
from dashboard.facts import Facts

_COLUMNS = 3
_PANEL, _GAP = 150, 90
"""Height of a panel and of the room between two, in pixels."""

_MARGINS = 90
"""Room above and below all panels, in pixels."""

_BARS_WITH_LABELS = 12
_MAX_BARS = 40


def panels(count: int) -> tuple[int, int]:
    """Return (rows, columns) for a number of small multiples."""
    columns = min(count, _COLUMNS) if count != 4 else 2
    return -(-count // columns), columns


def size_histograms(rows: Sequence[Facts], styles: Mapping[str, Style]) -> go.Figure:
    """Draw the group sizes of several results side by side.

    Parameters
    ----------
    rows : sequence of Facts
        At least one; small multiples come in this order.
    styles : mapping of str to Style
        By method.
    """
    lines, columns = panels(len(rows))
    height = _MARGINS + _PANEL * lines + _GAP * (lines - 1)
    figure = make_subplots(
        rows=lines,
        cols=columns,
        shared_xaxes="all",
        shared_yaxes="all",
        subplot_titles=[f"{row.title}, k = {row.k}" for row in rows],
        horizontal_spacing=0.03,
        vertical_spacing=_GAP / (height - _MARGINS),
    )
    low = min(min(row.sizes) for row in rows)
    high = max(max(row.sizes) for row in rows)
    step = max(1, -(-(high - low + 1) // _MAX_BARS))
    for place, row in enumerate(rows):
        bars = _binned(row, low, step)
        style = styles[row.method]
        starts = list(bars)
        figure.add_bar(
            x=[start + (step - 1) / 2 for start in starts],
            y=list(bars.values()),
            width=0.85 * step,
            marker={
                "color": style.colour,
                "pattern": {"shape": style.pattern},
                "line": {"width": 0},
            },
            # A single large group would be invisible beside hundreds without it.
            text=[f"{count:,}" for count in bars.values()]
            if high - low < _BARS_WITH_LABELS
            else None,
            textposition="outside",
            textangle=0,
            cliponaxis=False,
            name=row.label,
            customdata=[_words(start, step) for start in starts],
            hovertemplate=(
                "%{y:,} groups of %{customdata}<extra>%{fullData.name}</extra>"
            ),
            row=place // columns + 1,
            col=place % columns + 1,
        )
    widest = high - low < _BARS_WITH_LABELS
    figure.update_xaxes(
        range=[low - 0.7 * step, high + 0.7 * step],
        showticklabels=True,
        **({"dtick": 1} if widest else {}),
    )
    tallest = max(max(_binned(row, low, step).values()) for row in rows)
    figure.update_yaxes(range=[0, tallest * 1.18], fixedrange=True)
    for line in range(1, lines + 1):
        figure.update_yaxes(title="Groups", row=line, col=1)
    for column in range(1, columns + 1):
        figure.update_xaxes(title="Records in the group", row=lines, col=column)
    dress(figure, height, legend=False)
    figure.update_layout(margin={"t": 36})
    figure.update_annotations(font={"size": 15})
    figure.add_vline(x=low - 0.7 * step, line={"color": FAINT, "width": 1})
    figure.update_xaxes(ticks="outside", tickcolor=NEUTRAL)
    return figure


def _binned(row: Facts, low: int, step: int) -> dict[int, int]:
    """Return the number of groups by smallest size of each bar."""
    bars: dict[int, int] = {}
    for size, count in sorted(row.sizes.items()):
        start = low + (size - low) // step * step
        bars[start] = bars.get(start, 0) + count
    return bars


def _words(start: int, step: int) -> str:
    if step == 1:
        return f"{start:,} records"
    return f"{start:,} to {start + step - 1:,} records"
