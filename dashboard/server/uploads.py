"""Uploads: nobody keeps room for one that does not come."""

from __future__ import annotations

import asyncio
import time

from starlette.types import Message as Event
from starlette.types import Receive

from engine.core.message import Message

LEAST_SPEED, SLOW_SECONDS = 20_000, 30.0
"""Bytes a second at which a file has to come, on the average, and for how long not."""


class TooSlowError(Exception):
    """A file does not come, or comes so slowly that its room is held for nothing."""


def too_slow() -> Message:
    """Return, as a sentence, why the rest of a file is waited for no longer."""
    return Message(
        "The file was not taken: it came at less than {least} KB a second. Open it "
        "again where the connection is better, or open a smaller one.",
        least=LEAST_SPEED // 1000,
    )


def in_time(receive: Receive) -> Receive:
    """Return the same body, which ends with an error where it comes too slowly."""
    begun, size = time.monotonic(), 0

    async def received() -> Event:
        nonlocal size
        try:
            message = await asyncio.wait_for(receive(), SLOW_SECONDS)
        except TimeoutError:
            raise TooSlowError from None
        size += len(message.get("body", b""))
        if (time.monotonic() - begun - SLOW_SECONDS) * LEAST_SPEED > size:
            raise TooSlowError
        return message

    return received
