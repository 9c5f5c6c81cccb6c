"""Files that go again: a disk without room is said in one sentence."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.core.errors import InputError


class NoRoomError(InputError):
    """Temporary files cannot be written."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder that goes afterwards.

    Raises
    ------
    NoRoomError
        If nothing can be written there; names the place.
    """
    try:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
    except OSError as error:
        raise no_room(error.strerror or type(error).__name__) from None


def no_room(reason: str) -> NoRoomError:
    """Return the error of temporary files that cannot be written."""
    try:
        folder = tempfile.gettempdir()
    except OSError:
        folder = os.environ.get("TMPDIR", "/tmp")
    return NoRoomError(
        "The folder for temporary files, {folder}, cannot be written to ({reason}): "
        "make room there, or name another one (TMPDIR).",
        folder=folder,
        reason=reason.lower(),
    )
