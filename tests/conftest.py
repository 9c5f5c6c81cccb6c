"""What every test shares."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

import pytest

# Rewriting assertions is half of collecting: what one worker has compiled serves the
# others, the next run and the programs that tests start. First, because hypothesis is
# a plugin, and rewritten as tests are.
sys.dont_write_bytecode = False

# As the programs that are tested, and before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import settings  # noqa: E402

# A busy machine only ever adds time; and a test that failed once must fail again.
settings.register_profile("coterie", deadline=None, derandomize=True)
settings.load_profile("coterie")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage among ten thousand tests, which stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    """Have what was frozen be collected: libraries in C++ complain where it is not."""
    gc.unfreeze()
