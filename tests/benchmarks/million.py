"""The dashboard with a million rows in a real browser: seconds, and memory."""

from __future__ import annotations

import re
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.pages import opened
from tests.benchmarks.smoke import size
from tests.benchmarks.stages import table

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Server

RECORDS = size(1_000_000, 5_000)

BESIDE = ("PCA projection", "Z-score projection")
"""Methods that are run beside the one that is proposed."""

INSPECTED = ("A group", "A record", "An attribute", "Replay")

LOOK = 0.1
"""Seconds between two looks at the memory."""


class Memory(threading.Thread):
    """Watches what server and workers hold, in GiB, pages that they share once."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self._server, self._over = server, threading.Event()
        self.most = 0.0

    def run(self) -> None:
        while not self._over.wait(LOOK):
            pids = [self._server.process.pid, *self._server.workers()]
            self.most = max(self.most, sum(map(self._held, pids)))

    def _held(self, pid: int) -> float:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:  # it has ended
            return 0.0
        found = re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)
        return int(found[1]) / 2**20 if found else 0.0

    def stop(self) -> None:
        self._over.set()
        self.join()


class Clock:
    """Prints how long each step took, and what was held at most until then."""

    def __init__(self, memory: Memory) -> None:
        self._memory, self._last = memory, time.perf_counter()

    def line(self, what: str) -> None:
        seconds = time.perf_counter() - self._last
        print(f"| {what} | {seconds:.2f} | {self._memory.most:.2f} |", flush=True)
        self._last = time.perf_counter()


def work(page: Page, path: Path, clock: Clock) -> None:
    """Do the main job, and look at everything there is to see of it."""
    from tests.browser.driver import (
        add_method,
        button,
        download_release,
        go_to,
        run_by_hand,
        settle,
        upload,
        wait_for_runs,
    )

    upload(page, path)
    page.get_by_text(f"{RECORDS:,} records").first.wait_for()
    clock.line("Parquet file dropped: table, proposed roles and their reasons")
    for title in ("Learn", "Data", "Compare"):
        go_to(page, title)
        clock.line(f"to {title}")
    wait_for_runs(page)  # of a small table, as in smoke runs
    run_by_hand(page)
    for title in BESIDE:
        add_method(page, title)
    clock.line("two more methods ticked, to be run at a click")
    if button(page, "Run").count():  # all of a small table may be worked out ahead
        button(page, "Run").click()
    page.wait_for_timeout(2000)
    clock.line("click on Run, and two seconds")
    go_to(page, "Data")
    clock.line("to Data while it runs")
    go_to(page, "Compare")
    wait_for_runs(page)
    page.get_by_text(re.compile("Recommended:|None is rec")).first.wait_for()
    clock.line("all results: three methods x k = 3, 5 and 10, with bounds, all charts")
    for title in ("Data", "Compare", "Inspect"):
        go_to(page, title)
        clock.line(f"to {title}")
    for part in INSPECTED:
        page.get_by_text(part, exact=True).first.click()
        settle(page)
        clock.line(f"Inspect: {part.lower()}")
    page.get_by_text("Risk and utility", exact=True).first.click()
    settle(page)
    wait_for_runs(page)
    clock.line("measures that take little time, by themselves")
    button(page, "Measure risk and utility").click()
    page.get_by_text("Record linkage by distance").first.wait_for()
    clock.line("the other measures of a result")
    go_to(page, "Release")
    clock.line("to Release: written as Parquet, read back, checked")
    with tempfile.TemporaryDirectory() as folder:
        download_release(page, Path(folder))
    clock.line("download")


def main() -> None:
    """Print seconds and gibibytes; on a Linux machine that does nothing else."""
    from tests.browser.conftest import serving

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "million.parquet"
        table(RECORDS).drop(columns=["region", "visit"]).to_parquet(path)
        with serving(folder) as server:
            memory = Memory(server)
            memory.start()
            with opened(server.url) as page:
                print("| what | s | most GiB so far, server and workers |")
                print("| --- | --- | --- |")
                work(page, path, Clock(memory))
            memory.stop()
