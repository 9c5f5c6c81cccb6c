"""Takeover: a new server takes an older one's address while the older one drains.

The new server starts its places, takes the audit log over, and starts its proxy, which
sends whoever has one of the older places there and all others to the new ones. Then the
older server retires its own proxy, lets nobody in, and ends when its people have left.
Until then the audit events of its places are written by the new server, and who signs
out in one has signed out in both. If the new one does not come up, the older one goes
on as before.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dashboard.audit import events
from dashboard.audit.log import AuditError
from dashboard.places.entrance.place_assigner import (
    HttpReply,
    HttpRequest,
    PlaceAssigner,
)
from dashboard.places.settings import ProxyRouting, SocketAddress
from dashboard.places.sharing.supervisor_link import MAX_LINE_BYTES, connect_unix_socket
from dashboard.places.supervision.peer_link import SupervisorPeerLink
from dashboard.places.supervision.terminal import say
from dashboard.server.sign_in import SERVER_BEGUN
from engine.core.errors import ParameterError
from engine.core.message import Message, message_from_json, message_to_json

MAX_LOG_TRIES = 100
"""How often the log is asked for of a server that has just ended, each 0.1 s."""

NO_OLDER_SERVER = Message(
    "The server that is to be taken over has ended meanwhile, or does not answer: "
    "start Coterie again."
)


def takeover_socket_path(control_socket_path: Path) -> Path:
    """Return the path of a server's takeover socket, beside its control socket."""
    return control_socket_path.with_name(f"{control_socket_path.name}.next")


@dataclass(frozen=True)
class OlderServer:
    """Socket, ports, start and log flag of a server that is to be taken over.

    Attributes
    ----------
    socket_path : Path
    port : int
        Of its front.
    begun : str
        When its first process began, in seconds: sign-ins since then hold.
    has_log : bool
        Whether it keeps an audit log.
    ports : dict of str to int
        Of its places by their names, and of those that it has itself taken over.
    """

    socket_path: Path
    port: int
    begun: str
    has_log: bool
    ports: dict[str, int]

    @property
    def places(self) -> dict[str, SocketAddress]:
        """Addresses of the older server's places, by name."""
        return {name: SocketAddress(port=port) for name, port in self.ports.items()}


def find_older_server(control_socket_path: Path) -> OlderServer | None:
    """Return ports and log flag of the server with this control socket; None if none.

    Raises
    ------
    ParameterError
        If something else answers there.
    """
    path = takeover_socket_path(control_socket_path)
    try:
        connection = connect_unix_socket(str(path))
    except OSError:
        return None
    with connection, connection.makefile("rwb") as lines:
        try:
            connection.settimeout(30.0)
            lines.write(b'{"ask": "routing", "number": 0, "facts": {}}\n')
            lines.flush()
            answer = json.loads(lines.readline(MAX_LINE_BYTES))["answer"]
            return OlderServer(path, **answer)
        except (OSError, ValueError, LookupError, TypeError):
            raise ParameterError(
                "The server at {path} cannot be taken over: stop it first.",
                path=str(control_socket_path),
            ) from None


class SuccessorEventWriter:
    """Writer of an older server's audit events that sends them to its successor.

    Parameters
    ----------
    link : SupervisorPeerLink
    loop : asyncio.AbstractEventLoop
        On which the link is; events are written on other threads.
    """

    def __init__(
        self, link: SupervisorPeerLink, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._link, self._loop = link, loop

    def write(self, event: str, person: str, **facts: Any) -> None:
        """Have the successor write an event, and wait until it is written."""
        request = self._link.ask("audit", event=event, who=person, facts=facts)
        try:
            answer = asyncio.run_coroutine_threadsafe(request, self._loop).result()
        except ConnectionError:
            raise AuditError(
                "The audit log is written by another process, which cannot be "
                "reached, so nothing is opened, run or released: tell whoever runs "
                "this server."
            ) from None
        if answer["why"]:
            raise AuditError(message_from_json(answer["why"]))

    def note_refusal(self, address: str, reason: str, person: str) -> None:
        """Have the successor count a refused request."""
        facts = {"address": address, "reason": reason, "person": person}
        self._loop.call_soon_threadsafe(lambda: self._link.tell("refused", **facts))


class OlderServerSide:
    """The older server's end of its connection to the server that takes over.

    Parameters
    ----------
    routing : callable
        Returns where the proxy sends people.
    signed_out : mapping of str to float
        Sign-outs, for :func:`dashboard.server.sign_in.add_sign_out_revocation`, and
        when each was first told.
    note_sign_out : callable
        Takes a sign-out of the other server, and when it was first told, if that is
        known.
    retire : callable
        Lets nobody in any more, and has the proxy keep only the connections that it
        has; returns the secrets of the places that people have.
    reopen_log : callable
        Opens the audit log again.
    stop : callable
        Ends this server.
    administer : callable
        Answers a request of the administrator's.

    Attributes
    ----------
    link : SupervisorPeerLink or None
        To the server that has taken over.
    """

    def __init__(
        self,
        routing: Callable[[], ProxyRouting],
        signed_out: Mapping[str, float],
        note_sign_out: Callable[[str, float | None], None],
        retire: Callable[[], list[str]],
        reopen_log: Callable[[], None],
        stop: Callable[[], None],
        administer: Callable[[HttpRequest], Awaitable[HttpReply]],
    ) -> None:
        self._routing, self._signed_out = routing, signed_out
        self._note_sign_out, self._retire = note_sign_out, retire
        self._reopen_log, self._stop = reopen_log, stop
        self._administer = administer
        self.link: SupervisorPeerLink | None = None
        self._log_link: SupervisorPeerLink | None = None

    def tell(self, message_kind: str, **facts: Any) -> None:
        """Tell the server that takes over, from when it has asked for the log."""
        link = self.link or self._log_link
        if link is not None:
            link.tell(message_kind, **facts)

    async def serve_newer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer a connected server until it disconnects; stop if it had taken over."""
        link: SupervisorPeerLink
        link = SupervisorPeerLink(
            reader,
            writer,
            lambda what, facts: self._answer(link, what, facts),
            lambda what, facts: self._note_sign_out(facts["digest"], facts.get("told")),
        )
        # Cancelled is what it is when serving ends.
        with contextlib.suppress(asyncio.CancelledError):
            await link.listen()
            if self._log_link is link:
                await self._take_log_back()
            if self.link is link:
                say("the server that has taken over has ended; so does this one")
                self._stop()

    async def _take_log_back(self) -> None:
        """Write the log again, as soon as the other server has let go of it."""
        self._log_link = None
        for _ in range(MAX_LOG_TRIES):
            try:
                self._reopen_log()
                return
            except ParameterError:
                await asyncio.sleep(0.1)
        say("the audit log cannot be written any more; nothing is released")

    async def _answer(
        self, link: SupervisorPeerLink, request_name: str, facts: dict[str, Any]
    ) -> dict[str, Any]:
        match request_name:
            case "routing":
                routing = self._routing()
                places = {**routing.older, **routing.places}
                return {
                    "port": routing.port,
                    "has_log": events.is_audit_log_on(),
                    "begun": os.environ.get(SERVER_BEGUN, ""),
                    "ports": {name: each.port for name, each in places.items()},
                }
            case "log":
                self._log_link = link
                writer = SuccessorEventWriter(link, asyncio.get_running_loop())
                events.close_log_and_set_event_writer(writer)
                for sign_out, sign_out_time in self._signed_out.items():
                    link.tell("signed out", digest=sign_out, told=sign_out_time)
                return {"signed_out": []}  # told, as one line has no room for all
            case "retire":
                self.link = link
                return {"tokens": self._retire()}
            case "administer":
                request = HttpRequest(facts["method"], facts["target"], {})
                return (await self._administer(request)).to_json()
        return {}


class NewerServerSide:
    """The new server's end of its connection to the server that it takes over.

    Parameters
    ----------
    older : OlderServer
    door : PlaceAssigner
        Told what becomes of the older server's places.
    note_sign_out : callable
        Takes a sign-out of the older server, and when it was first told, if that is
        known.
    forget_older : callable
        Called when the older server has ended.
    """

    def __init__(
        self,
        older: OlderServer,
        door: PlaceAssigner,
        note_sign_out: Callable[[str, float | None], None],
        forget_older: Callable[[], None],
    ) -> None:
        self._older, self._door, self._note_sign_out = older, door, note_sign_out
        self._forget_older = forget_older
        self._link: SupervisorPeerLink | None = None

    @property
    def is_connected(self) -> bool:
        """Whether the older server was connected to and has not ended."""
        return self._link is not None and not self._link.is_gone

    async def connect(self) -> Coroutine[Any, Any, None]:
        """Connect to the older server; return the coroutine that listens until it ends.

        Raises
        ------
        ParameterError
            If the older server is gone.
        """
        if sys.platform == "win32":  # where nothing is taken over
            raise ParameterError(NO_OLDER_SERVER)
        try:
            reader, writer = await asyncio.open_unix_connection(
                self._older.socket_path, limit=MAX_LINE_BYTES
            )
        except OSError:
            raise ParameterError(NO_OLDER_SERVER) from None
        self._link = SupervisorPeerLink(reader, writer, self._answer, self._heed)
        return self._listen(self._link)

    async def take_log(self) -> None:
        """Make the older server stop its audit log and tell its sign-outs."""
        for digest in (await self._ask("log"))["signed_out"]:
            self._note_sign_out(digest, None)  # of an older version

    async def retire(self) -> None:
        """Make the older server give no more places."""
        self._door.older_tokens |= set((await self._ask("retire"))["tokens"])

    async def administer(self, method: str, target: str) -> dict[str, Any] | None:
        """Return the older server's reply to an administrator; None if it has ended."""
        if self._link is None:
            return None
        with contextlib.suppress(ConnectionError):
            return await self._link.ask("administer", method=method, target=target)
        return None

    def tell_sign_out(self, digest: str, seconds: float) -> None:
        """Tell the older server that somebody has signed out, and when."""
        if self._link is not None:
            self._link.tell("signed out", digest=digest, told=seconds)

    async def _ask(self, request: str, **facts: Any) -> dict[str, Any]:
        assert self._link is not None
        try:
            return await self._link.ask(request, **facts)
        except ConnectionError:
            raise ParameterError(NO_OLDER_SERVER) from None

    async def _listen(self, link: SupervisorPeerLink) -> None:
        await link.listen()
        for token in list(self._door.older_tokens):  # it was killed
            self._door.note_end(token, "died")
        await asyncio.to_thread(events.log_event_ignoring_failure, "stop", "")
        self._forget_older()

    async def _answer(self, request: str, facts: dict[str, Any]) -> dict[str, Any]:
        assert request == "audit"

        def write() -> dict[str, Any]:
            try:
                events.log_event(facts["event"], facts["who"], **facts["facts"])
            except AuditError as error:
                return {"why": message_to_json(error.message)}
            return {"why": None}

        return await asyncio.to_thread(write)

    def _heed(self, request: str, facts: dict[str, Any]) -> None:
        match request:
            case "ended":
                self._door.note_end(facts["token"], facts["fate"])
            case "signed out":
                self._note_sign_out(facts["digest"], facts.get("told"))
            case "refused":
                events.count_refusal(**facts)
