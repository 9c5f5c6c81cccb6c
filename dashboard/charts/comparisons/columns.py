"""Heatmap of column losses, a line per result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.charts.figure import ChartFigure
from dashboard.charts.theme import BLUE, VERMILION, apply_theme, rgba_colour
from dashboard.i18n.language import _

_ROW, _HEAD = 30, 62
"""Heights of a method's line and above all, in pixels."""

MAX_DRAWN_COLUMNS = 40
"""Columns drawn at most: those that lose most."""

MAX_NAME_LETTERS = 12
"""Letters of a column's name that there is room for."""

MAX_ANNOTATED_COLUMNS = 16
"""Columns up to which figures are written into the cells."""


@dataclass(frozen=True)
class ResultColumnLosses:
    """One result's loss (%) in each column, and texts on what survived of the columns.

    Attributes
    ----------
    key, title : str
        Of the result, and of its method.
    losses : dict of str to float
        By column, in per cent of what it varies by.
    words : dict of str to str
        What became of each column.
    """

    key: str
    title: str
    losses: dict[str, float]
    words: dict[str, str]


def choose_columns_to_draw(
    column_losses: Sequence[ResultColumnLosses],
) -> list[str]:
    """Return the columns to draw: all, or the 40 that lose most."""
    names = list(dict.fromkeys(name for row in column_losses for name in row.losses))
    if len(names) <= MAX_DRAWN_COLUMNS:
        return names
    ranked_names = sorted(
        names,
        key=lambda column: -max(row.losses.get(column, 0.0) for row in column_losses),
    )
    drawn_names = set(ranked_names[:MAX_DRAWN_COLUMNS])
    return [name for name in names if name in drawn_names]


def draw_column_loss_heatmap(
    column_losses: Sequence[ResultColumnLosses],
) -> ChartFigure:
    """Draw a heatmap of losses: a line per result, a column per attribute, 40 at most.

    Parameters
    ----------
    column_losses : sequence of ResultColumnLosses
        At least one, of one table; in this order.
    """
    names = choose_columns_to_draw(column_losses)
    values = np.array(
        [[row.losses.get(name, np.nan) for name in names] for row in column_losses]
    )
    custom_data = [
        [(row.key, row.words.get(name, "")) for name in names] for row in column_losses
    ]
    finite_values = values[np.isfinite(values)]
    figure = ChartFigure()
    figure.add_heatmap(
        z=values,
        x=list(range(len(names))),
        y=list(range(len(column_losses))),
        customdata=custom_data,
        text=[[short_loss_text(value) for value in line] for line in values],
        texttemplate="%{text}" if len(names) <= MAX_ANNOTATED_COLUMNS else "",
        textfont={"size": 11},
        hovertext=[[f"<b>{name}</b>" for name in names] for _row in column_losses],
        hovertemplate="%{hovertext}: "
        + _("loses {loss} %").format(loss="%{z:.2f}")
        + "<br>%{customdata[1]}<extra></extra>",
        colorscale=[
            [0.0, rgba_colour(BLUE, 0.06)],
            [0.4, rgba_colour(BLUE, 0.45)],
            [1.0, rgba_colour(VERMILION, 0.75)],
        ],
        zmin=0.0,
        zmax=max([1.0, *finite_values]),
        xgap=2,
        ygap=2,
        showscale=False,
    )
    apply_theme(figure, _HEAD + _ROW * len(column_losses) + 8, has_legend=False)
    figure.update_layout(margin={"l": 8, "r": 8, "t": _HEAD, "b": 8}, font={"size": 12})
    figure.update_xaxes(
        tickvals=list(range(len(names))),
        ticktext=shorten_names_distinctly(names),
        tickangle=-35,
        side="top",
        fixedrange=True,
        showgrid=False,
    )
    figure.update_yaxes(
        tickvals=list(range(len(column_losses))),
        ticktext=[row.title for row in column_losses],
        autorange="reversed",
        showgrid=False,
        fixedrange=True,
    )
    return figure


def shorten_names_distinctly(names: Sequence[str]) -> list[str]:
    """Return names shortened to 12 letters by the cut that keeps most different.

    Examples
    --------
    >>> shorten_names_distinctly(["age", "household_income"])
    ['age', 'household_i…']
    >>> shorten_names_distinctly(["indicator_00_income", "indicator_01_income"])
    ['ind…0_income', 'ind…1_income']
    """
    cuts: tuple[Callable[[str], str], ...] = (
        lambda name: f"{name[: MAX_NAME_LETTERS - 1]}…",
        lambda name: f"{name[:3]}…{name[4 - MAX_NAME_LETTERS :]}",
        lambda name: f"…{name[1 - MAX_NAME_LETTERS :]}",
    )
    ways = [
        [name if len(name) <= MAX_NAME_LETTERS else cut(name) for name in names]
        for cut in cuts
    ]
    return max(ways, key=lambda way: len(set(way)))  # the first of equal ones


def short_loss_text(value: float) -> str:
    """Return a loss as text of few digits, which fits a heatmap's cell; "" for NaN."""
    if np.isnan(value):
        return ""
    return f"{value:.0f}" if value >= 10.0 else f"{value:.1f}"
