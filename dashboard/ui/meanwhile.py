"""Background work of a page, computed in another process while the page is shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.i18n.language import _
from dashboard.readers.reading import FileReading
from dashboard.readers.readings import file_readings
from dashboard.state import session
from engine.core.errors import EngineError

MAX_SYNCHRONOUS_CELLS = 500_000
"""Cells of a table up to which a page waits: about a second, in a process or here."""


class NotReadyError(Exception):
    """What was asked for is being worked out."""


def background_key(kind: str) -> str:
    """Return where a tab notes what it has asked for last, and under which name."""
    return session.widget_key("meanwhile", kind)


def get_or_start_background(
    kind: str, asked: Hashable, write: Callable[[Path], None], name: str
) -> Any:
    """Return what was worked out while the page was shown, or begin to work it out.

    Parameters
    ----------
    kind : str
        One of :data:`dashboard.readers.kinds.WORK_KINDS`.
    asked : hashable
        All that the answer depends on.
    write : callable
        Writes what the process needs into its folder.
    name : str
        Of the file that it is about.

    Raises
    ------
    NotReadyError
        If it is not there yet: see :func:`show_background_progress`.
    EngineError
        If nothing came of it.
    """
    begun, identifier = st.session_state.get(background_key(kind), (None, ""))
    found = file_readings().find_reading(identifier) if begun == asked else None
    if found is None:
        st.session_state[background_key(kind)] = (
            asked,
            file_readings().start_reading(kind, write, name),
        )
        raise NotReadyError
    if not found.wait(0.0):
        raise NotReadyError
    file_readings().find_reading(identifier)  # fetches it
    file_readings().cancel_reading(identifier)
    del st.session_state[background_key(kind)]
    if found.state != "done":
        raise EngineError(found.message)
    return found.result


@st.fragment(run_every=0.5)
def show_background_progress(kind: str, stage: str) -> None:
    """Say what is being worked out, and draw the page anew when it has been."""
    found = _pending_reading(kind)
    if found is None or found.wait(0.0):
        st.rerun()
        return
    words = _("{stage}, {seconds} seconds so far").format(
        stage=stage, seconds=int(found.elapsed_seconds)
    )
    st.info(words, icon=":material/hourglass_top:")


def _pending_reading(kind: str) -> FileReading | None:
    """Return what this tab waits for."""
    return file_readings().find_reading(
        st.session_state.get(background_key(kind), (None, ""))[1]
    )
