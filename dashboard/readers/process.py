"""Reading process: ``python -m dashboard.readers.process``.

It has all that readers need imported, and gives each file a copy of itself (a fork: it
has one thread, and no kernel has run in it). The copy binds itself to hard limits,
reads, writes what it has found into the file's folder, and is gone; a file that brings
it down has brought nothing else down.

Standard input has a line of JSON for each order: ``{"folder", "memory", "seconds"}``
to read what is there, ``{"cancel"}`` to stop, ``{"end"}`` to end. Standard output has a
line for each that has ended: ``{"folder", "exit"}``. When standard input closes without
an order to end, the server was killed, and with it go its temporary files.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from dashboard.jobs.failures import log_program_error
from dashboard.jobs.process import WORKER_NICENESS, adopt_orphans, end_with_parent
from dashboard.readers import kinds
from dashboard.readers.limits import OUT_OF_MEMORY_EXIT_CODE, ProcessLimits
from dashboard.server import scratch
from engine.aggregate import aggregations
from engine.core.errors import EngineError
from engine.core.message import Message, message_to_json
from engine.data.propose import suggest_columns
from engine.files import formats
from engine.methods import methods
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


def main() -> None:
    """Carry out orders until the server closes the pipe."""
    os.umask(0o077)
    adopt_orphans()
    for name in _PRELOADED_MODULES:
        import_module(name)
    list(formats)
    list(methods)
    list(aggregations)
    suggest_columns(_WARM_UP_TABLE)
    running: dict[int, str] = {}
    killed = not _serve(running)
    for pid, folder in running.items():
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        shutil.rmtree(folder, ignore_errors=True)
    if killed and scratch.SCRATCH_VARIABLE in os.environ:
        scratch.remove_folder(Path(os.environ[scratch.SCRATCH_VARIABLE]))


def _serve(running: dict[int, str]) -> bool:
    """Carry out orders; return whether one was to end, or there is no server."""
    text = b""
    while True:
        ready, _, _ = select.select([0], [], [], _REAP_SECONDS if running else None)
        if ready:
            chunk = os.read(0, 65536)
            if not chunk:
                return False
            *lines, text = (text + chunk).split(b"\n")
            for order in map(json.loads, lines):
                if "end" in order:
                    return True
                _carry_out(order, running)
        try:
            _reap_children(running)
        except BrokenPipeError:
            return False


def _carry_out(order: dict[str, Any], running: dict[int, str]) -> None:
    if "cancel" in order:
        for pid, folder in running.items():
            if folder == order["cancel"]:
                os.kill(pid, signal.SIGKILL)
        return
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _read(
            Path(order["folder"]),
            ProcessLimits(order["memory"], order["seconds"]),
            parent,
        )
    running[pid] = order["folder"]


def _reap_children(running: dict[int, str]) -> None:
    for pid in list(running):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            _end_left_behind(running)
            answer = {
                "folder": running.pop(pid),
                "exit": os.waitstatus_to_exitcode(status),
            }
            os.write(1, json.dumps(answer).encode() + b"\n")


def _end_left_behind(running: Mapping[int, str]) -> None:
    """End what a copy has started, if it was taken over: the server reads its files.

    Processes whose parent has ended are this one's children.
    """
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while children.exists():  # on Linux only
        left = {int(pid) for pid in children.read_text().split()} - running.keys()
        if not left:
            return
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _read(folder: Path, limits: ProcessLimits, parent: int) -> NoReturn:
    """Read one file, in a process of its own, and end."""
    code = 1
    try:
        end_with_parent(parent)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        limits.apply_to_process()
        # Readers that want a path write what they read: here, to go with the folder.
        tempfile.tempdir = str(folder)
        code = _process_folder(folder)
    except MemoryError:
        code = OUT_OF_MEMORY_EXIT_CODE
    finally:
        os._exit(code)


def _process_folder(folder: Path) -> int:
    order = read_json(folder / "order.json")
    # A file is waited for with nothing to look at meanwhile, but clicks come first.
    os.nice(
        _AFTER_PAGES if kinds.WORK_KINDS[order["kind"]].brought else WORKER_NICENESS
    )
    try:
        found = kinds.carry_out_order(folder, order)
        kinds.rehearse_fetch(folder, order)
    except EngineError as error:
        found = {"failed": message_to_json(error.message)}
    except MemoryError:
        return OUT_OF_MEMORY_EXIT_CODE
    except OSError as error:
        found = {"failed": message_to_json(_disk_full_message(error, order["name"]))}
    except Exception as error:
        found = {
            "failed": message_to_json(_program_error_message(error, order["name"]))
        }
    write_json(folder / "answer.json", found)
    return 0


def _disk_full_message(error: OSError, name: str) -> Message:
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
        where=log_program_error("a file could not be read", error),
    )


if __name__ == "__main__":
    main()
