"""Supervisor: starts places, gives them to people, and replaces ended ones."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import shutil
import signal
import socket
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, get_args

from dashboard.audit import events
from dashboard.audit.log import AuditError
from dashboard.jobs.resource_limits import resource_limits
from dashboard.places.control import (
    CONTROL_SOCKET,
    PlaceStatus,
    ServerStatus,
    answer_control_request,
)
from dashboard.places.door import FATES, Door, DoorReply, DoorRequest, Fate
from dashboard.places.door_server import serve_door
from dashboard.places.launch import (
    ServerOptions,
    Settings,
    format_url,
    normalise_base_path,
    trust_proxies,
)
from dashboard.places.metrics import (
    Metric,
    answer_metrics_request,
    memory_by_role,
    parse_address,
)
from dashboard.places.proxies import Proxy
from dashboard.places.settings import (
    LOOPBACK,
    PlaceSettings,
    ProxyRouting,
    SocketAddress,
    loopback_routing,
    place_names,
)
from dashboard.places.shared_readings import SharedReadingQueue
from dashboard.places.shared_runs import SharedRunScheduler
from dashboard.places.supervisor_link import MAX_LINE_BYTES
from engine.core.errors import ParameterError
from engine.core.message import message_to_json

assert sys.platform != "win32"  # told to type checkers; see __main__

State = Literal["starting", "free", "taken", "ending"]

START_SECONDS = 120.0
"""After which a process that has not come up is ended."""

MAX_STARTS = 3
"""How often the first processes are tried."""

_MAX_SOCKET_PATH = 100
"""Characters that the system allows in the name of a socket; a few fewer."""


@dataclass(eq=False)
class Place:
    """One place: its process, state, and the person who has it.

    Attributes
    ----------
    name : str
    port : int
        Of the loopback address.
    folder : Path
        For its temporary files.
    token : str
        The secret of its process: that of the person who has it.
    state : str
    ticket : str
        Of the person who has it.
    tabs : int
        That are connected.
    taken, left, active : float
        When it was given to its person, when their last tab was closed, and when
        something was done.
    failures : int
        How often in a row its process has not come up.
    fate : str
        What will have become of it.
    started : float
        When its process was started.
    link : asyncio.StreamWriter or None
        To its process.
    who : str
        The person who has it, as events name them; empty where nobody signs in.
    pid : int
        Its process.
    runs : dict of str to dict
        What is told of the end of each of its runs, by the run's name.
    """

    name: str
    port: int
    folder: Path
    token: str = ""
    state: State = "ending"
    ticket: str = ""
    tabs: int = 0
    taken: float = 0.0
    left: float = 0.0
    active: float = 0.0
    failures: int = 0
    fate: Fate = "died"
    started: float = 0.0
    link: asyncio.StreamWriter | None = None
    who: str = ""
    pid: int = 0
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def tell(self, what: str, **facts: Any) -> None:
        """Tell its process something."""
        if self.link is not None:
            self.link.write(json.dumps({"tell": what, **facts}).encode() + b"\n")


class Supervisor:
    """Keeper of all places: starts, assigns, replaces and ends them.

    Parameters
    ----------
    serving : ServerOptions
        How the dashboard is served; its port is that of the front.
    settings : PlaceSettings
    proxy : Proxy or None
        To be started; None where the administrator runs one.
    streamlit : dict
        Streamlit's settings, of every place.
    folder : Path
        For temporary files.
    """

    def __init__(
        self,
        serving: ServerOptions,
        settings: PlaceSettings,
        proxy: Proxy | None,
        streamlit: Settings,
        folder: Path,
    ) -> None:
        self._serving, self._settings = serving, settings
        self._proxy, self._streamlit, self._folder = proxy, streamlit, folder
        self._socket = folder / "supervisor"
        if proxy is None:
            self._front = loopback_routing(serving, settings)
        else:
            names = place_names(settings.processes)
            # Streamlit serves an application of one's own on ports only.
            ports = find_free_ports(len(names))
            places = {
                name: SocketAddress(port=port)
                for name, port in zip(names, ports, strict=True)
            }
            door = SocketAddress(folder / "door.sock")
            trusted = (*LOOPBACK, *serving.trusted_proxies)
            self._front = ProxyRouting(
                serving.host, serving.port or 0, door, places, trusted
            )
        trust_proxies(self._front.trusted)
        self._places = {
            name: Place(name, address.port, folder / name)
            for name, address in self._front.places.items()
        }
        path = normalise_base_path(serving.base_path)
        self._door = Door(
            settings.processes,
            f"/{path}" if path else "",
            self._take,
            self._owner,
            self._front.trusted,
        )
        self._failed = asyncio.Event()
        self._why: ParameterError | None = None
        self._ready = asyncio.Event()
        self._proxy_tries = self._n_proxy_ends = 0
        share = resource_limits()
        self._runs = SharedRunScheduler(share)
        self._readings = SharedReadingQueue(share.readings, self._tell_reading)
        self._signed_out: list[str] = []
        metrics = settings.metrics
        self._metrics = None if metrics is None else parse_address(metrics)
        whys = (*FATES, "left", "failed")
        self._ends: Counter[str] = Counter(dict.fromkeys(whys, 0))
        self._is_open = False
        self._stop = asyncio.Event()

    def check(self) -> None:
        """Refuse what cannot be started, before anything is.

        Raises
        ------
        ParameterError
        """
        if len(str(self._socket)) > _MAX_SOCKET_PATH:
            raise ParameterError(
                "The folder {folder} for temporary files has too long a name for "
                "sockets: name a shorter one in TMPDIR.",
                folder=self._folder,
            )

    async def run(self, forkserver: socket.socket) -> None:
        """Serve until this process is told to end.

        Parameters
        ----------
        forkserver : socket
            The connection to :mod:`dashboard.places.forkserver`.

        Raises
        ------
        ParameterError
            If the processes or the proxy do not come up.
        """
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._stop.set)
        loop.add_signal_handler(signal.SIGTERM, self._drain)
        loop.add_signal_handler(signal.SIGHUP, self._reload_proxy)
        forkserver.setblocking(False)
        reader, self._forks = await asyncio.open_connection(sock=forkserver)
        places = await asyncio.start_unix_server(
            self._hear_place, self._socket, limit=MAX_LINE_BYTES
        )
        servers = [places]
        servers.append(await serve_door(self._front.door, self._door.answer))
        servers.append(await self._serve_control())
        if self._metrics is not None:
            servers.append(await self._serve_metrics(self._metrics))
        tasks = [
            asyncio.create_task(each)
            for each in (
                self._hear_forkserver(reader),
                self._open_front(),
                self._watch(),
                self._watch_workers(),
                self._stop.wait(),
                self._failed.wait(),
            )
        ]
        for place in self._places.values():
            self._start(place)
        self._readings.warm()
        try:
            # The front is opened once; all others end only where serving does.
            pending = set(tasks)
            while not (self._stop.is_set() or self._failed.is_set()):
                done, pending = await asyncio.wait(
                    pending, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            for server in servers:
                server.close()
            self._forks.close()
            self._runs.close()
            self._readings.close()
        if self._why is not None:
            raise self._why

    def _drain(self) -> None:
        """Let in nobody more, and end when all have left or their minutes are over.

        At the second signal, end at once.
        """
        seconds = self._settings.drain_seconds
        if not self._door.is_open or not self._has_people():
            self._stop.set()
            return
        asyncio.get_running_loop().call_later(seconds, self._stop.set)
        self._door.close()
        events.try_log_event("drain", "", minutes=f"{seconds / 60:g}")
        _say(f"ends when all have left, in {seconds / 60:g} minutes at the latest")
        for place in self._places.values():
            place.tell("restart", at=time.time() + seconds)

    def _has_people(self) -> bool:
        return any(place.state == "taken" for place in self._places.values())

    # Places

    def _start(self, place: Place) -> None:
        """Start the process of a place."""
        place.token = f"{place.name}.{secrets.token_urlsafe(24)}"
        place.state, place.fate, place.ticket = "starting", "died", ""
        place.tabs, place.started = 0, time.monotonic()
        place.folder.mkdir(mode=0o700, exist_ok=True)
        own = {"server.address": "127.0.0.1", "server.port": place.port}
        order = {
            "name": place.name,
            "token": place.token,
            "folder": str(place.folder),
            "supervisor": str(self._socket),
            "settings": {**self._streamlit, **own, "server.headless": True},
        }
        self._order({"place": order})

    def _order(self, order: dict[str, Any]) -> None:
        self._forks.write(json.dumps(order).encode() + b"\n")

    def _take(self, ticket: str) -> str | None:
        """Give a free place to whoever has a ticket; return its secret."""
        for place in self._places.values():
            if place.state == "free":
                place.state, place.ticket = "taken", ticket
                place.taken = place.left = place.active = time.monotonic()
                return place.token
        return None

    def _owner(self, token: str) -> str | None:
        """Return the ticket of whoever has the place with this secret."""
        place = self._by_token(token)
        return place.ticket if place is not None and place.state == "taken" else None

    def _by_token(self, token: str) -> Place | None:
        place = self._places.get(token.partition(".")[0])
        if place is None or not secrets.compare_digest(
            place.token.encode(), token.encode()
        ):
            return None
        return place

    def _end(self, place: Place, fate: Fate) -> None:
        """End a place's process, and with it all that it knew."""
        if place.state != "ending":
            place.state, place.fate = "ending", fate
            self._order({"signal": place.name, "number": signal.SIGKILL})

    async def _ended(self, place: Place, code: int) -> None:
        """Start a place anew whose process has ended."""
        self._ends[place.fate if place.ticket else "failed"] += 1
        came_up, taken = place.state in ("free", "taken"), bool(place.ticket)
        if place.state != "ending":
            _say(f"place {place.name} has ended ({_describe(code)}); it starts anew")
        if taken:
            self._door.note_end(place.token, place.fate)
            await asyncio.to_thread(_log_end, place)
        self._runs.leave(place.token)
        self._readings.leave(place.token)
        if place.link is not None:
            place.link.close()
            place.link = None
        died, place.state = place.state == "starting", "ending"
        await asyncio.to_thread(shutil.rmtree, place.folder, ignore_errors=True)
        if not self._door.is_open:
            return
        place.failures = place.failures + 1 if died or not (came_up or taken) else 0
        if place.failures >= MAX_STARTS and not self._ready.is_set():
            self._give_up(
                ParameterError(
                    "The processes of this server do not start ({reason}): coterie "
                    "doctor says what may be wrong.",
                    reason=_describe(code),
                )
            )
            return
        if place.failures:
            await asyncio.sleep(min(60.0, 0.1 * 4**place.failures))
        self._start(place)

    def _give_up(self, why: ParameterError) -> None:
        self._why = self._why or why
        self._failed.set()

    async def _watch(self) -> None:
        """End the processes of people who have left, and those that do not come up."""
        leave, idle = self._settings.leave_seconds, self._settings.idle_seconds
        tick = min([1.0, *(max(0.05, each / 4) for each in (leave, idle) if each)])
        while True:
            await asyncio.sleep(tick)
            now = time.monotonic()
            for place in self._places.values():
                if place.state == "taken":
                    if not place.tabs and now - place.left > leave:
                        self._end(place, "left")
                    elif idle and now - place.active > idle:
                        self._end(place, "idle")
                elif place.state == "starting" and now - place.started > START_SECONDS:
                    _say(f"place {place.name} does not come up; it starts anew")
                    self._order({"signal": place.name, "number": signal.SIGKILL})
                    place.started = now
            if not (self._door.is_open or self._has_people()):
                self._stop.set()

    def _tell_reading(self, token: str, answer: dict[str, Any]) -> None:
        if (place := self._by_token(token)) is not None:
            place.tell("read", answer=answer)

    async def _watch_workers(self) -> None:
        """Keep a worker warm, and tell places of theirs that have ended."""
        while True:
            self._runs.care()
            for token, pid, code in self._runs.collect_ended():
                if (place := self._by_token(token)) is not None:
                    place.tell("worker ended", worker=pid, code=code)
            await asyncio.sleep(0.1)

    # What the forkserver and the places say

    async def _hear_forkserver(self, reader: asyncio.StreamReader) -> None:
        background: set[asyncio.Task[None]] = set()
        while line := await reader.readline():
            said = json.loads(line)
            if "ended" not in said:
                continue
            if (place := self._places.get(said["ended"])) is not None:
                task = asyncio.create_task(self._ended(place, said["code"]))
            else:
                task = asyncio.create_task(self._proxy_ended(said["code"]))
            background.add(task)
            task.add_done_callback(background.discard)
        self._give_up(
            ParameterError(
                "The process that starts places was ended by somebody else: start "
                "Coterie again."
            )
        )

    async def _hear_place(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Hear what the process of a place says, until it ends."""
        place: Place | None = None
        # Cancelled is what it is when serving ends.
        with contextlib.suppress(ConnectionError, ValueError, asyncio.CancelledError):
            while line := await reader.readline():
                said = json.loads(line)
                if place is None:
                    place = self._by_token(said["token"])
                    if place is None or said["tell"] != "here":
                        break
                    place.link, place.pid = writer, said["pid"]
                    task = asyncio.create_task(self._await_place(place, place.token))
                    place.tasks.add(task)
                    task.add_done_callback(place.tasks.discard)
                elif "ask" in said:
                    if said["ask"] == "audit":
                        answer = await asyncio.to_thread(self._log_event, place, said)
                    else:
                        answer = self._answer(place, said)
                    writer.write(
                        json.dumps({"number": said["number"], **answer}).encode()
                        + b"\n"
                    )
                else:
                    self._heed(place, said)
        writer.close()

    async def _await_place(self, place: Place, token: str) -> None:
        """Find out when a process that has come up answers."""
        while place.token == token and place.state == "starting":
            with contextlib.suppress(OSError):
                if await _is_well(place.port):
                    if place.token == token and place.state == "starting":
                        place.state, place.failures = "free", 0
                        self._ready.set()
                    return
            await asyncio.sleep(0.05)

    def _heed(self, place: Place, said: dict[str, Any]) -> None:
        """Take what a place tells."""
        now = time.monotonic()
        if said["tell"] == "tabs":
            place.tabs, place.left = said["count"], now
        elif said["tell"] == "active":
            place.active = now
        elif said["tell"] == "person":
            place.who = said["who"]
        elif said["tell"] == "read":
            self._readings.take(place.token, said["order"])
        elif said["tell"] == "spent":
            self._runs.note_spent(said["person"], said["seconds"])
        elif said["tell"] == "signed out":
            self._signed_out.append(said["digest"])
            for other in self._places.values():
                if other is not place:
                    other.tell("signed out", digest=said["digest"])
        elif said["tell"] == "refused":
            events.count_refusal(said["address"], said["reason"], said["who"])
        elif said["tell"] == "leave" and place.state == "taken":
            self._end(place, said["why"])

    def _log_event(self, place: Place, said: dict[str, Any]) -> dict[str, Any]:
        """Log an event of a place; return why it could not be."""
        event, who, facts = said["event"], said["who"], said["facts"]
        try:
            events.log_event(event, who, place=place.name, **facts)
        except AuditError as error:
            return {"why": message_to_json(error.message)}
        place.who = who or place.who
        if event == "run-begun":
            ended = {name: facts[name] for name in ("run", "kind", "plans")}
            place.runs[facts["run"]] = ended
        elif event == "run-ended":
            place.runs.pop(facts["run"], None)
        return {"why": None}

    def _answer(self, place: Place, said: dict[str, Any]) -> dict[str, Any]:
        """Answer what a place asks."""
        answer: dict[str, Any] = {}
        match said["ask"]:
            case "answer":
                arrival = DoorRequest(said["method"], said["target"], said["headers"])
                answer = self._door.answer(arrival).to_json()
            case "signed out":
                answer = {"digests": self._signed_out}
            case "turns":
                answer = self._runs.take_turns(place.token, said["jobs"])
            case "quota":
                answer = self._runs.explain_denial(
                    place.token, said["person"], said["jobs"]
                )
            case "worker":
                answer = self._runs.hand_worker(place.token)
            case "order":
                answer = self._runs.order(place.token, said["worker"], said["folder"])
            case "end worker":
                answer = self._runs.end_worker(place.token, said["worker"])
        return answer

    # The administrator

    async def _serve_control(self) -> asyncio.Server:
        def answer(request: DoorRequest) -> DoorReply:
            return answer_control_request(
                request, self._collect_status, self._end_for_administrator
            )

        path = self._settings.control or self._folder / CONTROL_SOCKET
        try:
            return await serve_door(SocketAddress(path), answer)
        except OSError as error:
            raise ParameterError(
                "The socket {path} cannot be made ({reason}): name another one with "
                "--control.",
                path=str(path),
                reason=error.strerror or str(error),
            ) from None

    def _collect_status(self) -> ServerStatus:
        now, places = time.monotonic(), list(self._places.values())
        roles = {place.pid: place.name for place in places if place.pid}
        for pid, token in self._runs.worker_owners().items():
            roles[pid] = token.partition(".")[0]
        memory = memory_by_role(roles)
        found = [
            PlaceStatus(
                place.name,
                place.state,
                place.who,
                place.tabs,
                now - place.taken,
                now - place.active,
                memory[place.name],
                dict(self._runs.count_jobs(place.token)),
                dict(self._readings.count_orders(place.token)),
            )
            if place.state == "taken"
            else PlaceStatus(place.name, place.state, memory_bytes=memory[place.name])
            for place in places
        ]
        return ServerStatus(
            version("coterie"),
            self._door.is_open,
            self._door.n_waiting,
            memory["server"],
            found,
        )

    def _end_for_administrator(self, name: str) -> bool:
        place = self._places.get(name)
        if place is None or place.state != "taken":
            return False
        self._end(place, "administrator")
        return True

    # Metrics

    async def _serve_metrics(self, address: SocketAddress) -> asyncio.Server:
        def is_ready() -> bool:
            states = {place.state for place in self._places.values()}
            is_up = self._is_open and self._door.is_open
            return is_up and bool(states & {"free", "taken"})

        def answer(arrival: DoorRequest) -> DoorReply:
            return answer_metrics_request(arrival, self._collect_metrics, is_ready)

        try:
            return await serve_door(address, answer)
        except OSError as error:
            raise ParameterError(
                "Metrics cannot be served at {host} and port {port} ({reason}): choose "
                "another address with --metrics.",
                host=address.host,
                port=address.port,
                reason=error.strerror,
            ) from None

    def _collect_metrics(self) -> list[Metric]:
        places = list(self._places.values())
        states: Counter[str] = Counter(dict.fromkeys(get_args(State), 0))
        states.update(place.state for place in places)
        roles = {place.pid: "places" for place in places if place.pid}
        roles |= dict.fromkeys(self._runs.worker_owners(), "workers")
        waiting, tabs = self._door.n_waiting, sum(place.tabs for place in places)
        runs, files = self._runs.count_jobs(), self._readings.count_orders()
        return [
            Metric("coterie_places", "Places", states, "state"),
            Metric("coterie_people_waiting", "People without a place", {"": waiting}),
            Metric("coterie_tabs", "Tabs that are connected", {"": tabs}),
            Metric("coterie_jobs", "Runs", runs, "state"),
            Metric("coterie_readings", "Files that are read", files, "state"),
            Metric(
                "coterie_memory_bytes",
                "Memory, what is shared in equal parts",
                memory_by_role(roles),
                "process",
            ),
            Metric(
                "coterie_place_ends_total",
                "Processes of places that have ended",
                self._ends,
                "why",
                "counter",
            ),
            Metric(
                "coterie_proxy_ends_total",
                "How often the proxy has ended by itself",
                {"": self._n_proxy_ends},
                kind="counter",
            ),
        ]

    # The proxy

    async def _open_front(self) -> None:
        """Start the proxy when there is a place to come to; say where all is."""
        await self._ready.wait()
        if self._proxy is not None:
            await self._start_proxy(self._proxy)
        self._is_open = True
        url = format_url(self._serving, self._front.port)
        count = self._settings.processes
        sys.stdout.write(f"Coterie is at {url} with {count} places (Ctrl-C stops it)\n")
        sys.stdout.flush()

    async def _start_proxy(self, proxy: Proxy) -> None:
        folder = self._folder / "proxy"
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / f"{proxy.name}.conf"
        path.write_text(proxy.write(self._front, folder), encoding="utf-8")
        checking = await asyncio.create_subprocess_exec(
            proxy.program,
            *proxy.check,
            str(path),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, said = await checking.communicate()
        if checking.returncode:
            lines = said.decode(errors="replace").strip().splitlines() or [""]
            self._give_up(
                ParameterError(
                    "{proxy} does not take its configuration ({reason}): use another "
                    "version, or another proxy with --proxy.",
                    proxy=proxy.name,
                    reason=lines[0],
                )
            )
            return
        words = [proxy.program, *proxy.start, str(path)]
        self._order({"program": proxy.name, "words": words})
        host = self._front.host
        local = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(local, self._front.port)
                writer.close()
                return
            await asyncio.sleep(0.05)

    async def _proxy_ended(self, code: int) -> None:
        assert self._proxy is not None
        self._proxy_tries += 1
        self._n_proxy_ends += 1
        if self._proxy_tries > MAX_STARTS:
            self._give_up(
                ParameterError(
                    "{proxy} does not keep running ({reason}): what it says is above.",
                    proxy=self._proxy.name,
                    reason=_describe(code),
                )
            )
            return
        _say(f"{self._proxy.name} has ended ({_describe(code)}); it starts anew")
        await asyncio.sleep(0.1 * 4**self._proxy_tries)
        await self._start_proxy(self._proxy)
        asyncio.get_running_loop().call_later(60.0, self._forgive_proxy)

    def _forgive_proxy(self) -> None:
        self._proxy_tries = 0

    def _reload_proxy(self) -> None:
        events.try_log_event("reload", "")
        if self._proxy is not None:
            self._order(
                {
                    "signal": self._proxy.name,
                    "number": signal.Signals[self._proxy.reload],
                }
            )


def _log_end(place: Place) -> None:
    """Log that a place has ended, with all that was its person's, and its runs."""
    for facts in place.runs.values():
        events.try_log_event(
            "run-ended", place.who, place=place.name, state="ended", **facts
        )
    events.try_log_event("erase", place.who, place=place.name, why=place.fate)
    place.who = ""
    place.runs.clear()


def find_free_ports(count: int) -> list[int]:
    """Return a number of free ports of the loopback address."""
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in held]


async def _is_well(port: int) -> bool:
    """Return whether a place answers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(
            b"GET /_stcore/health HTTP/1.1\r\nHost: localhost\r\n"
            b"Connection: close\r\n\r\n"
        )
        line = await asyncio.wait_for(reader.readline(), START_SECONDS)
    finally:
        writer.close()
    return b" 200 " in line


def _describe(code: int) -> str:
    """Return how a process has ended, for whoever watches the terminal."""
    if code < 0:
        return f"signal {-code}"
    return f"exit code {code}"


def _say(words: str) -> None:
    print(f"coterie: {words}", file=sys.stderr, flush=True)
