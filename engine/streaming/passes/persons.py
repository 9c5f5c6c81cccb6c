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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

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
    SplitTree,
    grow_split_tree,
    splitmix64,
)
from engine.streaming.blocks.spool import (
    LeafSpool,
    SpooledRecords,
    SpoolFile,
    SpoolWriter,
    drain_streams_into_table,
)
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
from engine.streaming.records.source import InputPart, ParquetSource
from engine.streaming.workers.tasks import Task, Workers, map_in_order
from engine.streaming.workspace import RunWorkspace, check_disk_space

STAGE = Message("Counting people")

PERSONS_FILE = "persons.json"
"""File of the columns that say who records are about, and of how many persons."""


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
    candidate_columns = (plan.person_columns,) if plan.person_columns else ()
    return PersonCandidates(candidate_columns, is_asked=True)


def resolve_persons_and_counts(
    plan: ResolvedPlan,
    candidates: PersonCandidates,
    block_inputs: SharedBlockInputs,
    statistics: QuasiIdentifierStatistics,
    source: ParquetSource,
    workspace: RunWorkspace,
    n_leaves: int,
    workers: Workers,
    ctx: RunContext,
) -> tuple[ResolvedPlan, PersonCounts | None]:
    """Return a plan with person columns decided, and counts; write their files.

    Where an intruder knows all records of a person, the leaves of the records of each
    part of the input are spooled in the work folder.

    Parameters
    ----------
    candidates : PersonCandidates
    statistics : QuasiIdentifierStatistics
    workspace : RunWorkspace
    n_leaves : int
    workers : Workers

    Raises
    ------
    InfeasibleError
        If there are fewer than k persons.
    """
    person_choice = workspace.read_json(PERSONS_FILE)
    if person_choice is None:
        buckets = []
        for number, columns in enumerate(candidates.columns):
            check_disk_space(workspace, source.n_bytes)
            folder = workspace.folder / f"persons-{number}"
            buckets.append(PersonBuckets(folder, columns, n_leaves, workers))
            buckets[-1].fill(block_inputs, source, ctx.subcontext(0.0, 0.5))
        counts = [each.count(ctx.subcontext(0.5, 0.7)) for each in buckets]
        chosen = candidates.choose(counts)
        person_choice = {}
        if chosen is not None:
            columns, count = chosen
            person_choice = {"columns": columns, "counts": asdict(count)}
            if plan.intruder_knows == "all" and count.n_persons >= plan.k:
                own = buckets[candidates.columns.index(columns)]
                workspace.clear_folder(workspace.leaves)
                spool = LeafSpool(workspace.leaves, len(source.parts))
                share = ctx.subcontext(0.7, 1.0)
                own.spool_leaves(spool, statistics, source, plan, share)
        for each in buckets:
            each.remove()
        workspace.write_json(PERSONS_FILE, person_choice)
    if not person_choice:
        person = plan.person if candidates.is_asked else EACH_RECORD
        return ResolvedPlan(**{**plan.model_dump(), "person": person}), None
    plan = ResolvedPlan(
        **{**plan.model_dump(), "person": tuple(person_choice["columns"])}
    )
    count = PersonCounts(**person_choice["counts"])
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
    workers : Workers
    """

    def __init__(
        self, folder: Path, columns: tuple[str, ...], n_buckets: int, workers: Workers
    ) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self._columns, self._n_buckets, self._workers = columns, n_buckets, workers
        self._folder, self._spool = folder, LeafSpool(folder, n_buckets)

    def fill(
        self, block_inputs: SharedBlockInputs, source: ParquetSource, ctx: RunContext
    ) -> None:
        """Write all records to be released to their buckets."""
        known = {*block_inputs.plan.quasi_identifiers, *self._columns}
        inputs = BucketInputs(
            block_inputs,
            tuple(name for name in source.schema.names if name in known),
            self._columns,
            self._n_buckets,
            self._folder,
            self._workers.spool_bytes,
        )
        task = partial(fill_buckets, inputs)
        for file in map_in_order(self._workers, task, source.parts, ctx, STAGE):
            self._spool.add_file(file)
        self._spool.finish()

    def _map(self, task: Task, ctx: RunContext) -> Iterator[Any]:
        """Yield what a task gives for each bucket that has records, in order."""
        sizes = self._spool.leaf_sizes()
        some = np.flatnonzero(sizes).tolist()
        records = [self._spool.records_of([each]) for each in some]
        return map_in_order(self._workers, task, records, ctx, STAGE)

    def count(self, ctx: RunContext) -> PersonCounts:
        """Return the counts of persons in all buckets."""
        task = partial(count_persons, len(self._columns))
        return sum(self._map(task, ctx), start=PersonCounts(0, 0, 0, 0, 0))

    def spool_leaves(
        self,
        spool: LeafSpool,
        statistics: QuasiIdentifierStatistics,
        source: ParquetSource,
        plan: ResolvedPlan,
        ctx: RunContext,
    ) -> None:
        """Spool the leaf of each record, equal for all records of a person.

        Persons are near in a leaf, and leaves hold about equally many records.

        Parameters
        ----------
        spool : LeafSpool
            Empty; holds for each part of the input numbers and leaves of its records,
            but of those that are not released.
        statistics : QuasiIdentifierStatistics
        source : ParquetSource
        plan : ResolvedPlan
        """
        n_columns, n_leaves = len(self._columns), self._n_buckets
        share = SAMPLED_RECORDS_PER_BLOCK * n_leaves / source.n_records
        draw = partial(sample_persons, n_columns, share, plan.seed)
        chosen = np.concatenate([*self._map(draw, ctx.subcontext(0.0, 0.5))])
        values, firsts = chosen[:, :-1], chosen[:, -1].astype(np.int64)
        tree = grow_split_tree(
            values,
            firsts,
            statistics.scale_comparably(values),
            min(n_leaves, max(1, firsts.size)),
        )
        begins = np.array([part.first for part in source.parts])
        most_bytes = self._workers.spool_bytes
        task = partial(
            spool_person_leaves, n_columns, tree, begins, spool.folder, most_bytes
        )
        for file in self._map(task, ctx.subcontext(0.5, 1.0)):
            spool.add_file(file)
        spool.finish()

    def remove(self) -> None:
        """Delete the buckets from disk."""
        shutil.rmtree(self._folder, ignore_errors=True)


@dataclass(frozen=True, eq=False)
class BucketInputs:
    """What is known of all parts of the input before records go to buckets.

    Attributes
    ----------
    block_inputs : SharedBlockInputs
    names : tuple of str
        Columns that are read.
    columns : tuple of str
        Which together say who a record is about.
    n_buckets : int
    folder : Path
    most_bytes : int
        Of records that wait to be written.
    """

    block_inputs: SharedBlockInputs
    names: tuple[str, ...]
    columns: tuple[str, ...]
    n_buckets: int
    folder: Path
    most_bytes: int


def fill_buckets(inputs: BucketInputs, part: InputPart, ctx: RunContext) -> SpoolFile:
    """Write the records of a part of the input to their buckets; return the file."""
    plan, shared = inputs.block_inputs.plan, inputs.block_inputs
    spool = SpoolWriter(inputs.folder, inputs.n_buckets, inputs.most_bytes)
    cases = MissingRecordFilter(plan)
    for first, batch in part.batches(inputs.names, ctx):
        batch = decode_dictionaries(batch, shared.categories)
        values = batch_to_float_matrix(batch, plan.quasi_identifiers, shared.leaves)
        complete = np.flatnonzero(cases.complete_mask(values, first))
        values, batch = values[complete], batch.take(pa.array(complete))
        hashes, is_named = hash_and_mask_persons(batch, inputs.columns)
        numbers = first + complete.astype(np.int64)
        lots = np.where(is_named, hashes, splitmix64(numbers.astype(np.uint64)))
        buckets = (lots % np.uint64(inputs.n_buckets)).astype(np.int64)
        held = [batch.column(name) for name in inputs.columns]
        if plan.intruder_knows == "all":
            held += [pa.array(column) for column in values.T]
        names = [str(number) for number in range(len(held))]
        narrow = pa.RecordBatch.from_arrays(
            [pa.array(numbers), pa.array(hashes), *held], ["number", "hash", *names]
        )
        spool.add_batch(narrow, buckets)
    return spool.finish()


def count_persons(
    n_columns: int, bucket: SpooledRecords, ctx: RunContext
) -> PersonCounts:
    """Return the counts of persons in a bucket."""
    records, codes = _read_bucket(n_columns, bucket)
    named = records.column("hash").to_numpy()[codes != NOBODY]
    found = PersonCounts.from_codes(codes)
    return PersonCounts.from_codes(codes, found.n_persons - np.unique(named).size)


def sample_persons(
    n_columns: int, share: float, seed: int, bucket: SpooledRecords, ctx: RunContext
) -> Values:
    """Return a sample of a bucket: mean values of a record's person, and its first.

    Returns
    -------
    ndarray of float64, shape (n_sampled, n_attributes + 1)
        The last column is the number of the person's first record.
    """
    numbers, values, firsts = _read_centres(n_columns, bucket)
    sample = BernoulliHashSample(share, seed)
    sample.add_records(np.column_stack([values, firsts]), numbers)
    return sample.chosen_records()[0]


def spool_person_leaves(
    n_columns: int,
    tree: SplitTree,
    begins: Integers,
    folder: Path,
    most_bytes: int,
    bucket: SpooledRecords,
    ctx: RunContext,
) -> SpoolFile:
    """Write numbers and leaves of a bucket's records, by part of the input.

    Parameters
    ----------
    begins : ndarray of int64, shape (n_parts,)
        Number of the first record of each part of the input.
    folder : Path
        Of the spool of leaves.
    most_bytes : int
        Of records that wait to be written.
    """
    numbers, values, firsts = _read_centres(n_columns, bucket)
    leaves = tree.leaves_of(values, firsts)
    spool = SpoolWriter(folder, begins.size, most_bytes)
    batch = pa.RecordBatch.from_arrays(
        [pa.array(numbers), pa.array(leaves)], ["number", "leaf"]
    )
    spool.add_batch(batch, np.searchsorted(begins, numbers, side="right") - 1)
    return spool.finish()


def _read_bucket(n_columns: int, bucket: SpooledRecords) -> tuple[Any, Integers]:
    """Return a bucket's records, and the person of each."""
    records = drain_streams_into_table(bucket.read_streams())
    return records, person_codes_of_batch(records, list(map(str, range(n_columns))))


def _read_centres(
    n_columns: int, bucket: SpooledRecords
) -> tuple[Integers, Values, Integers]:
    """Return of each record its number, mean of the person, and the person's first.

    Of records of nobody their own values and numbers.
    """
    records, codes = _read_bucket(n_columns, bucket)
    numbers = records.column("number").to_numpy()
    columns = records.column_names[2 + n_columns :]
    values = np.column_stack([records.column(name) for name in columns])
    firsts, known = numbers.copy(), codes != NOBODY
    own = codes[known]
    if own.size:
        values[known] = mean_by_group(values[known], own)[own]
        first_of = np.unique(own, return_index=True)[1]
        firsts[known] = numbers[known][first_of][own]
    return numbers, values, firsts


def read_person_leaves(records: SpooledRecords, part: InputPart) -> Integers:
    """Return the leaf of each record of a part; -1 of those that are not released."""
    leaves = np.full(part.n_records, -1, dtype=np.int64)
    streams = records.read_streams()
    if streams:
        table = drain_streams_into_table(streams)
        numbers = table.column("number").to_numpy()
        leaves[numbers - part.first] = table.column("leaf").to_numpy()
    return leaves


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

    def join(self, later: Sequence[set[int]]) -> None:
        """Add persons, by leaf."""
        for own, others in zip(self.hashes, later, strict=True):
            if len(own) < self.k:
                own |= others

    def add_batch(self, batch: Any, leaves: Integers) -> None:
        """Add the persons of a batch of records to the given leaves."""
        is_open = np.array([len(each) < self.k for each in self.hashes])
        open_records = np.flatnonzero(is_open[leaves])
        if not open_records.size:
            return
        hashes, is_named = hash_and_mask_persons(
            batch.take(pa.array(open_records)), self.columns
        )
        hashes, places = hashes[is_named], leaves[open_records][is_named]
        order = np.lexsort((hashes, places))
        hashes, places = hashes[order], places[order]
        is_new = np.ones(hashes.size, dtype=np.bool_)
        is_new[1:] = (hashes[1:] != hashes[:-1]) | (places[1:] != places[:-1])
        hashes, places = hashes[is_new], places[is_new]
        for leaf in np.unique(places).tolist():
            low, high = np.searchsorted(places, [leaf, leaf + 1])
            leaf_hashes = self.hashes[leaf]
            leaf_hashes.update(hashes[low : min(high, low + self.k)].tolist())
