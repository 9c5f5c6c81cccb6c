"""A team at work, a place each: everybody brings a table, and has methods compared.

Everybody comes within a minute, opens 11 MB, asks for three methods at three values of
k, waits for the first result, and goes from page to page while the others come. It
ends when everybody's comparison has, when its time is over, or with Ctrl-C or a
SIGTERM; what is then missing is in the table. ``COTERIE_PEOPLE=5`` is how many people
there are, in the place of 50; it takes 30 minutes at most.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
import re
import signal
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import psutil

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

N_PLANS = (1 + len(METHODS)) * len(SIZES)

RUN = ("button", "Run")

RESULTS = ("selectbox", "Selected result")
"""Widget that lists all results that have come."""

WAITING = re.compile(r"Waiting: ([\d,]+) runs? before yours, (.*)")
UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}

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
        self.first_at: list[float] = []
        self.second_at: list[float] = []
        self.told: list[tuple[float, float]] = []
        self.opening_seconds: list[float] = []
        self.peak = Counter[str]()
        self.spent = Counter[str]()
        self.after = Counter[str]()
        self.ended = asyncio.Event()
        self.begun = time.monotonic()

    @property
    def over(self) -> bool:
        return time.monotonic() - self.begun > LIMIT


class Colleague(Visitor):
    """A tab whose upload is measured from its last byte on."""

    server = 0
    spent_before = 0.0

    @property
    def n_results(self) -> int:
        widget = self.widgets.get(RESULTS)
        return 0 if widget is None else len(widget.options)

    def put(self, place: str, name: str, content: bytes) -> None:
        super().put(place, name, content)
        self.spent_before = sum(processor_seconds(self.server).values())


async def act(
    served: Served, person: Person, number: int, content: bytes, plan: bytes, day: Day
) -> None:
    """Open a table, compare, and look around until all runs have come back."""
    chance = random.Random(number)
    await asyncio.sleep(ARRIVE * number / PEOPLE)
    try:
        await asyncio.to_thread(person.come_in)
        async with visit(served.port, Colleague, person.cookies) as visitor:
            visitor.server = served.process.pid
            try:
                await work(visitor, chance, content, plan, day)
            finally:
                day.wrong += visitor.errors + visitor.exceptions
                for what, times in visitor.times.items():
                    day.times[what] += times
    except (OSError, TimeoutError, LookupError) as error:
        day.wrong.append(f"{type(error).__name__}: {error}"[:300])


async def work(
    visitor: Colleague, chance: random.Random, content: bytes, plan: bytes, day: Day
) -> None:
    """Do what a person came for; note how long it took and what went wrong."""
    await visitor.do("first page")
    clock = time.monotonic()
    await visitor.upload("Another file", "people.csv", content, "upload")
    opened = f"{RECORDS:,} records"
    await visitor.until(lambda: any(opened in text for text in visitor.texts()))
    day.opened.append(time.monotonic() - clock)
    spent = sum(processor_seconds(visitor.server).values()) - visitor.spent_before
    day.opening_seconds.append(spent)
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
    await press_run(visitor)
    await wait_for_turn(visitor, day)
    await visitor.until(lambda: day.over or visitor.n_results > 0, LIMIT)
    day.first_at.append(time.monotonic())
    day.first.append(day.first_at[-1] - clock)
    # What takes longer than some seconds in all begins when somebody says so.
    await visitor.until(
        lambda: day.over or visitor.n_results > 1 or RUN in visitor.widgets, LIMIT
    )
    await press_run(visitor)
    await visitor.until(lambda: day.over or visitor.n_results > 1, LIMIT)
    day.second_at.append(time.monotonic())
    while not day.over:
        for page in PAGES:
            await asyncio.sleep(chance.uniform(*PAUSE))
            await visitor.turn_to(page)
        if visitor.n_results == N_PLANS:
            day.compared.append(time.monotonic() - clock)
            break


async def press_run(visitor: Visitor) -> None:
    """Ask for what the page does not begin by itself, if there is anything."""
    if RUN in visitor.widgets:
        await visitor.set(*RUN, trigger_value=True)


async def wait_for_turn(visitor: Colleague, day: Day) -> None:
    """Note how long a person is told to wait once all have come, and waits."""
    await visitor.until(
        lambda: day.over or bool(visitor.n_results or visitor.progress), LIMIT
    )
    announcement = None
    while not (day.over or visitor.n_results):
        match = WAITING.fullmatch(visitor.progress)
        if match is None:
            break
        have_come = time.monotonic() - day.begun > 1.5 * ARRIVE
        if announcement is None and have_come:
            announcement = time.monotonic(), seconds_of(match[2])
        await asyncio.sleep(0.5)
    if announcement is not None:
        day.told.append((announcement[1], time.monotonic() - announcement[0]))


def seconds_of(words: str) -> float:
    """Return the seconds in words such as "about 2 minutes"."""
    match = re.search(r"([\d,]+) (second|minute|hour)", words)
    return float(match[1].replace(",", "")) * UNITS[match[2]] if match else 1.0


async def choose_method(visitor: Visitor, title: str) -> None:
    """Choose a method that is listed, or add it by its name."""
    if ("checkbox", title) in visitor.widgets:
        await visitor.set("checkbox", title, bool_value=True)
        return
    options = visitor.widget("selectbox", "Add a method").options
    (option,) = (each for each in options if each.partition(" · ")[0] == title)
    await visitor.set("selectbox", "Add a method", string_value=option)


def roles(pid: int) -> dict[int, str]:
    """Return what the processes of a server are: itself, and all below it."""
    role_by_pid = {pid: "server"}
    for process in psutil.Process(pid).children(recursive=True):  # parents first
        with suppress(psutil.Error):  # it has ended in the meantime
            parent, words = process.ppid(), " ".join(process.cmdline())
            role = next((each for part, each in ROLES.items() if part in words), "")
            if not role:
                role = role_by_pid.get(parent, "server")
                if parent != pid and role == "server":
                    role = "places"
            role_by_pid[process.pid] = role
    return role_by_pid


ROLES = {
    "dashboard.jobs": "workers",
    "dashboard.readers": "reading",
    "haproxy": "proxy",
    "nginx": "proxy",
}
"""What a process is, by a part of its command; places are forked from the server's."""


def memory(pid: int) -> Counter[str]:
    """Return megabytes by role, what is shared in equal parts (PSS)."""
    megabytes: Counter[str] = Counter()
    for each, role in roles(pid).items():
        with suppress(psutil.Error):  # it has ended in the meantime
            megabytes[role] += psutil.Process(each).memory_full_info().pss / 1e6
    return megabytes


def processor_seconds(pid: int) -> Counter[str]:
    """Return processor seconds by role, of processes that have ended as well.

    Who waits for them has those: the supervisor for workers, and the process that it
    has forked for places.
    """
    seconds: Counter[str] = Counter()
    for each, role in roles(pid).items():
        children_role = role
        if role == "server":
            children_role = "workers" if each == pid else "places"
        with suppress(psutil.Error):
            times = psutil.Process(each).cpu_times()
            seconds[role] += times.user + times.system
            seconds[children_role] += times.children_user + times.children_system
    return seconds


async def a_day(
    served: Served, people: Sequence[Person], content: bytes, plan: bytes
) -> Day:
    """Have everybody work at once, and leave; return what they saw, and it took."""
    day, pid = Day(), served.process.pid
    before = processor_seconds(pid)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, day.ended.set)

    async def watch() -> None:
        while True:
            now = await asyncio.to_thread(memory, pid)
            day.peak = max(day.peak, now, key=lambda each: each.total())
            day.spent = processor_seconds(pid) - before
            await asyncio.sleep(2.0)

    watching = asyncio.create_task(watch())
    at_work = [
        asyncio.create_task(act(served, person, n, content, plan, day))
        for n, person in enumerate(people)
    ]
    all_done = asyncio.gather(*at_work, return_exceptions=True)
    end_task = asyncio.create_task(day.ended.wait())
    await asyncio.wait(
        [all_done, end_task],
        timeout=LIMIT + PATIENCE,
        return_when=asyncio.FIRST_COMPLETED,
    )
    for task in at_work:
        task.cancel()
    await asyncio.gather(*at_work, return_exceptions=True)
    watching.cancel()
    await asyncio.wait([end_task], timeout=PATIENCE)
    day.after = memory(pid)
    return day


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
    prefixes = ("page: ", "a choice")
    changes = [
        seconds
        for what, times in day.times.items()
        if what.startswith(prefixes)
        for seconds in times
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


def memory_at_rest(pid: int) -> Counter[str]:
    """Return the memory of a server once a spare worker is warm."""
    before, now, tries = Counter[str](), memory(pid), 0
    while abs(before.total() - now.total()) > 1.0 and tries < 30:
        time.sleep(size(3.0, 0.1))
        before, now, tries = now, memory(pid), tries + 1
    return now


def show_by_part(what: str, **rows: Counter[str]) -> None:
    """Print a table with a column for each part, and their sum."""
    parts = dict.fromkeys(part for row in rows.values() for part in row)
    print(f"| {what} | {' | '.join(parts)} | all |")
    print("| --- |" + " --- |" * (1 + len(parts)))
    for name, row in rows.items():
        cells = [f"{row[part]:,.1f}" for part in parts]
        print(f"| {name} | {' | '.join(cells)} | {row.total():,.1f} |")


def main() -> None:
    """Print times, errors and memory, as far as it came; on a Linux machine."""
    try:
        measure()
    except KeyboardInterrupt:
        print("\nIt was interrupted before anybody had come.")


def measure() -> None:
    """Serve a team for a day, and print how it went."""
    from tests.dashboard.places.servers import Person, serving_places

    content, plan = table_and_plan()
    words = ("--processes", str(PEOPLE))
    with (
        tempfile.TemporaryDirectory() as name,
        serving_places(Path(name), *words) as served,
    ):
        pid = served.process.pid
        people = [Person(served.address) for _ in range(PEOPLE)]
        before = memory_at_rest(pid)
        day = asyncio.run(a_day(served, people, content, plan))
    print(
        f"\n{PEOPLE} people on {os.cpu_count()} cores, each with "
        f"{len(content) / 1e6:.0f} MB; seconds.\n"
    )
    show(day)
    each = Counter({role: day.spent[role] / PEOPLE for role in day.spent})
    print()
    show_by_part("processor seconds", together=day.spent, each=each)
    print()
    show_by_part("megabytes", before=before, peak=day.peak, after=day.after)
    show_verdict(day)


def show_verdict(day: Day) -> None:
    """Print what went wrong, who came before whom, and what was said of the queue."""
    print(
        f"\nThe comparisons of {len(day.compared)} of {PEOPLE} came back; "
        f"{len(day.wrong)} errors {sorted(set(day.wrong))[:3]}."
    )
    if day.first_at:
        early = sum(each < max(day.first_at) for each in day.second_at)
        print(f"{early} people had a second result before everybody had a first.")
    if len(day.opening_seconds) == 1:  # of several, who knows whose they were
        print(
            f"From the last byte to the Data page: {day.opening_seconds[0]:.2f} "
            "processor seconds of all processes."
        )
    if day.told:
        ratios = sorted(estimate / max(1.0, waited) for estimate, waited in day.told)
        print(
            f"{len(ratios)} people waited in a queue: they were told "
            f"{statistics.median(ratios):.2f} times what they waited "
            f"({ratios[0]:.2f} to {ratios[-1]:.2f})."
        )
