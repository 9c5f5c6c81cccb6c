"""Reading process, which reads uploaded files: ``python -m dashboard.readers.process``.

It has all that readers need imported, and gives each file a copy of itself (a fork: it
has one thread, and no kernel has run in it). The copy binds itself to hard limits,
reads, writes what it has found into the file's folder, and is gone; a file that brings
it down has brought nothing else down. Where processes cannot be copied, as on Windows,
a new interpreter that has imported the same waits for the next file
(``python -m dashboard.readers.process one``).

Standard input has a line of JSON for each order: ``{"folder", "memory", "seconds"}``
to read what is there, ``{"cancel"}`` to stop, ``{"end"}`` to end. Standard output has a
line for each that has ended: ``{"folder", "exit"}``. When standard input closes without
an order to end, the server was killed, and with it go its temporary files.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import pandas as pd

from dashboard.jobs.failures import log_and_format_program_error
from dashboard.jobs.workers.folders import SCRATCH_VARIABLE
from dashboard.jobs.workers.process import WORKER_NICENESS
from dashboard.readers import work_kinds
from dashboard.readers.limits import ReadingProcessLimits
from dashboard.readers.reading_processes import (
    ForkedProcessStarter,
    ReadingProcesses,
    SpawnedProcessStarter,
    StdinOrderReader,
    ThreadedOrderReader,
    process_limits_of_order,
)
from engine.aggregate import aggregations
from engine.core.errors import EngineError
from engine.core.message import Message, message_to_json
from engine.core.platform.files import remove_folder_with_retries
from engine.core.platform.limits import OUT_OF_MEMORY_EXIT_CODE, limit_own_process
from engine.core.platform.processes import adopt_orphans, lower_own_priority
from engine.core.platform.temporary import DISK_FULL_CODES
from engine.data.propose import suggest_columns
from engine.files import formats
from engine.methods import methods
from engine.storage.bounded_reading import DamagedFileError
from engine.storage.outcomes import read_json, write_json

_PRELOADED_MODULES = (
    "pyarrow.parquet",
    "pyarrow.csv",
    "pyarrow.pandas_compat",
    "python_calamine",
    "pyreadstat",
)
"""What readers import when they are first used: better once, before there is a file."""

_WARM_UP_TABLE = pd.DataFrame({"name": ["Ann Lee", "Ben Ray"]})
"""A table that has the dictionaries of names and countries read, likewise."""

_AFTER_PAGES = 4
"""Niceness of reading: where the processor is short, less than half a page's share."""

_REAP_SECONDS = 0.02
"""Seconds between looks at copies that are at work."""


_MODULE = "dashboard.readers.process"

SPAWN_VARIABLE = "COTERIE_SPAWN"
"""Environment variable: set where files are read by new interpreters, as on Windows."""


def main(arguments: Sequence[str] = ()) -> None:
    """Carry out read orders from standard input; with argument ``one``, only one."""
    os.umask(0o077)
    adopt_orphans()
    for name in _PRELOADED_MODULES:
        import_module(name)
    list(formats)
    list(methods)
    list(aggregations)
    suggest_columns(_WARM_UP_TABLE)
    if "one" in arguments:
        _serve_one()
    is_spawning = sys.platform == "win32" or SPAWN_VARIABLE in os.environ
    orders = ThreadedOrderReader() if is_spawning else StdinOrderReader()
    copies = ReadingProcesses(
        SpawnedProcessStarter(_MODULE) if is_spawning else ForkedProcessStarter(_read)
    )
    killed = not _serve(orders, copies)
    copies.kill_all()
    if killed and SCRATCH_VARIABLE in os.environ:
        remove_folder_with_retries(Path(os.environ[SCRATCH_VARIABLE]))


def _serve(orders: StdinOrderReader, copies: ReadingProcesses) -> bool:
    """Carry out orders; return whether one was to end, or there is no server."""
    while True:
        received = orders.receive(_REAP_SECONDS if copies.running else None)
        if received is None:
            return False
        for order in received:
            if "end" in order:
                return True
            if "cancel" in order:
                copies.cancel(order["cancel"])
            else:
                copies.begin(order)
        try:
            copies.reap()
        except BrokenPipeError:
            return False


def _serve_one() -> NoReturn:
    """Carry out one order, and end; earlier if whoever gives it is gone."""
    orders = ThreadedOrderReader()
    code = 1
    try:
        while (received := orders.receive(None)) == []:
            pass
        if received:
            orders.end_when_closed()
            (order,) = received
            code = _read(Path(order["folder"]), process_limits_of_order(order))
    finally:
        os._exit(code)


def _read(folder: Path, limits: ReadingProcessLimits) -> int:
    """Read one file, in a process of its own; return the exit code."""
    try:
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        limit_own_process(limits.memory, limits.seconds)
        # Readers that want a path write what they read: here, to go with the folder.
        tempfile.tempdir = str(folder)
        return _process_folder(folder)
    except MemoryError:
        return OUT_OF_MEMORY_EXIT_CODE


def _process_folder(folder: Path) -> int:
    order = read_json(folder / "order.json")
    # A file is waited for with nothing to look at meanwhile, but clicks come first.
    lower_own_priority(
        _AFTER_PAGES
        if work_kinds.WORK_KINDS[order["kind"]].brought
        else WORKER_NICENESS
    )
    wrong: Message | None = None
    try:
        work_kinds.carry_out_file_order(folder, order)
        work_kinds.check_fetch_time_in_process(folder, order)
    except (DamagedFileError, FileNotFoundError) as error:
        wrong = work_kinds.lost_copy_message(order["name"], error)
    except EngineError as error:
        wrong = error.message
    except MemoryError:
        return OUT_OF_MEMORY_EXIT_CODE
    except OSError as error:
        wrong = _system_message(error, order["name"])
    except Exception as error:
        wrong = _program_error_message(error, order["name"])
    answer = {} if wrong is None else {"failed": message_to_json(wrong)}
    write_json(folder / "answer.json", answer)
    return 0


def _system_message(error: OSError, name: str) -> Message:
    if error.errno not in DISK_FULL_CODES:
        return Message(
            "What is in {file!r} could not be read, as the operating system refused "
            "something ({reason}): look at its limits, and at the folder for temporary "
            "files.",
            file=name,
            reason=error.strerror or type(error).__name__,
        )
    return Message(
        "What is in {file!r} could not be handed over ({reason}): make room in the "
        "folder for temporary files, or split the file.",
        file=name,
        reason=error.strerror,
    )


def _program_error_message(error: Exception, name: str) -> Message:
    return Message(
        "File {file!r} could not be read because of a mistake in Coterie ({where}): "
        "please report it.",
        file=name,
        where=log_and_format_program_error("a file could not be read", error),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
