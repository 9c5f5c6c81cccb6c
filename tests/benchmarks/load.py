"""A team at work, a place each: everybody brings a table, and has methods compared.

Everybody opens 20 MB, asks for three methods at three values of k, and goes from page
to page while that runs, as the others do. It ends when everybody's comparison has, or
when its time is over; what is then missing is in the table.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from engine.pipeline.plan import Plan
from tests.benchmarks.smoke import size
from tests.benchmarks.visitor import Times, Visitor, visit

if TYPE_CHECKING:
    from tests.dashboard.places.servers import Person, Served

PEOPLE = size(50, 2)
COLUMNS, RECORDS = 100, size(20_000, 200)
"""20 MB: numbers of ten signs."""

METHODS, SIZES = ("MD", "MDAV"), ("3", "5", "10")
"""Beside the plan's own method, and the values of k."""

ARRIVE = size(30.0, 0.2)
"""Seconds within which all have come."""

PAUSE = size((4.0, 16.0), (0.1, 0.3))
"""Seconds for which a person looks at what has come."""

LIMIT = size(900.0, 60.0)
"""Seconds after which nobody waits any more."""

PATIENCE = size(60.0, 1.0)
"""Seconds after the last has left, whose place then ends in thirty."""

PAGES = ("inspect", "release", "", "compare")


class Day:
    """What all people have seen together."""

    def __init__(self) -> None:
        self.times: Times = defaultdict(list)
        self.wrong: list[str] = []
        self.opened: list[float] = []
        self.compared: list[float] = []
        self.begun = time.monotonic()

    @property
    def over(self) -> bool:
        return time.monotonic() - self.begun > LIMIT


async def act(
    served: Served, person: Person, number: int, content: bytes, plan: bytes, day: Day
) -> None:
    """Open a table, compare, and look around until all runs have come back."""
    chance = random.Random(number)
    await asyncio.sleep(ARRIVE * number / PEOPLE)
    try:
        await asyncio.to_thread(person.come_in)
        async with visit(served.port, Visitor, person.cookies) as visitor:
            await work(visitor, chance, content, plan, day)
    except (OSError, TimeoutError, LookupError) as error:
        day.wrong.append(f"{type(error).__name__}: {error}"[:300])


async def work(
    visitor: Visitor, chance: random.Random, content: bytes, plan: bytes, day: Day
) -> None:
    """Do what a person came for; note how long it took and what went wrong."""
    await visitor.do("first page")
    clock = time.monotonic()
    await visitor.upload("Another file", "people.csv", content, "upload")
    opened = f"{RECORDS:,} records"
    await visitor.until(lambda: any(opened in one for one in visitor.texts()))
    day.opened.append(time.monotonic() - clock)
    await visitor.upload("Plan file", "plan.json", plan, "plan")
    await visitor.turn_to("compare")
    for title in METHODS:
        await visitor.set("checkbox", title, bool_value=True)
    sizes = visitor.widget("button_group", "k, minimum")
    message = visitor.request()
    state = message.rerun_script.widget_states.widgets.add()
    state.id = sizes.id
    state.string_array_value.data.extend(SIZES)
    clock = time.monotonic()
    await visitor.do("a choice", message)
    while not day.over:
        for page in PAGES:
            await asyncio.sleep(chance.uniform(*PAUSE))
            await visitor.turn_to(page)
        if not visitor.looks_again:
            day.compared.append(time.monotonic() - clock)
            break
    day.wrong += visitor.errors + visitor.exceptions
    for what, times in visitor.times.items():
        day.times[what] += times


def memory_of_all(pid: int) -> float:
    """Return the megabytes of a process and of all that descend from it."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    children: dict[int, list[int]] = defaultdict(list)
    for child, parent in (map(int, line.split()) for line in listed):
        children[parent].append(child)
    found, left = 0.0, [pid]
    while left:
        one = left.pop()
        left += children[one]
        found += _own_memory(one)
    return found


def _own_memory(pid: int) -> float:
    """Return the megabytes of a process, those that it shares in equal parts."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1000
    except OSError:  # it has ended in the meantime
        pass
    return 0.0


async def a_day(
    served: Served, people: Sequence[Person], content: bytes, plan: bytes
) -> tuple[Day, float]:
    """Have everybody work at once; return what they saw, and the most memory."""
    most, pid = 0.0, served.process.pid

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, await asyncio.to_thread(memory_of_all, pid))
            await asyncio.sleep(2.0)

    day = Day()
    watching = asyncio.create_task(watch())
    await asyncio.gather(
        *(act(served, one, n, content, plan, day) for n, one in enumerate(people))
    )
    watching.cancel()
    return day, most


def table_and_plan() -> tuple[bytes, bytes]:
    """Return the files that everybody brings."""
    rng = np.random.default_rng(1)
    columns = {f"x{j}": rng.lognormal(9, 1, RECORDS).round(4) for j in range(COLUMNS)}
    protected = tuple(columns)[:4]
    plan = Plan(method="pca-projection", k=5, quasi_identifiers=protected)
    content = pd.DataFrame(columns).to_csv(index=False)
    return content.encode(), plan.to_json().encode()


def show(day: Day) -> None:
    """Print how long everything took."""
    asked = ("page: ", "a choice")
    changes = [
        one
        for what, times in day.times.items()
        if what.startswith(asked)
        for one in times
    ]
    rows = {
        "opening the file": day.opened,
        **{what: day.times[what] for what in sorted(day.times)},
        "all page changes and choices": changes,
        "comparison of 3 methods x 3 k": day.compared,
    }
    print("| what | times | median | 95 % | most |\n| --- |" + 4 * " --- |")
    for what, times in rows.items():
        if times:
            inner = sorted(times)
            print(
                f"| {what} | {len(inner)} | {statistics.median(inner):.2f} | "
                f"{inner[math.ceil(0.95 * len(inner)) - 1]:.2f} | {inner[-1]:.2f} |"
            )


def main() -> None:
    """Print times, errors and memory; on a Linux machine."""
    from tests.dashboard.places.servers import Person, serving_places

    content, plan = table_and_plan()
    words = ("--processes", str(PEOPLE), "--leave-seconds", "30")
    with (
        tempfile.TemporaryDirectory() as name,
        serving_places(Path(name), *words) as served,
    ):
        people = [Person(served.address) for _ in range(PEOPLE)]
        before = memory_of_all(served.process.pid)
        day, most = asyncio.run(a_day(served, people, content, plan))
        print(
            f"{PEOPLE} people on {os.cpu_count()} cores, each with "
            f"{len(content) / 1e6:.0f} MB; seconds.\n"
        )
        show(day)
        time.sleep(PATIENCE)
        after = memory_of_all(served.process.pid)
    print(
        f"\nThe comparisons of {len(day.compared)} of {PEOPLE} came back; "
        f"{len(day.wrong)} errors {sorted(set(day.wrong))[:3]}. Memory of all "
        f"processes: {before:,.0f} MB before anybody came, {most:,.0f} MB at most, "
        f"{after:,.0f} MB after all have left."
    )
