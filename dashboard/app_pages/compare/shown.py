"""Input of a comparison's charts, for the current and the next choice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.charts.inputs import ResultFigures
from dashboard.charts.theme import MethodStyle, method_styles
from dashboard.i18n.language import current
from dashboard.results.facts import figures_with_best_bounds
from dashboard.state import session
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.recommend import recommend


@dataclass(frozen=True)
class ComparisonView:
    """Results that are drawn.

    Attributes
    ----------
    k : int
        The one that is looked at.
    rows : tuple of ResultFigures
    outcomes : tuple of Outcome
        The same.
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

    def at_k(self, k: int) -> ComparisonView:
        """Return the same where another k is looked at."""
        return replace(self, k=k)

    @property
    def place_name(self) -> str:
        """What this is called by the page; see :mod:`dashboard.ui.ahead`."""
        ws = session.workspace()
        chosen = "" if ws.chosen is None else ws.chosen.digest()
        looked = (
            *(self.table.fingerprint, self.k, [row.key for row in self.rows]),
            *(chosen, ws.pointed, ws.record, ws.groups.get(chosen), ws.across, ws.up),
            *(ws.risk_axis, ws.loss_axis, dict(ws.ceilings), current()),
        )
        return hashlib.sha256(repr(looked).encode()).hexdigest()[:16]


def comparison_view(
    outcomes: Sequence[Outcome],
    rows: Sequence[ResultFigures],
    titles: Sequence[str],
    table: Table,
    k: int,
) -> ComparisonView:
    """Return what is drawn of some results.

    Parameters
    ----------
    outcomes : sequence of Outcome
        All that the choices ask for.
    rows : sequence of ResultFigures
        The same.
    titles : sequence of str
        Methods that are drawn.
    table : Table
    k : int
        The one that is looked at.
    """
    drawn = tuple(row for row in rows if row.title in titles)
    keys = {row.key for row in drawn}
    best = recommend(outcomes)
    return ComparisonView(
        k=k,
        rows=drawn,
        outcomes=tuple(one for one in outcomes if one.plan.digest() in keys),
        table=table,
        styles=method_styles(row.method for row in drawn),
        ringed="" if best is None or best.spoils else best.outcome.plan.digest(),
    )


def comparison_view_of_all(
    outcomes: Sequence[Outcome], table: Table, k: int
) -> ComparisonView:
    """Return what is drawn where no method is left out; takes the same."""
    rows = figures_with_best_bounds(outcomes)
    return comparison_view(outcomes, rows, [row.title for row in rows], table, k)
