"""Nobody fills the server's memory, however many tabs are opened for that."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.jobs.workers.resource_limits import PERSON_MEMORY_VARIABLE
from tests.asynchronous import finish
from tests.benchmarks.visitor import Visitor, new_cookies, visit
from tests.browser.conftest import serving

RECORDS = 20_000


async def brings(tab: Visitor, content: bytes) -> bool:
    """Bring a table; return whether it was opened, or else refused in a sentence."""
    opened = f"{RECORDS:,} records"
    await tab.do("page")
    await tab.upload("Another file", "people.csv", content, "upload")
    await tab.until(
        lambda: bool(tab.errors) or any(opened in text for text in tab.texts())
    )
    assert tab.exceptions == []
    refused = [text for text in tab.errors if "close other tabs" in text]
    assert bool(refused) == bool(tab.errors), tab.errors
    return not refused


def test_all_tabs_of_one_person_hold_what_one_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(1).normal(size=(RECORDS, 20)).round(4)
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(20)])
    content = frame.to_csv(index=False).encode()
    weighs = frame.memory_usage(index=False).sum() + len(content)
    monkeypatch.setenv(PERSON_MEMORY_VARIABLE, str(int(2.5 * weighs) // 2**20))

    async def attack(port: int) -> None:
        cookies = new_cookies(f"http://127.0.0.1:{port}")
        async with (
            visit(port, Visitor, cookies) as first_tab,
            visit(port, Visitor, cookies) as two,
        ):
            assert await brings(first_tab, content)
            assert await brings(two, content)
            async with visit(port, Visitor, cookies) as three:
                assert not await brings(three, content)

    with serving(tmp_path, "--server-name", "team.test") as server:
        finish(attack(server.port))
