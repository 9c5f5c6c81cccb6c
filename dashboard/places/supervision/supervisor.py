"""Supervisor process: starts places, gives them to people, replaces ended ones."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dashboard.audit import events
from dashboard.jobs.workers.resource_limits import resource_limits
from dashboard.places import launch
from dashboard.places.admin.control import CONTROL_SOCKET, serve_control_socket
from dashboard.places.admin.metrics import Metric, parse_metrics_address, serve_metrics
from dashboard.places.entrance.assigner_server import start_http_server
from dashboard.places.entrance.place_assigner import (
    HttpReply,
    HttpRequest,
    PlaceAssigner,
)
from dashboard.places.entrance.provider_logout import (
    LOGOUT_PATH,
    LogoutVerifier,
    apply_posted_sign_out,
    read_providers,
)
from dashboard.places.proxies import ProxyProgram
from dashboard.places.settings import (
    PlaceSettings,
    consecutive_ports_routing,
    free_ports_routing,
)
from dashboard.places.sharing.shared_readings import SharedReadingQueue
from dashboard.places.sharing.shared_runs import PlaceRunScheduler
from dashboard.places.sharing.shared_state import SharedServer, SharedState
from dashboard.places.sharing.supervisor_link import MAX_LINE_BYTES
from dashboard.places.supervision import takeover
from dashboard.places.supervision.administrator import Administrator
from dashboard.places.supervision.place_keeper import PlaceKeeper
from dashboard.places.supervision.place_messages import PlaceMessages
from dashboard.places.supervision.place_table import Place, PlacesByName
from dashboard.places.supervision.proxy_process import ProxyProcess
from dashboard.places.supervision.server_status import StatusCollector
from dashboard.places.supervision.state_sync import StateSync
from dashboard.places.supervision.terminal import say
from engine.core.errors import ParameterError

assert sys.platform != "win32"  # told to type checkers; see __main__

_MAX_SOCKET_PATH = 100
"""Characters that the system allows in the name of a socket; a few fewer."""


class Supervisor:
    """Server with places: owns their table, door, proxy, runs and connections.

    Parameters
    ----------
    serving : ServerOptions
        How the dashboard is served; its port is that of the front.
    settings : PlaceSettings
    proxy : ProxyProgram or None
        To be started; None where the administrator runs one.
    streamlit : dict
        Streamlit's settings, of every place.
    folder : Path
        For temporary files.
    older : OlderServer, optional
        To be taken over.
    state : SharedState, optional
        Shared with other servers.
    """

    def __init__(
        self,
        serving: launch.ServerOptions,
        settings: PlaceSettings,
        proxy: ProxyProgram | None,
        streamlit: launch.Settings,
        folder: Path,
        older: takeover.OlderServer | None = None,
        state: SharedState | None = None,
    ) -> None:
        self._serving, self._settings = serving, settings
        self._folder = folder
        older_places = older.places if older else {}
        self._socket = folder / "supervisor"
        self._front = (
            consecutive_ports_routing(serving, settings, older_places)
            if proxy is None
            else free_ports_routing(serving, settings, folder, older_places)
        )
        launch.set_trusted_proxies(self._front.trusted)
        self._places = PlacesByName(
            (name, Place(name, address.port, folder / name))
            for name, address in self._front.places.items()
        )
        path = launch.normalise_base_path(serving.base_path)
        self._door = PlaceAssigner(
            settings.processes,
            f"/{path}" if path else "",
            self._places.take,
            self._places.find_owner,
            self._front.trusted,
        )
        self._proxy = None
        if proxy is not None:
            self._proxy = ProxyProcess(
                proxy, folder / "proxy", self._front, self._order
            )
        share = resource_limits()
        if settings.cluster_threads:
            share = replace(share, runs=settings.cluster_threads)
        self._runs = PlaceRunScheduler(share)
        self._readings = SharedReadingQueue(share.readings, self._tell_reading)
        self._keeper = PlaceKeeper(
            self._places,
            settings,
            self._door,
            streamlit,
            self._socket,
            self._order,
            self._note_place_end,
            lambda: self._newer_end is not None and self._newer_end.is_connected,
        )
        self._messages = PlaceMessages(
            self._places,
            self._door,
            self._runs,
            self._readings,
            self._keeper.end,
            lambda place: self._spawn(self._keeper.await_answer(place)),
            self._pass_sign_out_on,
        )
        metrics = settings.metrics
        self._metrics = None if metrics is None else parse_metrics_address(metrics)
        self._status = StatusCollector(
            self._places, self._door, self._runs, self._readings, self._keeper.n_ends
        )
        self._administrator = Administrator(
            self._places,
            self._status,
            self._runs,
            self._keeper,
            self._drain,
            serving.audit,
            self._ask_older,
        )
        self._messages.administer = self._administrator.answer
        self._older_end = takeover.OlderServerSide(
            lambda: self._front,
            self._messages.signed_out,
            self._note_other_sign_out,
            self._retire,
            self._open_log,
            self._stop,
            self._administrator.answer,
        )
        self._newer_end = None
        if older is not None:
            self._newer_end = takeover.NewerServerSide(
                older, self._door, self._note_other_sign_out, self._forget_older
            )
        self._sync = None
        if state is not None:
            self._sync = StateSync(
                state,
                self._describe_server,
                self._note_other_sign_out,
                self._note_spent_elsewhere,
                self._erase_person,
            )
            self._administrator.tell_erasure = self._sync.tell_erasure
            self._runs.tell_spent = self._sync.tell_spent
            self._status.sync = self._sync
        self._verifier = None
        if serving.sign_in is not None:
            self._verifier = LogoutVerifier(read_providers(serving.sign_in))
        self._tasks: set[asyncio.Task[None]] = set()
        self._public: list[asyncio.Server] = []
        self._is_open = False

    def check(self) -> None:
        """Raise before anything is started if the socket's path is too long.

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
            The connection to :mod:`dashboard.places.supervision.forkserver`.

        Raises
        ------
        ParameterError
            If the processes or the proxy do not come up.
        """
        loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = loop.create_future()
        loop.add_signal_handler(signal.SIGINT, self._stop)
        loop.add_signal_handler(signal.SIGTERM, self._drain)
        loop.add_signal_handler(signal.SIGHUP, self._reload_proxy)
        forkserver.setblocking(False)
        reader, self._forks = await asyncio.open_connection(sock=forkserver)
        inner = await asyncio.start_unix_server(
            self._messages.serve_place, self._socket, limit=MAX_LINE_BYTES
        )
        door = await start_http_server(
            self._front.door,
            self._answer_at_door,
            lambda request: request.is_post_to(LOGOUT_PATH),
        )
        if self._newer_end is None:
            await self._serve_administrator()
        for work in (
            self._watch_forkserver(reader),
            self._open_front(),
            self._keep_places(),
            self._watch_workers(),
        ):
            self._spawn(work)
        if self._sync is not None:
            self._spawn(self._sync.run())
        self._readings.prestart_process()
        try:
            await self._over
        finally:
            for task in self._tasks:
                task.cancel()
            for server in (inner, door, *self._public):
                server.close()
            self._forks.close()
            self._runs.close()
            self._readings.close()

    def close_state(self) -> None:
        """Write the last news to the shared state, after the end of the audit log."""
        self._is_open = False
        if self._sync is not None:
            self._sync.close()

    async def _serve_administrator(self) -> None:
        """Listen to the administrator, to the next server, and serve metrics."""
        control = self._settings.control or self._folder / CONTROL_SOCKET
        self._public = [
            await serve_control_socket(control, self._administrator.answer),
            await asyncio.start_unix_server(
                self._older_end.serve_newer,
                takeover.takeover_socket_path(control),
                limit=MAX_LINE_BYTES,
            ),
        ]
        if self._metrics is not None:
            self._public.append(
                await serve_metrics(
                    self._metrics, self._collect_metrics, self._can_people_come
                )
            )

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done meanwhile; serving ends with its error."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._note_task_end)

    def _note_task_end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if not self._over.done():
            self._over.set_exception(error)

    def _stop(self) -> None:
        if not self._over.done():
            self._over.set_result(None)

    def _drain(self) -> None:
        """Let in nobody more, and end when all have left or their minutes are over.

        At the second signal, these are over.
        """
        if not self._door.is_open:
            self._end_drain()
            return
        if not (self._places.taken or self._keeper.is_needed()):
            self._stop()
            return
        self._door.close()
        seconds = self._settings.drain_seconds
        minutes = f"{seconds / 60:g}"
        log = asyncio.to_thread(
            events.log_event_ignoring_failure, "drain", "", minutes=minutes
        )
        self._spawn(log)  # which the server that takes over may write
        say(f"ends when all have left, in {minutes} minutes at the latest")
        self._places.tell("restart", at=time.time() + seconds)
        asyncio.get_running_loop().call_later(seconds, self._end_drain)

    def _end_drain(self) -> None:
        self._keeper.is_needed = lambda: False
        for place in self._places.taken:
            self._keeper.end(place, "restarted")

    def _order(self, order: Mapping[str, Any]) -> None:
        self._forks.write(json.dumps(order).encode() + b"\n")

    async def _ask_older(self, method: str, target: str) -> dict[str, Any] | None:
        if self._newer_end is None:
            return None
        return await self._newer_end.administer(method, target)

    # Places

    async def _keep_places(self) -> None:
        for place in self._places.values():
            self._keeper.start(place)
        await self._keeper.watch()
        self._stop()

    def _note_place_end(self, place: Place) -> None:
        self._runs.remove_place(place.token)
        self._readings.remove_place(place.token)
        self._older_end.tell("ended", token=place.token, fate=place.fate)

    def _describe_server(self) -> SharedServer:
        states = self._places.count_states()
        head = events.audit_head()
        return SharedServer(
            f"{socket.gethostname()}:{self._front.port}/{os.getpid()}",
            time.time(),
            self._is_open and self._door.is_open,
            len(self._front.places),
            states["taken"],
            f"{head.number} {head.digest}" if head else "",
        )

    def _erase_person(self, person: str) -> None:
        for place in self._places.find_places_of(person):
            self._keeper.end(place, "administrator")

    def _note_spent_elsewhere(self, seconds: dict[str, float]) -> None:
        self._runs.quota.seconds_elsewhere = seconds

    def _pass_sign_out_on(self, digest: str) -> None:
        if self._sync is not None:
            self._sync.tell_sign_out(digest)
        sign_out_time = self._messages.signed_out[digest]
        if self._newer_end is not None:
            self._newer_end.tell_sign_out(digest, sign_out_time)
        self._older_end.tell("signed out", digest=digest, told=sign_out_time)

    async def _answer_at_door(self, request: HttpRequest) -> HttpReply:
        if self._verifier is None or not request.is_post_to(LOGOUT_PATH):
            return self._door.answer(request)
        loop = asyncio.get_running_loop()

        def refuse(sign_out: str) -> None:
            loop.call_soon_threadsafe(self._note_other_sign_out, sign_out)

        status = await asyncio.to_thread(
            apply_posted_sign_out, request.body, self._verifier, refuse
        )
        return HttpReply(status, "", [("Cache-Control", "no-store")])

    def _note_other_sign_out(self, sign_out: str, seconds: float | None = None) -> None:
        """Have all places refuse sign-ins, and end those of a person who is named.

        Servers tell each other: of three, the middle one passes it on.
        """
        if not self._messages.note_sign_out(sign_out, seconds=seconds):
            return
        self._pass_sign_out_on(sign_out)
        for place in self._places.find_places_of(sign_out.partition(" ")[2]):
            self._keeper.end(place, "left")

    def _tell_reading(self, token: str, answer: dict[str, Any]) -> None:
        if (place := self._places.find(token)) is not None:
            place.tell("read", answer=answer)

    async def _watch_workers(self) -> None:
        """Keep a worker warm, and tell places of theirs that have ended."""
        while True:
            self._runs.prestart_worker()
            for token, pid, code in self._runs.collect_ended():
                if (place := self._places.find(token)) is not None:
                    place.tell("worker ended", worker=pid, code=code)
            await asyncio.sleep(0.1)

    async def _watch_forkserver(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            message = json.loads(line)
            if "ended" not in message:
                continue
            if (place := self._places.get(message["ended"])) is not None:
                self._spawn(self._keeper.replace_ended(place, message["code"]))
            elif self._proxy is not None:
                self._spawn(self._proxy.restart(message["code"]))
        raise ParameterError(
            "The process that starts places was ended by somebody else: start "
            "Coterie again."
        )

    # The front

    def _can_people_come(self) -> bool:
        states = self._places.count_states()
        is_up = self._is_open and self._door.is_open
        return is_up and bool(states["free"] + states["taken"])

    def _collect_metrics(self) -> list[Metric]:
        return self._status.collect_metrics(self._proxy.n_ends if self._proxy else 0)

    async def _open_front(self) -> None:
        """Start the proxy when there is a place to come to; say where all is."""
        await self._keeper.is_ready.wait()
        if self._newer_end is not None:
            self._spawn(await self._newer_end.connect())
            await self._newer_end.take_log()
            self._open_log()
            log_server_start(self._settings)
        if self._proxy is not None:
            await self._proxy.start()
            name, version = await self._proxy.read_version()
            self._status.dependencies[name] = version
        if self._newer_end is not None:
            await self._newer_end.retire()
            await self._serve_administrator()
        self._is_open = True
        url = launch.dashboard_url(self._serving, self._front.port)
        count = self._settings.processes
        sys.stdout.write(f"Coterie is at {url} with {count} places (Ctrl-C stops it)\n")
        sys.stdout.flush()

    def _open_log(self) -> None:
        if self._serving.audit is not None:
            events.start_audit_log(self._serving.audit, self._serving.audit_head)

    def _retire(self) -> list[str]:
        """Leave the address to the server that takes over; return who is here."""
        for server in self._public:
            server.close()
        if self._proxy is not None:
            self._proxy.retire()
        self._drain()
        return [place.token for place in self._places.taken]

    def _forget_older(self) -> None:
        """Send nobody to places any more that have ended with their server."""
        self._front = replace(self._front, older={})
        if self._proxy is not None:
            self._proxy.change_routing(self._front)

    def _reload_proxy(self) -> None:
        if self._older_end.link is not None:
            return
        events.log_event_ignoring_failure("reload", "")
        if self._proxy is not None:
            self._proxy.reload()


def log_server_start(settings: PlaceSettings) -> None:
    """Log the start of the server, with version and number of places."""
    events.log_event("start", "", version=version("coterie"), places=settings.processes)
