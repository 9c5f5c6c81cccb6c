"""Count persons of an out-of-core run in buckets, and assign persons to leaves.

Records of a person may lie anywhere in the input. A hash of who they are about sends
them to buckets on disk, so that a bucket has all records of its persons: they are
counted there, and where an intruder knows all records of a person, they go to one
block, that of the mean of the person's records.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.core.context import RunContext
from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.numerics.statistics import mean_by_group
from engine.core.typing import Integers, Values
from engine.data.persons import NOBODY, PersonCounts
from engine.pipeline.fields.records import EACH_RECORD
from engine.pipeline.grouping.persons import check_enough_persons
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import ResolvedPlan, person_conflict
from engine.streaming.blocks.protect import SharedBlockInputs
from engine.streaming.blocks.split import (
    SAMPLED_RECORDS_PER_BLOCK,
    BernoulliHashSample,
    grow_split_tree,
    splitmix64,
)
from engine.streaming.blocks.spool import LeafSpool, drain_streams_into_table
from engine.streaming.memory import trim_free_memory
from engine.streaming.passes.missing import MissingRecordFilter
from engine.streaming.passes.person_codes import (
    hash_and_mask_persons,
    person_codes_of_batch,
)
from engine.streaming.passes.table_statistics import QuasiIdentifierStatistics
from engine.streaming.records.columns import (
    batch_to_float_matrix,
    can_hold_categories,
    decode_dictionaries,
)
from engine.streaming.records.source import ParquetSource
from engine.streaming.workspace import RunWorkspace, check_disk_space

STAGE = Message("Counting people")

PERSONS_FILE = "persons.json"
"""File of the columns that say who records are about, and of how many persons."""

LEAVES_FILE = "leaves.i32"
"""File of each record's leaf, where persons go to blocks whole."""

RECORDS_PER_WRITE = 2**22
"""Leaves that are written at once, so that little of their file is held."""


@dataclass(frozen=True)
class PersonCandidates:
    """Columns that identify persons, or may do so.

    Attributes
    ----------
    columns : tuple of tuple of str
        Of several the finest is taken whose values repeat.
    is_asked : bool
        Whether somebody named them as those of persons.
    """

    columns: tuple[tuple[str, ...], ...] = ()
    is_asked: bool = False

    def choose(
        self, counts: Sequence[PersonCounts]
    ) -> tuple[tuple[str, ...], PersonCounts] | None:
        """Return the columns that identify persons with their counts, or None."""
        able = [
            (columns, each)
            for columns, each in zip(self.columns, counts, strict=True)
            if (each.has_repeats if self.is_asked else each.may_be_persons)
        ]
        return max(able, key=lambda each: each[1].n_persons, default=None)


def find_person_candidates(plan: Plan, source: ParquetSource) -> PersonCandidates:
    """Return the columns that identify persons, or may do so.

    Parameters
    ----------
    plan : Plan
        As it was asked for: where it names no person, each identifier that it names
        may be one.

    Raises
    ------
    InputError
        If a column named for persons is of a type whose values cannot be compared.
    """
    types = {field.name: field.type for field in source.schema}
    if plan.person is None and person_conflict(plan) is None:
        named = plan.identifiers or ()
        able = tuple((name,) for name in named if can_hold_categories(types[name]))
        return PersonCandidates(able)
    for name in plan.person_columns:
        if not can_hold_categories(types[name]):
            raise InputError(
                "Column {column!r} holds {type} and is to say who a record is about "
                "(--person), but out of core numbers, dates and text can: name another "
                "column, or protect the table in memory.",
                column=name,
                type=types[name],
            )
    asked = (plan.person_columns,) if plan.person_columns else ()
    return PersonCandidates(asked, is_asked=True)


def resolve_persons_and_counts(
    plan: ResolvedPlan,
    candidates: PersonCandidates,
    block_inputs: SharedBlockInputs,
    statistics: QuasiIdentifierStatistics,
    source: ParquetSource,
    workspace: RunWorkspace,
    n_leaves: int,
    most_bytes: int,
    ctx: RunContext,
) -> tuple[ResolvedPlan, PersonCounts | None]:
    """Return a plan with person columns decided, and counts; write their files.

    Where an intruder knows all records of a person, a leaf for each record is written
    to the work folder.

    Parameters
    ----------
    candidates : PersonCandidates
    statistics : QuasiIdentifierStatistics
    workspace : RunWorkspace
    n_leaves : int
    most_bytes : int
        Of records that wait to be written.

    Raises
    ------
    InfeasibleError
        If there are fewer than k persons.
    """
    known = workspace.read_json(PERSONS_FILE)
    if known is None:
        found = []
        for number, columns in enumerate(candidates.columns):
            check_disk_space(workspace, source.n_bytes)
            folder = workspace.folder / f"persons-{number}"
            found.append(PersonBuckets(folder, columns, n_leaves))
            found[-1].fill(block_inputs, source, most_bytes, ctx.subcontext(0.0, 0.5))
        counts = [each.count(ctx.subcontext(0.5, 0.7)) for each in found]
        chosen = candidates.choose(counts)
        known = {}
        if chosen is not None:
            columns, count = chosen
            known = {"columns": columns, "counts": asdict(count)}
            if plan.intruder_knows == "all" and count.n_persons >= plan.k:
                buckets = found[candidates.columns.index(columns)]
                path, share = workspace.folder / LEAVES_FILE, ctx.subcontext(0.7, 1.0)
                seed, n_records = plan.seed, source.n_records
                buckets.write_leaves(path, statistics, n_records, n_leaves, seed, share)
        for each in found:
            each.remove()
        workspace.write_json(PERSONS_FILE, known)
    if not known:
        person = plan.person if candidates.is_asked else EACH_RECORD
        return ResolvedPlan(**{**plan.model_dump(), "person": person}), None
    plan = ResolvedPlan(**{**plan.model_dump(), "person": tuple(known["columns"])})
    count = PersonCounts(**known["counts"])
    check_enough_persons(plan, count.n_persons)
    return plan, count


class PersonBuckets:
    """Buckets of records on disk; all records of a person are in the same bucket.

    Parameters
    ----------
    folder : Path
        Made, and removed by :meth:`remove`.
    columns : tuple of str
        Which together say who a record is about.
    n_buckets : int
    """

    def __init__(self, folder: Path, columns: tuple[str, ...], n_buckets: int) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self.columns, self.n_buckets, self._folder = columns, n_buckets, folder
        self._spool = LeafSpool(folder, n_buckets)

    def fill(
        self,
        task: SharedBlockInputs,
        source: ParquetSource,
        most_bytes: int,
        ctx: RunContext,
    ) -> None:
        """Write all records to be released to their buckets."""
        quasi, cases = task.plan.quasi_identifiers, MissingRecordFilter(task.plan)
        names = [
            name for name in source.schema.names if name in {*quasi, *self.columns}
        ]
        for first, batch in source.batches(names, ctx, STAGE):
            batch = decode_dictionaries(batch, task.categories)
            values = batch_to_float_matrix(batch, quasi, task.leaves)
            complete = np.flatnonzero(cases.complete_mask(values, first))
            values, batch = values[complete], batch.take(pa.array(complete))
            hashes, is_named = hash_and_mask_persons(batch, self.columns)
            numbers = first + complete.astype(np.int64)
            lots = np.where(is_named, hashes, splitmix64(numbers.astype(np.uint64)))
            buckets = (lots % np.uint64(self.n_buckets)).astype(np.int64)
            self._spool.add_batch(
                self._narrowed(task, batch, values, numbers, hashes),
                buckets,
                most_bytes,
            )
        self._spool.finish()

    def _narrowed(
        self,
        task: SharedBlockInputs,
        batch: Any,
        values: Values,
        numbers: Integers,
        hashes: NDArray[np.uint64],
    ) -> Any:
        """Return what a bucket has of each record, under names of its own."""
        held = [batch.column(name) for name in self.columns]
        if task.plan.intruder_knows == "all":
            held += [pa.array(column) for column in values.T]
        names = [str(number) for number in range(len(held))]
        return pa.RecordBatch.from_arrays(
            [pa.array(numbers), pa.array(hashes), *held], ["number", "hash", *names]
        )

    def _buckets(self, ctx: RunContext) -> Iterator[tuple[Any, Integers]]:
        """Yield each bucket's records, and the person of each."""
        places = [str(number) for number in range(len(self.columns))]
        for bucket in range(self.n_buckets):
            ctx.tick(bucket, self.n_buckets, STAGE)
            streams = self._spool.read_leaves([bucket])
            if streams:
                records = drain_streams_into_table(streams)
                yield records, person_codes_of_batch(records, places)
                trim_free_memory()

    def count(self, ctx: RunContext) -> PersonCounts:
        """Return the counts of persons in all buckets."""
        total = PersonCounts(0, 0, 0, 0, 0)
        for records, codes in self._buckets(ctx):
            named = records.column("hash").to_numpy()[codes != NOBODY]
            found = PersonCounts.from_codes(codes)
            n_alike = found.n_persons - np.unique(named).size
            total += PersonCounts.from_codes(codes, n_alike)
        return total

    def _centres(self, ctx: RunContext) -> Iterator[tuple[Integers, Values, Integers]]:
        """Yield of each bucket's records number, mean of the person, and first number.

        Of records of nobody their own values and numbers.
        """
        for records, codes in self._buckets(ctx):
            numbers = records.column("number").to_numpy()
            columns = records.column_names[2 + len(self.columns) :]
            values = np.column_stack([records.column(name) for name in columns])
            firsts, known = numbers.copy(), codes != NOBODY
            own = codes[known]
            if own.size:
                values[known] = mean_by_group(values[known], own)[own]
                first_of = np.unique(own, return_index=True)[1]
                firsts[known] = numbers[known][first_of][own]
            yield numbers, values, firsts

    def write_leaves(
        self,
        path: Path,
        statistics: QuasiIdentifierStatistics,
        n_records: int,
        n_leaves: int,
        seed: int,
        ctx: RunContext,
    ) -> None:
        """Write the leaf of each input record, equal for all records of a person.

        Persons are near in a leaf, and leaves hold about equally many records.

        Parameters
        ----------
        path : Path
            Written: int32 for each record, -1 of those that are not released.
        statistics : QuasiIdentifierStatistics
        n_records : int
            Of the input.
        n_leaves : int
        """
        share = SAMPLED_RECORDS_PER_BLOCK * n_leaves / n_records
        sample = BernoulliHashSample(share, seed)
        for numbers, values, firsts in self._centres(ctx.subcontext(0.0, 0.5)):
            sample.add_records(np.column_stack([values, firsts]), numbers)
        chosen = sample.chosen_records()[0]
        values, firsts = chosen[:, :-1], chosen[:, -1].astype(np.int64)
        tree = grow_split_tree(
            values,
            firsts,
            statistics.scale_comparably(values),
            min(n_leaves, max(1, firsts.size)),
        )
        with path.open("wb") as stream:
            for first in range(0, n_records, RECORDS_PER_WRITE):
                count = min(RECORDS_PER_WRITE, n_records - first)
                np.full(count, -1, dtype=np.int32).tofile(stream)
        for numbers, values, firsts in self._centres(ctx.subcontext(0.5, 1.0)):
            leaves = tree.leaves_of(values, firsts).astype(np.int32)
            for first in range(0, n_records, RECORDS_PER_WRITE):
                low, high = np.searchsorted(numbers, [first, first + RECORDS_PER_WRITE])
                if low < high:
                    count = min(RECORDS_PER_WRITE, n_records - first)
                    window = np.memmap(path, np.int32, "r+", 4 * first, (count,))
                    window[numbers[low:high] - first] = leaves[low:high]
                    window.flush()

    def remove(self) -> None:
        """Delete the buckets from disk."""
        shutil.rmtree(self._folder, ignore_errors=True)


def read_leaves(path: Path, first: int, count: int) -> Integers:
    """Return leaves that :meth:`PersonBuckets.write_leaves` wrote, from record `first`.

    Parameters
    ----------
    path : Path
    first : int
        Number of the first record, from 0.
    count : int
    """
    leaves = np.fromfile(path, dtype=np.int32, count=count, offset=4 * first)
    return leaves.astype(np.int64)


@dataclass(frozen=True)
class LeafPersons:
    """Hashes of the persons in each leaf: all, or at least k of them.

    Attributes
    ----------
    columns : tuple of str
        Which together say who a record is about.
    k : int
    hashes : list of set of int
        By leaf.
    """

    columns: tuple[str, ...]
    k: int
    hashes: Sequence[set[int]]

    def add_batch(self, batch: Any, leaves: Integers) -> None:
        """Add the persons of a batch of records to the given leaves."""
        is_open = np.array([len(each) < self.k for each in self.hashes])
        there = np.flatnonzero(is_open[leaves])
        if not there.size:
            return
        hashes, is_named = hash_and_mask_persons(
            batch.take(pa.array(there)), self.columns
        )
        hashes, places = hashes[is_named], leaves[there][is_named]
        order = np.lexsort((hashes, places))
        hashes, places = hashes[order], places[order]
        is_new = np.ones(hashes.size, dtype=np.bool_)
        is_new[1:] = (hashes[1:] != hashes[:-1]) | (places[1:] != places[:-1])
        hashes, places = hashes[is_new], places[is_new]
        for leaf in np.unique(places).tolist():
            low, high = np.searchsorted(places, [leaf, leaf + 1])
            own = self.hashes[leaf]
            own.update(hashes[low : min(high, low + self.k)].tolist())
