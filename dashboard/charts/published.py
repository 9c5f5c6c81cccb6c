"""Charts that compare published losses with this program's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

import plotly.graph_objects as go

from dashboard.charts import verdicts
from dashboard.charts.theme import (
    BLUE,
    FAINT,
    GREEN,
    NEUTRAL,
    ORANGE,
    PURPLE,
    VERMILION,
    apply_theme,
)
from dashboard.i18n.language import _, capitalize_first
from dashboard.i18n.text_learn import BELOW_BOUND
from engine.analysis.published.proven import PrintedExcess
from engine.analysis.published.reproduce import ComparisonRow, RawAndZscoreRow

LossOfRow = Callable[[RawAndZscoreRow], float]

VERDICT_STYLES = {
    verdicts.EQUAL: (BLUE, "circle"),
    verdicts.SLIP: (PURPLE, "square"),
    verdicts.CLOSE: (GREEN, "diamond"),
    verdicts.LOWER: (ORANGE, "triangle-down"),
    verdicts.HIGHER: (VERMILION, "triangle-up"),
    verdicts.IMPOSSIBLE: (NEUTRAL, "x"),
}
"""Colour and symbol of each verdict: told apart by either."""

MAX_SHADED_EXCESS_PER_CENT = 100.0
"""Twice the least loss and more look alike."""


def draw_our_losses_against_printed(comparisons: Sequence[ComparisonRow]) -> go.Figure:
    """Draw our losses against the printed ones, with the diagonal of equal losses.

    Parameters
    ----------
    comparisons : sequence of ComparisonRow
        At least one, all of one table.
    """
    figure = go.Figure()
    values = [value for row in comparisons for value in (row.ours, row.printed.value)]
    ends = [0.9 * min(values), 1.05 * max(values)]
    figure.add_scatter(
        name=_("Printed = ours"),
        x=ends,
        y=ends,
        mode="lines",
        line={"color": NEUTRAL, "width": 1.5, "dash": "6px,3px"},
        hoverinfo="skip",
    )
    for verdict, rows in _rows_by_verdict(comparisons).items():
        figure.add_scatter(
            x=[row.printed.value for row in rows],
            y=[row.ours for row in rows],
            **_verdict_points(verdict, rows),
        )
    figure.update_xaxes(title=_("Printed information loss (%)"), range=ends)
    figure.update_yaxes(title=_("Our information loss (%)"), range=ends)
    return apply_theme(figure, 440)


def draw_differences(comparisons: Sequence[ComparisonRow]) -> go.Figure:
    """Draw each difference in per cent of the printed loss, a row per method.

    Parameters
    ----------
    comparisons : sequence of ComparisonRow
        At least one, all of one table.
    """
    figure = go.Figure()
    for verdict, rows in _rows_by_verdict(comparisons).items():
        figure.add_scatter(
            x=[row.relative_difference for row in rows],
            y=[verdicts.published_method_title(row.printed.method) for row in rows],
            **_verdict_points(verdict, rows),
        )
    titles = list(
        dict.fromkeys(
            verdicts.published_method_title(row.printed.method) for row in comparisons
        )
    )
    figure.update_xaxes(
        title=_("Difference from the printed value (%)"),
        showgrid=True,
        gridcolor=FAINT,
        ticksuffix=" %",
    )
    figure.update_yaxes(
        categoryorder="array", categoryarray=titles[::-1], showgrid=True
    )
    figure.add_vline(x=0.0, line={"color": NEUTRAL, "width": 1.5, "dash": "6px,3px"})
    return apply_theme(figure, 440)


def draw_distances_to_optimum(cells: Sequence[PrintedExcess]) -> go.Figure:
    """Draw a heatmap of how far printed losses exceed the best known losses.

    Methods are ordered by the mean of their cells, the nearest to the best on top.

    Parameters
    ----------
    cells : sequence of PrintedExcess
        At least one.
    """
    by_method: dict[str, list[float]] = {}
    for cell in cells:
        by_method.setdefault(cell.printed.method, []).append(cell.per_cent)
    order = sorted(by_method, key=lambda name: -fmean(by_method[name]))
    figure = go.Figure()
    figure.add_heatmap(
        x=[
            [verdicts.dataset_title(cell.printed.dataset) for cell in cells],
            [f"k = {cell.printed.k}" for cell in cells],
        ],
        y=[verdicts.published_method_title(cell.printed.method) for cell in cells],
        z=[cell.per_cent for cell in cells],
        text=[f"{cell.per_cent:.0f}" for cell in cells],
        texttemplate="%{text}",
        zmin=0.0,
        zmax=MAX_SHADED_EXCESS_PER_CENT,
        colorscale=[(0.0, FAINT), (1.0, VERMILION)],
        showscale=False,
        xgap=1,
        ygap=1,
        customdata=[
            (cell.printed.text, f"{cell.optimum.loss:.4f}", f"{cell.optimum.bound:.4f}")
            for cell in cells
        ],
        hovertemplate="<b>%{y}</b>, %{x}<br>"
        + _(
            "printed {printed} %<br>least known {least} %<br>proven bound {bound} %"
        ).format(
            printed="%{customdata[0]}",
            least="%{customdata[1]}",
            bound="%{customdata[2]}",
        )
        + "<extra></extra>",
    )
    titles = [verdicts.published_method_title(name) for name in order]
    figure.update_yaxes(categoryorder="array", categoryarray=titles)
    return apply_theme(figure, 80 + 26 * len(order), has_legend=False)


def draw_two_scalings(scaling_rows: Sequence[RawAndZscoreRow]) -> go.Figure:
    """Draw losses against k: printed, ours and MDAV's, on raw and on z-scored values.

    The area below the lower bound on z-scored values is shaded: no method reaches it
    there.

    Parameters
    ----------
    scaling_rows : sequence of RawAndZscoreRow
        At least one, all of one table.
    """
    figure = go.Figure()
    sizes = [pair.printed.k for pair in scaling_rows]
    figure.add_scatter(
        name=_(BELOW_BOUND),
        x=sizes,
        y=[pair.bound_zscored for pair in scaling_rows],
        mode="lines",
        line={"color": NEUTRAL, "width": 2, "dash": "6px,3px"},
        fill="tozeroy",
        fillcolor=FAINT,
        hovertemplate=_("k = {k}: bound {bound} %").format(k="%{x}", bound="%{y:.4f}")
        + "<extra>"
        + _("z-scored")
        + "</extra>",
    )
    # Colour tells whose figures, line and symbol on which values. The printed column
    # lies on ours where they agree: a larger circle shows on both sides of it.
    lines: tuple[tuple[str, str, str, str, int, LossOfRow], ...] = (
        (_("Ours, z-scored"), BLUE, "solid", "square", 10, lambda p: p.zscored),
        (_("MDAV, z-scored"), GREEN, "solid", "square", 8, lambda p: p.mdav_zscored),
        (_("Ours, raw"), BLUE, "dot", "circle", 16, lambda p: p.raw),
        (_("MDAV, raw"), GREEN, "dot", "circle", 8, lambda p: p.mdav_raw),
        (_("Printed"), VERMILION, "dash", "x", 8, lambda p: p.printed.value),
    )
    for name, colour, dash, symbol, size, loss_of in lines:
        figure.add_scatter(
            name=name,
            x=sizes,
            y=[loss_of(pair) for pair in scaling_rows],
            mode="lines+markers",
            line={"color": colour, "width": 2.5, "dash": dash},
            marker={"color": colour, "symbol": symbol, "size": size},
            hovertemplate="k = %{x}: %{y:.4f} %<extra>" + name + "</extra>",
        )
    figure.update_xaxes(title=_("k, minimum group size"), tickvals=sizes)
    figure.update_yaxes(title=_("Information loss (%)"), rangemode="tozero")
    return apply_theme(figure, 440)


def _rows_by_verdict(rows: Sequence[ComparisonRow]) -> dict[str, list[ComparisonRow]]:
    """Return the rows of each verdict that occurs."""
    rows_per_verdict = {
        verdict: [row for row in rows if verdicts.verdict_label(row) == verdict]
        for verdict in VERDICT_STYLES
    }
    return {verdict: some for verdict, some in rows_per_verdict.items() if some}


def _verdict_points(verdict: str, rows: Sequence[ComparisonRow]) -> dict[str, object]:
    """Return what the points of one verdict look like, and what hovering says."""
    colour, symbol = VERDICT_STYLES[verdict]
    return {
        "name": capitalize_first(_(verdict)),
        "mode": "markers",
        "marker": {
            "color": colour,
            "symbol": symbol,
            "size": 11,
            "opacity": 0.85,
            "line": {"width": 0},
        },
        "customdata": [
            (
                verdicts.published_method_title(row.printed.method),
                row.printed.k,
                row.printed.text,
                verdicts.format_as_printed(row.ours, row.printed),
                verdicts.format_difference(row.relative_difference),
            )
            for row in rows
        ],
        "hovertemplate": (
            "<b>%{customdata[0]}</b>, k = %{customdata[1]}<br>"
            + _("printed {printed} %<br>ours {ours} %<br>difference {away} %").format(
                printed="%{customdata[2]}",
                ours="%{customdata[3]}",
                away="%{customdata[4]}",
            )
            + "<extra></extra>"
        ),
    }
