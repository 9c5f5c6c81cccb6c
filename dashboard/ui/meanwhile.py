"""What a page does not wait for: worked out in another process while it is shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.i18n.language import _
from dashboard.readers.reading import Reading
from dashboard.readers.readings import readings
from dashboard.state import session
from engine.core.errors import EngineError

AT_ONCE = 500_000
"""Cells of a table up to which a page waits: about a second, in a process or here."""


class NotThereYetError(Exception):
    """What was asked for is being worked out."""


def key(kind: str) -> str:
    """Return where a tab notes what it has asked for last, and under which name."""
    return session.key("meanwhile", kind)


def made_meanwhile(
    kind: str, asked: Hashable, write: Callable[[Path], None], name: str
) -> Any:
    """Return what was worked out while the page was shown, or begin to work it out.

    Parameters
    ----------
    kind : str
        One of :data:`dashboard.readers.kinds.KINDS`.
    asked : hashable
        All that the answer depends on.
    write : callable
        Writes what the process needs into its folder.
    name : str
        Of the file that it is about.

    Raises
    ------
    NotThereYetError
        If it is not there yet: see :func:`follow`.
    EngineError
        If nothing came of it.
    """
    begun, identifier = st.session_state.get(key(kind), (None, ""))
    found = readings().find(identifier) if begun == asked else None
    if found is None:
        st.session_state[key(kind)] = asked, readings().start(kind, write, name)
        raise NotThereYetError
    if not found.wait(0.0):
        raise NotThereYetError
    readings().find(identifier)  # fetches it
    readings().cancel(identifier)
    del st.session_state[key(kind)]
    if found.state != "done":
        raise EngineError(found.message)
    return found.result


@st.fragment(run_every=0.5)
def follow(kind: str, stage: str) -> None:
    """Say what is being worked out, and draw the page anew when it has been."""
    found = _begun(kind)
    if found is None or found.wait(0.0):
        st.rerun()
        return
    words = _("{stage}, {seconds} seconds so far").format(
        stage=stage, seconds=int(found.seconds)
    )
    st.info(words, icon=":material/hourglass_top:")


def _begun(kind: str) -> Reading | None:
    """Return what this tab waits for."""
    return readings().find(st.session_state.get(key(kind), (None, ""))[1])
