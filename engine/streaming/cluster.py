"""Blocks as tasks of dask.distributed, on this machine or on many.

A block's records go to a worker with the task, and its part comes back: workers need no
folder in common. Nothing but blocks moves, and a task that a worker takes down with it
is given to another one.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from engine.core.errors import EngineError, InputError, ParameterError
from engine.core.parallel import thread_count
from engine.streaming.address import LOCAL
from engine.streaming.memory import Budget, Shape
from engine.streaming.protect import Part, Task, protect
from engine.streaming.spool import joined
from engine.streaming.versions import versions

Load = Callable[[int], list[bytes]]

PATIENCE = 0.2
"""Seconds between two looks at whether the run is to stop."""

CONNECT = 20.0
"""Seconds that a scheduler has to answer."""

WORKERLESS = 60.0
"""Seconds for which a cluster may be without any worker."""


def on_cluster(
    address: str,
    task: Task,
    load: Load,
    numbers: Sequence[int],
    budget: Budget,
    shape: Shape,
    look: Callable[[], None],
) -> Generator[Part]:
    """Yield protected blocks in the order in which they are done.

    Parameters
    ----------
    address : str
        That :func:`engine.streaming.address.check_address` has found fit.
    task : Task
    load : callable
        Returns the records of a block, for :func:`engine.streaming.spool.joined`.
    numbers : sequence of int
        Of the blocks.
    budget : Budget
    shape : Shape
        Of the largest block.
    look : callable
        Called again and again while blocks are at work; may raise to end the run.

    Raises
    ------
    InputError
        If the cluster cannot be reached, or blocks cannot be protected there.
    """
    if not numbers:
        return
    with _client(address, budget, shape) as client:
        futures: dict[Any, int] = {}
        todo, workers = iter(numbers), _Workers(client)
        # The library has a block twice while it is on its way.
        fitting = max(1, (budget.limit - budget.base) // (4 * shape.n_bytes))
        try:
            while True:
                while (
                    len(futures) < min(fitting, workers.most)
                    and (number := next(todo, -1)) >= 0
                ):
                    futures[_submit(client, task, number, load)] = number
                if not futures:
                    return
                look()
                workers.look()
                for future in _done(client, futures):
                    yield _result(future, futures.pop(future))
                    future.release()
        finally:
            for future in futures:
                future.cancel()


def _submit(client: Any, task: Task, number: int, load: Load) -> Any:
    streams = load(number)
    with warnings.catch_warnings():
        # A block is what a task is for: few, large, and each sent once.
        warnings.filterwarnings("ignore", message="Sending large graph")
        return client.submit(
            protect_streams, task, number, streams, versions(), pure=False
        )


def protect_streams(
    task: Task, number: int, streams: list[bytes], wanted: Mapping[str, str]
) -> Part:
    """Protect the records of a block, in a worker.

    Parameters
    ----------
    task : Task
    number : int
    streams : list of bytes
        The records, as :meth:`engine.streaming.spool.Spool.streams` gives them.
    wanted : mapping of str to str
        Versions of the libraries where the run was started.

    Raises
    ------
    ParameterError
        If the worker's libraries have other versions, and might give other bytes.
    """
    for name, mine in versions().items():
        if wanted.get(name) != mine:
            raise ParameterError(
                "A worker has {name} {mine}, and this machine {other}: "
                "install the same versions on all machines.",
                name=name,
                mine=mine,
                other=wanted.get(name),
            )
    return protect(task, number, joined(list(streams)))


def _done(client: Any, futures: Mapping[Any, int]) -> list[Any]:
    """Return the futures that are done, after a short wait."""
    from distributed import wait

    try:
        with client.as_current():
            return list(wait(list(futures), PATIENCE, "FIRST_COMPLETED").done)
    except TimeoutError:
        return []


def _result(future: Any, number: int) -> Part:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        part: Part = future.result()
    except EngineError:
        raise
    except KilledWorker:
        raise InputError(
            "Several workers ended while they protected block {number}: give them "
            "more memory, or say fewer --records-per-block; what is finished is kept.",
            number=number,
        ) from None
    except (CancelledError, CommClosedError, TimeoutError):
        raise _lost() from None
    except ImportError:
        raise InputError(
            "A worker cannot import coterie: install it, in this version, on all "
            "machines of the cluster."
        ) from None
    return part


def _lost() -> InputError:
    return InputError(
        "The connection to the scheduler was lost: start it again and repeat the run, "
        "which takes up the blocks that are finished."
    )


class _Workers:
    """How many workers there are, and since when there are none."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._seen = time.monotonic()
        self._threads = 0
        self.look()

    @property
    def most(self) -> int:
        """Blocks that are given out at a time: one at work and one in wait."""
        return max(1, 2 * self._threads)

    def look(self) -> None:
        """Count the workers.

        Raises
        ------
        InputError
            If there has been none for a while.
        """
        if self._client.status != "running":
            raise _lost()
        self._threads = sum(self._client.nthreads().values())
        now = time.monotonic()
        if self._threads:
            self._seen = now
        elif now - self._seen > WORKERLESS:
            raise InputError(
                "The cluster has had no worker for {workerless:.0f} seconds: start "
                "some and repeat the run, which takes up the blocks that are finished.",
                workerless=WORKERLESS,
            )


@contextmanager
def _client(address: str, budget: Budget, shape: Shape) -> Iterator[Any]:
    """Give a client of a cluster that is there, or of one that ends with it."""
    from distributed import Client, LocalCluster

    if address != LOCAL:
        try:
            client = Client(address, timeout=CONNECT, set_as_default=False)
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            raise InputError(
                "There is no scheduler to be reached at {address} "
                "({error}): check address, certificates and network.",
                address=address,
                error=type(error).__name__,
            ) from None
        with _quiet(), client:
            yield client
        return
    with (
        _quiet(),
        LocalCluster(
            n_workers=_processes(budget, shape),
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
def _quiet() -> Iterator[None]:
    """Keep to ourselves what the library logs while processes come and go."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _processes(budget: Budget, shape: Shape) -> int:
    """Return how many processes fit into the memory that this one may take."""
    each = budget.base + shape.need + 4 * shape.n_bytes
    fitting = (budget.limit - budget.base) // each
    if fitting < 1:
        raise ParameterError(
            "A cluster on this machine has processes of about {each:,.0f} MB, "
            "which do not fit into a memory limit of {limit:,.0f} MB: "
            "raise --memory, or leave --dask out.",
            each=each / 1e6,
            limit=budget.limit / 1e6,
        )
    return int(min(thread_count(), fitting))
