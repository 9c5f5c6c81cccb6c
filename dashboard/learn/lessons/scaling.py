"""Why scaling decides the figures: two methods, two scalings, and a printed table."""

from __future__ import annotations

import sample_data
from dashboard.charts.lesson_inputs import OnScale
from engine.analysis import literature, reproduce
from engine.bounds import NO_BOUND
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.prepare import Preparations
from engine.pipeline.resolved import resolve
from engine.pipeline.run import run

K = 3

WEIGHTED = "weighted"

SCALINGS = ("none", "zscore", WEIGHTED)
"""As the values are, standardised, and standardised with a weight on one column."""

WEIGHT = 3.0
"""How many times the weighted column counts."""

METHODS = ("mdav1", literature.RAW)
"""The usual method, and the one whose printed figures are on values as they are."""

EXAMPLE = "tarragona"
"""The published table that is quoted unless a copy of another is open."""


def example() -> Table:
    """Return the table that is used while no reference table is open."""
    return sample_data.load("business_survey")


def quasi_identifiers(table: Table) -> tuple[str, ...]:
    """Return the columns to group by: all of a reference table, else by role."""
    if reproduce.recognise(table) is not None:
        return tuple(map(str, table.frame.columns))
    plan = resolve(Plan(method="mdav", k=K), table)
    return tuple(
        name for name in plan.quasi_identifiers if plan.kinds[name] is not Kind.NOMINAL
    )


def on_scale(table: Table, scaling: str) -> OnScale:
    """Run both methods on one scaling.

    Parameters
    ----------
    table : Table
        None of its numbers missing.
    scaling : str
        One of :data:`SCALINGS`.
    """
    names = quasi_identifiers(table)
    weighted = scaling == WEIGHTED
    plan = Plan(
        method="mdav",
        k=K,
        scaling="zscore" if weighted else scaling,
        quasi_identifiers=names,
        attribute_weights={names[0]: WEIGHT} if weighted else {},
    )
    X = Preparations(table).of(resolve(plan, table)).points.X
    variation = X.var(axis=0)
    shares = 100.0 * variation / variation.sum()
    outcomes = [
        run(plan.replace(method=method), table, bound=NO_BOUND) for method in METHODS
    ]
    return OnScale(
        scaling,
        dict(zip(names, shares.tolist(), strict=True)),
        {one.plan.method: one.information_loss for one in outcomes},
        outcomes[0].scores["information-loss"].per_column,
    )


def printed(dataset: str) -> dict[str, literature.Printed]:
    """Return the two printed cells for k = 3, by method."""
    return {
        cell.method: cell
        for method in METHODS
        for cell in literature.published()
        if (cell.dataset, cell.method, cell.k) == (dataset, method, K)
    }


def quoted(table: Table) -> str:
    """Return the published table whose printed figures stand beside a table."""
    return reproduce.recognise(table) or EXAMPLE
