"""``coterie run --out-of-core``: protect Parquet or CSV files block by block."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from engine.cli.parsing.options import (
    build_read_options,
    plan_from_options,
    read_plan_text,
)
from engine.cli.parsing.path_options import has_plan_to_run
from engine.cli.writing.figures import format_count, to_json_bytes
from engine.cli.writing.leaving_columns import iterate_messages_on_columns_without_role
from engine.core.context import SILENT, RunContext
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.release.write import write_all
from engine.streaming.memory import parse_memory_size
from engine.streaming.outcome import StreamedOutcome
from engine.streaming.run import DEFAULT_RECORDS_PER_BLOCK, run_chosen_plan

DEFAULT_METHOD = "blocked"
"""Unless another one is named: tables that do not fit into memory are large."""

UNSUPPORTED_OPTIONS = {
    "groups": Message("groups are told apart by their values in each part"),
    "report": Message("figures are in --json"),
    "external_report": Message("figures are in --json"),
    "director_page": Message("figures are in --json"),
    "tables_by": Message("figures are in --json"),
    "ddi": Message("a release of many parts is described by its schema"),
    "croissant": Message("a release of many parts is described by its schema"),
    "ledger": Message("groups are not held in memory"),
    "regroup": Message("groups are not held in memory"),
    "script": Message("the same line repeats the run"),
    "guide": Message("every block has groups of its own"),
    "certificate": Message("a lower bound needs all records at once"),
    "shuffle": Message(
        "records come by block, and within a block in the order of the input"
    ),
    "shuffle_seed": Message("records are not shuffled"),
    "stata_version": Message("a release of many parts is Parquet"),
    "neutralise_formulas": Message("Parquet files are not run by spreadsheets"),
    "measure": Message("measures on demand need all records at once"),
    "thorough_bound": Message("a lower bound needs all records at once"),
    "below": Message("a lower bound needs all records at once"),
    "sheet": Message("Parquet and CSV files have none"),
    "layout": Message("Parquet and CSV files have none"),
    "sql": Message("Parquet and CSV files are no databases"),
}
"""Options that mean nothing here, and why."""


def execute_out_of_core(options: argparse.Namespace) -> int:
    """Protect files block by block into a folder, and return exit code 0."""
    for name, why in UNSUPPORTED_OPTIONS.items():
        if getattr(options, name):
            raise ParameterError(
                "--{option} does not go with --out-of-core, because "
                "{why}: leave it out.",
                option=name.replace("_", "-"),
                why=why,
            )
    if options.output is None:
        raise ParameterError("--out-of-core needs --output and the name of a folder.")
    repeats = has_plan_to_run(options)
    gc.set_threshold(100_000)  # sooner than in other commands: memory is what is short
    outcome = run_chosen_plan(
        _plan_chooser(options),
        options.file,
        options.output,
        memory=None if options.memory is None else parse_memory_size(options.memory),
        records_per_block=DEFAULT_RECORDS_PER_BLOCK
        if options.records_per_block is None
        else options.records_per_block,
        dask=options.dask,
        ctx=RunContext(_show) if sys.stderr.isatty() else SILENT,
        keep_undecided=True,
        options=build_read_options(options),
    )
    contents = {}
    if options.json is not None:
        contents[options.json] = to_json_bytes(outcome.summary())
    if options.plan is not None and not repeats:
        contents[options.plan] = outcome.plan.to_json().encode()
    write_all(contents)
    _print_summary(outcome)
    return 0


def _plan_chooser(options: argparse.Namespace) -> Callable[[Table], Plan]:
    """Return what chooses the plan by the first records."""
    if has_plan_to_run(options):
        plan = Plan.from_json(read_plan_text(options.plan))
        return lambda head: plan
    choose = partial(
        plan_from_options, options, method=options.method or DEFAULT_METHOD, k=options.k
    )
    if options.all_numeric:
        return choose
    plan = choose(None)
    return lambda head: plan


def _show(share: float, stage: str) -> None:
    """Draw progress on one line of a terminal."""
    print(f"\r\033[K{share:4.0%} {stage}", end="", file=sys.stderr, flush=True)
    if share >= 1.0:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def _print_summary(outcome: StreamedOutcome) -> None:
    figures: dict[str, Any] = outcome.summary()
    size, seconds = figures["group_size"], figures["seconds"]
    speed = figures["n_records"] / max(seconds["total"], 1e-9)
    whose = (
        f" of {format_count(figures['n_persons'], 'person', 'people')}"
        if "n_persons" in figures
        else ""
    )
    records = format_count(figures["n_records"], "record")
    groups = format_count(figures["n_groups"], "group")
    blocks = format_count(figures["n_blocks"], "block")
    pace = format_count(round(speed), "record")
    print(
        f"{figures['method']}, k = {figures['k']}: {records}{whose} in {groups} of "
        f"{size['min']} to {size['max']}, in {blocks}.\n"
        f"Information loss {figures['information_loss']:.4f} % on scaling "
        f"{figures['scaling']} (lower is better).\n"
        f"k as written: at least {figures['k_released']}"
        f"{' people' if whose else ''}. Time: "
        f"{seconds['total']:.1f} s, {pace} per second; memory at most "
        f"{figures['memory']['peak'] / 1e6:,.0f} MB."
    )
    if figures["blocks_resumed"]:
        print(f"Blocks that an earlier run had finished: {figures['blocks_resumed']:,}")
    for warning in (
        *figures["warnings"],
        *iterate_messages_on_columns_without_role(
            outcome.unprotected_columns, outcome.schema
        ),
        *outcome.links.said,
    ):
        print(f"Note: {warning}", file=sys.stderr)
    print(f"Written and read back: {outcome.folder}")
