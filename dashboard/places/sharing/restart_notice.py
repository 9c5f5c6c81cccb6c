"""Notice on every page of a place that the server will soon restart."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from dashboard.i18n.language import n_
from dashboard.places.sharing.supervisor_link import supervisor_link

LOOK_SECONDS = 10.0
"""Seconds between two looks of an open page at whether a restart is announced."""

_announced: list[float] = []
"""When the process ends, in seconds since 1970; empty while nothing is announced."""


def record_announced_restart(announcement: dict[str, Any]) -> None:
    """Record the time of the restart that the supervisor announces."""
    _announced[:] = [float(announcement["at"])]


def show_restart_notice() -> None:
    """Show how many minutes are left to finish, if a restart is announced."""
    if supervisor_link() is not None:
        _show_minutes_left()


@st.fragment(run_every=LOOK_SECONDS)
def _show_minutes_left() -> None:
    if not _announced:
        return
    minutes = max(1, round((_announced[0] - time.time()) / 60))
    words = n_(
        "This server will be restarted in {minutes} minute: what is open here is then "
        "erased. Download what you need, or the project, under Project.",
        "This server will be restarted in {minutes} minutes: what is open here is then "
        "erased. Download what you need, or the project, under Project.",
        minutes,
    )
    st.warning(words.format(minutes=minutes), icon=":material/restart_alt:")
