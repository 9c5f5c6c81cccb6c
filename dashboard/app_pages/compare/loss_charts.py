"""Charts of what the results lose."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial

from dashboard.app_pages.compare.tables import loss_table, penalty_table
from dashboard.charts.inputs import Facts
from dashboard.charts.loss import loss_dots, loss_lines, penalty_dots, ranked
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
    figures = tuple(
        (
            *(row.key, row.title, row.keeps_k, row.loss, row.bound, row.bound_kind),
            *(row.penalty, tuple(row.sizes.items())),
            *(row.n_seeds, tuple(row.spreads.items())),
        )
        for row in rows
    )
    return figures, tuple(styles.items()), more


def dots(
    rows: Sequence[Facts],
    styles: Mapping[str, Style],
    k: int,
    ringed: str,
    others: Sequence[int] = (),
) -> None:
    """Show what each method loses at each k, and what it must lose.

    Parameters
    ----------
    rows : sequence of Facts
    styles : mapping of str to Style
        By method.
    k : int
        That methods are ranked by.
    ringed : str
        Key of the recommended result.
    others : sequence of int
        Values of k that may be looked at next.
    """
    components.chart(
        "information-loss",
        _("Information lost by method"),
        f"{_(text.DOTS_SHOW)} {_(text.LOWER)} {_(text_compare.CLICK_SHOW)}",
        lambda: loss_dots(rows, styles, k, ringed),
        lambda: loss_table(rows),
        _("Dots of information loss per method and k, with the lower bound"),
        pick=selection.pick,
        aside=_("%, lower is better"),
        drawn_from=of_rows(rows, styles, k, ringed),
        views={
            one: components.Drawing(
                partial(loss_dots, rows, styles, one, ringed),
                of_rows(rows, styles, one, ringed),
            )
            for one in others
        },
        k=k,
    )


def penalties(
    rows: Sequence[Facts], styles: Mapping[str, Style], k: int, ringed: str
) -> None:
    """Show the certainty penalty, for values that are generalised; takes the same."""
    components.chart(
        "certainty-penalty",
        _("Certainty penalty"),
        caption_of("certainty-penalty"),
        lambda: penalty_dots(rows, styles, k, ringed),
        lambda: penalty_table(rows),
        _("Dots of the certainty penalty per method and k"),
        pick=selection.pick,
        aside=_("%, lower is better"),
        drawn_from=of_rows(rows, styles, k, ringed),
    )


def lines(rows: Sequence[Facts], styles: Mapping[str, Style]) -> None:
    """Show loss against k."""
    components.chart(
        "loss-against-k",
        _("Information loss against k"),
        f"{_(text.LINES_SHOW)} {_(text.LOWER)}",
        lambda: loss_lines(rows, styles),
        lambda: loss_table(rows),
        _("Lines of information loss against k, with the lower bound"),
        pick=selection.pick,
        drawn_from=of_rows(rows, styles),
    )
