"""Settings of a server with a process per person, and addresses of the processes."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dashboard.places.launch import ServerOptions
from engine.core.errors import ParameterError

SUPERVISOR = "COTERIE_SUPERVISOR"
"""Environment variable: socket of the supervisor; set in the processes of places."""

TOKEN = "COTERIE_PLACE"
"""Environment variable: the secret by which the supervisor knows a place, and a place
its person's browser."""

COOKIE = "place"
"""Cookie of a browser that has a place: the place's name, a point, and its secret."""

LOOPBACK = ("127.0.0.0/8", "::1/128")
"""Networks of this machine."""

MAX_PROCESSES = 1_000


@dataclass(frozen=True)
class PlaceSettings:
    """Settings of a server with places: processes, proxy, times, sockets, shared state.

    Attributes
    ----------
    processes : int
        People at a time.
    proxy : str or None
        "haproxy", "nginx", or "none" where the administrator runs one; None for the
        one that is installed.
    leave_seconds : float
        After a person's last tab was closed until their process ends.
    idle_seconds : float
        Without a click until it ends; 0 for never.
    start : str
        "fork": processes are copies of one that has imported everything. "spawn":
        each imports everything itself.
    metrics : str or None
        Address and port for metrics; None to serve none.
    drain_seconds : float
        From SIGTERM until the last people are cut off.
    control : Path or None
        Socket for the administrator; None for one in the server's own folder.
    state : str or None
        Of :mod:`dashboard.places.sharing.shared_state`; None to share nothing.
    cluster_threads : int
        Runs that a cluster carries out at a time; 0 for none.
    """

    processes: int = 4
    proxy: str | None = None
    leave_seconds: float = 120.0
    idle_seconds: float = 0.0
    start: str = "fork"
    metrics: str | None = None
    drain_seconds: float = 900.0
    control: Path | None = None
    state: str | None = None
    cluster_threads: int = 0


@dataclass(frozen=True)
class SocketAddress:
    """Unix socket or host and port where a process listens.

    Attributes
    ----------
    path : Path or None
        Of the socket.
    port : int
        Where there is no path.
    host : str
        Address of the port.
    """

    path: Path | None = None
    port: int = 0
    host: str = "127.0.0.1"


@dataclass(frozen=True)
class ProxyRouting:
    """Addresses of a proxy, of the door and of the places that it sends requests to.

    Attributes
    ----------
    host, port
        Where people come.
    door : SocketAddress
        Of who has no place yet.
    places : mapping of str to SocketAddress
        By their names, with which the cookie's value begins.
    trusted : tuple of str
        Addresses and networks of proxies before it, whose headers are believed.
    older : mapping of str to SocketAddress
        Places of a server that is taken over: whoever has one of them stays there
        until it ends.
    """

    host: str
    port: int
    door: SocketAddress
    places: dict[str, SocketAddress]
    trusted: tuple[str, ...] = LOOPBACK
    older: Mapping[str, SocketAddress] = field(default_factory=dict)


def place_names(n_processes: int, older_names: Iterable[str] = ()) -> list[str]:
    """Return n_processes names of places: ``p1``, ``p2``, numbered after older places.

    Those of a server that is taken over are not given again.
    """
    first = 1 + max((int(name.removeprefix("p")) for name in older_names), default=0)
    return [f"p{number}" for number in range(first, first + n_processes)]


def consecutive_ports_routing(
    server_options: ServerOptions,
    place_settings: PlaceSettings,
    older_sockets: Mapping[str, SocketAddress] | None = None,
) -> ProxyRouting:
    """Return the routing to consecutive local ports, for the administrator's proxy.

    The door has the port that was asked for, and the places those that follow.

    Parameters
    ----------
    older_sockets : mapping of str to SocketAddress, optional
        As in :class:`ProxyRouting`.
    """
    older_sockets = older_sockets or {}
    first = server_options.port or 8501
    check_place_settings(place_settings)
    if first + place_settings.processes > 65535:
        raise ParameterError(
            "{processes} places need as many ports after {port}: choose a lower one "
            "with --port.",
            processes=place_settings.processes,
            port=first,
        )
    places = {
        name: SocketAddress(port=first + number)
        for number, name in enumerate(
            place_names(place_settings.processes, older_sockets), 1
        )
    }
    trusted = (*LOOPBACK, *server_options.trusted_proxies)
    door = SocketAddress(port=first)
    return ProxyRouting("127.0.0.1", first, door, places, trusted, older_sockets)


def free_ports_routing(
    server_options: ServerOptions,
    place_settings: PlaceSettings,
    folder: Path,
    older_sockets: Mapping[str, SocketAddress] | None = None,
) -> ProxyRouting:
    """Return a started proxy's routing: places at free local ports, door at a socket.

    Parameters
    ----------
    folder : Path
        For the socket of the door.
    older_sockets : mapping of str to SocketAddress, optional
        As in :class:`ProxyRouting`.
    """
    older_sockets = older_sockets or {}
    names = place_names(place_settings.processes, older_sockets)
    # Streamlit serves an application of one's own on ports only.
    ports = find_free_ports(len(names))
    places = {
        name: SocketAddress(port=port) for name, port in zip(names, ports, strict=True)
    }
    door = SocketAddress(folder / "door.sock")
    trusted = (*LOOPBACK, *server_options.trusted_proxies)
    host, port = server_options.host, server_options.port or 0
    return ProxyRouting(host, port, door, places, trusted, older_sockets)


def find_free_ports(count: int) -> list[int]:
    """Return `count` free TCP ports of 127.0.0.1."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def check_place_settings(settings: PlaceSettings) -> None:
    """Raise if the number of places or a waiting time is out of range.

    Raises
    ------
    ParameterError
    """
    if not 1 <= settings.processes <= MAX_PROCESSES:
        raise ParameterError(
            "--processes is {processes}: choose from 1 to {most}, one for each "
            "person who works at the same time.",
            processes=settings.processes,
            most=MAX_PROCESSES,
        )
    seconds: Sequence[tuple[str, float]] = (
        ("--leave-seconds", settings.leave_seconds),
        ("--idle-minutes", settings.idle_seconds),
        ("--drain-minutes", settings.drain_seconds),
    )
    for option, value in seconds:
        if not 0.0 <= value < 1e8:
            raise ParameterError(
                "{option} cannot be {value}: write a time, such as 120.",
                option=option,
                value=value,
            )
