"""Worker process, which carries out runs.

It is started by ``python -m dashboard.jobs.workers.worker [JOBDIR]``.

Without a folder it warms up (imports, kernels from the cache) and waits on standard
input for one, so that a click finds a worker ready. When standard input closes, the
server is gone or wants no more: the folder is removed, and that of the server's
temporary files if it is gone, and the process ends.

The folder holds ``table/``, ``plans.json`` and ``bounds.json``, or what
:mod:`dashboard.jobs.assessment`, :mod:`dashboard.jobs.timing` or
:mod:`dashboard.jobs.needs` puts there; the worker adds ``progress.json``,
``results/<position>/`` as each plan is finished, ``early/<position>/0`` and on where
better groups or a lower bound are still to come, and ``end.json``. A file
``enough.json`` tells it to end the search of one plan with the best so far, and one
``pause.json`` to end after the plan that it is at, or as soon as it has shown anything.
"""

from __future__ import annotations

import os
import queue
import shutil
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from dashboard.jobs import assessment, needs, timing
from dashboard.jobs.failures import (
    DISK_FULL_EXIT_CODE,
    log_and_describe_failure,
    log_and_format_program_error,
)
from dashboard.jobs.workers.folders import remove_scratch_folder_of_ended_server
from dashboard.jobs.workers.process import WORKER_NICENESS
from engine.core.context import RunContext
from engine.core.message import NO_MESSAGE, Message, message_to_json
from engine.core.numerics.trace import SearchTrace
from engine.core.platform.processes import (
    exec_program,
    is_stdin_readable,
    lower_own_priority,
)
from engine.core.platform.temporary import DISK_FULL_CODES
from engine.data.table import Table
from engine.kernels.compilation._jit import before_loading, is_ready
from engine.kernels.compilation.cache_cleanup import remove_unused_folders
from engine.kernels.compilation.compiling import listen_to_compiling
from engine.kernels.compilation.second_process import compile_in_second_process
from engine.kernels.measures.linkage import count_nearest_released
from engine.methods import methods
from engine.pipeline.compare import PlanRunner
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.storage.figures import bounds_from_json
from engine.storage.outcomes import load_table, read_json, save_outcome, write_json

_WARM_UP_GRACE_SECONDS = 2.0
"""Seconds that an order waits for the end of the warm-up.

Reading a method's kernels takes less. Compiling them, on a fresh machine, may take ten
times that and cannot be interrupted.
"""

_MAX_REPEATED_SECONDS = 3.0
"""Seconds of a plan that may be spent once more, so that others have a first result."""

_PROGRESS_SECONDS = 0.4
"""Progress is written no more often than this: pages look every half second."""


def main(
    arguments: list[str],
    run_folder: Callable[[Path], None] | None = None,
    is_warm: bool = False,
) -> None:
    """Run job folders from arguments and standard input in turn, until it is closed.

    A run's folder goes when the server has fetched the results.

    Parameters
    ----------
    arguments : list of str
        A first folder, or nothing.
    run_folder : callable, optional
        Runs a folder elsewhere, so that nothing is warmed up here.
    is_warm : bool
        Whether this process is a fork of one that has warmed up.
    """
    warm = threading.Event()
    orders: queue.SimpleQueue[Path] = queue.SimpleQueue()
    if arguments:
        orders.put(Path(arguments[0]))
    folders: list[Path] = [*map(Path, arguments)]
    # With a folder, it is the same process that began anew.
    expected = bool(arguments or is_stdin_readable())
    threading.Thread(target=_listen, args=(orders, folders, warm), daemon=True).start()
    if not arguments and not is_warm:
        lower_own_priority(WORKER_NICENESS)
    if (arguments or is_warm) and run_folder is None:
        # It began anew because kernels compile; before, the page took both cores. Or
        # it was forked before anything was compiled.
        before_loading.append(compile_in_second_process)
    if not (expected or is_warm) and run_folder is None:
        _warm_up(orders)
    warm.set()
    while True:
        (run_folder or run_job_folder)(orders.get())


def log_warm_up_failure(error: Exception) -> None:
    """Log why kernels could not be loaded ahead of the runs that need them."""
    log_and_format_program_error("a worker did not warm up", error)


def _warm_up(orders: queue.SimpleQueue[Path]) -> None:
    """Load kernels until an order arrives; what fails is logged, and fails its run."""
    try:
        import_module("dashboard.jobs.workers.warm_up").warm_up_kernels(orders)
    except Exception as error:
        log_warm_up_failure(error)
    if orders.empty():
        remove_unused_folders()


def _listen(
    orders: queue.SimpleQueue[Path], mine: list[Path], warm: threading.Event
) -> None:
    """Take a folder from standard input; when it closes, clean up and end.

    A warm-up that compiles what the order may not need gives way: the process begins
    anew, with the folder, and keeps its number, its standard input and its niceness.
    """
    text = b""
    # Not sys.stdin: a thread that waits in it blocks the interpreter's end.
    while chunk := os.read(0, 65536):
        text += chunk
        while b"\n" in text:
            line, text = text.split(b"\n", 1)
            mine.append(Path(os.fsdecode(line)))
            orders.put(mine[-1])
            # On Windows it would be another process, which nobody knows.
            if sys.platform != "win32" and not warm.wait(_WARM_UP_GRACE_SECONDS):
                exec_program([sys.executable, *sys.orig_argv[1:], str(mine[-1])])
    for folder in mine:
        for _ in range(100):  # again where the run wrote in between
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
    remove_scratch_folder_of_ended_server()
    os._exit(0)


def run_job_folder(folder: Path) -> None:
    """Run a job folder's request; write progress, results and end to the folder.

    Raises
    ------
    SystemExit
        If there is no room to write the end: its code says so in place of the file.
    """
    progress = _Progress(folder)
    try:
        with listen_to_compiling(progress.report_preparation):
            _run_plans(folder, progress)
    except _Paused:
        end, message = "paused", NO_MESSAGE
    except Exception as error:
        end, message = "failed", log_and_describe_failure(error)
    else:
        end, message = "done", NO_MESSAGE
    try:
        write_json(
            folder / "end.json", {"state": end, "message": message_to_json(message)}
        )
    except FileNotFoundError:  # nobody waits for it any more
        pass
    except OSError as error:
        if error.errno not in DISK_FULL_CODES:
            raise
        raise SystemExit(DISK_FULL_EXIT_CODE) from None  # which the server reads


def is_plan_run_job(folder: Path) -> bool:
    """Return whether a job folder requests only that plans be run."""
    kinds = (assessment.is_assessment_job, timing.is_timing_job, needs.is_need_job)
    return not any(is_kind(folder) for is_kind in kinds)


def _run_plans(folder: Path, progress: _Progress) -> None:
    table = load_table(folder / "table")
    if assessment.is_assessment_job(folder):
        assessment.run_assessment_job(folder, table, RunContext(progress))
    elif timing.is_timing_job(folder):
        ctx = RunContext(progress)
        timing.run_timing_job(folder, table, ctx, lambda: _exit_if_paused(folder))
    elif needs.is_need_job(folder):
        progress.begin_plan(0, searches=True)
        ctx = RunContext(progress, enough=progress.should_stop_early)
        needs.run_need_job(folder, table, ctx)
    else:
        _compare(folder, table, progress)


class _Paused(BaseException):
    """Somebody else's run is to go on first."""


def _exit_if_paused(folder: Path) -> None:
    """Exit if another run is to go first."""
    if (folder / "pause.json").exists():
        raise _Paused


def _compare(folder: Path, table: Table, progress: _Progress) -> None:
    entries = read_json(folder / "plans.json")
    results = folder / "results"
    plans = [Plan.from_json(entry["plan"]) for entry in entries]
    positions = [entry["position"] for entry in entries]

    start_time = time.monotonic()

    def begin(at: int) -> None:
        if at < len(plans):
            searches = methods.info(plans[at].method).traits.time_budget != ""
            progress.begin_plan(positions[at], searches)

    runner = PlanRunner(table)
    for plan, bound in bounds_from_json(read_json(folder / "bounds.json")):
        runner.reuse_bound(plan, bound)

    def show(at: int, outcome: Outcome) -> None:
        early = folder / "early" / f"{positions[at]:06d}"
        early.mkdir(parents=True, exist_ok=True)
        save_outcome(outcome, early / str(len(list(early.iterdir()))), table)
        is_brief = time.monotonic() - start_time < _MAX_REPEATED_SECONDS
        if entries[at]["is_first"] and is_brief:
            _exit_if_paused(folder)

    begin(0)
    ctx = RunContext(progress, enough=progress.should_stop_early, hear=progress.trace)
    for at, result in enumerate(runner.run_plans(plans, ctx, show)):
        if isinstance(result, Outcome):
            if not is_ready(count_nearest_released):
                show(at, result)  # its initial measures wait for kernels
            result = assessment.copy_with_initial_measures(result, runner.preparations)
        save_outcome(result, results / f"{positions[at]:06d}", table)
        del result  # what is written is not held while the next one is made
        if at + 1 < len(plans):
            _exit_if_paused(folder)
        begin(at + 1)


_STARTING = Message("Starting")


class _Progress:
    """Writes how far the run is, and the curve of its search, now and then."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "progress.json"
        self._enough = folder / "enough.json"
        self._written = 0.0
        self._position: int | None = None
        self._last: dict[str, Any] = {"share": 0.0, "stage": message_to_json(_STARTING)}
        self._prepares: float | None = None
        self._prepared = 0.0
        self.trace = SearchTrace()

    def begin_plan(self, position: int, searches: bool) -> None:
        """Start reporting the plan at a position; forget the previous search."""
        self._position = position if searches else None
        self.trace.clear()

    def should_stop_early(self) -> bool:
        """Return whether the search of this plan was told to end."""
        try:
            return bool(read_json(self._enough)["position"] == self._position)
        except FileNotFoundError:
            return False

    def __call__(self, share: float, stage: str) -> None:
        now = time.monotonic()
        if now - self._written < _PROGRESS_SECONDS and share < 1.0:
            return
        content: dict[str, Any] = {"share": share, "stage": message_to_json(stage)}
        if self._position is not None:
            content["search"] = {
                "position": self._position,
                "seconds": self.trace.seconds,
                "points": self.trace.points,
            }
        self._last = content
        self._write()

    def report_preparation(self, begins: bool) -> None:
        """Report that kernels are compiled, or that the run goes on."""
        now = time.monotonic()
        if self._prepares is not None:
            self._prepared += now - self._prepares
        self._prepares = now if begins else None
        self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        preparing = self._prepares is not None
        state = {"preparing": preparing, "prepared": self._prepared}
        write_json(self._path, self._last | state)


if __name__ == "__main__":
    main(sys.argv[1:])
