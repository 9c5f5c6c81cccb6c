"""Protect one block: group and aggregate its records, give bytes of a Parquet file.

What a block needs comes with it, and what it becomes goes back as bytes and figures, so
that it does not matter in which thread, process or machine that happens.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from engine.constraints.rules import Rules, parse_rules
from engine.core.context import SILENT, RunContext
from engine.core.message import NO_MESSAGE, Message, message_to_json
from engine.core.partition import Partition
from engine.core.platform.system_errors import name_file_in_errors
from engine.core.typing import Integers, Values
from engine.data.conversion.attributes import AttributeInfo
from engine.data.persons import has_repeated_persons, persons_per_class
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import index_and_list_distinct_texts
from engine.measures.base import MeasuredRelease
from engine.measures.classes import record_classes, smallest_class_size
from engine.measures.loss.information_loss import CategoryCentre, sums_of_squares_of
from engine.pipeline.column_survival import ColumnSurvival, measure_survival_by_column
from engine.pipeline.grouping.group import group_records
from engine.pipeline.grouping.persons import check_persons_per_group
from engine.pipeline.grouping.prepare import PreparedTable
from engine.pipeline.grouping.strata import BlockStrata
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.protection.aggregate import build_release
from engine.points.base import Points
from engine.points.coordinate_space import CoordinateSpace
from engine.release.links import does_order_link_persons
from engine.release.verify import VerificationError
from engine.streaming.blocks.spool import SpooledRecords, drain_streams_into_table
from engine.streaming.passes.person_codes import person_codes_of_batch
from engine.streaming.passes.scan import read_batch_weights
from engine.streaming.passes.words import LeafEncoding
from engine.streaming.records.columns import (
    batch_to_float_matrix,
    can_generalise,
    column_to_floats,
    dates_to_series,
    encode_dictionary,
    is_date_type,
    to_arrow_column,
)
from engine.streaming.records.unprotected_columns import (
    columns_in_input_types,
    is_bitwise_equal,
)


@dataclass(frozen=True, eq=False)
class SharedBlockInputs:
    """Plan, schemas and coordinate space that all blocks of a run share.

    Attributes
    ----------
    plan : ResolvedPlan
    names : tuple of str
        All columns of the input.
    schema : pyarrow.Schema
        Of the release.
    space : CoordinateSpace
        Of the whole table.
    leaves : mapping of str to LeafEncoding
        Of the columns of words.
    decimals : tuple of int
    categories : mapping of str to pyarrow.Array or None
        See :func:`engine.streaming.records.columns.column_dictionaries`.
    n_records : int
        That are released, in all blocks together.
    """

    plan: ResolvedPlan
    names: tuple[str, ...]
    schema: Any
    space: CoordinateSpace
    leaves: Mapping[str, LeafEncoding]
    decimals: tuple[int, ...]
    categories: Mapping[str, Any]
    n_records: int

    @property
    def unprotected_columns(self) -> tuple[str, ...]:
        """Columns that are released unchanged."""
        protected = self.plan.quasi_identifiers
        return tuple(name for name in self.schema.names if name not in protected)

    def rules(self) -> Rules | None:
        """Return the parsed rules on released values; None if the plan has none."""
        plan = self.plan
        if not plan.constraints:
            return None
        return parse_rules(plan.constraints, plan.quasi_identifiers, self.names)


@dataclass(frozen=True)
class ProtectedPart:
    """A protected block as a Parquet file, with its figures.

    Attributes
    ----------
    number : int
        Of the block, from 0.
    content : bytes
        A Parquet file.
    figures : mapping
        Plain values: what :func:`protect_block` found out.
    """

    number: int
    content: bytes
    figures: Mapping[str, Any]

    def write(self, folder: Path) -> WrittenPart:
        """Write the file under a name of its own, and return what was written."""
        path = folder / f".{uuid4().hex}.part"  # another task may do the same work
        with name_file_in_errors(path), path.open("wb") as stream:
            stream.write(self.content)
            stream.flush()
            os.fsync(stream.fileno())
        return WrittenPart(self.number, path, self.figures)


@dataclass(frozen=True)
class WrittenPart:
    """File of a protected block before it has its final name, with its figures.

    Attributes
    ----------
    number : int
        Of the block, from 0.
    path : Path
    figures : mapping
        Plain values: what :func:`protect_block` found out.
    """

    number: int
    path: Path
    figures: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class SpooledBlock:
    """A block whose records are in files that whoever protects it can read.

    Attributes
    ----------
    number : int
        From 0.
    records : SpooledRecords
    folder : Path
        Where its part is written.
    """

    number: int
    records: SpooledRecords
    folder: Path


def protect_spooled_block(
    block_inputs: SharedBlockInputs, block: SpooledBlock, ctx: RunContext
) -> WrittenPart:
    """Protect a block, write its part, and return it."""
    table = drain_streams_into_table(block.records.read_streams())
    return protect_block(block_inputs, block.number, table, ctx).write(block.folder)


def protect_sent_block(
    block_inputs: SharedBlockInputs, block: tuple[int, list[bytes]], ctx: RunContext
) -> ProtectedPart:
    """Return a protected block, given its number and records as Arrow streams."""
    number, streams = block
    table = drain_streams_into_table(list(streams))
    return protect_block(block_inputs, number, table, ctx)


def protect_block(
    block_inputs: SharedBlockInputs, number: int, table: Any, ctx: RunContext = SILENT
) -> ProtectedPart:
    """Return a protected block as a Parquet file with figures.

    Parameters
    ----------
    number : int
        Of the block, from 0.
    table : pyarrow.Table
        Its records, with all columns that are released, those that weigh, and those
        that say who a record is about.

    Raises
    ------
    EngineError
    """
    started = time.perf_counter()
    plan, n = block_inputs.plan, table.num_rows
    points = _block_points(block_inputs, table)
    rules = block_inputs.rules()
    broken = [0] * len(plan.constraints)
    if rules is not None:
        broken = rules.broken(points.values).sum(axis=0).tolist()
        points = points.with_rules(rules)
    everything = BlockStrata(tuple(range(points.n_attributes)), (np.arange(n),))
    persons = _block_persons(block_inputs, table)
    prepared = PreparedTable(
        points,
        (everything,),
        {},
        block_inputs.decimals,
        (),
        persons=persons,
        share_of_table=n / block_inputs.n_records,
        rules=rules,
    )
    groups = group_records(plan, prepared, ctx.subcontext(0.0, 0.9))
    ctx.tick(0.9, 1, "")
    partition = groups.grouped.partition
    check_persons_per_group(plan, persons, partition)
    records = _block_table(block_inputs, table, points.values)
    release, exact, written = build_release(plan, records, prepared, groups.grouped)
    ctx.tick(0.92, 1, "")
    attributes = partition.attributes
    if attributes is not None:  # some of which take the values of classes of persons
        classes = record_classes(release.frame, plan.quasi_identifiers)
        partition = Partition(classes, plan.k)
    sizes = partition.sizes
    content, back = _parquet_content(
        block_inputs, table, release.frame, written, persons
    )
    ctx.tick(0.94, 1, "")
    protected = MeasuredRelease(
        points, exact, partition, release.frame, attributes=attributes
    )
    survival_by_column = measure_survival_by_column(
        plan, records, points, release.frame, written
    )
    ctx.tick(0.97, 1, "")
    squares = [
        sums_of_squares_of(protected, exact, CategoryCentre.CENTROIDS),
        sums_of_squares_of(protected, written, CategoryCentre.WRITTEN),
    ]
    return ProtectedPart(
        number,
        content,
        {
            "block": number,
            "n_records": n,
            "n_groups": int(sizes.size),
            "group_size": {"min": int(sizes.min()), "max": int(sizes.max())},
            **_person_figures(partition, persons),
            "sse": squares[0][0].tolist(),
            "sse_released": squares[1][0].tolist(),
            "survived": [
                _survival_figures(
                    block_inputs,
                    attribute,
                    survival_by_column[attribute.name],
                    table,
                    back,
                )
                for attribute in block_inputs.space.attributes
            ],
            "rules_broken": broken,
            "warnings": list(map(message_to_json, groups.warnings)),
            "sha256": hashlib.sha256(content).hexdigest(),
            "bytes": len(content),
            "seconds": time.perf_counter() - started,
        },
    )


def _block_persons(task: SharedBlockInputs, table: Any) -> Integers | None:
    """Return who each record is about, where somebody of the block has several."""
    columns = task.plan.person_columns
    if not columns or not {*columns} <= {*table.column_names}:
        return None
    codes = person_codes_of_batch(table, columns)
    return codes if has_repeated_persons(codes) else None


def _person_figures(partition: Partition, persons: Integers | None) -> dict[str, Any]:
    """Return how many persons groups have, and whether their order tells who is who."""
    if persons is None:
        sizes, in_order = partition.sizes, False
    else:
        sizes = persons_per_class(partition.labels, persons)
        in_order = does_order_link_persons(persons)
    return {
        "group_persons": {
            "min": int(sizes.min()),
            "sum": int(sizes.sum()),
            "max": int(sizes.max()),
        },
        "in_person_order": in_order,
    }


def _survival_figures(
    task: SharedBlockInputs,
    attribute: AttributeInfo,
    known: ColumnSurvival,
    table: Any,
    back: Any,
) -> dict[str, float | None]:
    """Return a column's survival: counts of records, and how far values moved.

    Numbers and dates are compared as they are in the two files, where a type may have
    fewer digits than the numbers that were computed with.
    """
    n = table.num_rows
    figures: dict[str, float | None] = {
        name: n * share for name, share in known.shares.items()
    }
    figures["change"] = None
    general = can_generalise(attribute, task.plan.aggregations[attribute.name])
    if attribute.words is not None or general:
        return figures
    before, after = (
        column_to_floats(each.column(attribute.name)) for each in (table, back)
    )
    n_kept = int((before == after).sum())
    figures |= {"kept": n_kept, "changed": n - n_kept}
    return figures | {"change": float(np.abs(before - after).sum())}


def _block_points(task: SharedBlockInputs, table: Any) -> Points:
    """Return the records as points on the scale of the whole table."""
    plan = task.plan
    values = batch_to_float_matrix(table, plan.quasi_identifiers, task.leaves)
    weights = None
    if plan.weights is not None:
        weights = read_batch_weights(table, plan.weights)
        weights.flags.writeable = False
    return Points.in_space(task.space, values, weights=weights)


def _block_table(task: SharedBlockInputs, table: Any, values: Values) -> Table:
    """Return the quasi-identifiers as a table."""
    frame = {}
    for j, attribute in enumerate(task.space.attributes):
        column = table.column(attribute.name)
        if attribute.words is not None:
            words = attribute.words.to_numpy()
            frame[attribute.name] = pd.Series(words[values[:, j].astype(np.int64)])
        elif is_date_type(column.type):
            frame[attribute.name] = dates_to_series(column)
        else:
            frame[attribute.name] = pd.Series(column_to_floats(column))
    columns = tuple(Column(each.name, each.kind) for each in task.space.attributes)
    return Table(pd.DataFrame(frame), Schema(columns), "")


def _parquet_content(
    task: SharedBlockInputs,
    table: Any,
    frame: pd.DataFrame,
    written: Values,
    persons: Integers | None,
) -> tuple[bytes, Any]:
    """Return the release as a Parquet file, and the table that it reads back as."""
    places = {name: j for j, name in enumerate(task.plan.quasi_identifiers)}
    columns = []
    for field in task.schema:
        if field.name in places:
            j = places[field.name]
            columns.append(
                _released_column(task, j, field, frame[field.name], written[:, j])
            )
        else:
            columns += columns_in_input_types(table, [field], task.categories)
    release = pa.Table.from_arrays(columns, schema=task.schema)
    stream = pa.BufferOutputStream()
    pq.write_table(release, stream)
    content: bytes = stream.getvalue().to_pybytes()
    del stream  # as large as the block
    # Blocks are side by side as it is, and threads would keep memory of their own.
    file = pq.ParquetFile(pa.BufferReader(content))
    back = file.read(use_threads=False)
    _compare(release, back, task.plan, persons)
    return content, back


def _released_column(
    task: SharedBlockInputs, j: int, field: Any, column: pd.Series, written: Values
) -> Any:
    """Return a protected column: generalised values as text, others in their type."""
    attribute = task.space.attributes[j]
    if can_generalise(attribute, task.plan.aggregations[attribute.name]):
        records, texts = index_and_list_distinct_texts(column)
        return pa.array(texts, field.type).take(pa.array(records))
    if attribute.words is None:
        return to_arrow_column(written, attribute, field.type)
    codes = pa.array(written.astype(np.int64))
    words = task.leaves[attribute.name].values_by_leaf.take(codes)
    if pa.types.is_dictionary(field.type):
        return encode_dictionary(words, field.type, task.categories[attribute.name])
    return words.cast(field.type)


def _compare(
    release: Any, back: Any, plan: ResolvedPlan, persons: Integers | None
) -> None:
    """Refuse a file that does not say what was meant."""
    wrong = NO_MESSAGE
    if not back.schema.equals(release.schema):
        wrong = Message("has other columns")
    for name in release.column_names:
        if not wrong and not is_bitwise_equal(release.column(name), back.column(name)):
            wrong = Message("has other values in column {column!r}", column=name)
    if not wrong:
        names = plan.quasi_identifiers
        frame = back.select(list(names)).to_pandas(date_as_object=False)
        smallest = smallest_class_size(frame, names, persons, plan.intruder_knows)
        if smallest < plan.k:
            wrong = Message(
                "has a group of {smallest}, fewer than k = {k}",
                smallest=smallest,
                k=plan.k,
            )
    if wrong:
        raise VerificationError(
            "A part of the release, read back, {wrong}, so nothing was written; "
            "please report this.",
            wrong=wrong,
        )
