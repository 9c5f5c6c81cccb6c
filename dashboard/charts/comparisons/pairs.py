"""Charts that compare two results: distributions, correlations, group sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.charts import theme
from dashboard.charts.groupings.sizes import bin_group_sizes
from dashboard.charts.inputs import AttributeDistribution, CorrelationChanges
from dashboard.i18n.language import _

RESULT_STYLES = ((theme.BLUE, "solid", ""), (theme.VERMILION, "dot", "/"))
"""Colour, dash and pattern of the first and the second result."""

MAX_CORRELATION_CHANGE = 0.25
"""Change of a correlation at which colours end: the same in every picture."""

_NO_CHANGE = "#ECEDEF"
"""Not see-through: what is written into cells takes its colour from theirs."""

_PANELS_ACROSS = 4
_PANEL, _GAP = 150, 62
_FIGURES_UP_TO = 14
"""Attributes up to which a change is written into its cell."""

_MAX_BARS = 30


def draw_distributions(
    distributions: Sequence[AttributeDistribution], result_names: tuple[str, str]
) -> go.Figure:
    """Draw each attribute's distribution: original, first and second result.

    Parameters
    ----------
    distributions : sequence of AttributeDistribution
        At least one.
    result_names : tuple of str
        What the two results are called.
    """
    columns = min(_PANELS_ACROSS, len(distributions))
    rows = -(-len(distributions) // columns)
    height = rows * (_PANEL + _GAP)
    layout: dict[str, Any] = {"annotations": [], "barmode": "group"}
    data: list[dict[str, Any]] = []
    for place, spread in enumerate(distributions):
        row, column = divmod(place, columns)
        top = 1.0 - (row * (_PANEL + _GAP) + 24) / height
        bottom = top - _PANEL / height
        left_edge = column / columns
        domain = [left_edge, left_edge + 0.84 / columns]
        axes = f"axis{place + 1}"
        layout[f"x{axes}"] = {
            "domain": domain,
            "anchor": f"y{place + 1}",
            "nticks": 4,
            **({"type": "category"} if spread.places is None else {}),
        }
        layout[f"y{axes}"] = {
            "domain": [bottom, top],
            "anchor": f"x{place + 1}",
            "rangemode": "tozero",
            "nticks": 4,
            "ticksuffix": " %",
        }
        layout["annotations"].append(_panel_heading(spread.name, sum(domain) / 2, top))
        data += _distribution_panel(spread, (_("Original"), *result_names), place)
    figure = go.Figure({"data": data, "layout": layout})
    theme.apply_theme(figure, height + 60)
    theme.disable_automargin(figure)
    figure.update_layout(margin={"l": 52, "t": 40, "b": 20}, hovermode="x")
    figure.update_layout(legend={"yanchor": "bottom", "y": 1.0 + 6 / height})
    return figure


def _panel_heading(name: str, x: float, top: float) -> dict[str, Any]:
    short = name if len(name) <= 24 else name[:23] + "…"
    return theme.text_annotation(f"<b>{theme.escape_label(short)}</b>", x, top)


def _distribution_panel(
    distribution: AttributeDistribution, names: tuple[str, str, str], place: int
) -> list[dict[str, Any]]:
    axes = {"xaxis": f"x{place + 1}", "yaxis": f"y{place + 1}"}
    traces, labels = [], [theme.escape_label(label) for label in distribution.labels]
    looks = ((theme.NEUTRAL, "solid", ""), *RESULT_STYLES)
    for which, (name, look, shares) in enumerate(
        zip(names, looks, distribution.shares, strict=True)
    ):
        colour, dash, pattern = look
        common = {
            "name": name,
            "legendgroup": f"{which}",
            "showlegend": place == 0,
            "y": shares,
            "customdata": labels,
            "hovertemplate": "%{customdata}: %{y:.1f} %<extra>" + name + "</extra>",
            **axes,
        }
        if distribution.places is None:
            traces.append(
                {
                    "type": "bar",
                    "x": labels,
                    "marker": {
                        "color": colour,
                        "pattern": {"shape": pattern},
                        "line": {"width": 0},
                    },
                }
                | common
            )
        else:
            fill = {"fill": "tozeroy", "fillcolor": theme.FAINT} if which == 0 else {}
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": distribution.places,
                    "line": {
                        "color": colour,
                        "width": 1 if which == 0 else 2,
                        "dash": dash,
                        "shape": "hvh",
                    },
                    **fill,
                }
                | common
            )
    return traces


def draw_correlation_changes(
    changes: CorrelationChanges, result_names: tuple[str, str]
) -> go.Figure:
    """Draw changes of correlations in two results, as two heatmaps side by side.

    Parameters
    ----------
    changes : CorrelationChanges
        Of at least two attributes.
    result_names : tuple of str
        What the two results are called.
    """
    count = len(changes.names)
    layout: dict[str, Any] = {"annotations": []}
    data, shown_names = [], [theme.escape_label(entry) for entry in changes.names]
    hidden = np.triu(np.ones((count, count), dtype=np.bool_))
    for place, (change, name) in enumerate(
        zip(changes.changes, result_names, strict=True)
    ):
        left_edge = 0.52 * place
        matrix = np.where(hidden, np.nan, change)[1:, :-1]
        data.append(
            {
                "type": "heatmap",
                "x": shown_names[:-1],
                "y": shown_names[1:],
                "z": matrix,
                "customdata": changes.before[1:, :-1],
                "coloraxis": "coloraxis",
                "xgap": 1,
                "ygap": 1,
                "hoverongaps": False,
                "text": [[_format_change(entry) for entry in line] for line in matrix],
                "texttemplate": "%{text}" if count <= _FIGURES_UP_TO else "",
                "textfont": {"size": 11},
                "hovertemplate": _(
                    "{one} and {other}: {before} before, {change} change"
                ).format(
                    one="%{y}",
                    other="%{x}",
                    before="%{customdata:.2f}",
                    change="%{z:+.3f}",
                )
                + f"<extra>{name}</extra>",
                "xaxis": f"x{place + 1}",
                "yaxis": f"y{place + 1}",
            }
        )
        layout[f"xaxis{place + 1}"] = {
            "domain": [left_edge, left_edge + 0.48],
            "anchor": f"y{place + 1}",
            "tickangle": 45,
        }
        layout[f"yaxis{place + 1}"] = {
            "anchor": f"x{place + 1}",
            "autorange": "reversed",
            "showticklabels": place == 0,
        }
        layout["annotations"].append(_panel_heading(name, left_edge + 0.24, 1.01))
    figure = go.Figure({"data": data, "layout": layout})
    theme.apply_theme(figure, 140 + 30 * min(max(count, 5), 24), has_legend=False)
    figure.update_layout(
        margin={"t": 40},
        coloraxis={
            "cmin": -MAX_CORRELATION_CHANGE,
            "cmax": MAX_CORRELATION_CHANGE,
            "colorscale": [
                [0.0, theme.BLUE],
                [0.5, _NO_CHANGE],
                [1.0, theme.VERMILION],
            ],
            "colorbar": {
                "title": {"text": _("change"), "side": "top"},
                "thickness": 14,
                "tickformat": "+.2f",
                "nticks": 5,
            },
        },
    )
    figure.update_yaxes(showgrid=False)
    return figure


def _format_change(change: float) -> str:
    """Return a change as it is written into its cell; nothing where there is none."""
    return f"{change:+.2f}".replace("-", "−") if abs(change) >= 0.005 else ""


def draw_size_pairs(
    counts_by_size: tuple[Mapping[int, int], Mapping[int, int]],
    result_names: tuple[str, str],
) -> go.Figure:
    """Draw the number of groups by size in two results, as bars; many sizes are binned.

    Parameters
    ----------
    counts_by_size : tuple of two mappings of int to int
        Number of groups by size.
    result_names : tuple of str
        What the two results are called.
    """
    low = min(min(counts) for counts in counts_by_size)
    high = max(max(counts) for counts in counts_by_size)
    step = max(1, -(-(high - low + 1) // _MAX_BARS))
    figure = go.Figure()
    for place, (counts, name) in enumerate(
        zip(counts_by_size, result_names, strict=True)
    ):
        colour, _dash, pattern = RESULT_STYLES[place]
        bars = bin_group_sizes(counts, low, step)
        figure.add_bar(
            name=name,
            x=[start + (step - 1) / 2 for start in bars],
            y=list(bars.values()),
            width=0.42 * step,
            offset=(place - 1) * 0.42 * step,
            marker={
                "color": colour,
                "pattern": {"shape": pattern},
                "line": {"width": 0},
            },
            customdata=[
                f"{start:,}" if step == 1 else f"{start:,} – {start + step - 1:,}"
                for start in bars
            ],
            hovertemplate=_("{groups} groups of {size} records").format(
                groups="%{y:,}", size="%{customdata}"
            )
            + f"<extra>{name}</extra>",
        )
    figure.update_xaxes(title=_("Records in a group"))
    figure.update_xaxes(range=[low - step, high + step])
    figure.update_yaxes(title=_("Groups"))
    if high - low < _MAX_BARS // 2:
        figure.update_xaxes(dtick=1)
    return theme.apply_theme(figure, 320)
