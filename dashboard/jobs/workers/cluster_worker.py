"""Worker process that runs its jobs on a Dask cluster.

It obeys as :mod:`dashboard.jobs.workers.worker` does, and sends what a job folder
requests to the cluster, plan by plan; what comes back it puts into the folder. On the
cluster a process of its own carries each plan out, and ends with it. What passes
through the scheduler and its workers is enciphered by a key of each run: in their
memory, and where they spill it, lies no value.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import os
import secrets
import shutil
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.jobs.failures import exit_code_message, log_and_describe_failure
from dashboard.jobs.workers import worker
from dashboard.jobs.workers.folders import new_job_folder_path
from dashboard.jobs.workers.process import CLUSTER_VARIABLE, start_module_process
from engine.core.errors import InputError
from engine.core.message import NO_MESSAGE, Message, message_to_json
from engine.core.platform.limits import forbid_core_files
from engine.storage.outcomes import read_json, write_json
from engine.streaming.versions import byte_relevant_versions
from engine.streaming.workers.cluster import (
    ClusterLostError,
    check_versions,
    connect_to_cluster,
    poll_done_futures_once,
    translate_task_errors,
)

KEY_BYTES = 32

MAX_LOST_SECONDS = 120.0
"""Seconds for which a scheduler may be away, as it is started anew."""

MAX_WORKERLESS_SECONDS = 60.0
"""Seconds for which a cluster may be without any worker."""

CHILD_POLL_SECONDS = 0.2

_PLANS_FILE, _PAUSE_FILE, _ENOUGH_FILE = "plans.json", "pause.json", "enough.json"
_STOP_EARLY_COMMAND = b"enough\n"

_NOT_SENT = frozenset({"results", "early", "progress.json", _PAUSE_FILE, _ENOUGH_FILE})
_READ_HERE = frozenset({"results", "end.json", "progress.json"})
_NOT_PREPARING = {"preparing": False, "prepared": 0.0}

ON_THE_CLUSTER = Message("On the cluster")
WAITING_FOR_CLUSTER = Message("Waiting for a worker of the cluster")


def apply_keystream(content: bytes, once_only_key: bytes) -> bytes:
    """Return content encrypted or decrypted by a key, which may be used only once.

    Exclusive or with the output of SHAKE256 (FIPS 202), an extendable-output function.
    """
    stream = hashlib.shake_256(once_only_key).digest(len(content))
    pair = (np.frombuffer(each, dtype=np.uint8) for each in (content, stream))
    output: bytes = np.bitwise_xor(*pair).tobytes()
    return output


def pack_folder(
    folder: Path, excluded: Collection[str], added: Mapping[str, bytes] | None = None
) -> bytes:
    """Return a tar archive of a folder without excluded entries, with files added.

    Parameters
    ----------
    folder : Path
    excluded : collection of str
        Names of its entries that are left out.
    added : mapping of str to bytes, optional
        Contents of further files, by their names.
    """
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for path in sorted(folder.iterdir()):
            if path.name not in excluded:
                archive.add(path, path.name)
        for name, content in (added or {}).items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def unpack_archive(content: bytes, folder: Path) -> None:
    """Write a tar archive's files into a folder; raise for a path outside of it."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")


# In the child of a worker of the cluster.


def run_job_from_stdin() -> None:
    """Run an encrypted job from stdin; write its encrypted results to stdout."""
    forbid_core_files()
    os.umask(0o077)
    # Whatever is printed is no result.
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    stdin = os.fdopen(os.dup(0), "rb")
    size = int.from_bytes(stdin.read(8))
    key = stdin.read(KEY_BYTES)
    folder = new_job_folder_path()
    folder.mkdir(mode=0o700)
    try:
        unpack_archive(apply_keystream(stdin.read(size), key + b"in"), folder)
        (folder / "results").mkdir()
        threading.Thread(target=_heed_parent, args=(stdin, folder), daemon=True).start()
        worker.run_job_folder(folder)
        packed = pack_folder(folder, ("table", _PLANS_FILE, "outcomes", "early"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    with results:
        results.write(apply_keystream(packed, key + b"out"))


def _heed_parent(asked: Any, folder: Path) -> None:
    """End the search when the parent says so, and all when the parent is gone."""
    while line := asked.readline():
        if line == _STOP_EARLY_COMMAND:
            (entry,) = read_json(folder / _PLANS_FILE)
            write_json(folder / _ENOUGH_FILE, {"position": entry["position"]})
    if folder.exists():
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)


# In a worker of the cluster.


def run_encrypted_job(
    enciphered: bytes, key: bytes, versions: Mapping[str, str], stop_event_name: str
) -> bytes:
    """Run an encrypted job folder in a child process; return encrypted results, or b"".

    Parameters
    ----------
    enciphered : bytes
        The job folder.
    key : bytes
        Which the child deciphers it with.
    versions : mapping of str to str
        Of the libraries where the run was started.
    stop_event_name : str
        Name of the event by which a search is told to end.

    Raises
    ------
    ParameterError
        If other versions are here, which might give other bytes.
    InputError
        If the child ends before it is done.
    """
    from distributed import Event, get_worker

    check_versions(versions)
    at = get_worker()
    name, enough = at.get_current_task(), Event(stop_event_name)
    child = start_module_process(
        "dashboard.jobs.workers.cluster_worker", arguments=("child",)
    )
    assert child.stdin is not None
    assert child.stdout is not None
    outputs: list[bytes] = []
    read = child.stdout.read
    reading = threading.Thread(target=lambda: outputs.append(read()))
    reading.start()
    try:
        with contextlib.suppress(BrokenPipeError):  # its exit code says why
            child.stdin.write(len(enciphered).to_bytes(8) + key + enciphered)
            child.stdin.flush()
        while reading.is_alive():
            reading.join(CHILD_POLL_SECONDS)
            task = at.state.tasks.get(name)
            if task is None or task.state != "executing":  # nobody waits for it
                return b""
            if not enough.is_set():
                continue
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(_STOP_EARLY_COMMAND)
                child.stdin.flush()
    finally:
        if reading.is_alive():
            child.kill()
        reading.join()
        with contextlib.suppress(BrokenPipeError):
            child.stdin.close()
        code = child.wait()
    if code:
        raise InputError(exit_code_message(code))
    return outputs[0]


# Beside the server.


def run_folder_on_cluster(folder: Path) -> None:
    """Run a job folder's request on the cluster; write results and end into it."""
    message: Any
    try:
        end, message = _carry_out_steps(folder, os.environ[CLUSTER_VARIABLE])
    except Exception as error:
        end, message = "failed", message_to_json(log_and_describe_failure(error))
    with contextlib.suppress(FileNotFoundError):  # nobody waits for it any more
        write_json(folder / "end.json", {"state": end, "message": message})


def _carry_out_steps(folder: Path, address: str) -> tuple[str, Any]:
    """Return how the run has ended; a scheduler may be started anew meanwhile."""
    entries: list[Any] = [None]
    if worker.is_plan_run_job(folder):
        entries = read_json(folder / _PLANS_FILE)
    rest = list(entries)
    outage_start: float | None = None
    while True:
        try:
            with connect_to_cluster(address) as client:
                outage_start = None
                while rest:
                    share = 1.0 - len(rest) / len(entries)
                    end = _carry_out_step(client, folder, rest[0], share)
                    if end["state"] != "done":
                        return end["state"], end["message"]
                    del rest[0]
                    if rest and (folder / _PAUSE_FILE).exists():
                        return "paused", message_to_json(NO_MESSAGE)
                return "done", message_to_json(NO_MESSAGE)
        except ClusterLostError:
            outage_start = time.monotonic() if outage_start is None else outage_start
            if time.monotonic() - outage_start >= MAX_LOST_SECONDS:
                raise
            time.sleep(1.0)


def _carry_out_step(
    client: Any, folder: Path, entry: Any, share: float
) -> dict[str, Any]:
    """Carry out one plan, or all that is no plan; return how it ended."""
    from distributed import Event

    part = folder / secrets.token_hex(8)
    part.mkdir()
    more = {_PLANS_FILE: json.dumps([entry]).encode()} if entry else {}
    packed = pack_folder(folder, _NOT_SENT | more.keys() | {part.name}, more)
    key, name = secrets.token_bytes(KEY_BYTES), secrets.token_hex(16)
    future = client.submit(
        run_encrypted_job,
        apply_keystream(packed, key + b"in"),
        key,
        byte_relevant_versions(),
        name,
        pure=False,
    )
    event, has_told = Event(name, client=client), [False]

    def look(is_running: bool) -> None:
        stage = ON_THE_CLUSTER if is_running else WAITING_FOR_CLUSTER
        content = {"share": share, "stage": message_to_json(stage)}
        write_json(folder / "progress.json", content | _NOT_PREPARING)
        if not has_told[0] and (folder / _ENOUGH_FILE).exists():
            has_told[0] = True
            event.set()

    try:
        content = _await_result(client, future, look)
        unpack_archive(apply_keystream(content, key + b"out"), part)
        _take_over(part, folder)
        end: dict[str, Any] = read_json(part / "end.json")
        return end
    finally:
        # A scheduler that is gone has forgotten it.
        with contextlib.suppress(Exception):
            future.cancel()
        shutil.rmtree(part, ignore_errors=True)


def _take_over(part: Path, folder: Path) -> None:
    """Move results to where the server looks, each folder whole."""
    (folder / "results").mkdir(exist_ok=True)
    for path in (part / "results").glob("*"):
        path.rename(folder / "results" / path.name)
    rest = [path for path in part.iterdir() if path.name not in _READ_HERE]
    for path in sorted(rest, key=Path.is_file):  # a file may name a folder
        if path.is_file() or not (folder / path.name).exists():
            path.replace(folder / path.name)


def _cluster_lost_error() -> ClusterLostError:
    return ClusterLostError(
        Message(
            "The connection to the scheduler of the cluster was lost: tell whoever "
            "runs this server, and run it again."
        )
    )


def _await_result(client: Any, future: Any, look: Callable[[bool], None]) -> bytes:
    """Return the results of a task, whatever becomes of workers.

    Raises ClusterLostError if the scheduler is gone. Raises InputError if the cluster
    cannot carry the run out.
    """
    from distributed import CancelledError

    last_worker_time, is_running = time.monotonic(), False
    while True:
        look(is_running)
        try:
            if poll_done_futures_once(client, [future]):
                break
            if client.status != "running":
                raise _cluster_lost_error()
            has_workers = bool(client.nthreads())
            at_work = client.processing().values()
        except (CancelledError, OSError, RuntimeError):  # it is gone as it is asked
            raise _cluster_lost_error() from None
        is_running = any(future.key in keys for keys in at_work)
        if has_workers:
            last_worker_time = time.monotonic()
        elif time.monotonic() - last_worker_time > MAX_WORKERLESS_SECONDS:
            raise InputError(
                "The cluster has had no worker for {seconds:.0f} seconds: tell "
                "whoever runs this server, and run it again.",
                seconds=MAX_WORKERLESS_SECONDS,
            )
    killed = InputError(
        "Several workers of the cluster ended during this run, perhaps because "
        "their memory ran out: choose fewer records, or tell whoever runs this "
        "server."
    )
    with translate_task_errors(killed, _cluster_lost_error()):
        content: bytes = future.result()
    return content


def print_cluster_capacity() -> int:
    """Print how many runs the cluster can carry out at once; return the exit code."""
    try:
        with connect_to_cluster(os.environ[CLUSTER_VARIABLE]) as client:
            count = sum(client.nthreads().values())
        if not count:
            raise InputError(
                "The cluster has no worker: start some, and then the server."
            )
    except InputError as error:
        print(f"coterie: {error}", file=sys.stderr)
        return 2
    print(count)
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["child"]:
        run_job_from_stdin()
    elif sys.argv[1:] == ["count"]:
        sys.exit(print_cluster_capacity())
    else:
        # By its name, as workers of the cluster know it.
        own = importlib.import_module("dashboard.jobs.workers.cluster_worker")
        worker.main(sys.argv[1:], own.run_folder_on_cluster)
