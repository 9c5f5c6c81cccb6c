"""Whoever leaves leaves nothing in the memory of any process of a server."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driver import PATIENCE, go_to, settle, upload, wait_for_runs
from tests.browser.following import follow
from tests.browser.places.memory import (
    MAX_PROXY_VALUES,
    N_PLANTED,
    find_in_files,
    find_in_process,
    planted_rows,
)
from tests.dashboard.places.servers import (
    Served,
    is_running,
    need_proxy,
    serving_places,
    wait_until,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read in /proc"),
]


def find_in_server(served: Served) -> tuple[set[bytes], set[bytes]]:
    """Return what is planted in the server's processes, and in its proxy's."""
    server_values: set[bytes] = set()
    proxy: set[bytes] = set()
    for pid in served.pids():
        command = Path(f"/proc/{pid}/comm").read_text()
        is_proxy = command.startswith(("haproxy", "nginx"))
        (proxy if is_proxy else server_values).update(find_in_process(pid))
    return server_values, proxy


@contextmanager
def open_place(browser: Browser, address: str) -> Iterator[Page]:
    """Open the dashboard in a browser that is given a place."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    follow(page)
    page.goto(address)
    expect(page.get_by_text("Business survey").first).to_be_visible(timeout=PATIENCE)
    settle(page)
    try:
        yield page
    finally:
        context.close()


def test_nothing_of_who_has_left_is_in_any_process(
    browser: Browser, tmp_path: Path, short_folder: Path
) -> None:
    """Behind one of the proxies: what both keep is looked at beside them."""
    need_proxy("nginx")
    path = tmp_path / "planted.csv"
    path.write_text("\n".join(planted_rows()) + "\n")
    words = ("--processes", "2", "--proxy", "nginx", "--leave-seconds", "5")
    with (
        serving_places(short_folder, *words) as served,
        open_place(browser, served.address) as ben,
    ):
        with open_place(browser, served.address) as ann:
            cookies = {
                cookie["name"]: cookie["value"] for cookie in ann.context.cookies()
            }
            pid = served.pid(cookies["place"].partition(".")[0])
            assert pid is not None
            upload(ann, path)
            expect(ann.get_by_text("12,000 records").first).to_be_visible()
            go_to(ann, "Compare")
            wait_for_runs(ann)
            # The search finds what is there: her place has it all.
            assert len(find_in_process(pid)) >= N_PLANTED
        wait_until(lambda: not is_running(pid), "her process does not end")
        wait_until(lambda: served.pid("p1") and served.pid("p2"), "none is new")
        server_values, proxy_values = find_in_server(served)
        assert server_values == set()
        assert len(proxy_values) <= MAX_PROXY_VALUES
        assert find_in_files(short_folder) == set()
        expect(ben.get_by_text("Business survey").first).to_be_visible()
    with subprocess.Popen(
        [sys.executable, "-c", f"t = open({str(path)!r}).read(); print(); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as control:
        assert control.stdout is not None
        control.stdout.readline()
        assert len(find_in_process(control.pid)) == 2 * N_PLANTED
        control.communicate(b"\n")
