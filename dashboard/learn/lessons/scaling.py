"""Why scaling decides the figures: two methods, two scalings, and a printed table."""

from __future__ import annotations

import numpy as np

import sample_data
from dashboard.charts.lesson_inputs import OnScale
from engine.analysis import reproduce
from engine.bounds import NO_BOUND
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.resolved import resolve
from engine.pipeline.run import run
from engine.points.encode import encode
from engine.points.scaling import scalings

K = 3

SCALINGS = ("none", "zscore")
"""As the values are, and standardised."""

METHODS = ("mdav1", reproduce.RAW)
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
    return resolve(Plan(method="mdav", k=K), table).quasi_identifiers


def on_scale(table: Table, scaling: str) -> OnScale:
    """Run both methods on one scaling.

    Parameters
    ----------
    table : Table
        Numbers only, none of them missing.
    scaling : str
        Identifier in :data:`engine.points.scaling.scalings`.
    """
    names = quasi_identifiers(table)
    X = encode(table, names, scaling).X
    variation = np.square(X - X.mean(axis=0)).sum(axis=0)
    shares = 100.0 * variation / variation.sum()
    losses = {}
    for method in METHODS:
        plan = Plan(method=method, k=K, scaling=scaling, quasi_identifiers=names)
        losses[method] = run(plan, table, bound=NO_BOUND).information_loss
    return OnScale(
        scalings.resolve(scaling),
        dict(zip(names, shares.tolist(), strict=True)),
        losses,
    )


def printed(dataset: str) -> dict[str, reproduce.Printed]:
    """Return the two printed cells for k = 3, by method."""
    return {
        cell.method: cell
        for method in METHODS
        for cell in reproduce.published()
        if (cell.dataset, cell.method, cell.k) == (dataset, method, K)
    }


def quoted(table: Table) -> str:
    """Return the published table whose printed figures stand beside a table."""
    return reproduce.recognise(table) or EXAMPLE
