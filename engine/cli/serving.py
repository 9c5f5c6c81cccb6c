"""Options of the server, and the dashboard opened as a process of its own."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn


def add_serving(parser: argparse.ArgumentParser) -> None:
    """Add what says how the dashboard is served."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to serve on (default 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=int, help="port to serve on (default the first free from 8501)"
    )
    parser.add_argument(
        "--base-path", default="", metavar="/PATH", help="where a reverse proxy has it"
    )
    parser.add_argument(
        "--server-name",
        action="append",
        default=[],
        metavar="NAME",
        help="what people call this server; may be repeated",
    )
    parser.add_argument(
        "--upload-limit", type=int, metavar="MB", help="largest file (default 1000)"
    )
    parser.add_argument(
        "--sign-in", type=Path, metavar="FILE", help="secrets with a section [auth]"
    )
    parser.add_argument(
        "--audit", type=Path, metavar="FILE", help="log who takes what away here"
    )


def open_dashboard(arguments: Sequence[str]) -> NoReturn:
    """Become ``python -m dashboard``: the engine imports nothing of it.

    Parameters
    ----------
    arguments : sequence of str
        Those that :func:`add_serving` declares.
    """
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "dashboard", *arguments])
