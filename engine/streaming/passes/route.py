"""Second pass: send the records of each part of the input to their leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from engine.core.context import RunContext
from engine.core.message import Message
from engine.streaming.blocks.protect import SharedBlockInputs
from engine.streaming.blocks.split import SplitTree
from engine.streaming.blocks.spool import (
    LeafSpool,
    SpooledRecords,
    SpoolFile,
    SpoolWriter,
)
from engine.streaming.passes.missing import MissingRecordFilter
from engine.streaming.passes.persons import LeafPersons, read_person_leaves
from engine.streaming.records.columns import batch_to_float_matrix, decode_dictionaries
from engine.streaming.records.source import InputPart, ParquetSource
from engine.streaming.workers.tasks import Workers, map_in_order

SECOND_PASS_STAGE = Message("Second pass: sending records to blocks")


@dataclass(frozen=True, eq=False)
class RouteInputs:
    """What is known of all parts of the input before records go to leaves.

    Attributes
    ----------
    block_inputs : SharedBlockInputs
    names : tuple of str
        Columns that are read.
    tree : SplitTree
    counts_persons : bool
    folder : Path
        Of the spool.
    most_bytes : int
        Of records that wait to be written.
    """

    block_inputs: SharedBlockInputs
    names: tuple[str, ...]
    tree: SplitTree
    counts_persons: bool
    folder: Path
    most_bytes: int


def route_records(
    block_inputs: SharedBlockInputs,
    tree: SplitTree,
    source: ParquetSource,
    spool: LeafSpool,
    counts_persons: bool,
    person_leaves: LeafSpool | None,
    workers: Workers,
    ctx: RunContext,
) -> LeafPersons | None:
    """Fill a spool with all records, by leaf; return some persons of each leaf.

    Its index, which marks completion, is not written yet.

    Parameters
    ----------
    spool : LeafSpool
        Empty.
    counts_persons : bool
        Whether k counts persons.
    person_leaves : LeafSpool or None
        Where persons go to blocks whole: the leaf of each record, by part.
    """
    plan = block_inputs.plan
    needed = {*block_inputs.schema.names, plan.weights}
    if counts_persons:
        needed |= {*plan.person_columns}
    inputs = RouteInputs(
        block_inputs,
        tuple(name for name in source.schema.names if name in needed),
        tree,
        counts_persons,
        spool.folder,
        workers.spool_bytes,
    )
    arguments = [
        (part, None if person_leaves is None else person_leaves.records_of([number]))
        for number, part in enumerate(source.parts)
    ]
    persons = _no_persons(inputs) if counts_persons else None
    task = partial(route_part, inputs)
    for file, own in map_in_order(workers, task, arguments, ctx, SECOND_PASS_STAGE):
        spool.add_file(file)
        if persons is not None:
            persons.join(own)
    return persons


def route_part(
    inputs: RouteInputs,
    argument: tuple[InputPart, SpooledRecords | None],
    ctx: RunContext,
) -> tuple[SpoolFile, Sequence[set[int]]]:
    """Write the records of a part to a file; return it, and some persons of each leaf.

    Parameters
    ----------
    argument : tuple of InputPart and SpooledRecords or None
        The part, and where the leaves of its records are if persons decide on them.
    """
    part, person_leaves = argument
    shared, plan = inputs.block_inputs, inputs.block_inputs.plan
    known = None if person_leaves is None else read_person_leaves(person_leaves, part)
    spool = SpoolWriter(inputs.folder, inputs.tree.n_leaves, inputs.most_bytes)
    cases = MissingRecordFilter(plan)
    persons = _no_persons(inputs) if inputs.counts_persons else None
    for first, batch in part.batches(inputs.names, ctx):
        came = batch.select(shared.unprotected_columns)
        batch = decode_dictionaries(batch, shared.categories)
        values = batch_to_float_matrix(batch, plan.quasi_identifiers, shared.leaves)
        complete = cases.complete_mask(values, first)
        numbers = first + np.flatnonzero(complete).astype(np.int64)
        if known is None:
            leaves = inputs.tree.leaves_of(values[complete], numbers)
        else:
            leaves = known[numbers - part.first]
        if not complete.all():
            batch, came = (each.filter(pa.array(complete)) for each in (batch, came))
        if persons is not None:
            persons.add_batch(batch, leaves)
        spool.add_batch(batch, leaves, came)
    return spool.finish(), [] if persons is None else persons.hashes


def _no_persons(inputs: RouteInputs) -> LeafPersons:
    plan, n_leaves = inputs.block_inputs.plan, inputs.tree.n_leaves
    return LeafPersons(plan.person_columns, plan.k, [set() for _ in range(n_leaves)])
