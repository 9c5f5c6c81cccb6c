"""What the charts of a comparison are drawn from, now and at the next choice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.charts.inputs import Facts
from dashboard.charts.theme import Style, method_styles
from dashboard.i18n.language import current
from dashboard.results.facts import with_best_bounds
from dashboard.state import session
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.recommend import recommend


@dataclass(frozen=True)
class Shown:
    """Results that are drawn.

    Attributes
    ----------
    k : int
        The one that is looked at.
    rows : tuple of Facts
    outcomes : tuple of Outcome
        The same.
    table : Table
    styles : mapping of str to Style
        By method.
    ringed : str
        Key of the recommended result; empty without one.
    """

    k: int
    rows: tuple[Facts, ...]
    outcomes: tuple[Outcome, ...]
    table: Table
    styles: Mapping[str, Style]
    ringed: str

    def at(self, k: int) -> Shown:
        """Return the same where another k is looked at."""
        return replace(self, k=k)

    @property
    def place(self) -> str:
        """What this is called by the page; see :mod:`dashboard.ui.ahead`."""
        ws = session.workspace()
        chosen = "" if ws.chosen is None else ws.chosen.digest()
        looked = (
            *(self.table.fingerprint, self.k, [row.key for row in self.rows]),
            *(chosen, ws.pointed, ws.record, ws.groups.get(chosen), ws.across, ws.up),
            *(ws.risk_axis, ws.loss_axis, dict(ws.ceilings), current()),
        )
        return hashlib.sha256(repr(looked).encode()).hexdigest()[:16]


def shown(
    outcomes: Sequence[Outcome],
    rows: Sequence[Facts],
    titles: Sequence[str],
    table: Table,
    k: int,
) -> Shown:
    """Return what is drawn of some results.

    Parameters
    ----------
    outcomes : sequence of Outcome
        All that the choices ask for.
    rows : sequence of Facts
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
    return Shown(
        k=k,
        rows=drawn,
        outcomes=tuple(one for one in outcomes if one.plan.digest() in keys),
        table=table,
        styles=method_styles(row.method for row in drawn),
        ringed="" if best is None else best.outcome.plan.digest(),
    )


def all_shown(outcomes: Sequence[Outcome], table: Table, k: int) -> Shown:
    """Return what is drawn where no method is left out; takes the same."""
    rows = with_best_bounds(outcomes)
    return shown(outcomes, rows, [row.title for row in rows], table, k)
