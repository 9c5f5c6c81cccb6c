"""What tests of places share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Give a folder with a short name: that of a socket has at most 107 letters."""
    with tempfile.TemporaryDirectory(prefix="places-") as folder:
        yield Path(folder)
