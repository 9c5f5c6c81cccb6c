"""One block: group its records, give them common values, and make them a Parquet part.

What a block needs comes with it, and what it becomes goes back as bytes and figures, so
that it does not matter in which thread, process or machine that happens.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from engine.constraints.rules import Rules, parse_rules
from engine.core.context import SILENT, RunContext
from engine.core.message import NOTHING, Message, to_json
from engine.core.typing import Values
from engine.data.attributes import Attribute
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import distinct_texts
from engine.measures.base import Protected
from engine.measures.classes import smallest_class
from engine.measures.loss.information_loss import Groups, squares_of
from engine.pipeline.aggregate import replace
from engine.pipeline.group import group
from engine.pipeline.prepare import Prepared
from engine.pipeline.resolved import ResolvedPlan
from engine.pipeline.strata import Block
from engine.pipeline.survived import Survival, survived
from engine.points.base import Points
from engine.points.space import Space
from engine.release.verify import VerificationError
from engine.streaming.carried import restored, same
from engine.streaming.columns import (
    as_categories,
    is_general,
    is_moment,
    matrix_of,
    moments_of,
    numbers_of,
    to_arrow,
)
from engine.streaming.scan import weights_of
from engine.streaming.words import Leaves


@dataclass(frozen=True, eq=False)
class Task:
    """What protecting any block needs to know, beside its records.

    Attributes
    ----------
    plan : ResolvedPlan
    names : tuple of str
        All columns of the input.
    schema : pyarrow.Schema
        Of the release.
    space : Space
        Of the whole table.
    leaves : mapping of str to Leaves
        Of the columns of words.
    decimals : tuple of int
    categories : mapping of str to pyarrow.Array or None
        See :func:`engine.streaming.columns.categories_of`.
    """

    plan: ResolvedPlan
    names: tuple[str, ...]
    schema: Any
    space: Space
    leaves: Mapping[str, Leaves]
    decimals: tuple[int, ...]
    categories: Mapping[str, Any]

    @property
    def carried(self) -> tuple[str, ...]:
        """Columns that nobody protects, which leave as they came in."""
        protected = self.plan.quasi_identifiers
        return tuple(name for name in self.schema.names if name not in protected)

    def rules(self) -> Rules | None:
        """Return what released values have to satisfy."""
        plan = self.plan
        if not plan.constraints:
            return None
        return parse_rules(plan.constraints, plan.quasi_identifiers, self.names)


@dataclass(frozen=True)
class Part:
    """A protected block.

    Attributes
    ----------
    number : int
        Of the block, from 0.
    content : bytes
        A Parquet file.
    figures : mapping
        Plain values: what :func:`protect` found out.
    """

    number: int
    content: bytes
    figures: Mapping[str, Any]


def protect(task: Task, number: int, table: Any, ctx: RunContext = SILENT) -> Part:
    """Protect the records of a block.

    Parameters
    ----------
    task : Task
    number : int
        Of the block, from 0.
    table : pyarrow.Table
        Its records, with all columns that are released and those that weigh.
    ctx : RunContext

    Raises
    ------
    EngineError
    """
    started = time.perf_counter()
    plan, n = task.plan, table.num_rows
    points = _points_of(task, table)
    rules = task.rules()
    broken = [0] * len(plan.constraints)
    if rules is not None:
        broken = rules.broken(points.values).sum(axis=0).tolist()
        points = points.with_rules(rules)
    everything = Block(tuple(range(points.n_attributes)), (np.arange(n),))
    prepared = Prepared(points, (everything,), {}, task.decimals, ())
    groups = group(plan, prepared, ctx)
    records = _records(task, table, points.values)
    release, exact, written = replace(plan, records, prepared, groups.grouped)
    partition = groups.grouped.partition
    sizes = partition.sizes
    content, back = _content(task, table, release.frame, written)
    protected = Protected(points, exact, partition, release.frame)
    left = survived(plan, records, points, release.frame, written)
    squares = [
        squares_of(protected, exact, Groups.CENTROIDS),
        squares_of(protected, written, Groups.WRITTEN),
    ]
    return Part(
        number,
        content,
        {
            "block": number,
            "n_records": n,
            "n_groups": int(sizes.size),
            "group_size": {"min": int(sizes.min()), "max": int(sizes.max())},
            "sse": squares[0][0].tolist(),
            "sse_released": squares[1][0].tolist(),
            "survived": [
                _became(task, attribute, left[attribute.name], table, back)
                for attribute in task.space.attributes
            ],
            "rules_broken": broken,
            "warnings": list(map(to_json, groups.warnings)),
            "sha256": hashlib.sha256(content).hexdigest(),
            "bytes": len(content),
            "seconds": time.perf_counter() - started,
        },
    )


def _became(
    task: Task, attribute: Attribute, known: Survival, table: Any, back: Any
) -> dict[str, float | None]:
    """Return what has become of a column's values: records, and how far they moved.

    Numbers and dates are compared as they are in the two files, where a type may have
    fewer digits than the numbers that were computed with.
    """
    n = table.num_rows
    found: dict[str, float | None] = {
        name: n * share for name, share in known.shares.items()
    }
    found["change"] = None
    general = is_general(attribute, task.plan.aggregations[attribute.name])
    if attribute.words is not None or general:
        return found
    before, after = (numbers_of(each.column(attribute.name)) for each in (table, back))
    kept = int((before == after).sum())
    found |= {"kept": kept, "changed": n - kept}
    return found | {"change": float(np.abs(before - after).sum())}


def _points_of(task: Task, table: Any) -> Points:
    """Return the records on the scale of the whole table."""
    plan = task.plan
    values = matrix_of(table, plan.quasi_identifiers, task.leaves)
    weights = None
    if plan.weights is not None:
        weights = weights_of(table, plan.weights)
        weights.flags.writeable = False
    return Points.within(task.space, values, weights=weights)


def _records(task: Task, table: Any, values: Values) -> Table:
    """Return the quasi-identifiers as the rest of the engine has them."""
    frame = {}
    for j, attribute in enumerate(task.space.attributes):
        column = table.column(attribute.name)
        if attribute.words is not None:
            words = attribute.words.to_numpy()
            frame[attribute.name] = pd.Series(words[values[:, j].astype(np.int64)])
        elif is_moment(column.type):
            frame[attribute.name] = moments_of(column)
        else:
            frame[attribute.name] = pd.Series(numbers_of(column))
    columns = tuple(Column(each.name, each.kind) for each in task.space.attributes)
    return Table(pd.DataFrame(frame), Schema(columns), "")


def _content(
    task: Task, table: Any, frame: pd.DataFrame, written: Values
) -> tuple[bytes, Any]:
    """Return the release as a Parquet file, and the table that it reads back as."""
    places = {name: j for j, name in enumerate(task.plan.quasi_identifiers)}
    columns = []
    for field in task.schema:
        if field.name in places:
            j = places[field.name]
            columns.append(_released(task, j, field, frame[field.name], written[:, j]))
        else:
            columns += restored(table, [field], task.categories)
    release = pa.Table.from_arrays(columns, schema=task.schema)
    stream = pa.BufferOutputStream()
    pq.write_table(release, stream)
    content: bytes = stream.getvalue().to_pybytes()
    del stream  # as large as the block
    # Blocks are side by side as it is, and threads would keep memory of their own.
    file = pq.ParquetFile(pa.BufferReader(content))
    back = file.read(use_threads=False)
    _compare(release, back, task.plan)
    return content, back


def _released(
    task: Task, j: int, field: Any, column: pd.Series, written: Values
) -> Any:
    """Return a protected column: general values as text, others in their own type."""
    attribute = task.space.attributes[j]
    if is_general(attribute, task.plan.aggregations[attribute.name]):
        records, texts = distinct_texts(column)
        return pa.array(texts, field.type).take(pa.array(records))
    if attribute.words is None:
        return to_arrow(written, attribute, field.type)
    codes = pa.array(written.astype(np.int64))
    words = task.leaves[attribute.name].by_leaf.take(codes)
    if pa.types.is_dictionary(field.type):
        return as_categories(words, field.type, task.categories[attribute.name])
    return words.cast(field.type)


def _compare(release: Any, back: Any, plan: ResolvedPlan) -> None:
    """Refuse a file that does not say what was meant."""
    wrong = NOTHING
    if not back.schema.equals(release.schema):
        wrong = Message("has other columns")
    for name in release.column_names:
        if not wrong and not same(release.column(name), back.column(name)):
            wrong = Message("has other values in column {column!r}", column=name)
    if not wrong:
        names = plan.quasi_identifiers
        frame = back.select(list(names)).to_pandas(date_as_object=False)
        smallest = smallest_class(frame, names)
        if smallest < plan.k:
            wrong = Message(
                "has a group of {smallest} records, fewer than k = {k}",
                smallest=smallest,
                k=plan.k,
            )
    if wrong:
        raise VerificationError(
            "A part of the release, read back, {wrong}, so nothing was written; "
            "please report this.",
            wrong=wrong,
        )
