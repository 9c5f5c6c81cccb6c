"""``coterie places``: show and administer the places of a running server."""

from __future__ import annotations

import argparse
import http.client
import json
import socket
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from dashboard.places.admin.control import CONTROL_SOCKET, PlaceStatus, ServerStatus
from dashboard.places.sharing.supervisor_link import connect_unix_socket
from dashboard.places.temp_folder import FOLDER_PREFIX
from engine.cli.parsing.answer import CommandParser, run_command
from engine.cli.serving import add_places_options
from engine.core.errors import ParameterError

MAX_ANSWER_SECONDS = 30.0
"""Seconds for which a server's answer is waited for."""

_HEADINGS = (
    "place",
    "state",
    "person",
    "tabs",
    "here",
    "idle",
    "memory",
    "runs",
    "files",
    "processor",
)


class ControlSocketConnection(http.client.HTTPConnection):
    """HTTP connection over the control socket (a Unix socket) of a server.

    Parameters
    ----------
    path : Path
        Of the socket.
    """

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=MAX_ANSWER_SECONDS)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock: socket.socket = connect_unix_socket(str(self._path))
        self.sock.settimeout(MAX_ANSWER_SECONDS)


def find_control_socket(named_path: Path | None) -> Path:
    """Return the named control socket; if none is named, the only one found, or raise.

    Raises
    ------
    ParameterError
        If there is none, or more than one.
    """
    if named_path is not None:
        return named_path
    sockets = find_control_sockets()
    if len(sockets) == 1:
        return sockets[0]
    if not sockets:
        raise ParameterError(
            "No server of yours is found in {folder}: name the socket that coterie "
            "serve was given, with --control.",
            folder=tempfile.gettempdir(),
        )
    raise ParameterError(
        "There are several servers: name the socket of one with --control: {sockets}.",
        sockets=sorted(map(str, sockets)),
    )


def find_control_sockets() -> list[Path]:
    """Return paths of control sockets below the temporary folder that answer."""
    folder = Path(tempfile.gettempdir())
    sockets = folder.glob(f"{FOLDER_PREFIX}*/{CONTROL_SOCKET}")
    return [path for path in sockets if _hears(path)]


def _hears(path: Path) -> bool:
    try:
        connect_unix_socket(str(path)).close()
    except OSError:  # another one's, or of a server that was killed
        return False
    return True


def _ask(path: Path, method: str, target: str) -> tuple[int, bytes]:
    connection = ControlSocketConnection(path)
    try:
        connection.request(method, target)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise ParameterError(
            "The server does not answer at {path} ({reason}): look whether it runs, "
            "and whether this account may use the socket.",
            path=str(path),
            reason=getattr(error, "strerror", None) or type(error).__name__,
        ) from None
    finally:
        connection.close()


def format_status(status: ServerStatus) -> str:
    """Return a status as text: a table of places, a summary, its list of servers."""
    rows = [_HEADINGS, *map(_row, status.places)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    n_taken = sum(place.has_person for place in status.places)
    waiting = sum(place.runs.get("waiting", 0) for place in status.places)
    lines.append(
        f"{n_taken} of {len(status.places)} places are taken; {status.people_waiting} "
        f"people wait for one, {waiting} runs for their turn. "
        f"Coterie {status.version}, {_megabytes(status.memory_bytes)} beside the places"
        + ("." if status.is_open else "; it drains and lets nobody in.")
    )
    for server in status.servers:
        drains = "" if server.is_open else "; it drains"
        head = f"; its audit log ends with line {server.head}" if server.head else ""
        lines.append(
            f"{server.name}: {server.taken} of {server.places} places are taken, "
            f"seen {format_utc_time(server.seen)}{drains}{head}."
        )
    return "\n".join(lines)


def format_utc_time(seconds: float) -> str:
    """Return seconds since 1970 as text: date and time in UTC, to the second."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _row(place: PlaceStatus) -> tuple[str, ...]:
    if not place.has_person:
        memory = _megabytes(place.memory_bytes)
        return (place.place, place.state, "", "", "", "", memory, "", "", "")
    # What a provider says must not move the cursor.
    person = "".join(sign if sign.isprintable() else "?" for sign in place.person)
    return (
        place.place,
        place.state,
        person or "-",
        str(place.tabs),
        f"{place.taken_seconds / 60:.0f} min",
        f"{place.idle_seconds / 60:.0f} min",
        _megabytes(place.memory_bytes),
        _count(place.runs),
        _count(place.files),
        f"{place.processor_minutes:.0f} min",
    )


def _count(by_state: dict[str, int]) -> str:
    """Return how many run and wait, such as ``1+3``; empty for none."""
    running, waiting = by_state.get("running", 0), by_state.get("waiting", 0)
    return f"{running}+{waiting}" if running or waiting else ""


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:,.0f} MB"


def _act(options: argparse.Namespace, path: Path) -> str:
    """Do what is asked for, and return what has been done; nothing if nothing is."""
    for name, act, done in (
        (
            options.end,
            "end",
            "Place {name} is ended, and all that its person had there is erased.",
        ),
        (options.end_runs, "end-runs", "The runs of place {name} are ended."),
    ):
        if name is None:
            continue
        if not (name.isascii() and name.isalnum()):
            raise ParameterError(
                "{name!r} is no place: write one such as p1.", name=name
            )
        if _ask(path, "POST", f"/places/{name}/{act}")[0] != 200:
            raise ParameterError(
                "Nobody has a place {name!r}: see coterie places.", name=name
            )
        return done.format(name=name)
    if options.erase_person is not None:
        who = options.erase_person
        code, _body = _ask(path, "POST", f"/people/{quote(who, safe='')}/erase")
        if code == 202:
            return f"Nobody who has signed in as {who} is here; other servers are told."
        if code != 200:
            raise ParameterError(
                "Nobody who has signed in as {person!r} is here: see coterie places.",
                person=who,
            )
        return f"All that {who} had here is erased."
    if options.drain:
        _ask(path, "POST", "/drain")
        return (
            "Nobody more is let in; the server ends when all have left, or after its "
            "--drain-minutes."
        )
    return ""


def _administer(options: argparse.Namespace) -> int:
    path = find_control_socket(options.control)
    if done := _act(options, path):
        print(done)
        return 0
    _, body = _ask(path, "GET", "/events" if options.events else "/places")
    content = json.loads(body)
    if options.as_json:
        print(json.dumps(content, indent=1))
    elif options.events:
        for event in content:
            print(json.dumps(event))
    else:
        print(format_status(ServerStatus.from_json(content)))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Show places or events, end or erase what is there, or drain; return exit code."""
    parser = CommandParser(prog="coterie places", description="Administer places.")
    add_places_options(parser)
    return run_command(parser, arguments, _administer)


if __name__ == "__main__":
    sys.exit(main())
