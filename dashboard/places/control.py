"""Control socket: the administrator sees who is in which place, and may end one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dashboard.places.door import DoorReply, DoorRequest
from dashboard.places.door_server import serve_door
from dashboard.places.settings import SocketAddress
from engine.core.errors import ParameterError

CONTROL_SOCKET = "control"
"""File name of the socket in the server's own folder, where nobody names another."""


@dataclass(frozen=True)
class PlaceStatus:
    """One place as its administrator sees it; no value, and no name of a file.

    Attributes
    ----------
    place, state : str
        Name, and "starting", "free", "taken" or "ending".
    person : str
        As the identity provider knows them; empty where nobody has signed in.
    tabs : int
        That are connected.
    taken_seconds, idle_seconds : float
        Since the place was given to its person, and since they last did something.
    memory_bytes : int
        Of its process and the workers of its runs; 0 where the system does not say.
    runs, files : dict of str to int
        How many are running, and how many are waiting.
    """

    place: str
    state: str
    person: str = ""
    tabs: int = 0
    taken_seconds: float = 0.0
    idle_seconds: float = 0.0
    memory_bytes: int = 0
    runs: dict[str, int] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ServerStatus:
    """A server with places as its administrator sees it.

    Attributes
    ----------
    version : str
        Of Coterie.
    is_open : bool
        Whether people are let in; not while the server drains.
    people_waiting : int
        Without a place.
    memory_bytes : int
        Of what all places share.
    places : list of PlaceStatus
    """

    version: str
    is_open: bool
    people_waiting: int
    memory_bytes: int
    places: list[PlaceStatus]

    def to_json(self) -> dict[str, Any]:
        """Return it as it goes over the socket."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> ServerStatus:
        """Return what :meth:`to_json` was made of."""
        places = [PlaceStatus(**each) for each in content["places"]]
        return cls(**{**content, "places": places})


def answer_control_request(
    request: DoorRequest,
    collect_status: Callable[[], ServerStatus],
    end_place: Callable[[str], bool],
) -> DoorReply:
    """Return the reply to a request of the administrator's.

    Parameters
    ----------
    request : DoorRequest
        ``GET /places``, or ``POST /places/NAME/end``.
    collect_status : callable
    end_place : callable
        Ends the place of a name; returns whether somebody had it.
    """
    headers = [("Cache-Control", "no-store"), ("Content-Type", "application/json")]
    match (request.method, request.target.strip("/").split("/")):
        case ("GET", ["places"]):
            return DoorReply(200, json.dumps(collect_status().to_json()), headers)
        case ("POST", ["places", name, "end"]):
            return DoorReply(200 if end_place(name) else 409, "{}", headers)
    return DoorReply(404, "{}", headers)


async def serve_control(
    path: Path,
    collect_status: Callable[[], ServerStatus],
    end_place: Callable[[str], bool],
) -> asyncio.Server:
    """Serve the control socket; see :func:`answer_control_request`.

    Raises
    ------
    ParameterError
        If the socket cannot be made.
    """

    def answer(request: DoorRequest) -> DoorReply:
        return answer_control_request(request, collect_status, end_place)

    try:
        return await serve_door(SocketAddress(path), answer)
    except OSError as error:
        raise ParameterError(
            "The socket {path} cannot be made ({reason}): name another one with "
            "--control.",
            path=str(path),
            reason=error.strerror or str(error),
        ) from None
