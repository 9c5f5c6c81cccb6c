"""Published timing experiment: CAAT and KACA against the number of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import sample_data
from dashboard.i18n.language import _
from engine.analysis.curves.experiment import (
    Experiment,
    default_experiment_values,
)
from engine.analysis.curves.timing import MethodTiming
from engine.analysis.published.printed_times import (
    COMPARED_METHODS,
    N_STARTS,
    PRINTED_K_VALUES,
    compare_time_claims,
)
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.plan import Plan

TIMED_SAMPLE = "hospital_discharges"
"""Numbers and categories with hierarchies, as CAAT and KACA are for."""


@cache
def timed_sample_table() -> Table:
    """Return the sample table to time if no table is open."""
    return sample_data.load(TIMED_SAMPLE)


def timed_sample_plans(method_ids: Sequence[str]) -> tuple[Plan, ...]:
    """Return the sample's plans of these methods, at each k of the publication."""
    quasi = timed_sample_table().schema.quasi_identifiers
    return tuple(
        Plan(method=name, k=k, quasi_identifiers=quasi, missing="drop")
        for name in method_ids
        for k in PRINTED_K_VALUES
    )


def make_timing_experiment(plan: Plan, table: Table) -> Experiment:
    """Return the experiment that times a plan at several numbers of attributes."""
    return Experiment(
        "attributes",
        default_experiment_values("attributes", plan, table),
        N_STARTS,
        starts=True,
    )


def timeable_methods() -> list[str]:
    """Return the ids of methods that can be timed, the publication's first."""
    others = (
        info.id
        for info in methods.infos()
        if not info.traits.time_budget and not info.traits.univariate
    )
    return list(dict.fromkeys((*COMPARED_METHODS, *others)))


def time_claim_markdown_lines(timings: Sequence[MethodTiming]) -> list[str]:
    """Return a Markdown line per printed claim on run times that these can test."""
    icons = {True: ":material/check_circle:", False: ":material/error_outline:"}
    return [
        f"{icons[one.holds]} **{_(one.verdict_text)}**: {_(one.printed)} {_(one.found)}"
        for one in compare_time_claims(timings)
    ]
