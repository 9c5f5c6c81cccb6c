"""Memory of the server: held on to little, and given back when sessions are closed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.state import SessionState

from dashboard.server import garbage

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Names of settings in malloc.h of the GNU C library."""

_LARGE, _SPARE = 2**19, 2**22
"""Bytes of a block that goes back at once, and of what each heap may keep in hand.

What is read from a connection comes in blocks of a quarter of a megabyte: were they
large, the system would be asked for new pages with each.
"""


def hold_little() -> None:
    """Have the C library hold on to little of the memory that nobody needs.

    It learns from large blocks that are freed to keep such blocks, and gives every
    thread a heap of its own: each session has several threads, one after the other.
    Arrow's own allocator does the same, and is left out if it is not at work yet.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # a libc without it
            library = ctypes.CDLL(None)
            library.mallopt(_MMAP_THRESHOLD, _LARGE)
            library.mallopt(_TRIM_THRESHOLD, _SPARE)
            library.mallopt(_ARENA_MAX, 4)


def let_go(session: AppSession) -> None:
    """Have a closed session hold nothing that was its person's.

    What sends messages waits for the next session with the last one in hand: on an
    idle server for ever. A script that still draws has its own hold until it ends.
    """
    session._session_state = SessionState()
    session._fragment_storage = MemoryFragmentStorage()
    session._client_state = ClientState()
    session.flush_browser_queue()


def give_back() -> None:
    """Give memory that nobody needs back to the system."""
    garbage.collect_all()
    with contextlib.suppress(ImportError):
        import pyarrow as pa

        pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # a libc without it
            ctypes.CDLL(None).malloc_trim(0)
