"""Fit transforms whose parameters depend on all records, by passes over the input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
from engine.streaming.records.source import ParquetSource

TRANSFORMS_STAGE = Message("Before the first pass: transforms")

BOX_COX_TRANSFORM = "box-cox"


def fit_transforms(
    plan: ResolvedPlan, source: ParquetSource, ctx: RunContext
) -> tuple[FittedTransform, ...]:
    """Return each quasi-identifier's transform, fitted by passes over all records.

    The smallest value takes a pass over the records, and Box and Cox's power two more.
    """
    asked = {name: way for name, way in plan.transforms.items() if way != NO_TRANSFORM}
    powered = [name for name, way in asked.items() if way == BOX_COX_TRANSFORM]
    known: dict[str, FittedTransform] = {}
    if asked:
        part = ctx.subcontext(0.0, 1 / 3 if powered else 1.0)
        least = dict.fromkeys(asked, np.inf)
        for columns in _read_columns(plan, source, asked, part):
            for name, values in columns.items():
                least[name] = min(least[name], float(values.min()))
        known = {
            name: FittedTransform("log", shift_to_positive_values(least[name]), 0.0)
            for name in asked
        }
    if powered:
        powers = _box_cox_powers(
            plan, source, {name: known[name] for name in powered}, ctx
        )
        for name, power in powers.items():
            known[name] = FittedTransform(BOX_COX_TRANSFORM, known[name].shift, power)
    return tuple(known.get(name, FittedTransform()) for name in plan.quasi_identifiers)


def _box_cox_powers(
    plan: ResolvedPlan,
    source: ParquetSource,
    logs: Mapping[str, FittedTransform],
    ctx: RunContext,
) -> dict[str, float]:
    """Return the Box-Cox power of some columns, whose mean logarithms are given."""
    means = {name: StreamingColumnMoments(1) for name in logs}
    for columns in _read_columns(plan, source, logs, ctx.subcontext(1 / 3, 2 / 3)):
        for name, values in columns.items():
            means[name].add_records(logs[name](values)[:, np.newaxis])
    middle = {name: float(each.finish().mean[0]) for name, each in means.items()}
    spreads = {name: StreamingColumnMoments(BOX_COX_POWERS.size) for name in logs}
    for columns in _read_columns(plan, source, logs, ctx.subcontext(2 / 3, 1.0)):
        for name, values in columns.items():
            some = divide_by_geometric_mean(values + logs[name].shift, middle[name])
            with np.errstate(over="ignore", invalid="ignore"):
                spreads[name].add_records(box_cox_transforms_of_all_powers(some))
    with np.errstate(over="ignore", invalid="ignore"):
        return {
            name: most_likely_box_cox_power(
                np.nan_to_num(each.finish().sums_of_squares / each.n, nan=np.inf)
            )
            for name, each in spreads.items()
        }


def _read_columns(
    plan: ResolvedPlan,
    source: ParquetSource,
    wanted: Mapping[str, object],
    ctx: RunContext,
) -> Iterator[dict[str, Values]]:
    """Yield the numbers of some columns of complete records, batch by batch."""
    names = plan.quasi_identifiers
    cases = MissingRecordFilter(plan)
    for first, batch in source.batches(names, ctx, TRANSFORMS_STAGE):
        holes = [
            decode_and_normalise_column(batch.column(name)).is_null() for name in names
        ]
        lacking = np.column_stack([np.asarray(each) for each in holes])
        complete = cases.complete_mask(np.where(lacking, np.nan, 0.0), first)
        if complete.any():
            yield {
                name: column_to_floats(batch.column(name))[complete] for name in wanted
            }
