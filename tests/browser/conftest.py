"""A real server, started as people start it, and a real Chromium."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.children import heed_interrupts

REQUIRED = os.environ.get("COTERIE_REQUIRE_BROWSER") == "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests_folder = os.path.join(Path(__file__).parent, "")
    for item in items:
        if str(item.path).startswith(tests_folder):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)
            # Machines that run tests are busy, and a page may be drawn anew while
            # a test clicks: what fails twice is a mistake of ours, and R is seen.
            item.add_marker(pytest.mark.flaky(reruns=1))


def _give_up(reason: str) -> None:
    if REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _give_up("playwright is not installed")
    from tests.browser.driver import FLAGS, find_browser

    path = find_browser()
    if path is None:
        _give_up("no Chromium was found: install it, or set COTERIE_CHROMIUM")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server answers.

    Raises
    ------
    AssertionError
        With what it wrote, if it ended, or is silent for two minutes.
    """
    limit = time.monotonic() + 120.0
    while True:
        try:
            with urllib.request.urlopen(url + "/_stcore/health", timeout=5):
                return
        except OSError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < limit, log.read_text()
            time.sleep(0.1)


class Server:
    """`coterie`, as typed in a folder of its own by somebody who never used it."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        path: str = "",
        port: int | None = None,
        temporary: Path | None = None,
    ) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}{path}"
        command = shutil.which("coterie", path=str(Path(sys.executable).parent))
        assert command is not None, "coterie is not installed: pip install -e ."
        home, work = folder / "home", temporary or folder / "work"
        home.mkdir()
        work.mkdir(exist_ok=True)
        # Only the compiled kernels are taken over from this machine.
        cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
        environment = os.environ | {"HOME": str(home), "XDG_CACHE_HOME": cache}
        environment |= {"TMPDIR": str(work), "STREAMLIT_SERVER_HEADLESS": "true"}
        self.asked = folder / "asked.txt"
        environment |= _watched(folder / "watching", self.asked)
        self.environment = environment
        self.temporary = work
        self.log = folder / "server.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [command, "--port", str(self.port), *arguments],
                cwd=work,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                preexec_fn=heed_interrupts,
            )

    def wait(self) -> None:
        wait_until_healthy(self.url, self.process, self.log)

    def workers(self) -> list[int]:
        """Return the numbers of the processes that carry out runs or wait for one."""
        pids = []
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.NoSuchProcess):
                if "dashboard.jobs.workers.worker" in child.cmdline():
                    pids.append(child.pid)
        return pids

    @contextmanager
    def workers_held(self) -> Iterator[None]:
        """Keep all workers, those that start meanwhile too, from carrying out runs."""
        stopped_pids: set[int] = set()
        over = threading.Event()

        def hold() -> None:
            while not over.wait(0.1):
                for pid in set(self.workers()) - stopped_pids:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGSTOP)
                    stopped_pids.add(pid)

        holding = threading.Thread(target=hold)
        holding.start()
        try:
            end = time.monotonic() + 100.0
            while not stopped_pids:  # the server starts one while it is idle
                assert time.monotonic() < end, self.log.read_text()
                time.sleep(0.1)
            yield
        finally:
            over.set()
            holding.join()
            for pid in stopped_pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def asked_elsewhere(self) -> list[str]:
        """Return what was asked of other machines, by the server or its workers."""
        if not self.asked.exists():
            return []
        return [
            line
            for line in self.asked.read_text().splitlines()
            if line.split()[-1] not in ("127.0.0.1", "::1", "localhost", "None")
        ]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(120)
        finally:
            self.process.kill()
            self.process.wait()

    def check(self) -> None:
        """See that nothing went wrong behind the page, and nothing went out."""
        written = self.log.read_text()
        assert "Traceback" not in written, written
        assert "config option" not in written, written  # nobody changed any
        assert self.asked_elsewhere() == []


_WATCH = """
import os, sys
_file = open(os.environ["COTERIE_TEST_ASKED"], "a", buffering=1)
def _hook(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        if isinstance(address, tuple):  # neither a file nor a connected socket
            _file.write(f"{event} {address[0]}\\n")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        _file.write(f"{event} {arguments[0]}\\n")
sys.addaudithook(_hook)
"""
"""Run by Python before anything else, in the server and in its workers."""


def _watched(folder: Path, asked: Path) -> dict[str, str]:
    """Return the environment in which every process writes what it asks of whom."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_WATCH)
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return {"PYTHONPATH": path, "COTERIE_TEST_ASKED": str(asked)}


@contextmanager
def serving(
    folder: Path,
    *arguments: str,
    path: str = "",
    port: int | None = None,
    temporary: Path | None = None,
) -> Iterator[Server]:
    """Serve the dashboard until the end of the block; then nothing was wrong."""
    running = Server(folder, *arguments, path=path, port=port, temporary=temporary)
    try:
        running.wait()
        yield running
    finally:
        running.stop()
    running.check()


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """Give a folder with a short name: that of a socket has at most 107 letters."""
    with tempfile.TemporaryDirectory(prefix="places-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def server(
    browser: object, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """Serve the dashboard; asks for the browser, so that nothing starts without."""
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running
