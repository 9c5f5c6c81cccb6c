"""Tasks on dask.distributed, on this machine or several.

A task that a worker takes down with it is given to another one. What tasks read and
write are files that all workers reach; where they reach none, blocks of records go to
them with the tasks, and come back protected.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.core.context import RunContext
from engine.core.errors import EngineError, InputError, ParameterError
from engine.core.message import Message
from engine.core.parallel import max_run_threads
from engine.core.platform.files import file_size_and_mtime
from engine.storage.addresses import Place
from engine.streaming.memory import MemoryBudget, trim_free_memory
from engine.streaming.records.source import PART_BYTES, ParquetSource
from engine.streaming.versions import byte_relevant_versions
from engine.streaming.workers.address import LOCAL_CLUSTER
from engine.streaming.workers.tasks import Task, TaskResult

CLUSTER_POLL_SECONDS = 0.2
"""Seconds between two looks at whether the run is to stop."""

CANCEL_POLL_SECONDS = 0.02
"""Seconds between two looks at whether cancelled tasks have ended."""

CONNECT_SECONDS = 20.0
"""Seconds that a scheduler has to answer."""

MAX_WORKERLESS_SECONDS = 60.0
"""Seconds for which a cluster may be without any worker."""


@dataclass(frozen=True)
class ClusterWorkers:
    """Workers of a cluster; see :class:`engine.streaming.workers.tasks.Workers`.

    Attributes
    ----------
    client : distributed.Client
    spool_bytes : int
    max_pending : int or None
        Tasks that may be sent before the first of them is done, if fewer than one
        running and one queued per worker thread.
    """

    client: Any
    spool_bytes: int
    max_pending: int | None = None

    def run_tasks(
        self, task: Task, arguments: Iterable[Any], poll: Callable[[], None]
    ) -> Generator[TaskResult]:
        """Yield the results of a task for each argument, in the order of completion.

        Raises
        ------
        InputError
            If the cluster is lost, or has no workers. A task that takes its worker
            down with it is given to another one, but not for ever.
        """
        futures: dict[Any, int] = {}
        todo, counter = enumerate(arguments), WorkerCounter(self.client)
        try:
            while True:
                limit = counter.max_pending_tasks
                limit = min(limit, self.max_pending or limit)
                while len(futures) < limit and (each := next(todo, ())):
                    futures[self._submit(task, each[1])] = each[0]
                if not futures:
                    return
                poll()
                counter.count_workers()
                for future in poll_done_futures_once(self.client, futures):
                    place = futures.pop(future)
                    result = TaskResult.of(place, partial(_value_of, future))
                    future.release()
                    yield result
        finally:
            cancel_tasks(self.client, list(futures))

    def _submit(self, task: Task, argument: Any) -> Any:
        with warnings.catch_warnings():
            # Records may be what is sent: few, large, and each sent once.
            warnings.filterwarnings("ignore", message="Sending large graph")
            return self.client.submit(
                run_on_worker, task, argument, byte_relevant_versions(), pure=False
            )

    def reach_files(self, paths: Sequence[Place], poll: Callable[[], None]) -> bool:
        """Return whether every worker that is there sees these files as this process.

        Parameters
        ----------
        paths : sequence of Path or Address
            Absolute.
        poll : callable
            Called while there is no worker yet; may raise to end the run.
        """
        counter = WorkerCounter(self.client)
        while not counter.n_threads:
            poll()
            time.sleep(CLUSTER_POLL_SECONDS)
            counter.count_workers()
        with translate_task_errors(_killed_error(), _cluster_lost_error()):
            seen = self.client.run(stat_files, paths)
        return all(each == stat_files(paths) for each in seen.values())


def stat_files(paths: Sequence[Place]) -> list[tuple[int, int] | None]:
    """Return size and time of each file; None of those that cannot be looked at."""
    found: list[tuple[int, int] | None] = []
    for path in paths:
        try:
            found.append(file_size_and_mtime(path.stat()))
        except (OSError, EngineError):
            found.append(None)
    return found


def run_on_worker(task: Task, argument: Any, versions: Mapping[str, str]) -> Any:
    """Return what a task gives in a worker.

    Parameters
    ----------
    task : callable
    argument : object
    versions : mapping of str to str
        Versions of the libraries where the run was started.

    Raises
    ------
    ParameterError
        If the worker's libraries have other versions, and might give other bytes.
    """
    check_versions(versions)
    try:
        return task(argument, RunContext(cancelled=_cancellation_check()))
    finally:
        trim_free_memory()


def _cancellation_check() -> Callable[[], bool]:
    """Return what says whether the task of this thread of a worker is still wanted.

    A worker is told what nobody waits for any more, also where the process that
    started the run is gone, and leaves it to the task to end.
    """
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return is_cancelled


def check_versions(expected_versions: Mapping[str, str]) -> None:
    """Raise if this machine's library versions differ from the expected ones.

    Parameters
    ----------
    expected_versions : mapping of str to str
        Versions of the libraries where the run was started.

    Raises
    ------
    ParameterError
    """
    for name, version in byte_relevant_versions().items():
        if expected_versions.get(name) != version:
            raise ParameterError(
                "A worker has {name} {mine}, and this machine {other}: "
                "install the same versions on all machines.",
                name=name,
                mine=version,
                other=expected_versions.get(name),
            )


def poll_done_futures_once(client: Any, futures: Iterable[Any]) -> list[Any]:
    """Wait at most a poll interval; return the futures that are done by then."""
    from distributed import wait

    try:
        with client.as_current():
            return list(
                wait(list(futures), CLUSTER_POLL_SECONDS, "FIRST_COMPLETED").done
            )
    except TimeoutError:
        return []


def cancel_tasks(client: Any, futures: Sequence[Any]) -> None:
    """Cancel tasks, and wait until neither the scheduler nor a worker has one.

    A worker leaves it to a task that has begun to end, at its next look at its context.
    Of a cluster that is lost nothing is waited for.

    Parameters
    ----------
    client : distributed.Client
    futures : sequence of distributed.Future
        Of the tasks.
    """
    keys = [future.key for future in futures]
    try:
        # What the scheduler does not know yet it would not cancel, but begin later.
        while _unknown_futures(client, futures):
            time.sleep(CANCEL_POLL_SECONDS)
        client.cancel(futures)
        while keys and client.status == "running":
            on_workers = client.run(keys_of_worker, keys, on_error="ignore")
            known = _scheduler_states(client, keys)
            keys = list({key for key in keys if known[key]}.union(*on_workers.values()))
            time.sleep(CANCEL_POLL_SECONDS if keys else 0.0)
    except (OSError, TimeoutError):
        return


def keys_of_worker(keys: Sequence[str], dask_worker: Any) -> list[str]:
    """Return which of these tasks a worker has, among them those that have to end."""
    return [key for key in keys if key in dask_worker.state.tasks]


def _unknown_futures(client: Any, futures: Sequence[Any]) -> list[Any]:
    """Return the pending futures whose tasks the scheduler has not taken up yet."""
    pending = [future for future in futures if future.status == "pending"]
    if not pending or client.status != "running":
        return []
    known = _scheduler_states(client, [future.key for future in pending])
    return [future for future in pending if not known[future.key]]


def _scheduler_states(client: Any, keys: Sequence[str]) -> Mapping[str, str | None]:
    """Return the state of each task at the scheduler; None of those it has not."""
    states = client.sync(client.scheduler.get_task_status, keys=keys)
    assert isinstance(states, dict)
    return states


def _value_of(future: Any) -> Any:
    with translate_task_errors(_killed_error(), _cluster_lost_error()):
        return future.result()


def _killed_error() -> InputError:
    return InputError(
        "Several workers ended while they did the same task: give them more memory, "
        "or say fewer --records-per-block; what is finished is kept."
    )


@contextmanager
def translate_task_errors(
    killed_error: InputError, lost_error: InputError
) -> Iterator[None]:
    """Context manager that turns failures of the cluster into engine errors.

    Parameters
    ----------
    killed_error : InputError
        Raised where workers end again and again during the task.
    lost_error : InputError
        Raised where the scheduler is gone.

    Raises
    ------
    EngineError
        Of the task itself, or one of the two.
    """
    from distributed import CancelledError, KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        yield
    except EngineError:
        raise
    except KilledWorker:
        raise killed_error from None
    except (CancelledError, CommClosedError, TimeoutError):
        raise lost_error from None
    except ImportError:
        raise InputError(
            "A worker cannot import coterie: install it, in this version, on all "
            "machines of the cluster."
        ) from None


class ClusterLostError(InputError):
    """Error that the scheduler of a cluster cannot be reached."""


def _cluster_lost_error() -> InputError:
    return ClusterLostError(
        Message(
            "The connection to the scheduler was lost: start it again and repeat the "
            "run, which takes up the blocks that are finished."
        )
    )


class WorkerCounter:
    """How many workers there are, and since when there are none."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._seen = time.monotonic()
        self.n_threads = 0
        self.count_workers()

    @property
    def max_pending_tasks(self) -> int:
        """Tasks submitted at a time: one running and one queued per worker thread."""
        return max(1, 2 * self.n_threads)

    def count_workers(self) -> None:
        """Count the workers.

        Raises
        ------
        InputError
            If there has been none for a while.
        """
        if self._client.status != "running":
            raise _cluster_lost_error()
        self.n_threads = sum(self._client.nthreads().values())
        now = time.monotonic()
        if self.n_threads:
            self._seen = now
        elif now - self._seen > MAX_WORKERLESS_SECONDS:
            raise InputError(
                "The cluster has had no worker for {workerless:.0f} seconds: start "
                "some and repeat the run, which takes up the blocks that are finished.",
                workerless=MAX_WORKERLESS_SECONDS,
            )


@contextmanager
def open_cluster_workers(
    address: str, budget: MemoryBudget, source: ParquetSource, block_bytes: int
) -> Iterator[ClusterWorkers]:
    """Yield the workers of an existing cluster, or of one started for the run.

    Parameters
    ----------
    address : str
        That `engine.streaming.workers.address.check_cluster_address` has found fit.
    budget : MemoryBudget
    source : ParquetSource
    block_bytes : int
        Memory that protecting a block takes, about.

    Raises
    ------
    InputError
        If the cluster cannot be reached.
    """
    from distributed import Client, LocalCluster

    if address != LOCAL_CLUSTER:
        with connect_to_cluster(address) as client:
            yield ClusterWorkers(client, PART_BYTES)
        return
    n_processes = _n_processes(budget, block_bytes)
    with (
        _silence_logs(),
        LocalCluster(
            n_workers=n_processes,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            # No limit of its own: it would put records that are not protected on disk.
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield ClusterWorkers(client, budget.spool_bytes(source, n_processes + 1))


@contextmanager
def connect_to_cluster(address: str) -> Iterator[Any]:
    """Yield a client of a running cluster.

    Raises
    ------
    ClusterLostError
        If its scheduler cannot be reached.
    """
    from distributed import Client

    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise ClusterLostError(
            Message(
                "There is no scheduler to be reached at {address} "
                "({error}): check address, certificates and network.",
                address=address,
                error=type(error).__name__,
            )
        ) from None
    with _silence_logs(), client:
        yield client


@contextmanager
def _silence_logs() -> Iterator[None]:
    """Suppress what the library logs while processes come and go."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _n_processes(budget: MemoryBudget, block_bytes: int) -> int:
    """Return how many processes fit into the memory budget."""
    each = budget.base + block_bytes
    fitting = (budget.limit - budget.base) // each
    if fitting < 1:
        raise ParameterError(
            "A cluster on this machine has processes of about {each:,.0f} MB, "
            "which do not fit into a memory limit of {limit:,.0f} MB: "
            "raise --memory, or leave --dask out.",
            each=each / 1e6,
            limit=budget.limit / 1e6,
        )
    return int(min(max_run_threads(), fitting))
