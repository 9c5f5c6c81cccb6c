"""The steps of one run out of core, once its plan is known to be possible."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from engine.core.context import RunContext
from engine.core.errors import InputError
from engine.core.message import Message, from_json
from engine.core.parallel import thread_count
from engine.data.table import Table
from engine.pipeline.remarks import on_broken, on_choices
from engine.pipeline.resolved import ResolvedPlan
from engine.streaming.carried import Digests
from engine.streaming.check import PartError, check_carried_part, check_part
from engine.streaming.columns import categories_of, matrix_of, plain, released_type
from engine.streaming.memory import Budget, Shape, give_back, peak
from engine.streaming.missing import CompleteCases
from engine.streaming.outcome import StreamedOutcome
from engine.streaming.protect import Part, Task, protect
from engine.streaming.scan import Scan, scan
from engine.streaming.source import Source
from engine.streaming.split import blocks_of_leaves
from engine.streaming.spool import Spool, joined
from engine.streaming.versions import versions
from engine.streaming.workers import in_threads
from engine.streaming.workspace import Workspace, check_disk

CAME = "carried.json"
"""Digests of what came in, by leaf, of columns that nobody protects."""

Blocks = tuple[tuple[int, ...], ...]
"""Leaves of each block."""


class Clock:
    """How long each step took: seconds, and seconds of this process on all cores."""

    def __init__(self) -> None:
        self._began = self._last = (time.perf_counter(), time.process_time())
        self._steps: dict[str, tuple[float, float]] = {}

    def lap(self, step: str) -> None:
        """Say that a step has ended."""
        now = time.perf_counter(), time.process_time()
        self._steps[step] = now[0] - self._last[0], now[1] - self._last[1]
        self._last = now

    def seconds(self) -> dict[str, float]:
        """Return the seconds of each step, and of all."""
        steps = {step: both[0] for step, both in self._steps.items()}
        return {**steps, "total": time.perf_counter() - self._began[0]}

    def processor(self) -> dict[str, float]:
        """Return the same of this process on all cores."""
        steps = {step: both[1] for step, both in self._steps.items()}
        return {**steps, "total": time.process_time() - self._began[1]}


@dataclass
class Job:
    """One run.

    Attributes
    ----------
    plan : ResolvedPlan
    head : Table
        The first records.
    source : Source
    workspace : Workspace
    budget : Budget
    records_per_block : int
    dask : str or None
    clock : Clock
    """

    plan: ResolvedPlan
    head: Table
    source: Source
    workspace: Workspace
    budget: Budget
    records_per_block: int
    dask: str | None
    clock: Clock

    def run(self, ctx: RunContext) -> StreamedOutcome:
        """Do what no earlier run has done, and let the release appear."""
        held = peak()
        fingerprint = self.source.fingerprint(ctx.part(0.0, 0.03))
        self.workspace.begin(
            {
                "plan": self.plan.digest(),
                "fingerprint": fingerprint,
                "records_per_block": self.records_per_block,
                "versions": versions(),
            }
        )
        before = self.workspace.finished()
        scanned = self._scan(ctx.part(0.03, 0.1))
        give_back()
        self.clock.lap("scan")
        task = self._task(scanned)
        spool = self._spool(scanned, task, ctx.part(0.1, 0.2))
        give_back()
        self.clock.lap("route")
        blocks = blocks_of_leaves(spool.sizes(), self.plan.k)
        self._protect(task, spool, blocks, ctx.part(0.2, 0.95))
        self.clock.lap("partition")
        k_released = self._verify(task, spool, blocks, ctx.part(0.95, 1.0))
        self.clock.lap("verify")
        known = self.workspace.finished()
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
            self.clock.seconds(),
            self.clock.processor(),
            {"limit": self.budget.limit, "peak": peak()},
            versions(),
            self._warnings(scanned, figures, held),
        )

    def _scan(self, ctx: RunContext) -> Scan:
        known = self.workspace.read("scan.json")
        if known is not None:
            return Scan.from_json(known, self.plan, self.source)
        found = scan(self.plan, self.source, self.records_per_block, ctx)
        self.workspace.write("scan.json", found.to_json())
        return found

    def _task(self, scanned: Scan) -> Task:
        schema, dropped = self.source.schema, set(self.plan.identifiers)
        known = {name: j for j, name in enumerate(self.plan.quasi_identifiers)}
        fields = []
        for column in schema:
            if column.name in dropped:
                continue
            if column.name in known:
                j = known[column.name]
                rule = self.plan.aggregations[column.name]
                kind = released_type(
                    column, scanned.known.attributes[j], scanned.decimals[j], rule
                )
                column = column.with_type(kind)
            fields.append(column)
        return Task(
            self.plan,
            tuple(schema.names),
            pa.schema(fields, metadata=schema.metadata),
            scanned.known.space,
            scanned.known.leaves,
            scanned.decimals,
            categories_of(self.source.first_batch()),
        )

    def _spool(self, scanned: Scan, task: Task, ctx: RunContext) -> Spool:
        """Send all records to their leaves, unless that has been done."""
        spool = Spool(self.workspace.spool, scanned.tree.n_leaves)
        if spool.complete and self.workspace.read(CAME) is not None:
            check_disk(self.workspace, self.source.n_bytes)
            return spool
        check_disk(self.workspace, 2 * self.source.n_bytes)
        self.workspace.clear_spool()
        names = list(task.schema.names)
        if self.plan.weights is not None and self.plan.weights not in names:
            names.append(self.plan.weights)
        names = [name for name in self.source.schema.names if name in names]
        cases = CompleteCases(self.plan)
        stage = Message("Second pass: sending records to blocks")
        digests = Digests(scanned.tree.n_leaves)
        for first, batch in self.source.batches(names, ctx, stage):
            came = batch.select(task.carried)
            batch = plain(batch, task.categories)
            values = matrix_of(batch, self.plan.quasi_identifiers, task.leaves)
            complete = cases.mask(values, first)
            numbers = first + np.flatnonzero(complete).astype(np.int64)
            leaves = scanned.tree.leaves(values[complete], numbers)
            if not complete.all():
                batch, came = (
                    each.filter(pa.array(complete)) for each in (batch, came)
                )
            digests.add(came, leaves)
            spool.add(batch, leaves, self.budget.waiting(self.source))
        self._check_unchanged()
        self.workspace.write(CAME, digests.result())
        spool.finish()
        return spool

    def _protect(
        self,
        task: Task,
        spool: Spool,
        blocks: Blocks,
        ctx: RunContext,
    ) -> None:
        """Protect what no earlier run has, and keep each part."""
        done = self.workspace.finished()
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
            return spool.streams(blocks[number])

        largest = self._largest(task, spool, blocks)
        with closing(self._parts(task, todo, load, largest, look)) as parts:
            for part in parts:
                self.workspace.keep(part)
                finished += 1
                del part
                give_back()

    def _largest(self, task: Task, spool: Spool, blocks: Blocks) -> Shape:
        """Return a shape that no block exceeds."""
        sizes, n_bytes = spool.sizes(), spool.n_bytes()
        return Shape(
            max(int(n_bytes[list(leaves)].sum()) for leaves in blocks),
            max(int(sizes[list(leaves)].sum()) for leaves in blocks),
            len(self.plan.quasi_identifiers),
            int(task.space.widths.sum()),
        )

    def _parts(
        self,
        task: Task,
        todo: list[int],
        load: Callable[[int], list[bytes]],
        largest: Shape,
        look: Callable[[], None],
    ) -> Generator[Part]:
        self.budget.check_blocks(largest, self.records_per_block)
        if self.dask is not None:
            from engine.streaming.cluster import on_cluster

            return on_cluster(self.dask, task, load, todo, self.budget, largest, look)

        def work(number: int, ctx: RunContext) -> Part:
            try:
                return protect(task, number, joined(load(number)), ctx)
            finally:
                give_back()  # what this thread keeps

        at_once = min(thread_count(), self.budget.at_once(largest), max(1, len(todo)))
        return in_threads(work, todo, at_once, look)

    def _check_unchanged(self) -> None:
        """Refuse an input that has become another one while it was read."""
        known = self.workspace.read("job.json") or {}
        if self.source.fingerprint() != known.get("fingerprint"):
            raise InputError(
                "File {file!r} has changed since it was read: read it anew.",
                file=self.source.path.name,
            )

    def _verify(self, task: Task, spool: Spool, blocks: Blocks, ctx: RunContext) -> int:
        found, figures = [], self.workspace.finished()
        came, sizes = self.workspace.read(CAME) or [], spool.sizes()
        for number, leaves in enumerate(blocks):
            ctx.tick(number, len(blocks), Message("Reading the release back"))
            path = self.workspace.path(number)
            try:
                found.append(check_part(path, self.plan, task.schema, figures[number]))
                expected = [(int(sizes[leaf]), came[leaf]) for leaf in leaves]
                check_carried_part(path, number, task.carried, expected)
            except PartError:
                self.workspace.forget(number)
                raise
        return min(found)

    def _warnings(
        self, scanned: Scan, figures: tuple[Mapping[str, Any], ...], held: int
    ) -> tuple[Message, ...]:
        rules = dict.fromkeys(self.plan.constraints, 0)
        for each in figures:
            for text, number in zip(rules, each["rules_broken"], strict=True):
                rules[text] += number
        of_blocks = dict.fromkeys(
            from_json(one) for each in figures for one in each["warnings"]
        )
        return (
            *scanned.warnings,
            *on_broken(rules),
            *of_blocks,
            *on_choices(self.plan, self.head),
            *self._warnings_of_memory(held),
        )

    def _warnings_of_memory(self, held: int) -> tuple[Message, ...]:
        """Say so if more memory was held than asked for; `held` is from before."""
        most, limit = peak(), self.budget.limit
        if most <= max(limit, held):
            return ()
        more = Message(
            "Up to {most:,.0f} MB of memory were held, more than the limit of "
            "{limit:,.0f} MB: smaller blocks need less.",
            most=most / 1e6,
            limit=limit / 1e6,
        )
        return (more,)
