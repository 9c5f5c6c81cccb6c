"""How searches came down to their loss: for the live chart and beside results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dashboard.results.facts import plan_title, series
from dashboard.words.language import _
from engine.core.trace import Point
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan


@dataclass(frozen=True, eq=False)
class Curve:
    """One search over time.

    Attributes
    ----------
    label : str
        Name and k.
    method : str
        As in :class:`dashboard.results.facts.Facts`.
    points : tuple of Point
        At each moment at which loss or bound changed.
    seconds : float
        Until when both stayed as they were last.
    """

    label: str
    method: str
    points: tuple[Point, ...]
    seconds: float

    @property
    def loss(self) -> float | None:
        """Last loss in per cent; None before there is one."""
        return self.points[-1].loss if self.points else None

    @property
    def bound(self) -> float | None:
        """Last lower bound in per cent; None before there is one."""
        return self.points[-1].bound if self.points else None


def curve(plan: Plan, points: tuple[Point, ...], seconds: float) -> Curve:
    """Return the curve of a search that has come so far."""
    return Curve(f"{plan_title(plan)}, k = {plan.k}", series(plan), points, seconds)


def curves(outcomes: Sequence[Outcome]) -> list[Curve]:
    """Return the curves of the outcomes that came from a search."""
    return [
        curve(outcome.plan, outcome.trace, outcome.seconds["partition"])
        for outcome in outcomes
        if outcome.trace
    ]


def curve_words(found: Curve) -> str:
    """Say where a search has come to."""
    if found.loss is None:
        return ""
    loss = f"{found.loss:.3f}"
    if found.bound is None:
        return _("**{loss} %** lost so far.").format(loss=loss)
    gap = 100.0 * (found.loss - found.bound) / found.loss if found.loss > 0.0 else 0.0
    return _(
        "**{loss} %** lost so far; no grouping can lose less than {bound} %, so at "
        "most {gap} % of it is avoidable."
    ).format(loss=loss, bound=f"{found.bound:.3f}", gap=f"{gap:.1f}")


def curve_table(found: Sequence[Curve]) -> pd.DataFrame:
    """Return one line per point of every curve."""
    lines = [(each.label, *point) for each in found for point in each.points]
    figures = [_("Seconds"), _("IL (%)"), _("Lower bound (%)")]
    frame = pd.DataFrame(lines, columns=[_("Search"), *figures])
    return frame.astype(dict.fromkeys(figures, float))
