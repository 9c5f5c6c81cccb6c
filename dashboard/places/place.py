"""A place: a process that serves the dashboard to one person."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from dashboard.jobs.workers.folders import SCRATCH_VARIABLE
from dashboard.places.launch import run_app_until_stopped
from dashboard.places.settings import SUPERVISOR, TOKEN
from engine.core.platform.memory import keep_heap_small
from engine.core.platform.processes import exec_program

ORDER = "COTERIE_PLACE_ORDER"
"""Environment variable: what a place that was spawned is to be, as JSON."""


def run_place(start_order: Mapping[str, Any]) -> None:
    """Serve the dashboard to one person in this process, then exit from it.

    Parameters
    ----------
    start_order : mapping
        ``name``; ``token``, by which the supervisor knows it; ``folder``, of its own;
        ``supervisor``, the socket; ``settings``, those of Streamlit.
    """
    keep_heap_small()
    pa.set_memory_pool(pa.system_memory_pool())  # which keeps nothing for later
    os.environ[SUPERVISOR] = start_order["supervisor"]
    os.environ[TOKEN] = start_order["token"]
    folder = start_order["folder"]
    # Whoever is left behind by a place that was killed removes its folder.
    tempfile.tempdir = os.environ["TMPDIR"] = os.environ[SCRATCH_VARIABLE] = folder
    sys.exit(run_app_until_stopped(start_order["settings"]))


def exec_place(start_order: Mapping[str, Any]) -> None:
    """Replace this process by a new interpreter that runs a place; do not return."""
    os.environ[ORDER] = json.dumps(start_order)
    exec_program([sys.executable, "-P", "-m", __name__])


def place_start_function(start_method: str) -> Callable[[Mapping[str, Any]], None]:
    """Return the function that starts a place; for forks, import its modules now.

    What is imported here is shared by all.

    Parameters
    ----------
    start_method : str
        As in :class:`dashboard.places.settings.PlaceSettings`.
    """
    if start_method == "spawn" or not sys.platform.startswith("linux"):
        return exec_place
    from dashboard.places.preload import import_server_and_first_pages

    import_server_and_first_pages()
    return run_place


if __name__ == "__main__":
    os.makedirs(Path(json.loads(os.environ[ORDER])["folder"]), exist_ok=True)
    run_place(json.loads(os.environ.pop(ORDER)))
