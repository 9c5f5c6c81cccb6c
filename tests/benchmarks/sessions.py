"""What a server holds while sessions come and go, and after the last one: a plot too.

Each cycle is somebody who opens the dashboard, brings a file, sees its recommended
results, and closes the tab.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from tests.benchmarks.pages import opened
from tests.benchmarks.smoke import size

if TYPE_CHECKING:
    from tests.browser.conftest import Server

CYCLES = size(72, 2)
RECORDS = size(130_000, 300)
"""Of ten columns: 15 MB."""

LOOKS = size(12, 1)
"""How often it is looked at the server on the way."""

PATIENCE = size(200.0, 2.0)
"""Seconds after the last cycle: sessions are closed two minutes after their tabs."""

PLOT = Path("build/benchmarks/sessions.html")


class Held(NamedTuple):
    """What a server holds after some cycles: MB of memory, and counts."""

    cycles: int
    memory: float
    descriptors: int
    threads: int


def held(server: Server, cycles: int) -> Held:
    folder = Path(f"/proc/{server.process.pid}")
    status = dict(
        line.split(":", 1) for line in (folder / "status").read_text().splitlines()
    )
    return Held(
        cycles,
        int(status["VmRSS"].split()[0]) / 1000,
        len(list((folder / "fd").iterdir())),
        int(status["Threads"]),
    )


def cycle(server: Server, path: Path) -> None:
    """Open, bring a file, wait for its results, close."""
    from tests.browser.driver import button, go_to, upload, wait_for_runs

    with opened(server.url) as page:
        upload(page, path)
        page.get_by_text(f"{RECORDS:,} records").first.wait_for()
        go_to(page, "Compare")
        wait_for_runs(page)
        if button(page, "Run").count():  # where all would take long
            button(page, "Run").click()
            wait_for_runs(page)
        page.get_by_text("Recommended:").first.wait_for()


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
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "people.csv"
        columns = {f"x{j}": rng.lognormal(9, 1, RECORDS).round(4) for j in range(10)}
        pd.DataFrame(columns).to_csv(path, index=False)
        with serving(folder) as server:
            print(f"{path.stat().st_size / 1e6:.1f} MB are opened in each cycle.\n")
            print("| cycles | MB | descriptors | threads |\n| --- | --- | --- | --- |")
            for done in range(CYCLES + 1):
                if done % max(CYCLES // LOOKS, 1) == 0:
                    found.append(held(server, done))
                    print("| {} | {:.0f} | {} | {} |".format(*found[-1]), flush=True)
                if done < CYCLES:
                    cycle(server, path)
            time.sleep(PATIENCE)
            found.append(held(server, CYCLES))
            print("| {}, all closed | {:.0f} | {} | {} |".format(*found[-1]))
    draw(found)
