"""Chart of the number of groups of each size, a row per result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard.charts import theme
from dashboard.charts.figure import ChartFigure
from dashboard.charts.inputs import ResultFigures
from dashboard.i18n.language import _

_MAX_SIZE_CELLS = 9
"""Sizes side by side at most; of more, several share a cell."""

_ROW, _HEAD = 29, 26
"""Heights of a row and above all, in pixels."""

_MIN_HEIGHT_PX = 180
"""Height of all rows where they are few, in pixels."""


def draw_group_sizes(
    results: Sequence[ResultFigures],
    styles: Mapping[str, theme.MethodStyle],
    note: str = "",
) -> ChartFigure:
    """Draw the number of groups by size, a row per result; many sizes are binned.

    Each cell's custom data are its smallest and its largest size.

    Parameters
    ----------
    results : sequence of ResultFigures
        At least one; they come in this order. Where several have one title, k is
        written too.
    styles : mapping of str to MethodStyle
        By method.
    note : str
        Beside the sizes: which results these are.
    """
    low = min(min(row.sizes) for row in results)
    high = max(max(row.sizes) for row in results)
    step = max(1, -(-(high - low + 1) // _MAX_SIZE_CELLS))
    several = len({row.title for row in results}) < len(results)
    figure = ChartFigure()
    for place, row in enumerate(results):
        cells = bin_group_sizes(row.sizes, low, step)
        shares = [count / row.n_groups for count in cells.values()]
        figure.add_bar(
            name=row.label,
            orientation="h",
            y=[place] * len(cells),
            base=[(start - low) / step - 0.47 for start in cells],
            x=[0.94] * len(cells),
            width=0.86,
            text=[f"{count:,}" for count in cells.values()],
            textposition="none",
            marker={
                "color": [
                    theme.rgba_colour(
                        styles[row.method].colour, 0.06 + 0.34 * share**0.5
                    )
                    for share in shares
                ],
                "line": {"width": 0},
                "cornerradius": 3,
            },
            meta=theme.trace_selection_meta(row.title, row.key),
            customdata=[(start, start + step - 1) for start in cells],
            hovertemplate=_bin_hover(step, bool(row.n_persons)),
        )
        # Words of their own: those in bars take their colour from the bar's, as if
        # nothing shone through it.
        figure.add_scatter(
            x=[(start - low) / step for start in cells],
            y=[place] * len(cells),
            mode="text",
            text=[f"<b>{count:,}</b>" for count in cells.values()],
            textfont={"size": 11},
            hoverinfo="skip",
            showlegend=False,
        )
    labels = [row.label if several else row.title for row in results]
    places = list(range((high - low) // step + 1))
    theme.apply_theme(
        figure, _HEAD + 8 + max(_MIN_HEIGHT_PX, _ROW * len(results)), has_legend=False
    )
    figure.update_layout(
        margin={"l": theme.label_width_px([*labels, note]), "r": 8, "t": _HEAD, "b": 8},
        barmode="overlay",
        font={"size": 12},
    )
    figure.update_xaxes(
        tickvals=places,
        ticktext=[_bin_label(low + cell * step, step) for cell in places],
        range=[-0.5, max(len(places), 4) - 0.5],
        side="top",
        fixedrange=True,
    )
    figure.update_yaxes(
        tickvals=list(range(len(results))),
        ticktext=labels,
        range=[len(results) - 0.5, -0.5],
        showgrid=False,
        fixedrange=True,
    )
    if note:
        above = {"xanchor": "right", "xshift": -6, "yshift": 4}
        figure.add_annotation(
            **theme.text_annotation(f"<b>{note}</b>", 0.0, 1.0, 12, **above)
        )
    theme.disable_automargin(figure)
    return figure


def bin_group_sizes(
    counts_by_size: Mapping[int, int], min_size: int, bin_width: int
) -> dict[int, int]:
    """Return the number of groups in each nonempty size bin, by its least size."""
    bars: dict[int, int] = {}
    for size, count in sorted(counts_by_size.items()):
        start = min_size + (size - min_size) // bin_width * bin_width
        bars[start] = bars.get(start, 0) + count
    return bars


def _bin_label(start: int, step: int) -> str:
    return f"{start:,}" if step == 1 else f"{start:,}–{start + step - 1:,}"


def _bin_hover(step: int, has_persons: bool) -> str:
    if has_persons:
        words = (
            _("{groups} groups of {size} people")
            if step == 1
            else _("{groups} groups of {size} to {last} people")
        )
    else:
        words = (
            _("{groups} groups of {size} records")
            if step == 1
            else _("{groups} groups of {size} to {last} records")
        )
    words = words.format(
        groups="%{text}", size="%{customdata[0]:,}", last="%{customdata[1]:,}"
    )
    return words + "<extra>%{fullData.name}</extra>"
