"""Lower bounds on the loss of a plan's groups, and their comparison with its loss."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.bounds import (
    NO_BOUND,
    LowerBound,
    strongest_affordable_bound,
    sum_bounds_of_parts,
)
from engine.bounds.nearest_neighbour_bound import nearest_bound
from engine.bounds.per_attribute import per_attribute_bound
from engine.bounds.persons import MAX_PERSONS_BOUND_RECORDS, persons_bound
from engine.core.context import SILENT, RunContext
from engine.core.message import Message
from engine.core.typing import Booleans
from engine.methods.base import methods
from engine.persons.histories import attributes_constant_per_person
from engine.pipeline.grouping.prepare import PreparedTable
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.cost import MAX_LB1_PAIR_VALUES, N_BOUND_COORDINATES
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.points.base import Points


def lower_bound(
    plan: ResolvedPlan,
    prepared: PreparedTable,
    ctx: RunContext = SILENT,
    thorough: bool = False,
) -> LowerBound:
    """Return a lower bound on the loss of any release of the plan's method.

    In large tables it looks at numbers and the smallest columns of categories only: a
    bound on a projection is one on all, as projection shortens. A `thorough` one takes
    its time; see :func:`engine.bounds.strongest_affordable_bound`.
    """
    points, traits = prepared.points, methods.info(plan.method).traits
    if traits.probabilistic:
        return NO_BOUND
    suppressed_records = prepared.suppressed
    if suppressed_records is not None and not suppressed_records.surplus.records:
        if traits.per_attribute:  # whose records are left out of all columns
            return NO_BOUND
        return suppressed_records.lower_bound(points)
    bounds, done, whole = list[LowerBound](), 0, True
    constant = _constant(plan, prepared)
    total = len(prepared.blocks) * points.n_records
    for block in prepared.blocks:
        block_points = prepared.points_of(block)
        X = block_points.X
        work = (
            0.0
            if thorough or block_points.space.is_plain
            else float(X.shape[0]) * X.size
        )
        if work > 10 * MAX_LB1_PAIR_VALUES:
            X = X[:, block_points.space.narrowest_coordinates(N_BOUND_COORDINATES)]
            whole = False
        for records in block.strata:
            both = ctx.subcontext(done / total, (done + records.size) / total)
            some = X if records.size == len(X) else X[records]
            persons = None
            if prepared.persons is not None and len(some) <= MAX_PERSONS_BOUND_RECORDS:
                persons = prepared.persons[records]
            part = both if persons is None else both.subcontext(0.0, 0.5)
            if traits.per_attribute:
                bounds.append(per_attribute_bound(some, plan.k, part))
            elif MAX_LB1_PAIR_VALUES < work <= 10 * MAX_LB1_PAIR_VALUES:
                bounds.append(nearest_bound(some, plan.k, part))
            else:
                bounds.append(strongest_affordable_bound(some, plan.k, part, thorough))
            if persons is not None:
                is_constant = constant if some.shape[1] == points.X.shape[1] else None
                part = both.subcontext(0.5, 1.0)
                people = persons_bound(
                    some, persons, plan.k, is_constant, part, plan.counts
                )
                bounds[-1] = max(bounds[-1], people, key=lambda bound: bound.sse)
            done += records.size
    return table_bound_from_parts(bounds, points, whole)


def _constant(plan: ResolvedPlan, prepared: PreparedTable) -> Booleans | None:
    """Return a mask of coordinates with one value per class of persons, or None."""
    if prepared.persons is None or plan.intruder_knows == "one":
        return None
    points = prepared.points
    same = attributes_constant_per_person(points, prepared.persons)
    return np.repeat(same, points.space.widths)


def table_bound_from_parts(
    part_bounds: list[LowerBound], points: Points, all_coordinates: bool = True
) -> LowerBound:
    """Return the lower bound of a table from the bounds of its blocks and strata.

    Parameters
    ----------
    part_bounds : list of LowerBound
        Bound of each block and stratum.
    points : Points
        All records.
    all_coordinates : bool
        Whether the bounds are of all coordinates, and not of some.
    """
    sst = None if points.space.is_exact and all_coordinates else points.sst
    return sum_bounds_of_parts(part_bounds, points.X, points.weights, sst)


def copy_with_larger_bound(outcome: Outcome, bound: LowerBound) -> Outcome:
    """Return an outcome with the larger of its bound and another, checked by loss."""
    strongest = max((bound, outcome.bound), key=lambda each: each.sse)
    checked_bound, doubt = bound_or_warning(strongest, outcome.information_loss)
    return replace(outcome, bound=checked_bound, warnings=outcome.warnings + doubt)


def bound_or_warning(
    bound: LowerBound, loss_per_cent: float
) -> tuple[LowerBound, tuple[Message, ...]]:
    """Return the bound and no warning; if it exceeds the loss, no bound and a warning.

    Both are sums over all records, so that rounding moves them by much less than a
    billionth: a bound that comes so near is the loss.
    """
    if abs(bound.per_cent - loss_per_cent) <= 1e-9 * loss_per_cent:
        return replace(bound, per_cent=loss_per_cent), ()
    if bound.per_cent <= loss_per_cent * (1.0 + 1e-9) + 1e-9:
        return bound, ()
    return NO_BOUND, (
        Message(
            "The lower bound came out above the loss, which cannot be, so it is left "
            "out; please report this."
        ),
    )
