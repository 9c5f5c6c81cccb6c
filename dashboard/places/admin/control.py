"""Status of a server and of its places, and the server of its control socket."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from dashboard.places.entrance.assigner_server import Answer, start_http_server
from dashboard.places.settings import SocketAddress
from dashboard.places.sharing.shared_state import SharedServer
from engine.core.errors import ParameterError

CONTROL_SOCKET = "control"
"""File name of the socket in the server's own folder, where nobody names another."""


ADMINISTRATOR_HEADER = "x-administrator"
"""Header of a request: who asks, as the identity provider knows them."""


@dataclass(frozen=True)
class PlaceStatus:
    """Status of one place: state, person, tabs, times, memory, counts of runs, files.

    Attributes
    ----------
    place, state : str
        Name, and "starting", "free", "taken" or "ending"; "draining" where somebody
        has it, and its server lets nobody else in.
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
    processor_minutes : float
        That its person's runs have taken within an hour.
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
    processor_minutes: float = 0.0

    @property
    def has_person(self) -> bool:
        """Whether the place is given to a person."""
        return self.state in ("taken", "draining")


@dataclass(frozen=True)
class ServerStatus:
    """Status of a server and of all its places, as its administrator sees it.

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
    max_processor_minutes : float
        That one person's runs may take within an hour.
    dependencies : dict of str to str
        Versions of the libraries and of the proxy, by their names.
    servers : list of SharedServer
        All that share their state with this one, itself among them.
    """

    version: str
    is_open: bool
    people_waiting: int
    memory_bytes: int
    places: list[PlaceStatus]
    max_processor_minutes: float = 0.0
    dependencies: dict[str, str] = field(default_factory=dict)
    servers: list[SharedServer] = field(default_factory=list)

    def with_older_server(self, older: ServerStatus) -> ServerStatus:
        """Return the status with an older server's memory and occupied places added."""
        places = [each for each in older.places if each.has_person]
        memory_bytes = self.memory_bytes + older.memory_bytes
        return replace(self, memory_bytes=memory_bytes, places=self.places + places)

    def to_json(self) -> dict[str, Any]:
        """Return the status as JSON types, for the control socket."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> ServerStatus:
        """Return the status that :meth:`to_json` turned into JSON types."""
        places = [PlaceStatus(**each) for each in content["places"]]
        servers = [SharedServer(**each) for each in content["servers"]]
        return cls(**{**content, "places": places, "servers": servers})


async def serve_control_socket(path: Path, answer: Answer) -> asyncio.Server:
    """Start an HTTP server on the control socket, answering by `answer`; return it.

    Parameters
    ----------
    path : Path
    answer : callable
        See :class:`dashboard.places.supervision.administrator.Administrator`.

    Raises
    ------
    ParameterError
        If the socket cannot be made.
    """
    try:
        return await start_http_server(SocketAddress(path), answer)
    except OSError as error:
        raise ParameterError(
            "The socket {path} cannot be made ({reason}): name another one with "
            "--control.",
            path=str(path),
            reason=error.strerror or str(error),
        ) from None
