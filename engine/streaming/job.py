"""Execute the steps of an out-of-core run whose plan has been checked."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from engine.core.context import RunContext
from engine.core.errors import InputError
from engine.core.message import Message, message_from_json
from engine.core.parallel import max_run_threads
from engine.core.platform.memory import peak_resident_bytes
from engine.data.persons import PersonCounts
from engine.data.table import Table
from engine.pipeline.grouping.persons import messages_on_persons
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.remarks import broken_rules_warnings, choices_warnings
from engine.streaming.blocks.protect import (
    ProtectedPart,
    SharedBlockInputs,
    SpooledBlock,
    protect_sent_block,
    protect_spooled_block,
)
from engine.streaming.blocks.split import leaves_of_each_block
from engine.streaming.blocks.spool import LeafSpool
from engine.streaming.check import PartError, PartToVerify, verify_part
from engine.streaming.memory import BlockShape, MemoryBudget, trim_free_memory
from engine.streaming.outcome import StreamedOutcome
from engine.streaming.passes.persons import PersonCandidates, resolve_persons_and_counts
from engine.streaming.passes.route import route_records
from engine.streaming.passes.scan import FirstPassResult, scan_all_records
from engine.streaming.records.columns import column_dictionaries, released_arrow_type
from engine.streaming.records.source import ParquetSource
from engine.streaming.versions import byte_relevant_versions
from engine.streaming.workers.tasks import Workers, map_in_order
from engine.streaming.workers.threads import ThreadWorkers
from engine.streaming.workspace import RunWorkspace, check_disk_space

if TYPE_CHECKING:
    from engine.streaming.workers.cluster import ClusterWorkers

PROBE_FILE = "probe.json"
"""File by which workers of a cluster show that they reach the work folder."""

PASSES_HERE = Message(
    "Workers of the cluster do not reach the input and the folder of the release by "
    "the same paths as this machine, so that it read all records alone: a folder that "
    "all of them share would be faster."
)

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
    task_bytes : int
        Memory that a task takes, about.
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
    task_bytes: int

    def run(self, ctx: RunContext) -> StreamedOutcome:
        """Do the steps that no earlier run has finished, and publish the release."""
        peak_before = peak_resident_bytes()
        with self._open_workers(ctx) as (workers, cluster):
            return self._run_on(workers, cluster, peak_before, ctx)

    @contextmanager
    def _open_workers(
        self, ctx: RunContext
    ) -> Iterator[tuple[Workers, ClusterWorkers | None]]:
        """Yield who does the passes, and the cluster if there is one.

        A cluster that does not reach the files protects blocks alone.
        """
        at_once = min(
            max_run_threads(), self.budget.max_parallel_tasks(self.task_bytes)
        )
        threads = ThreadWorkers(at_once, self.budget.spool_bytes(self.source, at_once))
        if self.dask is None:
            yield threads, None
            return
        from engine.streaming.workers.cluster import open_cluster_workers

        self.workspace.write_json(PROBE_FILE, None)
        paths = [self.workspace.folder / PROBE_FILE, *self.source.paths[:1]]
        with open_cluster_workers(
            self.dask, self.budget, self.source, self.task_bytes
        ) as cluster:
            stage = Message("Waiting for a worker of the cluster")
            absolute = [path.absolute() for path in paths]
            reached = cluster.reach_files(absolute, lambda: ctx.tick(0, 1, stage))
            yield (cluster if reached else threads), cluster

    def _run_on(
        self,
        workers: Workers,
        cluster: ClusterWorkers | None,
        held: int,
        ctx: RunContext,
    ) -> StreamedOutcome:
        fingerprint = self.source.fingerprint(workers, ctx.subcontext(0.0, 0.03))
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
            scanned = self._scan(workers, ctx.subcontext(0.03, 0.1))
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
                workers,
                ctx.subcontext(0.1, 0.15),
            )
            task = replace(task, plan=self.plan)
            self.clock.end_step("persons")
            part = ctx.subcontext(0.15, 0.2)
            spool = self._spool(scanned, task, persons, workers, part)
        except Exception:
            self.source.refuse_changed_files()  # or else it can be any mistake
            raise
        trim_free_memory()
        self.clock.end_step("route")
        some = self.workspace.read_json(LEAF_PERSONS_FILE)
        leaf_persons = None if persons is None or some is None else list(map(set, some))
        blocks = leaves_of_each_block(spool.leaf_sizes(), self.plan.k, leaf_persons)
        self._protect(task, spool, blocks, workers, cluster, ctx.subcontext(0.2, 0.95))
        self.clock.end_step("partition")
        k_released = self._verify(task, spool, blocks, workers, ctx.subcontext(0.95, 1))
        self.clock.end_step("verify")
        known = self.workspace.finished_parts()
        figures = tuple(known[each] for each in range(len(blocks)))
        self.workspace.publish(
            range(len(blocks)), lambda: ctx.tick(1, 1, Message("Writing the release"))
        )
        ctx.tick(1, 1, Message("Done"))
        local = cluster is not None and workers is not cluster
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
            self._warnings(scanned, figures, held, persons, local),
            persons,
        )

    def _scan(self, workers: Workers, ctx: RunContext) -> FirstPassResult:
        stored_scan = self.workspace.read_json("scan.json")
        if stored_scan is not None:
            return FirstPassResult.from_json(stored_scan, self.plan, self.source)
        scan_result = scan_all_records(
            self.plan, self.source, self.records_per_block, workers, ctx
        )
        self.workspace.write_json("scan.json", scan_result.to_json())
        return scan_result

    def _task(self, scanned: FirstPassResult) -> SharedBlockInputs:
        schema, dropped = self.source.schema, set(self.plan.identifiers)
        place_by_column = {
            name: j for j, name in enumerate(self.plan.quasi_identifiers)
        }
        fields = []
        for column in schema:
            if column.name in dropped:
                continue
            if column.name in place_by_column:
                j = place_by_column[column.name]
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
        workers: Workers,
        ctx: RunContext,
    ) -> LeafSpool:
        """Send all records to their leaves, unless that has been done."""
        spool = LeafSpool(self.workspace.spool, scanned.tree.n_leaves)
        if spool.is_complete:
            check_disk_space(self.workspace, self.source.n_bytes)
            return spool
        check_disk_space(self.workspace, 2 * self.source.n_bytes)
        self.workspace.clear_folder(self.workspace.spool)
        person_leaves = None
        if persons is not None and self.plan.intruder_knows == "all":
            person_leaves = LeafSpool(self.workspace.leaves, len(self.source.parts))
        leaf_persons = route_records(
            task,
            scanned.tree,
            self.source,
            spool,
            persons is not None,
            person_leaves,
            workers,
            ctx,
        )
        self._check_unchanged(workers)
        if leaf_persons is not None:
            hashes = list(map(list, leaf_persons.hashes))
            self.workspace.write_json(LEAF_PERSONS_FILE, hashes)
        spool.finish()
        return spool

    def _protect(
        self,
        task: SharedBlockInputs,
        spool: LeafSpool,
        blocks: Blocks,
        workers: Workers,
        cluster: ClusterWorkers | None,
        ctx: RunContext,
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

        largest = self._largest(task, spool, blocks)
        self.budget.check_block_limit(largest, self.records_per_block)
        where = self.workspace.written
        self.workspace.clear_folder(where)
        here = ((number, spool.records_of(blocks[number])) for number in todo)
        if cluster is not None and workers is not cluster:
            # The library has a block twice while it is on its way.
            most = (self.budget.limit - self.budget.base) // (4 * largest.n_bytes)
            sender = replace(cluster, max_pending=max(1, most))
            sent = ((number, records.read_streams()) for number, records in here)
            send = partial(protect_sent_block, task)
            results = sender.run_tasks(send, sent, look)
        else:
            if isinstance(workers, ThreadWorkers):
                most = self.budget.max_parallel_blocks(largest)
                at_once = min(max_run_threads(), most, max(1, len(todo)))
                workers = replace(workers, max_parallel=at_once)
            spooled = (SpooledBlock(*each, where) for each in here)
            work = partial(protect_spooled_block, task)
            results = workers.run_tasks(work, spooled, look)
        with closing(results):
            for result in results:
                part = result.get()
                if isinstance(part, ProtectedPart):
                    part = part.write(where)
                self.workspace.save_part(part)
                finished += 1
                del part, result
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

    def _check_unchanged(self, workers: Workers) -> None:
        """Refuse an input that has become another one while it was read."""
        job_facts = self.workspace.read_json("job.json") or {}
        if self.source.fingerprint(workers) != job_facts.get("fingerprint"):
            raise InputError(
                "File {file!r} has changed since it was read: read it anew.",
                file=self.source.path.name,
            )

    def _verify(
        self,
        task: SharedBlockInputs,
        spool: LeafSpool,
        blocks: Blocks,
        workers: Workers,
        ctx: RunContext,
    ) -> int:
        figures = self.workspace.finished_parts()
        columns = self.plan.person_columns
        if self.workspace.read_json(LEAF_PERSONS_FILE) is None:
            columns = ()  # each person has one record
        parts = [
            PartToVerify(
                self.workspace.part_path(number).absolute(),
                figures[number],
                spool.records_of(leaves),
            )
            for number, leaves in enumerate(blocks)
        ]
        stage = Message("Reading the release back")
        try:
            work = partial(verify_part, task, columns)
            k_of_parts = map_in_order(workers, work, parts, ctx, stage)
            return min(map(int, k_of_parts))
        except PartError as error:
            self.workspace.discard_part(error.number)
            raise

    def _warnings(
        self,
        scanned: FirstPassResult,
        figures: tuple[Mapping[str, Any], ...],
        held: int,
        persons: PersonCounts | None,
        read_here: bool,
    ) -> tuple[Message, ...]:
        rules = dict.fromkeys(self.plan.constraints, 0)
        for each in figures:
            for text, number in zip(rules, each["rules_broken"], strict=True):
                rules[text] += number
        of_blocks = dict.fromkeys(
            message_from_json(message_json)
            for each in figures
            for message_json in each["warnings"]
        )
        about = self.remarks
        if self.plan.person_columns:
            about = messages_on_persons(self.plan, self.head, persons)
        return (
            *self.source.messages(),
            *about,
            *scanned.warnings,
            *((PASSES_HERE,) if read_here else ()),
            *broken_rules_warnings(rules),
            *of_blocks,
            *choices_warnings(self.plan, self.head),
            *self._warnings_of_memory(held),
        )

    def _warnings_of_memory(self, held: int) -> tuple[Message, ...]:
        """Say so if more memory was held than asked for; `held` is from before."""
        peak, limit = peak_resident_bytes(), self.budget.limit
        if peak <= max(limit, held):
            return ()
        more = Message(
            "Up to {most:,.0f} MB of memory were held, more than the limit of "
            "{limit:,.0f} MB: smaller blocks need less.",
            most=peak / 1e6,
            limit=limit / 1e6,
        )
        return (more,)
