"""What tests of places share."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# Supervisors copy processes, and are imported nowhere else.
HAS_NO_SUPERVISOR = sys.platform == "win32" or "tests.windows_plugin" in sys.modules
collect_ignore = ["test_takeover.py"] if HAS_NO_SUPERVISOR else []


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Give a folder with a short name: that of a socket has at most 107 letters."""
    with tempfile.TemporaryDirectory(prefix="places-") as folder:
        yield Path(folder)
