"""What survived of each column, for every method at the k that is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from dashboard.charts.columns import Columns, column_losses, drawn_columns
from dashboard.i18n import text, text_compare
from dashboard.i18n.language import _
from dashboard.results.facts import plan_title
from dashboard.ui import components, selection
from engine.pipeline.outcome import Outcome
from engine.report.survival import in_words


def columns_of(outcome: Outcome) -> Columns:
    """Return what each protected column of a result loses, and what became of it."""
    losses = outcome.scores["information-loss"].per_column
    return Columns(
        outcome.plan.digest(),
        plan_title(outcome.plan),
        {name: float(losses[name]) for name in outcome.plan.quasi_identifiers},
        {
            name: _(in_words(name, outcome.survived[name]))
            for name in outcome.plan.quasi_identifiers
        },
    )


def show(outcomes: Sequence[Outcome], k: int) -> None:
    """Show what columns lose in the results of one k, the least loss first.

    Parameters
    ----------
    outcomes : sequence of Outcome
    k : int
    """
    there = [one for one in outcomes if one.plan.k == k] or list(outcomes)
    rows = [
        columns_of(one) for one in sorted(there, key=lambda one: one.information_loss)
    ]
    aside, every = _("% of each column's variation"), {*rows[0].losses}
    drawn = drawn_columns(rows)
    if len(drawn) < len(every):
        aside += " · " + _("the {count} of {all} columns that lose most").format(
            count=len(drawn), all=f"{len(every):,}"
        )
    components.chart(
        "column-losses",
        _("What survived per column, k = {k}").format(k=there[0].plan.k),
        f"{_(text_compare.COLUMNS_SHOW)} {_(text.LOWER)}",
        components.Drawing(
            partial(column_losses, rows),
            tuple(
                (row.key, row.title, tuple(row.losses.items()), *row.words.items())
                for row in rows
            ),
        ),
        lambda: column_table(rows),
        _("Tinted figures: the loss of every column, a line per method"),
        pick=selection.pick,
        aside=aside,
    )


def column_table(rows: Sequence[Columns]) -> pd.DataFrame:
    """Return one line per result and column."""
    lines = [
        (row.title, name, loss, row.words[name])
        for row in rows
        for name, loss in row.losses.items()
    ]
    return pd.DataFrame(
        lines, columns=[_("Method"), _("Column"), _("IL (%)"), _("What survived")]
    )
