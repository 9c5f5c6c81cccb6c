"""Coroutines run to their end, also beside a browser's driver."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def finish(task: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine comes to.

    In a thread of its own: the driver of a browser, once some test has started it,
    keeps a loop running in this one.
    """
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, task).result()
