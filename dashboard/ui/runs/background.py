"""Background work of a page: start it in a process, wait, take its result once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.i18n.language import _
from dashboard.readers.readings import file_readings
from dashboard.state import session
from engine.core.errors import EngineError

MAX_SYNCHRONOUS_CELLS = 500_000
"""Cells of a table up to which a page waits: about a second, in a process or here."""


class NotReadyError(Exception):
    """Exception by which a page's part stays undrawn while background work goes on."""


def background_key(work_kind: str) -> str:
    """Return the session-state key of a tab's background work of one kind."""
    return session.widget_key("meanwhile", work_kind)


def take_result_or_start_and_raise(
    work_kind: str,
    cache_key: Hashable,
    write_input: Callable[[Path], None],
    file_name: str,
) -> Any:
    """Return finished work's result once, or raise; start the work if not begun before.

    Parameters
    ----------
    work_kind : str
        One of :data:`dashboard.readers.work_kinds.WORK_KINDS`.
    cache_key : hashable
        All that the answer depends on.
    write_input : callable
        Writes what the process needs into its folder.
    file_name : str
        Of the file that it is about.

    Raises
    ------
    NotReadyError
        If it is not there yet: see :func:`show_elapsed_until_done`.
    EngineError
        If nothing came of it.
    """
    old_key, identifier = st.session_state.get(background_key(work_kind), (None, ""))
    reading = file_readings().find_reading(identifier) if old_key == cache_key else None
    if reading is None:
        st.session_state[background_key(work_kind)] = (
            cache_key,
            file_readings().start_reading(work_kind, write_input, file_name),
        )
        raise NotReadyError
    if not reading.wait(0.0):
        raise NotReadyError
    file_readings().find_reading(identifier)  # fetches it
    file_readings().cancel_reading(identifier)
    del st.session_state[background_key(work_kind)]
    if reading.state != "done":
        raise EngineError(reading.message)
    return reading.result


@st.fragment(run_every=0.5)
def show_elapsed_until_done(work_kind: str, stage: str) -> None:
    """Show the elapsed time of background work; rerun the page once it is over."""
    identifier = st.session_state.get(background_key(work_kind), (None, ""))[1]
    reading = file_readings().find_reading(identifier)
    if reading is None or reading.wait(0.0):
        st.rerun()
        return
    words = _("{stage}, {seconds} seconds so far").format(
        stage=stage, seconds=int(reading.elapsed_seconds)
    )
    st.info(words, icon=":material/hourglass_top:")
