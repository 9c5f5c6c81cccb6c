"""Group the rows of an array, without files, roles or plans."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from engine.core.arguments import check_arguments
from engine.core.context import SILENT, RunContext
from engine.core.errors import InputError
from engine.core.numerics.array_like import copy_as_floats
from engine.core.partition import Labels
from engine.core.typing import Integers, Values
from engine.data.persons import renumber_persons
from engine.methods.base import Microaggregator, check_polish, make_method
from engine.methods.search.refined import refine_partition as refine_groups
from engine.persons import (
    code_person_ids,
    group_for_k_persons,
    select_records_of_equal_counts,
)
from engine.persons.group import check_person_count, validate_intruder_knows
from engine.pipeline.planning.resolve_plan import check_counts_of_persons
from engine.points.base import Points
from engine.points.scaling import ArraySpread, centre_and_scale, scalings


@check_arguments
def partition(
    X: ArrayLike,
    k: int = 3,
    method: str = "mdav",
    scaling: str = "zscore",
    seed: int = 0,
    ctx: RunContext = SILENT,
    polish: bool = False,
    persons: ArrayLike | None = None,
    intruder_knows: str = "one",
    counts: bool = False,
    **parameters: Any,
) -> Labels:
    """Return each row's group label; most methods give every group k rows or more.

    Parameters
    ----------
    X : array-like of float, shape (n_records, n_attributes)
        Finite numbers; a one-dimensional array is one attribute.
    k : int
        Minimum group size, at least 2.
    method : str
        Identifier or alias in :data:`engine.methods`.
    scaling : {"zscore", "range", "none"}
    seed : int
        Seed of the random numbers, where the method draws any.
    ctx : RunContext
        Progress and cancel.
    polish : bool
        Whether the method's groups are refined by local search afterwards.
    persons : array-like, shape (n_records,), optional
        Person of each row, as text or number, if somebody has several rows. k then
        counts different persons. Rows without a person count for nobody.
    intruder_knows : {"one", "all"}
        One row of a person, so that every group has rows of at least k persons. With
        all, at least k persons have rows in the same set of groups. Columns that are
        constant for every person should then get the common value of these persons.
    counts : bool
        With all, whether these persons also have as many rows in each group. Rows of
        whoever has more are left out.
    **parameters
        The method's own parameters.

    Returns
    -------
    ndarray of int64, shape (n_records,)
        Group of each row, in the order of the rows; groups are numbered in the order
        in which the method created them. -1 of rows left out, which only `counts` asks
        for.

    Raises
    ------
    InputError
        If X is not a table of finite numbers.
    ParameterError, InfeasibleError
        If a choice does not exist, or cannot be met with these records.
    """
    values = copy_as_floats(X)
    if values.ndim == 1:
        values = values[:, np.newaxis]
    if values.ndim != 2 or values.shape[1] == 0:
        raise InputError(
            "X must have one row per record and one column per attribute, but has "
            "shape {shape}.",
            shape=str(values.shape),
        )
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if bad.size:
        raise InputError(
            "X has missing or infinite values in {count:,} row, row {row}: correct it "
            "or leave it out.",
            "X has missing or infinite values in {count:,} rows, first in row {row}: "
            "correct or leave out these rows.",
            count=bad.size,
            row=bad[0],
        )
    _scale(values, scaling)
    chosen = make_method(method, k, parameters, seed)
    points = Points.from_array(values)
    knows = validate_intruder_knows(intruder_knows)
    if counts:
        check_counts_of_persons(knows, persons is not None)
    if persons is not None:
        codes = code_person_ids(persons, points.n_records)
        if counts:
            return _group_equal_counts(points, codes, chosen, ctx, polish)
        person_groups = group_for_k_persons(points, codes, chosen, knows, ctx, polish)
        return person_groups.partition.labels
    if not polish:
        return chosen.partition(points, ctx).labels
    check_polish(chosen.info)
    groups = chosen.partition(points, ctx.subcontext(0.0, 0.5))
    return refine_groups(points, groups, ctx.subcontext(0.5, 1.0)).labels


def _group_equal_counts(
    points: Points,
    persons: Integers,
    method: Microaggregator,
    ctx: RunContext,
    polish: bool,
) -> Labels:
    """Return the groups in which k persons have as many records, -1 of those left out.

    Raises
    ------
    InfeasibleError
    """
    k = int(method.k)
    check_person_count(persons, k)
    kept_records = select_records_of_equal_counts(
        points, persons, k, ctx=ctx.subcontext(0.0, 0.2)
    )
    person_groups = group_for_k_persons(
        points.subset(kept_records),
        renumber_persons(persons[kept_records]),
        method,
        "counts",
        ctx.subcontext(0.2, 1.0),
        polish,
    )
    labels = np.full(points.n_records, -1, dtype=np.int64)
    labels[kept_records] = person_groups.partition.labels
    return labels


def _scale(values: Values, scaling: str) -> None:
    """Scale a matrix in place, with a copy of one column at a time."""
    scalings.resolve(scaling)
    if values.shape[0] == 0:
        return
    for j in range(values.shape[1]):
        column = values[:, j : j + 1].copy()
        centre, scale = centre_and_scale(scaling, ArraySpread(column))
        column -= centre
        column /= scale
        values[:, j] = column[:, 0]
