"""Many people at once: how long a page change and a choice take while others run."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.benchmarks.smoke import size

PEOPLE = size(20, 3)
RUNNING = size(5, 1)
"""Of them, how many start comparisons; the others read and choose."""

SECONDS = size(60.0, 6.0)
WARMING = size(20.0, 3.0)
PAUSE = size((1.0, 4.0), (0.1, 0.5))
"""Seconds for which a person looks at what has come."""

PAGES = ("", "compare", "inspect", "release", "learn")

Times = dict[str, list[float]]


class Person:
    """A browser tab without a browser: it asks as one does, and draws nothing."""

    def __init__(self, talk: ClientConnection, number: int) -> None:
        self._talk = talk
        self._random = random.Random(number)
        self._pages: dict[str, str] = {}
        self._page = ""
        self._widgets: dict[tuple[str, str], str] = {}
        self._looks_again: set[str] = set()
        self._fragment_run = False
        self._wait: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.times: Times = defaultdict(list)

    async def live(self, runs: bool, until: float) -> None:
        """Open the dashboard and use it until the clock says so."""
        tasks = [asyncio.create_task(each) for each in (self._hear(), self._poll())]
        try:
            await self._do("open", self._request())
            await self._run_by_hand()
            while time.perf_counter() < until:
                await asyncio.sleep(self._random.uniform(*PAUSE))
                if runs and not self._looks_again and self._random.random() < 0.4:
                    await self._run()
                else:
                    await self._look_around()
        finally:
            for task in tasks:
                task.cancel()

    async def _look_around(self) -> None:
        page = self._random.choice(PAGES)
        if page == "compare" and self._pages[page] == self._page:
            await self._choose()
        else:
            await self._turn_to(page)

    async def _turn_to(self, page: str) -> None:
        self._page = self._pages[page]
        await self._do(f"page: {page or 'data'}", self._request())

    async def _choose(self) -> None:
        message = self._request()
        state = message.rerun_script.widget_states.widgets.add()
        state.id = self._widgets["number_input", "Seed"]
        state.int_value = self._random.randrange(1_000_000)
        await self._do("a choice", message)

    async def _run_by_hand(self) -> None:
        """Have nothing run but at a click, or whoever chooses would compare too."""
        await self._turn_to("compare")
        message = self._request()
        state = message.rerun_script.widget_states.widgets.add()
        state.id = next(
            id_
            for (name, label), id_ in self._widgets.items()
            if name == "checkbox" and label.startswith("Run by itself")
        )
        state.bool_value = False
        await self._do("a choice", message)
        while self._looks_again:  # what has begun by itself
            await asyncio.sleep(0.05)

    async def _run(self) -> None:
        await self._turn_to("compare")
        await self._choose()
        message = self._request()
        state = message.rerun_script.widget_states.widgets.add()
        state.id = self._widgets["button", "Run"]
        state.trigger_value = True
        clock = time.perf_counter()
        await self._do("click on Run", message)
        while self._looks_again:
            await asyncio.sleep(0.05)
        self.times["comparison of 3 methods x 3 k"].append(time.perf_counter() - clock)

    def _request(self, fragment: str = "") -> BackMsg:
        message = BackMsg()
        asked = message.rerun_script
        asked.page_script_hash = self._page
        asked.fragment_id = fragment
        asked.is_auto_rerun = bool(fragment)
        asked.context_info.locale = "en-GB"
        return message

    async def _do(self, what: str, message: BackMsg) -> None:
        self._wait = asyncio.get_running_loop().create_future()
        clock = time.perf_counter()
        await self._talk.send(message.SerializeToString())
        await self._wait
        self.times[what].append(time.perf_counter() - clock)

    async def _poll(self) -> None:
        """Ask again for the parts of the page that look again by themselves."""
        with suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(0.5)
                for fragment in tuple(self._looks_again):
                    message = self._request(fragment)
                    await self._talk.send(message.SerializeToString())

    async def _hear(self) -> None:
        with suppress(ConnectionClosed):
            async for data in self._talk:
                message = ForwardMsg()
                message.ParseFromString(bytes(data))
                self._take(message)

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._fragment_run = bool(message.metadata.run.fragment_ids)
            if not self._fragment_run:
                self._looks_again.clear()
        elif kind == "navigation":
            for page in message.navigation.app_pages:
                name = "" if page.is_default else page.url_pathname
                self._pages[name] = page.page_script_hash
        elif kind == "auto_rerun":
            self._looks_again.add(message.auto_rerun.fragment_id)
        elif kind == "delta":
            element = message.delta.new_element
            name = element.WhichOneof("type")
            if name in ("button", "number_input", "checkbox"):
                widget = getattr(element, name)
                self._widgets[name, widget.label] = widget.id
        elif kind == "script_finished" and not self._fragment_run:
            early = ForwardMsg.ScriptFinishedStatus.FINISHED_EARLY_FOR_RERUN
            if message.script_finished != early and not self._wait.done():
                self._wait.set_result(None)


@contextmanager
def server() -> Iterator[int]:
    """Serve the dashboard; yield its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = shutil.which("coterie", path=str(Path(sys.executable).parent))
    assert command is not None, "coterie is not installed: pip install -e ."
    with tempfile.TemporaryDirectory() as work:
        environment = os.environ | {"TMPDIR": work, "STREAMLIT_SERVER_HEADLESS": "true"}
        process = subprocess.Popen(
            [command, "--port", str(port)],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        try:
            while True:
                with suppress(OSError):
                    url = f"http://127.0.0.1:{port}/_stcore/health"
                    urllib.request.urlopen(url, timeout=10).close()
                    break
                time.sleep(0.2)
            yield port
        finally:
            process.terminate()
            process.wait()


async def use(port: int, people: int, running: int, seconds: float) -> Times:
    """Have so many people use the server at once; return the seconds by action."""
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    found: Times = defaultdict(list)

    async def one(number: int) -> None:
        await asyncio.sleep(number * seconds / people / 10)
        async with connect(
            address, subprotocols=["streamlit"], max_size=None, ping_interval=None
        ) as talk:
            person = Person(talk, number)
            await person.live(number < running, time.perf_counter() + seconds)
        for what, times in person.times.items():
            found[what] += times

    await asyncio.gather(*(one(number) for number in range(people)))
    return found


def main() -> None:
    with server() as port:
        asyncio.run(use(port, 1, 1, WARMING))  # warms up
        alone = asyncio.run(use(port, 1, 1, SECONDS / 2))
        many = asyncio.run(use(port, PEOPLE, RUNNING, SECONDS))
    print(
        f"{PEOPLE} people at once for {SECONDS:.0f} s, {RUNNING} of them comparing, on "
        f"{os.cpu_count()} cores; seconds until the page is complete.\n"
    )
    print("| what | alone | times | median | 95 % | most |\n| --- |" + 5 * " --- |")
    for what in sorted(many):
        times = sorted(many[what])
        one = f"{statistics.median(alone[what]):.2f}" if what in alone else ""
        print(
            f"| {what} | {one} | {len(times)} | {statistics.median(times):.2f} | "
            f"{times[int(0.95 * (len(times) - 1))]:.2f} | {times[-1]:.2f} |"
        )
