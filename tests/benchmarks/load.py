"""A team at work, a place each: everybody brings a table, and has methods compared.

Everybody comes within a minute, opens 11 MB, asks for three methods at three values of
k, waits for the first result, and goes from page to page while the others come. It
ends when everybody's comparison has, or when its time is over; what is then missing is
in the table. ``COTERIE_PEOPLE=5`` is how many people there are, in the place of 50.
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
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from engine.pipeline.plan import Plan
from tests.benchmarks.smoke import size
from tests.benchmarks.visitor import Times, Visitor, visit

if TYPE_CHECKING:
    from tests.dashboard.places.servers import Person, Served

PEOPLE = size(int(os.environ.get("COTERIE_PEOPLE", "50")), 2)
COLUMNS, RECORDS = 10, size(120_000, 200)
"""11 MB: numbers of nine signs, all of them protected."""

METHODS, SIZES = ("MDAV", "Blocked"), ("3", "5", "10")
"""Beside the plan's own method, and the values of k."""

FIGURES = "All figures"
"""Heading that a first result brings."""

ARRIVE = size(60.0, 0.2)
"""Seconds within which all have come."""

PAUSE = size((4.0, 16.0), (0.1, 0.3))
"""Seconds for which a person looks at what has come."""

LIMIT = size(1_200.0, 60.0)
"""Seconds after which nobody waits any more."""

PATIENCE = size(180.0, 1.0)
"""Seconds after the last has left until the memory is looked at."""

PAGES = ("inspect", "release", "", "compare")


class Day:
    """What all people have seen together."""

    def __init__(self) -> None:
        self.times: Times = defaultdict(list)
        self.wrong: list[str] = []
        self.opened: list[float] = []
        self.first: list[float] = []
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
        await choose_method(visitor, title)
    sizes = visitor.widget("button_group", "k, minimum")
    message = visitor.request()
    state = message.rerun_script.widget_states.widgets.add()
    state.id = sizes.id
    state.string_array_value.data.extend(SIZES)
    clock = time.monotonic()
    await visitor.do("a choice", message)
    await visitor.until(lambda: day.over or FIGURES in visitor.texts(), LIMIT)
    day.first.append(time.monotonic() - clock)
    while not day.over:
        for page in PAGES:
            await asyncio.sleep(chance.uniform(*PAUSE))
            await visitor.turn_to(page)
        if not visitor.is_anything_running:
            day.compared.append(time.monotonic() - clock)
            break
    day.wrong += visitor.errors + visitor.exceptions
    for what, times in visitor.times.items():
        day.times[what] += times


async def choose_method(visitor: Visitor, title: str) -> None:
    """Choose a method that is listed, or add it by its name."""
    if ("checkbox", title) in visitor.widgets:
        await visitor.set("checkbox", title, bool_value=True)
        return
    options = visitor.widget("selectbox", "Add a method").options
    (option,) = (each for each in options if each.partition(" · ")[0] == title)
    await visitor.set("selectbox", "Add a method", string_value=option)


def descendants(pid: int) -> list[int]:
    """Return a process and all that descend from it."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    children: dict[int, list[int]] = defaultdict(list)
    for child, parent in (map(int, line.split()) for line in listed):
        children[parent].append(child)
    found = [pid]
    for each in found:
        found += children[each]
    return found


def memory_of_all(pid: int) -> float:
    """Return the megabytes of a process and its descendants, shared in equal parts."""
    found = 0.0
    for each in descendants(pid):
        with suppress(OSError):  # it has ended in the meantime
            for line in Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    found += int(line.split()[1]) / 1000
    return found


def processor_seconds(pid: int) -> float:
    """Return the processor seconds of a process, its descendants, and ended ones."""
    ticks = 0
    for each in descendants(pid):
        with suppress(OSError):
            stat = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, stat[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


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
    columns = {f"x{j}": rng.lognormal(9, 1, RECORDS).round(3) for j in range(COLUMNS)}
    protected = tuple(columns)
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
        "first result": day.first,
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
    words = ("--processes", str(PEOPLE))
    with (
        tempfile.TemporaryDirectory() as name,
        serving_places(Path(name), *words) as served,
    ):
        people = [Person(served.address) for _ in range(PEOPLE)]
        before = memory_of_all(served.process.pid)
        spent = processor_seconds(served.process.pid)
        day, most = asyncio.run(a_day(served, people, content, plan))
        print(
            f"{PEOPLE} people on {os.cpu_count()} cores, each with "
            f"{len(content) / 1e6:.0f} MB; seconds.\n"
        )
        show(day)
        spent = processor_seconds(served.process.pid) - spent
        time.sleep(PATIENCE)
        after = memory_of_all(served.process.pid)
    print(
        f"\nThe comparisons of {len(day.compared)} of {PEOPLE} came back, for "
        f"{spent / PEOPLE:.1f} processor seconds each; "
        f"{len(day.wrong)} errors {sorted(set(day.wrong))[:3]}. Memory of all "
        f"processes: {before:,.0f} MB before anybody came, {most:,.0f} MB at most, "
        f"{after:,.0f} MB after all have left."
    )
