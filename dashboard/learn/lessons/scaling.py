"""Lesson on scaling: two methods, three scalings, and a published table."""

from __future__ import annotations

import sample_data
from dashboard.charts.lesson_inputs import ScalingResult
from engine.analysis import literature, reproduce
from engine.bounds import NO_BOUND
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.prepare import PreparationCache
from engine.pipeline.resolved import resolve_plan
from engine.pipeline.run import run

SCALING_K = 3

WEIGHTED_SCALING = "weighted"

LESSON_SCALINGS = ("none", "zscore", WEIGHTED_SCALING)
"""As the values are, standardised, and standardised with a weight on one column."""

COLUMN_WEIGHT = 3.0
"""How many times the weighted column counts."""

SCALING_METHODS = ("mdav1", literature.RAW_VALUES_METHOD)
"""The usual method, and the one whose figures are presumably on raw values."""

DEFAULT_DATASET = "tarragona"
"""The published table that is quoted unless a copy of another is open."""


def default_scaling_table() -> Table:
    """Return the sample that is used while no reference table is open."""
    return sample_data.load("business_survey")


def lesson_quasi_identifiers(table: Table) -> tuple[str, ...]:
    """Return a published table's columns, else numeric or ordinal quasi-identifiers."""
    if reproduce.recognise_dataset(table) is not None:
        return tuple(map(str, table.frame.columns))
    plan = resolve_plan(Plan(method="mdav", k=SCALING_K), table)
    return tuple(
        name for name in plan.quasi_identifiers if plan.kinds[name] is not Kind.NOMINAL
    )


def compare_methods_on_scaling(table: Table, scaling_id: str) -> ScalingResult:
    """Return two methods' losses on a scaling, and columns' shares of variation.

    Parameters
    ----------
    table : Table
        None of its numbers missing.
    scaling_id : str
        One of :data:`LESSON_SCALINGS`.
    """
    names = lesson_quasi_identifiers(table)
    weighted = scaling_id == WEIGHTED_SCALING
    plan = Plan(
        method="mdav",
        k=SCALING_K,
        scaling="zscore" if weighted else scaling_id,
        quasi_identifiers=names,
        attribute_weights={names[0]: COLUMN_WEIGHT} if weighted else {},
    )
    X = PreparationCache(table).get(resolve_plan(plan, table)).points.X
    variation = X.var(axis=0)
    shares = 100.0 * variation / variation.sum()
    outcomes = [
        run(plan.replace(method=method), table, bound=NO_BOUND)
        for method in SCALING_METHODS
    ]
    return ScalingResult(
        scaling_id,
        dict(zip(names, shares.tolist(), strict=True)),
        {one.plan.method: one.information_loss for one in outcomes},
        outcomes[0].scores["information-loss"].per_column,
    )


def printed_cells_by_method(dataset: str) -> dict[str, literature.PrintedCell]:
    """Return the printed figures of both methods on a published table for k = 3."""
    return {
        cell.method: cell
        for method in SCALING_METHODS
        for cell in literature.printed_cells()
        if (cell.dataset, cell.method, cell.k) == (dataset, method, SCALING_K)
    }


def published_dataset_or_default(table: Table) -> str:
    """Return the name of the published table that a table is, or the default name."""
    return reproduce.recognise_dataset(table) or DEFAULT_DATASET
