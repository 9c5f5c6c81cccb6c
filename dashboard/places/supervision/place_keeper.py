"""Keeper of people's server processes (places): starts, watches, ends, replaces."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dashboard.places.entrance.place_assigner import FATES, Fate, PlaceAssigner
from dashboard.places.launch import Settings
from dashboard.places.settings import PlaceSettings
from dashboard.places.supervision.place_table import Place, PlacesByName
from dashboard.places.supervision.terminal import describe_exit, say
from engine.core.errors import ParameterError

SIGKILL = 9
"""Signal that kills, which type checkers do not know on Windows."""

START_SECONDS = 120.0
"""Seconds after which a process that has not come up is ended."""

MAX_STARTS = 3
"""How often the first processes are tried."""


class PlaceKeeper:
    """Keeper that starts, watches, ends and (while the door is open) replaces places.

    Parameters
    ----------
    places : PlacesByName
    settings : PlaceSettings
    door : PlaceAssigner
        Where no more people are let in, nothing is started anew.
    streamlit : dict
        Streamlit's settings, of every place.
    socket_path : Path
        The supervisor's, to which places connect.
    order : callable
        Gives the forkserver an order.
    note_end : callable
        Takes a place whose process has ended.

    Attributes
    ----------
    is_ready : asyncio.Event
        Set as soon as there is a place to come to.
    is_needed : callable
        Whether the server must stay, although nobody is let in and all have left.
    n_ends : Counter
        How many processes of places have ended, by why.
    """

    def __init__(
        self,
        places: PlacesByName,
        settings: PlaceSettings,
        door: PlaceAssigner,
        streamlit: Settings,
        socket_path: Path,
        order: Callable[[Mapping[str, Any]], None],
        note_end: Callable[[Place], None],
        is_needed: Callable[[], bool] = lambda: False,
    ) -> None:
        self._places, self._settings, self._door = places, settings, door
        self._streamlit, self._socket_path = streamlit, socket_path
        self._order, self._note_end, self.is_needed = order, note_end, is_needed
        self.is_ready = asyncio.Event()
        whys = (*FATES, "left", "failed")
        self.n_ends: Counter[str] = Counter(dict.fromkeys(whys, 0))

    def start(self, place: Place) -> None:
        """Start the process of a place."""
        place.begin()
        address = {"server.address": "127.0.0.1", "server.port": place.port}
        order = {
            "name": place.name,
            "token": place.token,
            "folder": str(place.folder),
            "supervisor": str(self._socket_path),
            "settings": {**self._streamlit, **address, "server.headless": True},
        }
        self._order({"place": order})

    async def await_answer(self, place: Place) -> None:
        """Wait until a started place answers its health check, then mark it as free."""
        token = place.token
        base_path = str(self._streamlit.get("server.baseUrlPath", ""))
        while place.token == token and place.state == "starting":
            with contextlib.suppress(OSError):
                if await _is_well(place.port, base_path):
                    if place.token == token and place.state == "starting":
                        place.state, place.failures = "free", 0
                        self.is_ready.set()
                    return
            await asyncio.sleep(0.05)

    def end(self, place: Place, fate: Fate) -> None:
        """Kill a place's process, and with it all data that it held."""
        if place.state != "ending":
            place.state, place.fate = "ending", fate
            self._kill(place)

    def _kill(self, place: Place) -> None:
        self._order({"signal": place.name, "number": SIGKILL})

    async def replace_ended(self, place: Place, code: int) -> None:
        """Start a new process for a place whose process has ended.

        Raises
        ------
        ParameterError
            If none of the first processes has come up.
        """
        self.n_ends[place.fate if place.ticket else "failed"] += 1
        came_up, has_owner = place.state in ("free", "taken"), bool(place.ticket)
        if place.state != "ending":
            say(f"place {place.name} has ended ({describe_exit(code)}); it starts anew")
        if has_owner:
            self._door.note_end(place.token, place.fate)
            await asyncio.to_thread(place.log_end)
        self._note_end(place)
        if place.link is not None:
            place.link.close()
            place.link = None
        died, place.state = place.state == "starting", "ending"
        await asyncio.to_thread(shutil.rmtree, place.folder, ignore_errors=True)
        if not self._door.is_open:
            place.ticket = ""
            return
        place.failures = place.failures + 1 if died or not (came_up or has_owner) else 0
        if place.failures >= MAX_STARTS and not self.is_ready.is_set():
            raise ParameterError(
                "The processes of this server do not start ({reason}): coterie "
                "doctor says what may be wrong.",
                reason=describe_exit(code),
            )
        if place.failures:
            await asyncio.sleep(min(60.0, 0.1 * 4**place.failures))
        self.start(place)

    async def watch(self) -> None:
        """End places whose people have left or are idle, and places that fail to start.

        Until people are let in no more and all have left.
        """
        leave, idle = self._settings.leave_seconds, self._settings.idle_seconds
        tick = min([1.0, *(max(0.05, each / 4) for each in (leave, idle) if each)])
        while (
            self._door.is_open
            or any(place.ticket for place in self._places.values())
            or self.is_needed()
        ):
            await asyncio.sleep(tick)
            now = time.monotonic()
            for place in self._places.values():
                if place.state == "taken":
                    if not place.tabs and now - place.left > leave:
                        self.end(place, "left")
                    elif idle and now - place.active > idle:
                        self.end(place, "idle")
                elif place.state == "starting" and now - place.started > START_SECONDS:
                    say(f"place {place.name} does not come up; it starts anew")
                    self._kill(place)
                    place.started = now


async def _is_well(port: int, base_path: str) -> bool:
    """Return whether a place answers; it does so below its base path alone."""
    path = "/".join(filter(None, [base_path, "_stcore/health"])).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(
            b"GET /" + path + b" HTTP/1.1\r\nHost: localhost\r\n"
            b"Connection: close\r\n\r\n"
        )
        line = await asyncio.wait_for(reader.readline(), START_SECONDS)
    finally:
        writer.close()
    return b" 200 " in line
