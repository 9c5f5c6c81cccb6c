"""The experiment of Jiang's figures: CAAT and KACA against the number of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import sample_data
from dashboard.i18n.language import _
from engine.analysis.experiment import Experiment, usual_values
from engine.analysis.printed_times import METHODS, SIZES, STARTS, claims
from engine.analysis.timing import Timing
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.plan import Plan

SAMPLE = "hospital_discharges"
"""Numbers and categories with hierarchies, as CAAT and KACA are for."""


@cache
def sample() -> Table:
    """Return the table that is timed where nobody has opened one."""
    return sample_data.load(SAMPLE)


def sample_plans(names: Sequence[str]) -> tuple[Plan, ...]:
    """Return a plan for the sample for each method and k."""
    quasi = sample().schema.quasi_identifiers
    return tuple(
        Plan(method=name, k=k, quasi_identifiers=quasi, missing="drop")
        for name in names
        for k in SIZES
    )


def experiment(plan: Plan, table: Table) -> Experiment:
    """Return what is varied, and from how many starts."""
    return Experiment(
        "attributes", usual_values("attributes", plan, table), STARTS, starts=True
    )


def choices() -> list[str]:
    """Return the methods that can be timed, the printed ones first."""
    others = (
        info.id
        for info in methods.infos()
        if not info.traits.time_budget and not info.traits.univariate
    )
    return list(dict.fromkeys((*METHODS, *others)))


def verdicts(found: Sequence[Timing]) -> list[str]:
    """Return a line in Markdown for everything that was printed of such times."""
    icons = {True: ":material/check_circle:", False: ":material/error_outline:"}
    return [
        f"{icons[one.holds]} **{_(one.verdict)}**: {_(one.printed)} {_(one.found)}"
        for one in claims(found)
    ]
