"""Bound for groups of k persons: distances to records of other persons.

The bounds of records hold as well, since a group of k persons has k records; this one
is higher where the nearest records of a record are mostly its own person's, and where
an intruder knows all records, so that a person has the same others in all groups.
"""

from __future__ import annotations

import numpy as np

from engine.bounds.base import BOUND_STAGE, EPS, CentredRecords, LowerBound
from engine.bounds.equal_counts import equal_counts_sse_lower_bound
from engine.core.context import SILENT, RunContext, steps_per_look
from engine.core.typing import Booleans, Integers, Values
from engine.data.persons import renumber_persons
from engine.kernels.persons.charges import (
    write_history_sse_lower_bounds,
    write_person_sse_lower_bounds,
    write_record_sse_lower_bounds,
)

PERSONS_KIND = "persons"
"""What an outcome calls this bound."""

MAX_PERSONS_BOUND_RECORDS = 10_000
"""Records up to which a run carries this bound: all pairs are measured."""

MAX_HISTORY_RECORDS = 5_000
"""Records up to which class-mates of whole persons are looked for; beyond, the bound is
that of single records.
"""


def persons_bound(
    X: Values,
    person_codes: Integers,
    k: int,
    constant_within_person_mask: Booleans | None = None,
    ctx: RunContext = SILENT,
    counts: bool = False,
) -> LowerBound:
    """Return a lower bound on the loss of groups of at least k persons each.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    person_codes : ndarray of int64, shape (n_records,)
        Person of each record, -1 of nobody.
    constant_within_person_mask : ndarray of bool, shape (n_coordinates,), optional
        Where an intruder knows all records of a person, so that its k - 1 class-mates
        are the same for all: coordinates that vary within no person, which take the
        mean of the class. What is lost of these and of the others is bounded apart,
        and together; the higher counts.
    counts : bool
        Whether each group holds as many records of each person of its class.
    """
    records = CentredRecords.from_array(X)
    persons = np.unique(person_codes[person_codes >= 0]).size
    if persons < k or records.sst == 0.0:
        return records.lower_bound(PERSONS_KIND, 0.0)
    person_codes = renumber_persons(person_codes)
    if constant_within_person_mask is None:
        sse = float(sse_lower_bound_per_record(X, person_codes, k, ctx).sum())
        return records.lower_bound(PERSONS_KIND, sse)
    part = ctx.subcontext(0.0, 0.6) if counts else ctx
    sse = _of_histories(X, person_codes, k, part.subcontext(0.0, 0.5))
    if constant_within_person_mask.any():
        split_sse = _of_persons(
            X[:, constant_within_person_mask],
            person_codes,
            k,
            part.subcontext(0.5, 0.6),
        )
        if not constant_within_person_mask.all():
            split_sse += _of_histories(
                X[:, ~constant_within_person_mask],
                person_codes,
                k,
                part.subcontext(0.6, 1.0),
            )
        sse = max(sse, split_sse)
    if counts:
        part = ctx.subcontext(0.6, 1.0)
        sse = max(sse, equal_counts_sse_lower_bound(X, person_codes, k, part))
    ctx.tick(1, 1, BOUND_STAGE)
    return records.lower_bound(PERSONS_KIND, sse)


def sse_lower_bound_per_record(
    X: Values, person_codes: Integers, k: int, ctx: RunContext = SILENT
) -> Values:
    """Return a lower bound on each record's part of its group's SSE, (n_records,).

    Without some of the records the others pay no less.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    person_codes : ndarray of int64, shape (n_records,)
        Person of each record, -1 of nobody; of at least k persons.
    """
    records, person_codes = CentredRecords.from_array(X), renumber_persons(person_codes)
    n, persons = records.n, int(person_codes.max()) + 1
    charge, scratch = np.zeros(n), np.empty(n)
    nearest, which = np.empty(persons), np.empty(persons, dtype=np.int64)
    step = steps_per_look(n)
    for first, last in ctx.iterate_ranges(n, step, BOUND_STAGE):
        write_record_sse_lower_bounds(
            records.X,
            person_codes,
            k,
            records.slack,
            records.relative,
            first,
            last,
            nearest,
            which,
            scratch,
            charge,
        )
    ctx.tick(1, 1, BOUND_STAGE)
    return charge * (1.0 - EPS * (2.0 * n + 64.0))


def _of_histories(X: Values, persons: Integers, k: int, ctx: RunContext) -> float:
    """Return the sum of what persons pay at least who have the same others in all."""
    records = CentredRecords.from_array(X)
    bounds = sse_lower_bound_per_record(X, persons, k, ctx.subcontext(0.0, 0.3))
    if records.n > MAX_HISTORY_RECORDS:
        return float(bounds.sum())
    of_nobody = np.count_nonzero(persons < 0)
    order = np.argsort(persons, kind="stable")[of_nobody:]
    starts = np.concatenate([[0], np.cumsum(np.bincount(persons[order]))])
    charge, ctx = np.zeros(starts.size - 1), ctx.subcontext(0.3, 1.0)
    step = steps_per_look(10 * records.n * records.n / max(1, charge.size))
    for first, last in ctx.iterate_ranges(charge.size, step, BOUND_STAGE):
        write_history_sse_lower_bounds(
            records.X,
            persons,
            order,
            starts,
            k,
            records.slack,
            records.relative,
            first,
            last,
            bounds,
            charge,
        )
    # A record's terms are at most n times what it pays, and some cancel.
    safe = charge.sum() * (1.0 - EPS * (records.n + 64.0) ** 2)
    return float(bounds[persons < 0].sum() + max(safe, bounds[order].sum()))


def _of_persons(X: Values, persons: Integers, k: int, ctx: RunContext) -> float:
    """Return the sum of what persons pay at least, each as often as it has records."""
    has_person = persons >= 0
    mass = np.bincount(persons[has_person]).astype(np.float64)
    first_of = np.unique(persons[has_person], return_index=True)[1]
    # Around the same origin as all records, so that rounding is the same.
    records = CentredRecords.from_array(X[has_person][first_of])
    n = mass.size
    charge, squared, value = np.zeros(n), np.empty(n), np.empty(n)
    step = steps_per_look(10 * n)
    for first, last in ctx.iterate_ranges(n, step, BOUND_STAGE):
        write_person_sse_lower_bounds(
            records.X,
            mass,
            k,
            records.slack,
            records.relative,
            first,
            last,
            squared,
            value,
            charge,
        )
    return float(charge.sum()) * (1.0 - EPS * (2.0 * n + 64.0))
