"""Who asks for everything there is keeps nobody from a page or a result."""

from __future__ import annotations

import asyncio
import statistics
import time
from contextlib import AsyncExitStack
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.projects.project import project_to_bytes
from dashboard.state.snapshot import Upload
from dashboard.state.workspace import Workspace
from engine.files import read_table
from engine.methods import methods
from engine.pipeline.limits import MAX_RUNS
from engine.pipeline.plan import Plan
from tests.asynchronous import finish
from tests.benchmarks.visitor import Visitor, new_cookies, visit
from tests.browser.conftest import Server, serving

TABS = 4
"""As many runs as one person may have waiting."""

PAGES = ("inspect", "release", "", "compare")


def file(records: int, columns: int = 6) -> bytes:
    rng = np.random.default_rng(records)
    values = rng.lognormal(5, 1, (records, columns)).round(2)
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(columns)])
    return frame.to_csv(index=False).encode()


def everything(content: bytes) -> bytes:
    """Return a project that asks for as many results as one may ask for."""
    upload = Upload("all.csv", content)
    table = read_table(
        content, name=upload.name, roles=dict.fromkeys(["x0", "x1"], "quasi-identifier")
    )
    chosen = tuple(methods)[:39]
    ws = Workspace(
        table=upload.attach_to(table),
        upload=upload,
        methods=chosen,
        sizes=tuple(range(3, 3 + MAX_RUNS // len(chosen))),
        automatic=False,
    )
    return project_to_bytes(ws, "everything", with_data=True)


async def ask_for_everything(visitor: Visitor, project: bytes) -> None:
    await visitor.do("first page")
    await visitor.upload("Another file", "everything.coterie", project, "open")
    await visitor.until(lambda: any("all.csv" in one for one in visitor.texts()))
    await visitor.turn_to("compare")
    # What begins by itself is but the quick part.
    await visitor.until(lambda: ("button", "Cancel") in visitor.widgets)
    await visitor.set("button", "Cancel", trigger_value=True)
    await visitor.until(lambda: ("button", "Run") in visitor.widgets)
    await visitor.set("button", "Run", trigger_value=True)
    assert visitor.looks_again


async def compare(visitor: Visitor) -> float:
    """Have three sizes of groups compared, and go through all pages meanwhile."""
    plan = Plan(method="mdav", k=5, quasi_identifiers=("x0", "x1")).to_json()
    await visitor.do("first page")
    await visitor.upload("Another file", "mine.csv", file(2_000), "open")
    await visitor.until(lambda: any("2,000 records" in t for t in visitor.texts()))
    await visitor.upload("Plan file", "plan.json", plan.encode(), "plan")
    await visitor.turn_to("compare")
    message, clock = visitor.request(), time.monotonic()
    state = message.rerun_script.widget_states.widgets.add()
    state.id = visitor.widget("button_group", "k, minimum").id
    state.string_array_value.data.extend(("3", "5", "10"))
    await visitor.do("a choice", message)
    while True:
        for page in PAGES:
            await asyncio.sleep(0.5)
            await visitor.turn_to(page)
        if not visitor.looks_again:
            return time.monotonic() - clock


@pytest.mark.slow
def test_nobody_waits_for_whoever_asks_for_everything(tmp_path: Path) -> None:
    project = everything(file(5_000))

    async def act(server: Server) -> None:
        cookies = await asyncio.to_thread(
            new_cookies, f"http://127.0.0.1:{server.port}"
        )
        async with AsyncExitStack() as stack:
            greedy = [
                await stack.enter_async_context(visit(server.port, Visitor, cookies))
                for _ in range(TABS)
            ]
            await asyncio.gather(*(ask_for_everything(one, project) for one in greedy))
            modest = await stack.enter_async_context(visit(server.port, Visitor))
            waited = await compare(modest)
            assert any(one.looks_again for one in greedy)  # theirs goes on
        assert not [*modest.errors, *modest.exceptions]
        assert not [two for one in greedy for two in one.exceptions]
        changes = [
            seconds
            for what, times in modest.times.items()
            if what.startswith(("page: ", "a choice"))
            for seconds in times
        ]
        # Seconds, on a machine with other work too; all of theirs take many minutes.
        assert waited < 240.0
        assert statistics.median(changes) < 5.0

    with serving(tmp_path, "--server-name", "team.test") as server:
        finish(asyncio.wait_for(act(server), 400))
