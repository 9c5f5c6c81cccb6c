"""Uploads: how they are taken in, and that nobody keeps room for one that comes not."""

from __future__ import annotations

import asyncio
import os
import time
from io import BytesIO
from tempfile import SpooledTemporaryFile

from starlette import formparsers
from starlette.formparsers import MultiPartParser
from starlette.types import Message as Event
from starlette.types import Receive
from streamlit.runtime.uploaded_file_manager import UploadedFile

from engine.core.message import Message

LEAST_SPEED, SLOW_SECONDS = 20_000, 30.0
"""Bytes a second at which a file has to come, on the average, and for how long not."""


IN_MEMORY = 2**26
"""Bytes up to which a file that comes is gathered in memory, where it will stay."""


class Whole(SpooledTemporaryFile[bytes]):
    """A file that has come, which hands itself over where it is read as a whole."""

    def read(self, size: int = -1) -> bytes:
        """Return bytes from here on, or all that are left."""
        gathered = self._file
        if size < 0 and isinstance(gathered, BytesIO) and not gathered.tell():
            gathered.seek(0, os.SEEK_END)
            return gathered.getvalue()  # itself, where `read` makes a copy
        return super().read(size)


def take_in_directly() -> None:
    """Have uploads taken in without detours.

    Starlette would write all but small ones to a temporary file and read them back,
    another thread being asked for each piece, and hand a copy on; and Streamlit copies
    a file whenever the page is drawn on which it was chosen, lest the page change it.
    Ours only read.
    """
    MultiPartParser.spool_max_size = IN_MEMORY
    formparsers.SpooledTemporaryFile = Whole  # type: ignore[attr-defined, assignment]
    UploadedFile.__deepcopy__ = lambda self, _memo: self  # type: ignore[attr-defined]


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
