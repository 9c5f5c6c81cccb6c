"""Supervisor: starts places, gives them to people, and replaces ended ones."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
import time
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

from dashboard.audit import events
from dashboard.jobs.resource_limits import resource_limits
from dashboard.places.control import CONTROL_SOCKET, serve_control
from dashboard.places.door import Door
from dashboard.places.door_server import serve_door
from dashboard.places.launch import (
    ServerOptions,
    Settings,
    format_url,
    normalise_base_path,
    trust_proxies,
)
from dashboard.places.metrics import Metric, parse_address, serve_metrics
from dashboard.places.proxies import Proxy
from dashboard.places.settings import PlaceSettings, loopback_routing, proxy_routing
from dashboard.places.shared_readings import SharedReadingQueue
from dashboard.places.shared_runs import SharedRunScheduler
from dashboard.places.supervision.place_keeper import PlaceKeeper
from dashboard.places.supervision.place_messages import PlaceMessages
from dashboard.places.supervision.place_table import Place, PlaceTable
from dashboard.places.supervision.proxy_process import ProxyProcess
from dashboard.places.supervision.server_status import StatusCollector
from dashboard.places.supervision.terminal import say
from dashboard.places.supervisor_link import MAX_LINE_BYTES
from engine.core.errors import ParameterError

assert sys.platform != "win32"  # told to type checkers; see __main__

_MAX_SOCKET_PATH = 100
"""Characters that the system allows in the name of a socket; a few fewer."""


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
        self._folder = folder
        self._socket = folder / "supervisor"
        self._front = (
            loopback_routing(serving, settings)
            if proxy is None
            else proxy_routing(serving, settings, folder)
        )
        trust_proxies(self._front.trusted)
        self._places = PlaceTable(
            (name, Place(name, address.port, folder / name))
            for name, address in self._front.places.items()
        )
        path = normalise_base_path(serving.base_path)
        self._door = Door(
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
        self._runs = SharedRunScheduler(share)
        self._readings = SharedReadingQueue(share.readings, self._tell_reading)
        self._keeper = PlaceKeeper(
            self._places,
            settings,
            self._door,
            streamlit,
            self._socket,
            self._order,
            self._forget_place,
        )
        self._messages = PlaceMessages(
            self._places,
            self._door,
            self._runs,
            self._readings,
            self._keeper.end,
            lambda place: self._spawn(self._keeper.await_answer(place)),
        )
        metrics = settings.metrics
        self._metrics = None if metrics is None else parse_address(metrics)
        self._status = StatusCollector(
            self._places, self._door, self._runs, self._readings, self._keeper.n_ends
        )
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_open = False

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
        self._over: asyncio.Future[None] = loop.create_future()
        loop.add_signal_handler(signal.SIGINT, self._stop)
        loop.add_signal_handler(signal.SIGTERM, self._drain)
        loop.add_signal_handler(signal.SIGHUP, self._reload_proxy)
        forkserver.setblocking(False)
        reader, self._forks = await asyncio.open_connection(sock=forkserver)
        servers = await self._serve_sockets()
        for work in (
            self._hear_forkserver(reader),
            self._open_front(),
            self._keep_places(),
            self._watch_workers(),
        ):
            self._spawn(work)
        self._readings.warm()
        try:
            await self._over
        finally:
            for task in self._tasks:
                task.cancel()
            for server in servers:
                server.close()
            self._forks.close()
            self._runs.close()
            self._readings.close()

    async def _serve_sockets(self) -> list[asyncio.Server]:
        """Listen to places, to those without one, and to the administrator."""
        control = self._settings.control or self._folder / CONTROL_SOCKET
        servers = [
            await asyncio.start_unix_server(
                self._messages.hear, self._socket, limit=MAX_LINE_BYTES
            ),
            await serve_door(self._front.door, self._door.answer),
            await serve_control(
                control, self._status.collect_status, self._end_for_administrator
            ),
        ]
        if self._metrics is not None:
            servers.append(
                await serve_metrics(
                    self._metrics, self._collect_metrics, self._can_people_come
                )
            )
        return servers

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

        At the second signal, end at once.
        """
        seconds = self._settings.drain_seconds
        if not self._door.is_open or not self._places.taken:
            self._stop()
            return
        asyncio.get_running_loop().call_later(seconds, self._stop)
        self._door.close()
        events.try_log_event("drain", "", minutes=f"{seconds / 60:g}")
        say(f"ends when all have left, in {seconds / 60:g} minutes at the latest")
        self._places.tell("restart", at=time.time() + seconds)

    def _order(self, order: Mapping[str, Any]) -> None:
        self._forks.write(json.dumps(order).encode() + b"\n")

    def _end_for_administrator(self, name: str) -> bool:
        place = self._places.get(name)
        if place is None or place.state != "taken":
            return False
        self._keeper.end(place, "administrator")
        return True

    # Places

    async def _keep_places(self) -> None:
        for place in self._places.values():
            self._keeper.start(place)
        await self._keeper.watch()
        self._stop()

    def _forget_place(self, token: str) -> None:
        self._runs.leave(token)
        self._readings.leave(token)

    def _tell_reading(self, token: str, answer: dict[str, Any]) -> None:
        if (place := self._places.find(token)) is not None:
            place.tell("read", answer=answer)

    async def _watch_workers(self) -> None:
        """Keep a worker warm, and tell places of theirs that have ended."""
        while True:
            self._runs.care()
            for token, pid, code in self._runs.collect_ended():
                if (place := self._places.find(token)) is not None:
                    place.tell("worker ended", worker=pid, code=code)
            await asyncio.sleep(0.1)

    async def _hear_forkserver(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            said = json.loads(line)
            if "ended" not in said:
                continue
            if (place := self._places.get(said["ended"])) is not None:
                self._spawn(self._keeper.replace_ended(place, said["code"]))
            elif self._proxy is not None:
                self._spawn(self._proxy.restart(said["code"]))
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
        if self._proxy is not None:
            await self._proxy.start()
        self._is_open = True
        url = format_url(self._serving, self._front.port)
        count = self._settings.processes
        sys.stdout.write(f"Coterie is at {url} with {count} places (Ctrl-C stops it)\n")
        sys.stdout.flush()

    def _reload_proxy(self) -> None:
        events.try_log_event("reload", "")
        if self._proxy is not None:
            self._proxy.reload()
