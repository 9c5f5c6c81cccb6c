"""Protect blocks as tasks of dask.distributed, on this machine or several.

A block's records go to a worker with the task, and its part comes back: workers need no
folder in common. Nothing but blocks moves, and a task that a worker takes down with it
is given to another one.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from engine.core.errors import EngineError, InputError, ParameterError
from engine.core.message import Message
from engine.core.parallel import max_run_threads
from engine.streaming.blocks.address import LOCAL_CLUSTER
from engine.streaming.blocks.protect import (
    ProtectedPart,
    SharedBlockInputs,
    protect_block,
)
from engine.streaming.blocks.spool import drain_streams_into_table
from engine.streaming.memory import BlockShape, MemoryBudget
from engine.streaming.versions import byte_relevant_versions

Load = Callable[[int], list[bytes]]

CLUSTER_POLL_SECONDS = 0.2
"""Seconds between two looks at whether the run is to stop."""

CONNECT_SECONDS = 20.0
"""Seconds that a scheduler has to answer."""

MAX_WORKERLESS_SECONDS = 60.0
"""Seconds for which a cluster may be without any worker."""


def protect_on_cluster(
    address: str,
    block_inputs: SharedBlockInputs,
    load_block: Load,
    block_numbers: Sequence[int],
    budget: MemoryBudget,
    block_shape: BlockShape,
    poll: Callable[[], None],
) -> Generator[ProtectedPart]:
    """Yield blocks protected by workers of a cluster, in the order of completion.

    Parameters
    ----------
    address : str
        That `engine.streaming.blocks.address.check_cluster_address` has found fit.
    load_block : callable
        Returns the records of a block, for
        :func:`engine.streaming.blocks.spool.drain_streams_into_table`.
    block_numbers : sequence of int
        Of the blocks.
    budget : MemoryBudget
    block_shape : BlockShape
        Of the largest block.
    poll : callable
        Called again and again while blocks are at work; may raise to end the run.

    Raises
    ------
    InputError
        If the cluster cannot be reached, or blocks cannot be protected there.
    """
    if not block_numbers:
        return
    with _cluster_client(address, budget, block_shape) as client:
        futures: dict[Any, int] = {}
        todo, workers = iter(block_numbers), _Workers(client)
        # The library has a block twice while it is on its way.
        fitting = max(1, (budget.limit - budget.base) // (4 * block_shape.n_bytes))
        try:
            while True:
                while (
                    len(futures) < min(fitting, workers.max_pending_blocks)
                    and (number := next(todo, -1)) >= 0
                ):
                    futures[_submit(client, block_inputs, number, load_block)] = number
                if not futures:
                    return
                poll()
                workers.count_workers()
                for future in poll_done_futures_once(client, futures):
                    yield _future_result(future, futures.pop(future))
                    future.release()
        finally:
            for future in futures:
                future.cancel()


def _submit(client: Any, task: SharedBlockInputs, number: int, load: Load) -> Any:
    streams = load(number)
    with warnings.catch_warnings():
        # A block is what a task is for: few, large, and each sent once.
        warnings.filterwarnings("ignore", message="Sending large graph")
        return client.submit(
            protect_block_streams,
            task,
            number,
            streams,
            byte_relevant_versions(),
            pure=False,
        )


def protect_block_streams(
    block_inputs: SharedBlockInputs,
    number: int,
    streams: list[bytes],
    expected_versions: Mapping[str, str],
) -> ProtectedPart:
    """Return a block protected in a worker, from its records as Arrow streams.

    Parameters
    ----------
    number : int
    streams : list of bytes
        The records, as `LeafSpool.read_leaves` gives them.
    expected_versions : mapping of str to str
        Versions of the libraries where the run was started.

    Raises
    ------
    ParameterError
        If the worker's libraries have other versions, and might give other bytes.
    """
    check_versions(expected_versions)
    return protect_block(block_inputs, number, drain_streams_into_table(list(streams)))


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
    for name, mine in byte_relevant_versions().items():
        if expected_versions.get(name) != mine:
            raise ParameterError(
                "A worker has {name} {mine}, and this machine {other}: "
                "install the same versions on all machines.",
                name=name,
                mine=mine,
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


def _future_result(future: Any, number: int) -> ProtectedPart:
    killed = InputError(
        "Several workers ended while they protected block {number}: give them "
        "more memory, or say fewer --records-per-block; what is finished is kept.",
        number=number,
    )
    with translate_task_errors(killed, _cluster_lost_error()):
        part: ProtectedPart = future.result()
    return part


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


class _Workers:
    """How many workers there are, and since when there are none."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._seen = time.monotonic()
        self._threads = 0
        self.count_workers()

    @property
    def max_pending_blocks(self) -> int:
        """Blocks submitted at a time: one running and one queued per worker thread."""
        return max(1, 2 * self._threads)

    def count_workers(self) -> None:
        """Count the workers.

        Raises
        ------
        InputError
            If there has been none for a while.
        """
        if self._client.status != "running":
            raise _cluster_lost_error()
        self._threads = sum(self._client.nthreads().values())
        now = time.monotonic()
        if self._threads:
            self._seen = now
        elif now - self._seen > MAX_WORKERLESS_SECONDS:
            raise InputError(
                "The cluster has had no worker for {workerless:.0f} seconds: start "
                "some and repeat the run, which takes up the blocks that are finished.",
                workerless=MAX_WORKERLESS_SECONDS,
            )


@contextmanager
def _cluster_client(
    address: str, budget: MemoryBudget, shape: BlockShape
) -> Iterator[Any]:
    """Give a client of an existing cluster, or of one started for the run."""
    from distributed import Client, LocalCluster

    if address != LOCAL_CLUSTER:
        with connect_to_cluster(address) as client:
            yield client
        return
    with (
        _silence_logs(),
        LocalCluster(
            n_workers=_n_processes(budget, shape),
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            # No limit of its own: it would put records that are not protected on disk.
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


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


def _n_processes(budget: MemoryBudget, shape: BlockShape) -> int:
    """Return how many processes fit into the memory budget."""
    each = budget.base + shape.required_bytes + 4 * shape.n_bytes
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
