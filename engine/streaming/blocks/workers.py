"""Protect blocks in parallel threads; kernels release the interpreter lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from engine.core.context import RunContext
from engine.streaming.blocks.protect import ProtectedPart

THREAD_POLL_SECONDS = 0.1
"""Seconds between two looks at whether the run is to stop."""


def protect_in_threads(
    protect_block: Callable[[int, RunContext], ProtectedPart],
    block_numbers: Iterable[int],
    max_parallel: int,
    poll: Callable[[], None],
) -> Generator[ProtectedPart]:
    """Yield blocks protected in threads, in the order of completion.

    Parameters
    ----------
    protect_block : callable
        Called with a block's number and a context, which stops it once the run ends.
    block_numbers : iterable of int
        Of the blocks.
    max_parallel : int
        Blocks that may be in memory together, those that were yielded last included.
    poll : callable
        Called again and again while blocks are at work; may raise to end the run.
    """
    over = threading.Event()
    ctx = RunContext(cancelled=over.is_set)
    todo = iter(block_numbers)
    waiting: set[Future[ProtectedPart]] = set()
    with ThreadPoolExecutor(max_parallel) as threads:
        try:
            while True:
                while len(waiting) < max_parallel and (number := next(todo, -1)) >= 0:
                    waiting.add(threads.submit(protect_block, number, ctx))
                if not waiting:
                    return
                poll()
                done, waiting = wait(waiting, THREAD_POLL_SECONDS, FIRST_COMPLETED)
                while done:
                    yield done.pop().result()
        finally:
            over.set()
            for each in waiting:
                each.cancel()
