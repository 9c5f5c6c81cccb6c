"""Losses of columns in results: figures, heatmap and table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from dashboard.charts.comparisons import columns
from dashboard.i18n import text, text_compare
from dashboard.i18n.language import _
from dashboard.results.figures import plan_title
from dashboard.ui.browser_components import components
from dashboard.ui.runs import selection
from engine.pipeline.outcome import Outcome
from engine.report.survival import column_survival_message


def column_losses(outcome: Outcome) -> columns.ResultColumnLosses:
    """Return each protected column's loss (%) in a result, and what survived of it."""
    losses = outcome.scores["information-loss"].per_column
    return columns.ResultColumnLosses(
        outcome.plan.digest(),
        plan_title(outcome.plan),
        {name: float(losses[name]) for name in outcome.plan.quasi_identifiers},
        {
            name: _(column_survival_message(name, outcome.survived[name]))
            for name in outcome.plan.quasi_identifiers
        },
    )


def show_column_losses(outcomes: Sequence[Outcome], k: int) -> None:
    """Show a heatmap of column losses at `k`, or of all results if none has that k."""
    results = [outcome for outcome in outcomes if outcome.plan.k == k] or list(outcomes)
    rows = [
        column_losses(outcome)
        for outcome in sorted(results, key=lambda outcome: outcome.information_loss)
    ]
    aside, every = _("% of each column's variation"), {*rows[0].losses}
    drawn = columns.choose_columns_to_draw(rows)
    if len(drawn) < len(every):
        aside += " · " + _("the {count} of {all} columns that lose most").format(
            count=len(drawn), all=f"{len(every):,}"
        )
    components.show_chart(
        "column-losses",
        _("What survived per column, k = {k}").format(k=results[0].plan.k),
        f"{_(text_compare.COLUMNS_SHOW)} {_(text.LOWER)}",
        components.LazyFigure(
            partial(columns.draw_column_loss_heatmap, rows),
            tuple(
                (row.key, row.title, tuple(row.losses.items()), *row.words.items())
                for row in rows
            ),
        ),
        lambda: column_loss_table(rows),
        _("Tinted figures: the loss of every column, a line per method"),
        on_click=selection.toggle_clicked_result,
        subtitle=aside,
    )


def column_loss_table(results: Sequence[columns.ResultColumnLosses]) -> pd.DataFrame:
    """Return a table with a line per result and column: loss, and what survived."""
    lines = [
        (row.title, name, loss, row.words[name])
        for row in results
        for name, loss in row.losses.items()
    ]
    return pd.DataFrame(
        lines, columns=[_("Method"), _("Column"), _("IL (%)"), _("What survived")]
    )
