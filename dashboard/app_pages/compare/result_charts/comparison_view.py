"""Input of a comparison's charts: figures of results, styles of methods, and k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.charts.inputs import ResultFigures
from dashboard.charts.theme import MethodStyle, choose_method_styles
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning import recommend


@dataclass(frozen=True)
class ComparisonView:
    """Results with figures, table, method styles and k, from which charts are drawn.

    Attributes
    ----------
    k : int
        The one that is looked at.
    max_loss : float
        Loss, per cent, above which no result is recommended.
    rows : tuple of ResultFigures
    outcomes : tuple of Outcome
        The results that the rows are of.
    table : Table
    styles : mapping of str to MethodStyle
        By method.
    ringed : str
        Key of the recommended result; empty without one.
    """

    k: int
    rows: tuple[ResultFigures, ...]
    outcomes: tuple[Outcome, ...]
    table: Table
    styles: Mapping[str, MethodStyle]
    ringed: str


def make_comparison_view(
    outcomes: Sequence[Outcome],
    results: Sequence[ResultFigures],
    drawn_titles: Sequence[str],
    table: Table,
    k: int,
    max_loss: float = recommend.MAX_LOSS_PER_CENT,
) -> ComparisonView:
    """Return a view of the results whose method title is in `drawn_titles`.

    Parameters
    ----------
    outcomes : sequence of Outcome
        All that the choices ask for.
    results : sequence of ResultFigures
        Figures of these results.
    drawn_titles : sequence of str
        Methods that are drawn.
    k : int
        The one that is looked at.
    """
    drawn = tuple(row for row in results if row.title in drawn_titles)
    keys = {row.key for row in drawn}
    best = recommend.recommend_outcome(outcomes, max_loss)
    return ComparisonView(
        k=k,
        rows=drawn,
        outcomes=tuple(
            outcome for outcome in outcomes if outcome.plan.digest() in keys
        ),
        table=table,
        styles=choose_method_styles(row.method for row in drawn),
        ringed="" if best is None or best.spoils else best.outcome.plan.digest(),
    )
