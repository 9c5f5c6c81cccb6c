"""A second start opens the first one's page, and the last tab ends the server."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import psutil
import pytest

from dashboard.places import running
from dashboard.places.launch import ServerOptions, launch_dashboard
from tests.asynchronous import finish


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(running, "user_cache_folder", lambda: tmp_path)
    return tmp_path


class _Healthy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/_stcore/health" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Healthy) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.usefixtures("cache")
def test_a_second_start_opens_the_first_ones_page(
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(running, "open_in_browser_unless_headless", opened.append)
    running.write_dashboard_note(address)
    # As the command line gives them.
    assert launch_dashboard(ServerOptions(names=[], trusted_proxies=[])) == 0
    assert opened == [address]
    assert capsys.readouterr().out == f"Coterie is open already, at {address}\n"


@pytest.mark.usefixtures("cache")
def test_a_second_start_waits_for_the_first_one_that_is_still_starting(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MAX_START_SECONDS", float("inf"))
    answers = iter([False, False, True])
    monkeypatch.setattr(running, "_is_served", lambda _: next(answers))
    running.write_dashboard_note(address)
    assert running.find_running_dashboard() == address
    assert list(answers) == []


@pytest.mark.usefixtures("cache")
def test_a_first_start_that_ends_meanwhile_is_waited_for_no_longer(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MAX_START_SECONDS", float("inf"))
    first = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    def end(_: str) -> bool:
        first.communicate()
        return False

    this = psutil.Process
    monkeypatch.setattr(running.psutil, "Process", lambda pid=first.pid: this(pid))
    monkeypatch.setattr(running, "_is_served", end)
    running.write_dashboard_note(address)
    assert running.find_running_dashboard() is None


@pytest.mark.skipif(sys.platform != "linux", reason="it names a browser by BROWSER")
def test_two_starts_at_once_open_one_page(tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> "{opened}"\n', encoding="utf-8")
    browser.chmod(0o755)

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "dashboard"],
            env=os.environ
            | {"BROWSER": str(browser), "STREAMLIT_SERVER_HEADLESS": "false"}
            | {"XDG_CACHE_HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
            stdout=subprocess.PIPE,
            text=True,
        )

    first = start()
    try:
        assert first.stdout is not None
        first_line = first.stdout.readline()  # and nothing is served yet
        second = start()
        answer = second.communicate()[0]
        assert second.returncode == 0
        limit = time.monotonic() + 60
        while not opened.exists() or len(opened.read_text().splitlines()) < 2:
            assert time.monotonic() < limit
            time.sleep(0.05)
    finally:
        first.terminate()
        first.communicate()
    (address,) = {*opened.read_text(encoding="utf-8").split()}
    assert first_line == f"Coterie is at {address} (Ctrl-C stops it)\n"
    assert answer == f"Coterie is open already, at {address}\n"


def test_what_is_noted_is_believed_of_the_process_that_noted_it(
    address: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MAX_START_SECONDS", 0.0)
    running.write_dashboard_note(address)
    (path,) = cache.iterdir()
    note = json.loads(path.read_text(encoding="utf-8"))
    assert running.find_running_dashboard() == address
    began = psutil.Process().create_time()
    wrong: list[object] = [
        {**note, "began": began - 1},
        {**note, "pid": 2**30},
        {**note, "address": "http://127.0.0.1:1"},
        {**note, "address": "nonsense"},
        {"pid": os.getpid()},
        [],
    ]
    for wrong_note in wrong:
        path.write_text(json.dumps(wrong_note), encoding="utf-8")
        assert running.find_running_dashboard() is None, wrong_note
    path.write_bytes(b"\xff{")
    assert running.find_running_dashboard() is None
    path.unlink()
    assert running.find_running_dashboard() is None


def test_without_a_place_to_note_it_each_start_serves_by_itself(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    for cache in (None, tmp_path / "file"):
        monkeypatch.setattr(running, "user_cache_folder", lambda at=cache: at)
        running.write_dashboard_note(address)
        assert running.find_running_dashboard() is None


def test_a_dashboard_waits_for_its_first_tab_and_ends_with_its_last() -> None:
    answers = [False] * 3 + [True] * 2 + [False] * 3
    answer_iterator = iter(answers)
    looks = 0

    def is_used() -> bool:
        nonlocal looks
        looks += 1
        return next(answer_iterator)

    # No time without a tab is too long before the first one, and any is afterwards.
    finish(running.wait_until_unused(is_used, seconds=0.0, tick_seconds=0.0))
    assert 4 <= looks <= 6
