"""Fit transforms whose parameters depend on all records, by passes over the input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.typing import Values
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.points.transforms import (
    BOX_COX_POWERS,
    NO_TRANSFORM,
    FittedTransform,
    box_cox_transforms_of_all_powers,
    divide_by_geometric_mean,
    most_likely_box_cox_power,
    shift_to_positive_values,
)
from engine.streaming.passes.missing import MissingRecordFilter
from engine.streaming.passes.moments import StreamingColumnMoments
from engine.streaming.passes.words import decode_and_normalise_column
from engine.streaming.records.columns import column_to_floats
from engine.streaming.records.source import InputPart, ParquetSource
from engine.streaming.workers.tasks import Task, Workers, map_in_order

TRANSFORMS_STAGE = Message("Before the first pass: transforms")

BOX_COX_TRANSFORM = "box-cox"

Moments = Mapping[str, StreamingColumnMoments]
"""By column."""


def fit_transforms(
    plan: ResolvedPlan, source: ParquetSource, workers: Workers, ctx: RunContext
) -> tuple[FittedTransform, ...]:
    """Return each quasi-identifier's transform, fitted by passes over all records.

    The smallest value takes a pass over the records, and Box and Cox's power two more.
    """
    transform_by_column = tuple(
        name for name, way in plan.transforms.items() if way != NO_TRANSFORM
    )
    powered = tuple(
        name
        for name in transform_by_column
        if plan.transforms[name] == BOX_COX_TRANSFORM
    )
    fitted_transforms: dict[str, FittedTransform] = {}
    if transform_by_column:
        part = ctx.subcontext(0.0, 1 / 3 if powered else 1.0)
        task = partial(find_least_values, plan, transform_by_column)
        found = map_in_order(workers, task, source.parts, part, TRANSFORMS_STAGE)
        smallest_values = np.min(list(found), axis=0).tolist()
        fitted_transforms = {
            name: FittedTransform("log", shift_to_positive_values(value), 0.0)
            for name, value in zip(transform_by_column, smallest_values, strict=True)
        }
    if powered:
        logs = {name: fitted_transforms[name] for name in powered}
        powers = _box_cox_powers(plan, source, logs, workers, ctx)
        for name, power in powers.items():
            fitted_transforms[name] = FittedTransform(
                BOX_COX_TRANSFORM, fitted_transforms[name].shift, power
            )
    return tuple(
        fitted_transforms.get(name, FittedTransform())
        for name in plan.quasi_identifiers
    )


def _box_cox_powers(
    plan: ResolvedPlan,
    source: ParquetSource,
    logs: Mapping[str, FittedTransform],
    workers: Workers,
    ctx: RunContext,
) -> dict[str, float]:
    """Return the Box-Cox power of some columns, whose logarithms are given."""

    def moments(task: Task, size: int, first: float) -> Moments:
        found = {name: StreamingColumnMoments(size) for name in logs}
        part = ctx.subcontext(first, first + 1 / 3)
        for own in map_in_order(workers, task, source.parts, part, TRANSFORMS_STAGE):
            for name in logs:
                found[name].join(own[name])
        return found

    means = moments(partial(sum_logarithms, plan, logs), 1, 1 / 3)
    middles = {name: float(each.mean[0]) for name, each in means.items()}
    with np.errstate(over="ignore", invalid="ignore"):
        task = partial(sum_powers, plan, logs, middles)
        spreads = moments(task, BOX_COX_POWERS.size, 2 / 3)
        return {
            name: most_likely_box_cox_power(
                np.nan_to_num(each.sums_of_squares / each.n, nan=np.inf)
            )
            for name, each in spreads.items()
        }


def find_least_values(
    plan: ResolvedPlan, wanted: Sequence[str], part: InputPart, ctx: RunContext
) -> Values:
    """Return the smallest value of each of some columns in a part of the input."""
    least = np.full(len(wanted), np.inf)
    for columns in _read_columns(plan, part, wanted, ctx):
        least = np.minimum(least, [columns[name].min() for name in wanted])
    return least


def sum_logarithms(
    plan: ResolvedPlan,
    logs: Mapping[str, FittedTransform],
    part: InputPart,
    ctx: RunContext,
) -> Moments:
    """Return the moments of the logarithms of some columns in a part of the input."""
    found = {name: StreamingColumnMoments(1) for name in logs}
    for columns in _read_columns(plan, part, logs, ctx):
        for name, values in columns.items():
            found[name].add_records(logs[name](values)[:, np.newaxis])
    return {name: each.finish() for name, each in found.items()}


def sum_powers(
    plan: ResolvedPlan,
    logs: Mapping[str, FittedTransform],
    middles: Mapping[str, float],
    part: InputPart,
    ctx: RunContext,
) -> Moments:
    """Return the moments of every power of some columns in a part of the input.

    Parameters
    ----------
    middles : mapping of str to float
        Means of the logarithms.
    """
    found = {name: StreamingColumnMoments(BOX_COX_POWERS.size) for name in logs}
    with np.errstate(over="ignore", invalid="ignore"):
        for columns in _read_columns(plan, part, logs, ctx):
            for name, values in columns.items():
                some = divide_by_geometric_mean(
                    values + logs[name].shift, middles[name]
                )
                found[name].add_records(box_cox_transforms_of_all_powers(some))
        return {name: each.finish() for name, each in found.items()}


def _read_columns(
    plan: ResolvedPlan, part: InputPart, wanted: Iterable[str], ctx: RunContext
) -> Iterator[dict[str, Values]]:
    """Yield the numbers of some columns of complete records, batch by batch."""
    names = plan.quasi_identifiers
    cases = MissingRecordFilter(plan)
    for first, batch in part.batches(names, ctx):
        holes = [
            decode_and_normalise_column(batch.column(name)).is_null() for name in names
        ]
        lacking = np.column_stack([np.asarray(each) for each in holes])
        complete = cases.complete_mask(np.where(lacking, np.nan, 0.0), first)
        if complete.any():
            yield {
                name: column_to_floats(batch.column(name))[complete] for name in wanted
            }
