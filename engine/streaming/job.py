"""Execute the steps of an out-of-core run whose plan has been checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from engine.core.context import RunContext
from engine.core.errors import InputError
from engine.core.message import Message, message_from_json
from engine.core.parallel import max_run_threads
from engine.core.platform.memory import peak_resident_bytes
from engine.core.typing import Integers
from engine.data.persons import PersonCounts
from engine.data.table import Table
from engine.pipeline.grouping.persons import messages_on_persons
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.remarks import broken_rules_warnings, choices_warnings
from engine.streaming.blocks.protect import (
    ProtectedPart,
    SharedBlockInputs,
    protect_block,
)
from engine.streaming.blocks.split import leaves_of_each_block
from engine.streaming.blocks.spool import LeafSpool, drain_streams_into_table
from engine.streaming.blocks.workers import protect_in_threads
from engine.streaming.check import (
    PartError,
    check_unprotected_columns_of_part,
    verify_part_and_count_k,
)
from engine.streaming.memory import BlockShape, MemoryBudget, trim_free_memory
from engine.streaming.outcome import StreamedOutcome
from engine.streaming.passes.missing import MissingRecordFilter
from engine.streaming.passes.person_codes import person_codes_of_batch
from engine.streaming.passes.persons import (
    LEAVES_FILE,
    LeafPersons,
    PersonCandidates,
    read_leaves,
    resolve_persons_and_counts,
)
from engine.streaming.passes.scan import FirstPassResult, scan_all_records
from engine.streaming.records.columns import (
    batch_to_float_matrix,
    column_dictionaries,
    decode_dictionaries,
    released_arrow_type,
)
from engine.streaming.records.source import ParquetSource
from engine.streaming.records.unprotected_columns import LeafDigests
from engine.streaming.versions import byte_relevant_versions
from engine.streaming.workspace import RunWorkspace, check_disk_space

INPUT_DIGESTS_FILE = "carried.json"
"""File of the input digests of unprotected columns, by leaf."""

LEAF_PERSONS_FILE = "leaf_persons.json"
"""File of some persons of each leaf, where k counts persons."""

Blocks = tuple[tuple[int, ...], ...]
"""Leaves of each block."""


class StepClock:
    """Wall-clock and processor seconds of each step of a run."""

    def __init__(self) -> None:
        self._began = self._last = (time.perf_counter(), time.process_time())
        self._steps: dict[str, tuple[float, float]] = {}

    def end_step(self, step: str) -> None:
        """Record that a step has ended."""
        now = time.perf_counter(), time.process_time()
        self._steps[step] = now[0] - self._last[0], now[1] - self._last[1]
        self._last = now

    def step_seconds(self) -> dict[str, float]:
        """Return the wall-clock seconds of each step, and in total."""
        steps = {step: both[0] for step, both in self._steps.items()}
        return {**steps, "total": time.perf_counter() - self._began[0]}

    def processor_seconds(self) -> dict[str, float]:
        """Return the processor seconds of each step, and in total."""
        steps = {step: both[1] for step, both in self._steps.items()}
        return {**steps, "total": time.process_time() - self._began[1]}


@dataclass
class OutOfCoreJob:
    """One out-of-core run: its plan, input, workspace and limits.

    Attributes
    ----------
    plan : ResolvedPlan
    head : Table
        The first records.
    source : ParquetSource
    workspace : RunWorkspace
    budget : MemoryBudget
    records_per_block : int
    dask : str or None
    clock : StepClock
    candidates : PersonCandidates
    remarks : tuple of Message
        What is said where nobody is counted.
    """

    plan: ResolvedPlan
    head: Table
    source: ParquetSource
    workspace: RunWorkspace
    budget: MemoryBudget
    records_per_block: int
    dask: str | None
    clock: StepClock
    candidates: PersonCandidates
    remarks: tuple[Message, ...]

    def run(self, ctx: RunContext) -> StreamedOutcome:
        """Do the steps that no earlier run has finished, and publish the release."""
        held = peak_resident_bytes()
        fingerprint = self.source.fingerprint(ctx.subcontext(0.0, 0.03))
        self.source.refuse_changed_files()  # what is known of them is of that content
        self.workspace.resume_or_start(
            {
                "plan": self.plan.digest(),
                "fingerprint": fingerprint,
                "records_per_block": self.records_per_block,
                "versions": byte_relevant_versions(),
                "persons": self.candidates.columns,
            }
        )
        before = self.workspace.finished_parts()
        try:
            scanned = self._scan(ctx.subcontext(0.03, 0.1))
            trim_free_memory()
            self.clock.end_step("scan")
            task = self._task(scanned)
            self.plan, persons = resolve_persons_and_counts(
                self.plan,
                self.candidates,
                task,
                scanned.known,
                self.source,
                self.workspace,
                scanned.tree.n_leaves,
                self.budget.spool_bytes(self.source),
                ctx.subcontext(0.1, 0.15),
            )
            task = replace(task, plan=self.plan)
            self.clock.end_step("persons")
            spool = self._spool(scanned, task, persons, ctx.subcontext(0.15, 0.2))
        except Exception:
            self.source.refuse_changed_files()  # or else it can be any mistake
            raise
        trim_free_memory()
        self.clock.end_step("route")
        some = self.workspace.read_json(LEAF_PERSONS_FILE)
        leaf_persons = None if persons is None or some is None else list(map(set, some))
        blocks = leaves_of_each_block(spool.leaf_sizes(), self.plan.k, leaf_persons)
        self._protect(task, spool, blocks, ctx.subcontext(0.2, 0.95))
        self.clock.end_step("partition")
        k_released = self._verify(task, spool, blocks, ctx.subcontext(0.95, 1.0))
        self.clock.end_step("verify")
        known = self.workspace.finished_parts()
        figures = tuple(known[each] for each in range(len(blocks)))
        self.workspace.publish(range(len(blocks)))
        ctx.tick(1, 1, Message("Done"))
        return StreamedOutcome(
            self.plan,
            self.head.schema,
            tuple(task.schema.names),
            fingerprint,
            self.workspace.target,
            self.records_per_block,
            scanned.known.sst,
            scanned.known.space.weights,
            figures,
            k_released,
            sum(each in before for each in range(len(blocks))),
            self.clock.step_seconds(),
            self.clock.processor_seconds(),
            {"limit": self.budget.limit, "peak": peak_resident_bytes()},
            byte_relevant_versions(),
            self._warnings(scanned, figures, held, persons),
            persons,
        )

    def _scan(self, ctx: RunContext) -> FirstPassResult:
        known = self.workspace.read_json("scan.json")
        if known is not None:
            return FirstPassResult.from_json(known, self.plan, self.source)
        found = scan_all_records(self.plan, self.source, self.records_per_block, ctx)
        self.workspace.write_json("scan.json", found.to_json())
        return found

    def _task(self, scanned: FirstPassResult) -> SharedBlockInputs:
        schema, dropped = self.source.schema, set(self.plan.identifiers)
        known = {name: j for j, name in enumerate(self.plan.quasi_identifiers)}
        fields = []
        for column in schema:
            if column.name in dropped:
                continue
            if column.name in known:
                j = known[column.name]
                rule = self.plan.aggregations[column.name]
                kind = released_arrow_type(
                    column, scanned.known.attributes[j], scanned.decimals[j], rule
                )
                column = column.with_type(kind)
            fields.append(column)
        return SharedBlockInputs(
            self.plan,
            tuple(schema.names),
            pa.schema(fields, metadata=schema.metadata),
            scanned.known.space,
            scanned.known.encodings,
            scanned.decimals,
            column_dictionaries(self.source.first_batch()),
            scanned.n_records,
        )

    def _spool(
        self,
        scanned: FirstPassResult,
        task: SharedBlockInputs,
        persons: PersonCounts | None,
        ctx: RunContext,
    ) -> LeafSpool:
        """Send all records to their leaves, unless that has been done."""
        spool = LeafSpool(self.workspace.spool, scanned.tree.n_leaves)
        if (
            spool.is_complete
            and self.workspace.read_json(INPUT_DIGESTS_FILE) is not None
        ):
            check_disk_space(self.workspace, self.source.n_bytes)
            return spool
        check_disk_space(self.workspace, 2 * self.source.n_bytes)
        self.workspace.clear_spool()
        needed = {*task.schema.names, self.plan.weights}
        if persons is not None:
            needed |= {*self.plan.person_columns}
        names = [name for name in self.source.schema.names if name in needed]
        cases = MissingRecordFilter(self.plan)
        stage = Message("Second pass: sending records to blocks")
        digests, n_leaves = LeafDigests(scanned.tree.n_leaves), scanned.tree.n_leaves
        whose = LeafPersons(
            self.plan.person_columns, self.plan.k, [set() for _ in range(n_leaves)]
        )
        for first, batch in self.source.batches(names, ctx, stage):
            came = batch.select(task.unprotected_columns)
            batch = decode_dictionaries(batch, task.categories)
            values = batch_to_float_matrix(
                batch, self.plan.quasi_identifiers, task.leaves
            )
            complete = cases.complete_mask(values, first)
            numbers = first + np.flatnonzero(complete).astype(np.int64)
            if persons is not None and self.plan.intruder_knows == "all":
                path = self.workspace.folder / LEAVES_FILE
                leaves = read_leaves(path, first, len(values))[complete]
            else:
                leaves = scanned.tree.leaves_of(values[complete], numbers)
            if not complete.all():
                batch, came = (
                    each.filter(pa.array(complete)) for each in (batch, came)
                )
            digests.add_batch(came, leaves)
            if persons is not None:
                whose.add_batch(batch, leaves)
            spool.add_batch(batch, leaves, self.budget.spool_bytes(self.source))
        self._check_unchanged()
        if persons is not None:
            self.workspace.write_json(LEAF_PERSONS_FILE, list(map(list, whose.hashes)))
        self.workspace.write_json(INPUT_DIGESTS_FILE, digests.digests())
        spool.finish()
        return spool

    def _protect(
        self, task: SharedBlockInputs, spool: LeafSpool, blocks: Blocks, ctx: RunContext
    ) -> None:
        """Protect what no earlier run has, and keep each part."""
        done = self.workspace.finished_parts()
        todo = [number for number in range(len(blocks)) if number not in done]
        finished = len(blocks) - len(todo)

        def look() -> None:
            ctx.tick(
                finished,
                len(blocks),
                Message(
                    "Block {number} of {all}", number=finished + 1, all=len(blocks)
                ),
            )

        def load(number: int) -> list[bytes]:
            return spool.read_leaves(blocks[number])

        largest = self._largest(task, spool, blocks)
        with closing(self._parts(task, todo, load, largest, look)) as parts:
            for part in parts:
                self.workspace.save_part(part)
                finished += 1
                del part
                trim_free_memory()

    def _largest(
        self, task: SharedBlockInputs, spool: LeafSpool, blocks: Blocks
    ) -> BlockShape:
        """Return a shape that no block exceeds."""
        sizes, n_bytes = spool.leaf_sizes(), spool.leaf_nbytes()
        return BlockShape(
            max(int(n_bytes[list(leaves)].sum()) for leaves in blocks),
            max(int(sizes[list(leaves)].sum()) for leaves in blocks),
            len(self.plan.quasi_identifiers),
            int(task.space.widths.sum()),
        )

    def _parts(
        self,
        task: SharedBlockInputs,
        todo: list[int],
        load: Callable[[int], list[bytes]],
        largest: BlockShape,
        look: Callable[[], None],
    ) -> Generator[ProtectedPart]:
        self.budget.check_block_limit(largest, self.records_per_block)
        if self.dask is not None:
            from engine.streaming.blocks.cluster import protect_on_cluster

            return protect_on_cluster(
                self.dask, task, load, todo, self.budget, largest, look
            )

        def work(number: int, ctx: RunContext) -> ProtectedPart:
            try:
                return protect_block(
                    task, number, drain_streams_into_table(load(number)), ctx
                )
            finally:
                trim_free_memory()  # what this thread keeps

        at_once = min(
            max_run_threads(),
            self.budget.max_parallel_blocks(largest),
            max(1, len(todo)),
        )
        return protect_in_threads(work, todo, at_once, look)

    def _check_unchanged(self) -> None:
        """Refuse an input that has become another one while it was read."""
        known = self.workspace.read_json("job.json") or {}
        if self.source.fingerprint() != known.get("fingerprint"):
            raise InputError(
                "File {file!r} has changed since it was read: read it anew.",
                file=self.source.path.name,
            )

    def _verify(
        self, task: SharedBlockInputs, spool: LeafSpool, blocks: Blocks, ctx: RunContext
    ) -> int:
        found, figures = [], self.workspace.finished_parts()
        came = self.workspace.read_json(INPUT_DIGESTS_FILE) or []
        sizes = spool.leaf_sizes()
        for number, leaves in enumerate(blocks):
            ctx.tick(number, len(blocks), Message("Reading the release back"))
            path = self.workspace.part_path(number)
            persons = self._block_persons(spool, leaves)
            try:
                found.append(
                    verify_part_and_count_k(
                        path, self.plan, task.schema, figures[number], persons
                    )
                )
                expected = [(int(sizes[leaf]), came[leaf]) for leaf in leaves]
                check_unprotected_columns_of_part(
                    path, number, task.unprotected_columns, expected
                )
            except PartError:
                self.workspace.discard_part(number)
                raise
        return min(found)

    def _block_persons(
        self, spool: LeafSpool, leaves: tuple[int, ...]
    ) -> Integers | None:
        """Return who the records of a block are about; None if each has a record."""
        columns = self.plan.person_columns
        if not columns or self.workspace.read_json(LEAF_PERSONS_FILE) is None:
            return None
        records = drain_streams_into_table(spool.read_leaves(leaves), columns)
        return person_codes_of_batch(records, columns)

    def _warnings(
        self,
        scanned: FirstPassResult,
        figures: tuple[Mapping[str, Any], ...],
        held: int,
        persons: PersonCounts | None,
    ) -> tuple[Message, ...]:
        rules = dict.fromkeys(self.plan.constraints, 0)
        for each in figures:
            for text, number in zip(rules, each["rules_broken"], strict=True):
                rules[text] += number
        of_blocks = dict.fromkeys(
            message_from_json(one) for each in figures for one in each["warnings"]
        )
        about = self.remarks
        if self.plan.person_columns:
            about = messages_on_persons(self.plan, self.head, persons)
        return (
            *about,
            *scanned.warnings,
            *broken_rules_warnings(rules),
            *of_blocks,
            *choices_warnings(self.plan, self.head),
            *self._warnings_of_memory(held),
        )

    def _warnings_of_memory(self, held: int) -> tuple[Message, ...]:
        """Say so if more memory was held than asked for; `held` is from before."""
        most, limit = peak_resident_bytes(), self.budget.limit
        if most <= max(limit, held):
            return ()
        more = Message(
            "Up to {most:,.0f} MB of memory were held, more than the limit of "
            "{limit:,.0f} MB: smaller blocks need less.",
            most=most / 1e6,
            limit=limit / 1e6,
        )
        return (more,)
