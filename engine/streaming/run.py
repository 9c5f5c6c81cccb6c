"""Run a plan out of core: Parquet or CSV in, a folder of Parquet files out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from engine.constraints.rules import parse_rules
from engine.core.arguments import check_arguments
from engine.core.context import SILENT, RunContext
from engine.core.errors import ParameterError
from engine.core.parallel import max_run_threads
from engine.core.platform.memory import resident_bytes
from engine.data.propose.decide_roles import settle_undecided_roles
from engine.data.table import Table
from engine.files.input.options import ReadOptions
from engine.kernels.compilation.small_tables import prefer_kernels
from engine.methods.base import make_method
from engine.methods.search.refined import refine_partition
from engine.persons import group_for_k_persons
from engine.pipeline.fields.records import EACH_RECORD, NO_PERSON
from engine.pipeline.grouping.persons import messages_on_persons
from engine.pipeline.plan import Plan
from engine.pipeline.planning.cost import estimate_n_coordinates
from engine.pipeline.planning.resolve_plan import ResolvedPlan, resolve_plan
from engine.points.base import Points
from engine.points.encode import non_numeric_transform_error, non_numeric_weights_error
from engine.points.transforms import NO_TRANSFORM
from engine.release.targets import check_output_paths
from engine.storage.addresses import Address, to_place
from engine.streaming.choices import check_streaming_choices
from engine.streaming.job import OutOfCoreJob, StepClock
from engine.streaming.memory import MemoryBudget, default_memory_limit, trim_free_memory
from engine.streaming.outcome import StreamedOutcome
from engine.streaming.passes.persons import find_person_candidates
from engine.streaming.records.columns import (
    check_quasi_identifier_type,
    column_dictionaries,
    encoded_columns,
    is_date_type,
)
from engine.streaming.records.delimited import (
    CONVERSION_BYTES,
    is_delimited_input,
    open_delimited_source,
)
from engine.streaming.records.source import ParquetSource, open_parquet_source
from engine.streaming.records.unprotected_columns import (
    check_columns_survive_parquet,
    refuse_lost_digits,
)
from engine.streaming.workers.address import check_cluster_address
from engine.streaming.workers.threads import ThreadWorkers
from engine.streaming.workspace import check_release_target, lock_workspace

DEFAULT_RECORDS_PER_BLOCK = 100_000
"""Aimed at; a fixed number, so that a machine's memory does not decide on groups."""


@check_arguments
def run(
    plan: Plan,
    source: str | Path,
    target: str | Path,
    memory: int | None = None,
    records_per_block: int = DEFAULT_RECORDS_PER_BLOCK,
    dask: str | None = None,
    ctx: RunContext = SILENT,
    keep_undecided: bool = False,
    options: ReadOptions | None = None,
) -> StreamedOutcome:
    """Protect Parquet or CSV files by blocks, write Parquet; return the outcome.

    A first pass takes means, spreads and a sample; the sample gives a tree of split
    points, with `records_per_block` records in a leaf; a second pass sends the records
    to their leaves; each leaf is a block that is protected on its own. What comes out
    depends on plan, input, `records_per_block` and versions of the libraries, and on
    nothing else: neither on memory nor on who protected which block.

    An interrupted run leaves a hidden folder beside `target`, with records as they
    came in; the same call takes up its finished blocks.

    Parameters
    ----------
    plan : Plan
        Columns of numbers that it names as quasi-identifiers count as numbers, unless
        it says otherwise, whatever they look like.
    source : str or Path
        A Parquet file or a file of delimited text (CSV), or a folder of either kind
        with equal columns. Text is first converted to Parquet, in the hidden folder.
        Or a text that is an address of them, such as ``s3://bucket/folder``.
    target : str or Path
        Folder for the release, which must not exist or be empty; it appears once every
        part is written and checked. Or an address; the hidden folder is then in the
        current one.
    memory : int, optional
        Most bytes that this process may hold, Python and its libraries included; half
        of the machine's memory unless given.
    records_per_block : int
    dask : str, optional
        ``"local"``, or the address of a dask.distributed scheduler, whose
        workers then do the tasks.
    ctx : RunContext
    keep_undecided : bool
        Whether undecided columns are released unchanged, as by ``coterie run``.
        Otherwise they are removed.
    options : ReadOptions, optional
        How text is read; what is None is detected.

    Raises
    ------
    EngineError
        With one sentence that says what to change; `target` is then as it was.
    """
    check_streaming_choices(plan, records_per_block)
    return run_chosen_plan(
        lambda head: plan,
        source,
        target,
        memory,
        records_per_block,
        dask,
        ctx,
        keep_undecided,
        options,
    )


def run_chosen_plan(
    choose_plan: Callable[[Table], Plan],
    source: str | Path | Address,
    target: str | Path | Address,
    memory: int | None = None,
    records_per_block: int = DEFAULT_RECORDS_PER_BLOCK,
    dask: str | None = None,
    ctx: RunContext = SILENT,
    keep_undecided: bool = False,
    options: ReadOptions | None = None,
) -> StreamedOutcome:
    """Do what :func:`run` does, with a plan that is chosen by the first records.

    Parameters
    ----------
    choose_plan : callable
        Given a table of the first records.
    source, target, memory, records_per_block, dask, ctx, keep_undecided, options
        As in :func:`run`.
    """
    clock = StepClock()
    source, target = to_place(source), to_place(target)
    check_output_paths((), [source], [target])
    check_release_target(target)
    if dask is not None:
        check_cluster_address(dask)
    limit = default_memory_limit() if memory is None else memory
    with ExitStack() as stack:
        if is_delimited_input(source):
            workspace = stack.enter_context(lock_workspace(target))
            room = (limit - resident_bytes()) // CONVERSION_BYTES
            threads = ThreadWorkers(max(1, min(max_run_threads(), room)), 0)
            parquet_source = open_delimited_source(
                source,
                options or ReadOptions(),
                workspace,
                threads,
                ctx.subcontext(0.0, 0.1),
            )
            clock.end_step("text")
            ctx = ctx.subcontext(0.1, 1.0)
        else:
            parquet_source = open_parquet_source(source)
            _refuse_text_options(options)
            workspace = None
        make_job = _check_and_prepare(
            choose_plan, parquet_source, records_per_block, limit, keep_undecided
        )
        if workspace is None:
            workspace = stack.enter_context(lock_workspace(target))
        return make_job(workspace=workspace, dask=dask, clock=clock).run(ctx)


def _check_and_prepare(
    choose_plan: Callable[[Table], Plan],
    source: ParquetSource,
    records_per_block: int,
    memory_limit: int,
    keep_undecided: bool,
) -> Callable[..., OutOfCoreJob]:
    """Return what makes the job, once all that can be checked before it is."""
    head = source.head()
    plan = choose_plan(head)
    check_streaming_choices(plan, records_per_block)
    if keep_undecided:
        head = settle_undecided_roles(head)
    resolved = _resolve_checked(plan, head, source, records_per_block)
    coordinates = estimate_n_coordinates(resolved, head)
    candidates = find_person_candidates(plan, source)
    nobody = resolved.model_copy(
        update={"person": NO_PERSON if resolved.person == NO_PERSON else EACH_RECORD}
    )
    remarks = messages_on_persons(nobody, head, None)
    head = replace(head, frame=pd.DataFrame())  # only its schema is used from here on
    batch = source.first_batch()
    protected = {*resolved.quasi_identifiers, *resolved.identifiers}
    others = [name for name in batch.schema.names if name not in protected]
    check_columns_survive_parquet(
        batch.slice(0, 1000), others, column_dictionaries(batch)
    )
    del batch
    refuse_lost_digits(source.named_files.inexact_columns, others)
    _try_out(resolved)
    trim_free_memory()
    budget = MemoryBudget(memory_limit, resident_bytes())
    p = len(resolved.quasi_identifiers)
    task_bytes = budget.check_limit(source, records_per_block, p, coordinates)
    return partial(
        OutOfCoreJob,
        plan=resolved,
        head=head,
        source=source,
        budget=budget,
        records_per_block=records_per_block,
        candidates=candidates,
        remarks=remarks,
        task_bytes=task_bytes,
    )


def _refuse_text_options(options: ReadOptions | None) -> None:
    """Raise if an option of reading is given, which means nothing for Parquet."""
    for name, value in asdict(options or ReadOptions()).items():
        if value is not None:
            raise ParameterError(
                "The option {option!r} means nothing for {format} files: leave it out.",
                option=name,
                format="Parquet",
            )


def _resolve_checked(
    asked: Plan, head: Table, source: ParquetSource, records_per_block: int
) -> ResolvedPlan:
    """Return the plan with every choice resolved and checked."""
    plan = resolve_plan(asked, head)
    for name in plan.quasi_identifiers:
        check_quasi_identifier_type(source.schema.field(name), plan.kinds[name])
    words = encoded_columns(plan, source.schema)
    for name, way in plan.transforms.items():
        dates = is_date_type(source.schema.field(name).type)
        if way != NO_TRANSFORM and (dates or name in words):
            raise non_numeric_transform_error(way, name)
    if plan.weights is not None:
        kind = source.schema.field(plan.weights).type
        numbers = pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal
        if not any(is_number(kind) for is_number in numbers):
            raise non_numeric_weights_error(plan.weights)
    check_streaming_choices(plan, records_per_block)
    p = len(plan.quasi_identifiers)
    method = make_method(plan.method, plan.k, plan.parameters, plan.seed)
    method.check_size(max(plan.k, min(source.n_records, records_per_block)), p)
    if plan.constraints:
        names = tuple(source.schema.names)
        rules = parse_rules(plan.constraints, plan.quasi_identifiers, names)
        if rules.word_columns:
            raise ParameterError(
                "A rule compares column {column!r} with a word, which is not possible "
                "out of core: run in memory, or leave the rule out.",
                column=rules.word_columns[0],
            )
    return plan


def _try_out(plan: ResolvedPlan) -> None:
    """Group a few made-up records, so that what compiling takes is there to be seen."""
    rng = np.random.default_rng(0)
    some = rng.normal(size=(20 * plan.k, len(plan.quasi_identifiers)))
    method = make_method(plan.method, plan.k, plan.parameters, plan.seed)
    points = Points.from_array(some)
    with prefer_kernels():  # as blocks, which are no small tables, need them
        partition = method.partition(points)
        if plan.polish:
            refine_partition(points, partition, SILENT)
        if plan.person not in (NO_PERSON, EACH_RECORD):
            persons, knows = np.arange(some.shape[0]) // 2, plan.intruder_knows
            group_for_k_persons(points, persons, method, knows, is_quick=True)
