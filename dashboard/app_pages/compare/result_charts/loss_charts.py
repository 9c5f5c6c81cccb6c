"""Charts of losses on the Compare page."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial

from dashboard.app_pages.compare.result_charts.comparison_view import ComparisonView
from dashboard.app_pages.compare.tables import loss_by_k_table, penalty_by_k_table
from dashboard.charts.comparisons import loss
from dashboard.charts.comparisons.loss_lines import draw_loss_lines
from dashboard.charts.figure import ChartFigure
from dashboard.charts.inputs import ResultFigures
from dashboard.charts.theme import MethodStyle
from dashboard.i18n import text, text_compare
from dashboard.i18n.language import _
from dashboard.learn.glossary import glossary_tooltip
from dashboard.ui.browser_components import components
from dashboard.ui.runs import selection


def sort_by_method_loss(
    results: Sequence[ResultFigures], k: int
) -> list[ResultFigures]:
    """Return results ordered by the loss of their method at `k`, and then by k."""
    titles = loss.rank_method_titles(results, k, lambda row: row.loss)
    return sorted(results, key=lambda row: (titles.index(row.title), row.k))


def lazy_result_figure(
    draw: Callable[..., ChartFigure],
    results: Sequence[ResultFigures],
    styles: Mapping[str, MethodStyle],
    *other_inputs: Hashable,
) -> components.LazyFigure:
    """Return a lazy figure of results: a function that draws it, and its cache key."""
    figures = tuple(row.identity for row in results)
    return components.LazyFigure(
        partial(draw, results, styles, *other_inputs),
        (figures, tuple(styles.items()), other_inputs),
    )


def _lazy_dots(
    draw: Callable[..., ChartFigure], comparison: ComparisonView
) -> components.LazyFigure:
    rows, styles = comparison.rows, comparison.styles
    return lazy_result_figure(draw, rows, styles, comparison.k, comparison.ringed)


def show_loss_dots(comparison: ComparisonView) -> None:
    """Show a dot chart of losses by method and k, with lower bounds."""
    components.show_chart(
        "information-loss",
        _("Information lost by method"),
        f"{_(text.DOTS_SHOW)} {_(text.LOWER)} {_(text_compare.CLICK_SHOW)}",
        _lazy_dots(loss.draw_loss_dots, comparison),
        lambda: loss_by_k_table(comparison.rows),
        _("Dots of information loss per method and k, with the lower bound"),
        on_click=selection.toggle_clicked_result,
        subtitle=_("%, lower is better"),
    )


def show_certainty_penalties(comparison: ComparisonView) -> None:
    """Show a dot chart of certainty penalties (NCP) by method and k."""
    components.show_chart(
        "certainty-penalty",
        _("Certainty penalty"),
        glossary_tooltip("certainty-penalty").replace("  \n", " "),
        _lazy_dots(loss.draw_certainty_penalty_dots, comparison),
        lambda: penalty_by_k_table(comparison.rows),
        _("Dots of the certainty penalty per method and k"),
        on_click=selection.toggle_clicked_result,
        subtitle=_("%, lower is better"),
    )


def show_loss_lines(comparison: ComparisonView) -> None:
    """Show a line chart of loss against k, a line for each method."""
    components.show_chart(
        "loss-against-k",
        _("Information loss against k"),
        f"{_(text.LINES_SHOW)} {_(text.LOWER)}",
        lazy_result_figure(draw_loss_lines, comparison.rows, comparison.styles),
        lambda: loss_by_k_table(comparison.rows),
        _("Lines of information loss against k, with the lower bound"),
        on_click=selection.toggle_clicked_result,
    )
