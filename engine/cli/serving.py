"""Options of the dashboard's servers and their tools, and handing over to these."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from engine.core.platform.processes import exec_program


def add_server_options(parser: argparse.ArgumentParser) -> None:
    """Add to a parser the options of any dashboard server, such as host and port."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to serve on (default 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=int, help="port to serve on (default the first free from 8501)"
    )
    parser.add_argument(
        "--base-path",
        default="",
        metavar="/PATH",
        help="path at which a proxy serves it",
    )
    parser.add_argument(
        "--server-name",
        dest="names",
        action="append",
        default=[],
        metavar="NAME",
        help="name or IP address by which people reach this server; may be repeated",
    )
    parser.add_argument(
        "--trusted-proxy",
        dest="trusted_proxies",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="address or network of your own proxy, whose X-Forwarded-For and -Proto "
        "are believed; may be repeated",
    )
    parser.add_argument(
        "--upload-limit", type=int, metavar="MB", help="largest upload (default 1000)"
    )
    parser.add_argument(
        "--sign-in",
        type=Path,
        metavar="FILE",
        help="people must sign in: file of secrets with a section [auth]",
    )
    parser.add_argument(
        "--audit", type=Path, metavar="FILE", help="log to this file who does what"
    )
    parser.add_argument(
        "--audit-head",
        type=Path,
        metavar="FILE",
        help="write the number and digest of the log's last line here (default "
        "FILE.head)",
    )


def add_until_closed_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that ends a single-user dashboard when it is closed."""
    parser.add_argument(
        "--until-closed",
        action="store_true",
        help="end a minute after its last tab was closed, or after two if a run was "
        "at work",
    )


def add_audit_actions(parser: argparse.ArgumentParser) -> None:
    """Add to a parser the action ``check``, its log files and its option ``--head``."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    check = actions.add_parser(
        "check", help="say which line was changed, left out or put in first"
    )
    check.add_argument("files", metavar="FILE", type=Path, nargs="+")
    check.add_argument(
        "--head",
        metavar="HEAD",
        help="head of the log that was kept elsewhere: its file, or number and digest",
    )


def add_team_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a team server, with the ones of `add_server_options`."""
    parser.add_argument(
        "--processes",
        type=int,
        default=4,
        metavar="N",
        help="people at the same time; each has a process (default 4)",
    )
    parser.add_argument(
        "--proxy",
        choices=("haproxy", "nginx", "none"),
        help="proxy to start (default: the one that is installed); "
        "none for your own, which --print configures",
    )
    parser.add_argument(
        "--print",
        dest="printed",
        choices=("haproxy", "nginx", "traefik", "systemd"),
        help="print a configuration for your own proxy or service, and serve nothing",
    )
    parser.add_argument(
        "--leave-seconds",
        type=float,
        default=120.0,
        metavar="S",
        help="end a person's process S seconds after its last tab closed (default 120)",
    )
    parser.add_argument(
        "--idle-minutes",
        type=float,
        default=0.0,
        metavar="M",
        help="end a process after M minutes without a click (default 0: never)",
    )
    parser.add_argument(
        "--drain-minutes",
        type=float,
        default=15.0,
        metavar="M",
        help="after SIGTERM, let those who are there finish for at most M minutes "
        "(default 15)",
    )
    parser.add_argument(
        "--take-over",
        action="store_true",
        help="replace the server that --control names: new people come to this one, "
        "and the older one ends when its people have left, or after --drain-minutes",
    )
    parser.add_argument(
        "--metrics",
        metavar="ADDRESS:PORT",
        help="serve /metrics for Prometheus, /health and /ready there",
    )
    parser.add_argument(
        "--control",
        type=Path,
        metavar="SOCKET",
        help="socket for coterie places (default: in the server's temporary folder)",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="have runs carried out by a Dask cluster: its scheduler, as in "
        "tls://scheduler:8786",
    )
    parser.add_argument(
        "--state",
        metavar="ADDRESS",
        help="share sign-outs, quotas and whether servers drain with other servers: "
        "a file, or postgresql://HOST/DATABASE",
    )
    parser.add_argument(
        "--start",
        choices=("fork", "spawn"),
        default="fork",
        help="fork shares imported modules (default on Linux); spawn imports them anew",
    )
    add_server_options(parser)


def add_places_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `places`, which lists, ends and drains a server's sessions."""
    parser.add_argument(
        "--control",
        type=Path,
        metavar="SOCKET",
        help="socket of the server, as given to coterie serve (default: the socket of "
        "the one server of this account)",
    )
    parser.add_argument(
        "--end",
        metavar="PLACE",
        help="end this place, such as p1, and erase all that its person has there",
    )
    parser.add_argument(
        "--end-runs", metavar="PLACE", help="end the runs of this place, and no more"
    )
    parser.add_argument(
        "--erase-person",
        metavar="PERSON",
        help="end all places of somebody who has signed in, as coterie places names "
        "them",
    )
    parser.add_argument(
        "--drain",
        action="store_true",
        help="admit nobody from now on, as SIGTERM does; the server ends when all have "
        "left, or after --drain-minutes",
    )
    parser.add_argument(
        "--events", action="store_true", help="print the last lines of the audit log"
    )
    parser.add_argument(
        "--json", dest="as_json", action="store_true", help="print JSON"
    )


DASHBOARD_MODULES = {
    None: "dashboard",
    "serve": "dashboard.places",
    "places": "dashboard.places.admin.administration",
    "audit": "dashboard.audit",
    "class": "dashboard.class_file",
}
"""Modules of the dashboard, which the engine does not import, by command."""


def replace_process_by_dashboard(
    command: str | None, arguments: Sequence[str]
) -> NoReturn:
    """Hand over to the dashboard, or to its module for a command, and never return.

    Parameters
    ----------
    command : {"serve", "places", "audit", "class"}, optional
    arguments : sequence of str
        All words of the command line: options, and the command's name.
    """
    words = list(arguments)
    if command is not None:
        words.remove(command)
    exec_program([sys.executable, "-m", DASHBOARD_MODULES[command], *words])
