"""Charts of what the results lose."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial

from dashboard.app_pages.compare.shown import Shown
from dashboard.app_pages.compare.tables import loss_table, penalty_table
from dashboard.charts.inputs import Facts
from dashboard.charts.loss import loss_dots, penalty_dots, ranked
from dashboard.charts.loss_lines import loss_lines
from dashboard.charts.theme import Style
from dashboard.i18n import text, text_compare
from dashboard.i18n.language import _
from dashboard.learn.glossary import caption_of
from dashboard.ui import components, selection


def in_order(rows: Sequence[Facts], k: int) -> list[Facts]:
    """Return results by what their methods lose at `k`, least first."""
    titles = ranked(rows, k, lambda row: row.loss)
    return sorted(rows, key=lambda row: (titles.index(row.title), row.k))


def of_rows(
    rows: Sequence[Facts], styles: Mapping[str, Style], *more: Hashable
) -> Hashable:
    """Return all that a figure of results depends on; `more` is said beside them."""
    figures = tuple(row.identity for row in rows)
    return figures, tuple(styles.items()), more


def dots(now: Shown) -> None:
    """Show what each method loses at each k, and what it must lose."""
    drawing = dots_of(now)
    components.chart(
        "information-loss",
        _("Information lost by method"),
        f"{_(text.DOTS_SHOW)} {_(text.LOWER)} {_(text_compare.CLICK_SHOW)}",
        drawing,
        lambda: loss_table(now.rows),
        _("Dots of information loss per method and k, with the lower bound"),
        pick=selection.pick,
        aside=_("%, lower is better"),
        place=now.place,
    )


def dots_of(now: Shown) -> components.Drawing:
    """Return how losses by method are drawn."""
    return components.Drawing(
        partial(loss_dots, now.rows, now.styles, now.k, now.ringed),
        of_rows(now.rows, now.styles, now.k, now.ringed),
    )


def penalties(now: Shown) -> None:
    """Show the certainty penalty, for values that are generalised."""
    drawing = penalties_of(now)
    components.chart(
        "certainty-penalty",
        _("Certainty penalty"),
        caption_of("certainty-penalty"),
        drawing,
        lambda: penalty_table(now.rows),
        _("Dots of the certainty penalty per method and k"),
        pick=selection.pick,
        aside=_("%, lower is better"),
        place=now.place,
    )


def penalties_of(now: Shown) -> components.Drawing:
    """Return how certainty penalties are drawn."""
    return components.Drawing(
        partial(penalty_dots, now.rows, now.styles, now.k, now.ringed),
        of_rows(now.rows, now.styles, now.k, now.ringed),
    )


def lines(now: Shown) -> None:
    """Show loss against k."""
    drawing = lines_of(now)
    components.chart(
        "loss-against-k",
        _("Information loss against k"),
        f"{_(text.LINES_SHOW)} {_(text.LOWER)}",
        drawing,
        lambda: loss_table(now.rows),
        _("Lines of information loss against k, with the lower bound"),
        pick=selection.pick,
        place=now.place,
    )


def lines_of(now: Shown) -> components.Drawing:
    """Return how losses against k are drawn."""
    return components.Drawing(
        partial(loss_lines, now.rows, now.styles), of_rows(now.rows, now.styles)
    )
