"""Transforms whose figures depend on all records, settled as they pass by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.typing import Values
from engine.pipeline.resolved import ResolvedPlan
from engine.points.transforms import (
    PLAIN,
    POWERS,
    Transform,
    all_powers,
    most_likely,
    relative,
    shift_for,
)
from engine.streaming.columns import numbers_of
from engine.streaming.missing import CompleteCases
from engine.streaming.moments import Moments
from engine.streaming.source import Source
from engine.streaming.words import plain_words

STAGE = Message("Before the first pass: transforms")

BOX_COX = "box-cox"


def settle_transforms(
    plan: ResolvedPlan, source: Source, ctx: RunContext
) -> tuple[Transform, ...]:
    """Return each quasi-identifier's transform, as for a table in memory.

    The smallest value takes a pass over the records, and Box and Cox's power two more.

    Parameters
    ----------
    plan : ResolvedPlan
    source : Source
    ctx : RunContext
    """
    asked = {name: way for name, way in plan.transforms.items() if way != PLAIN}
    powered = [name for name, way in asked.items() if way == BOX_COX]
    known: dict[str, Transform] = {}
    if asked:
        part = ctx.part(0.0, 1 / 3 if powered else 1.0)
        least = dict.fromkeys(asked, np.inf)
        for columns in _columns(plan, source, asked, part):
            for name, values in columns.items():
                least[name] = min(least[name], float(values.min()))
        known = {name: Transform("log", shift_for(least[name]), 0.0) for name in asked}
    if powered:
        powers = _powers(plan, source, {name: known[name] for name in powered}, ctx)
        for name, power in powers.items():
            known[name] = Transform(BOX_COX, known[name].shift, power)
    return tuple(known.get(name, Transform()) for name in plan.quasi_identifiers)


def _powers(
    plan: ResolvedPlan, source: Source, logs: Mapping[str, Transform], ctx: RunContext
) -> dict[str, float]:
    """Return Box and Cox's power of some columns, whose logarithms are given."""
    means = {name: Moments(1) for name in logs}
    for columns in _columns(plan, source, logs, ctx.part(1 / 3, 2 / 3)):
        for name, values in columns.items():
            means[name].add(logs[name](values)[:, np.newaxis])
    middle = {name: float(each.finish().mean[0]) for name, each in means.items()}
    spreads = {name: Moments(POWERS.size) for name in logs}
    for columns in _columns(plan, source, logs, ctx.part(2 / 3, 1.0)):
        for name, values in columns.items():
            some = relative(values + logs[name].shift, middle[name])
            with np.errstate(over="ignore", invalid="ignore"):
                spreads[name].add(all_powers(some))
    with np.errstate(over="ignore", invalid="ignore"):
        return {
            name: most_likely(np.nan_to_num(each.finish().squares / each.n, nan=np.inf))
            for name, each in spreads.items()
        }


def _columns(
    plan: ResolvedPlan, source: Source, wanted: Mapping[str, object], ctx: RunContext
) -> Iterator[dict[str, Values]]:
    """Yield the numbers of some columns, of complete records, batch after batch."""
    names = plan.quasi_identifiers
    cases = CompleteCases(plan)
    for first, batch in source.batches(names, ctx, STAGE):
        holes = [plain_words(batch.column(name)).is_null() for name in names]
        lacking = np.column_stack([np.asarray(each) for each in holes])
        complete = cases.mask(np.where(lacking, np.nan, 0.0), first)
        if complete.any():
            yield {name: numbers_of(batch.column(name))[complete] for name in wanted}
