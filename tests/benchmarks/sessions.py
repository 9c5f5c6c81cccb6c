"""What a server holds while sessions come and go, and after the last one: a plot too.

Each cycle is somebody who opens the dashboard, brings a file, has it protected, looks
at every page, and closes the tab. It begins when one has looked around in the sample.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from engine.pipeline.plan import Plan
from tests.benchmarks.smoke import size
from tests.benchmarks.visitor import Visitor, memory_of, visit

if TYPE_CHECKING:
    from tests.browser.conftest import Server

CYCLES = size(200, 2)
AT_ONCE = size(4, 1)
"""Cycles that go on side by side."""

RECORDS = size(130_000, 300)
"""Of ten columns: 13 MB."""

LOOKS = size(25, 1)
"""How often it is looked at the server on the way."""

PATIENCE = size(200.0, 2.0)
"""Seconds after the last cycle: sessions are closed two minutes after their tabs."""

METHOD = "pca-projection"
"""One that takes a second, for it is not what is looked at here."""

PAGES = ("compare", "inspect", "release", "learn", "help")

PLOT = Path("build/benchmarks/sessions.html")


class Held(NamedTuple):
    """What a server holds after some cycles: MB of memory, and counts."""

    cycles: int
    memory: float
    descriptors: int
    threads: int


def held(server: Server, cycles: int) -> Held:
    folder = Path(f"/proc/{server.process.pid}")
    return Held(
        cycles,
        memory_of(server.process.pid),
        len(list((folder / "fd").iterdir())),
        len(list((folder / "task").iterdir())),
    )


async def cycles(port: int, content: bytes, plan: bytes) -> None:
    """Have several of them go on at once."""
    await asyncio.gather(*(cycle(port, content, plan) for _ in range(AT_ONCE)))


async def cycle(port: int, content: bytes, plan: bytes) -> None:
    """Open, bring a file, have it protected, look at the pages, close."""
    async with visit(port, Visitor) as visitor:
        await visitor.do("open")
        if content:
            await visitor.upload("Another file", "people.csv", content, "open")
            opened = f"{RECORDS:,} records"
            await visitor.until(lambda: any(opened in one for one in visitor.texts()))
            await visitor.upload("Plan file", "plan.json", plan, "plan")
        for page in PAGES:
            await visitor.turn_to(page)
            await visitor.until(lambda: not visitor.looks_again)
        assert not visitor.errors + visitor.exceptions, visitor.errors


def draw(found: list[Held]) -> None:
    """Write a plot of all figures against cycles."""
    from plotly.subplots import make_subplots

    titles = ("Memory (MB)", "Open descriptors", "Threads")
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, subplot_titles=titles)
    for row, values in enumerate(zip(*(one[1:] for one in found), strict=True), 1):
        figure.add_scatter(
            x=[one.cycles for one in found], y=values, row=row, col=1, showlegend=False
        )
        figure.update_yaxes(rangemode="tozero", row=row)
    figure.update_xaxes(title="Cycles", row=3)
    PLOT.parent.mkdir(parents=True, exist_ok=True)
    figure.write_html(PLOT, config={"showSendToCloud": False})


def main() -> None:
    """Print memory, descriptors and threads; on a Linux machine."""
    from tests.browser.conftest import serving

    rng = np.random.default_rng(1)
    found: list[Held] = []
    columns = {f"x{j}": rng.lognormal(9, 1, RECORDS).round(4) for j in range(10)}
    content = pd.DataFrame(columns).to_csv(index=False).encode()
    plan = Plan(method=METHOD, k=5, quasi_identifiers=tuple(columns)).to_json().encode()
    with tempfile.TemporaryDirectory() as name, serving(Path(name)) as server:
        print(f"{len(content) / 1e6:.1f} MB are opened in each cycle.\n")
        print("| cycles | MB | descriptors | threads |\n| --- | --- | --- | --- |")
        asyncio.run(cycle(server.port, b"", b""))
        for done in range(0, CYCLES + 1, AT_ONCE):
            if done % max(CYCLES // LOOKS, 1) == 0:
                found.append(held(server, done))
                print("| {} | {:.0f} | {} | {} |".format(*found[-1]), flush=True)
            if done < CYCLES:
                asyncio.run(cycles(server.port, content, plan))
        time.sleep(PATIENCE)
        found.append(held(server, CYCLES))
        print("| {}, all closed | {:.0f} | {} | {} |".format(*found[-1]))
    draw(found)
