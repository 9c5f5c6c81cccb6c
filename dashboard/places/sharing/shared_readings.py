"""Queue of all places' files before one reading process, and a place's client of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dashboard.jobs.workers.process import Process, end_or_kill_process, send_line
from dashboard.places.sharing.supervisor_link import SupervisorLink
from dashboard.readers.readings import start_reading_process


class SharedReaderClient:
    """Client of a place for the reading process that all places share."""

    def __init__(self, link: SupervisorLink) -> None:
        self._link = link

    def send_order(self, order: dict[str, Any]) -> None:
        """Order the supervisor to read a file, or to stop reading one."""
        self._link.tell("read", order=order)

    def register_listener(self, take: Callable[[dict[str, Any]], None]) -> None:
        """Register the function that takes the answer on each file."""
        self._link.register_listener("read", lambda message: take(message["answer"]))


@dataclass(eq=False)
class _Order:
    """Order of a place to read a file, waiting or being carried out."""

    token: str
    order: dict[str, Any]
    is_running: bool = False

    @property
    def folder(self) -> str:
        return str(self.order["folder"])


class SharedReadingQueue:
    """Queue of all places' files, in front of one reading process.

    Parameters
    ----------
    at_once : int
        Files read at a time; of the others, those of the place with fewest at work go
        first, the smallest before larger ones. Brief work has one turn of its own.
    tell : callable
        Takes the token of a place, and what became of a file of its.
    """

    def __init__(
        self, at_once: int, tell: Callable[[str, dict[str, Any]], None]
    ) -> None:
        self._at_once, self._tell = at_once, tell
        self._orders: list[_Order] = []
        self._process: Process | None = None
        self._listening: asyncio.Task[None] | None = None

    def take(self, token: str, order: dict[str, Any]) -> None:
        """Queue a place's order to read a file, or carry out its order to stop."""
        if "cancel" in order:
            for each in list(self._orders):
                if each.token == token and each.folder == order["cancel"]:
                    self._cancel(each)
        else:
            self._orders.append(_Order(token, order))
        self.launch()

    def remove_place(self, token: str) -> None:
        """Cancel the orders of a place that has ended."""
        for each in list(self._orders):
            if each.token == token:
                self._cancel(each)
        self.launch()

    def _cancel(self, order: _Order) -> None:
        if order.is_running:
            self._write({"cancel": order.folder})  # its end is told
        else:
            self._orders.remove(order)

    def count_orders(self, token: str | None = None) -> Counter[str]:
        """Return the numbers of running and waiting readings, of one place or all."""
        orders = [order for order in self._orders if token in (None, order.token)]
        running = sum(order.is_running for order in orders)
        return Counter(running=running, waiting=len(orders) - running)

    def launch(self) -> None:
        """Start the readings for which there is room, fairly among places."""
        for brief, places in ((True, 1), (False, self._at_once)):
            entries = [entry for entry in self._orders if entry.order["brief"] == brief]
            have = Counter(entry.token for entry in entries if entry.is_running)
            waiting = [entry for entry in entries if not entry.is_running]
            while waiting and have.total() < places:
                following = min(
                    waiting, key=lambda entry: (have[entry.token], entry.order["size"])
                )
                waiting.remove(following)
                following.is_running = True
                have[following.token] += 1
                if not self._write(following.order):
                    self._end(following, 1)

    def _write(self, order: dict[str, Any]) -> bool:
        """Give the process an order; return whether there is one."""
        try:
            send_line(self._living(), json.dumps(order).encode())
        except OSError:
            return False
        return True

    def prestart_process(self) -> None:
        """Start the reading process before the first file."""
        with contextlib.suppress(OSError):
            self._living()

    def _living(self) -> Process:
        if self._process is None or self._process.poll() is not None:
            self._process = start_reading_process()
            self._listening = asyncio.create_task(self._listen(self._process))
        return self._process

    async def _listen(self, process: Process) -> None:
        """Hear of files whose reading has ended, until the process has."""
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), process.stdout
        )
        while line := await reader.readline():
            answer = json.loads(line)
            for each in list(self._orders):
                if each.is_running and each.folder == answer["folder"]:
                    self._end(each, answer["exit"])
            self.launch()
        code = await asyncio.to_thread(process.wait)
        if self._process is process:
            self._process = None
        for each in [entry for entry in self._orders if entry.is_running]:
            self._end(each, code or 1)
        self.launch()

    def _end(self, order: _Order, code: int) -> None:
        self._orders.remove(order)
        self._tell(order.token, {"folder": order.folder, "exit": code})

    def close(self) -> None:
        """End the reading process."""
        self._orders.clear()
        if self._process is not None:
            end_or_kill_process(self._process)
