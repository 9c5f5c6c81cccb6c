"""Charts of losses on the Compare page."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial

from dashboard.app_pages.compare.shown import ComparisonView
from dashboard.app_pages.compare.tables import loss_table, penalty_table
from dashboard.charts.inputs import ResultFigures
from dashboard.charts.loss import draw_loss_dots, draw_penalty_dots, rank_titles
from dashboard.charts.loss_lines import draw_loss_lines
from dashboard.charts.theme import MethodStyle
from dashboard.i18n import text, text_compare
from dashboard.i18n.language import _
from dashboard.learn.glossary import glossary_caption
from dashboard.ui import components, selection


def order_by_loss(rows: Sequence[ResultFigures], k: int) -> list[ResultFigures]:
    """Return results by what their methods lose at `k`, least first."""
    titles = rank_titles(rows, k, lambda row: row.loss)
    return sorted(rows, key=lambda row: (titles.index(row.title), row.k))


def figure_cache_key(
    rows: Sequence[ResultFigures], styles: Mapping[str, MethodStyle], *more: Hashable
) -> Hashable:
    """Return all that a figure of results depends on; `more` is said beside them."""
    figures = tuple(row.identity for row in rows)
    return figures, tuple(styles.items()), more


def show_loss_dots(now: ComparisonView) -> None:
    """Show what each method loses at each k, and what it must lose."""
    drawing = components.FigureDrawing(
        partial(draw_loss_dots, now.rows, now.styles, now.k, now.ringed),
        figure_cache_key(now.rows, now.styles, now.k, now.ringed),
    )
    components.show_chart(
        "information-loss",
        _("Information lost by method"),
        f"{_(text.DOTS_SHOW)} {_(text.LOWER)} {_(text_compare.CLICK_SHOW)}",
        drawing,
        lambda: loss_table(now.rows),
        _("Dots of information loss per method and k, with the lower bound"),
        pick=selection.toggle_selected,
        aside=_("%, lower is better"),
    )


def show_penalties(now: ComparisonView) -> None:
    """Show the certainty penalty, for values that are generalised."""
    drawing = components.FigureDrawing(
        partial(draw_penalty_dots, now.rows, now.styles, now.k, now.ringed),
        figure_cache_key(now.rows, now.styles, now.k, now.ringed),
    )
    components.show_chart(
        "certainty-penalty",
        _("Certainty penalty"),
        glossary_caption("certainty-penalty"),
        drawing,
        lambda: penalty_table(now.rows),
        _("Dots of the certainty penalty per method and k"),
        pick=selection.toggle_selected,
        aside=_("%, lower is better"),
    )


def show_loss_lines(now: ComparisonView) -> None:
    """Show loss against k."""
    drawing = components.FigureDrawing(
        partial(draw_loss_lines, now.rows, now.styles),
        figure_cache_key(now.rows, now.styles),
    )
    components.show_chart(
        "loss-against-k",
        _("Information loss against k"),
        f"{_(text.LINES_SHOW)} {_(text.LOWER)}",
        drawing,
        lambda: loss_table(now.rows),
        _("Lines of information loss against k, with the lower bound"),
        pick=selection.toggle_selected,
    )
