"""A server with places as people start it, and browsers' worth of people."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPResponse
from http.cookiejar import Cookie, CookieJar
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.browser.conftest import free_port
from tests.children import heed_interrupts

REQUIRED = bool(os.environ.get("COTERIE_REQUIRE_PROXY"))

PATIENCE = 120.0


def need_proxy(name: str) -> None:
    """Skip a test where a proxy cannot be had; not in continuous integration."""
    if shutil.which(name) or shutil.which(name, path="/usr/sbin"):
        return
    if REQUIRED:
        pytest.fail(f"{name} is not installed")
    pytest.skip(f"{name} is not installed")


def wait_until(is_so: Callable[[], Any], what: str) -> None:
    """Wait for something that another process does."""
    limit = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < limit, what
        time.sleep(0.02)


@dataclass
class Served:
    """A running server with places.

    Attributes
    ----------
    process : Popen
        The supervisor.
    port : int
        Of the front.
    folder : Path
        In which it has its own folder for temporary files.
    """

    process: subprocess.Popen[str]
    port: int
    folder: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ports(self) -> dict[str, int]:
        """Return the ports of the places, as the proxy was told."""
        (path,) = self.folder.glob("coterie-server-*/proxy/*.conf")
        name_port_pairs = re.findall(r"server (p\d+) 127.0.0.1:(\d+)", path.read_text())
        name_port_pairs += re.findall(
            r"upstream (p\d+) { server 127.0.0.1:(\d+)", path.read_text()
        )
        return {name: int(port) for name, port in name_port_pairs}

    def pid(self, place: str) -> int | None:
        """Return the process that listens for a place; None while there is none."""
        return listener(self.ports()[place])

    def pids(self) -> set[int]:
        """Return all processes of this server."""
        below = psutil.Process(self.process.pid).children(recursive=True)
        return {self.process.pid, *(process.pid for process in below)}


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def listener(port: int) -> int | None:
    """Return the process that listens on a port of the loopback address."""
    pids = (
        connection.pid
        for connection in psutil.net_connections("tcp4")
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
    )
    return next(pids, None)


@contextmanager
def serving_places(folder: Path, *words: str, port: int = 0) -> Iterator[Served]:
    """Serve places until the block ends; the log is in ``serve.log``."""
    folder.mkdir(exist_ok=True)
    port = port or free_port()
    command = [sys.executable, "-m", "engine", "serve", "--port", str(port), *words]
    with (folder / "serve.log").open("w") as log:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=os.environ | {"TMPDIR": str(folder)},
            preexec_fn=heed_interrupts,
        )
        served = Served(process, port, folder)
        assert process.stdout is not None
        try:
            for line in process.stdout:  # until it says that it is there, or ends
                if line.startswith("Coterie is at"):
                    break
            else:
                raise AssertionError((folder / "serve.log").read_text())
            yield served
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
            process.stdout.close()


class Person:
    """A browser, as far as its cookies go."""

    def __init__(self, address: str, comes_from: str = "") -> None:
        self._address, self._comes_from = address, comes_from
        self._jar = CookieJar()
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(self._jar), _Whatever()
        )

    @property
    def port(self) -> int:
        return int(self._address.rpartition(":")[2])

    @property
    def cookies(self) -> dict[str, str]:
        return {cookie.name: str(cookie.value) for cookie in self._jar}

    @property
    def place(self) -> str:
        """Name of the place; "door" for a ticket, and empty for neither."""
        return self.cookies.get("place", "").partition(".")[0]

    def set_cookie(self, name: str, value: str) -> None:
        """Have the browser keep a cookie as if the server had set it."""
        host = "127.0.0.1"
        rest: dict[str, str] = {}
        where = (None, False, host, True, False, "/", True)
        self._jar.set_cookie(
            Cookie(0, name, value, *where, False, None, True, None, None, rest)
        )

    def get(
        self, path: str = "/", address: str = "", method: str = "GET"
    ) -> tuple[int, str]:
        """Ask for a page; return the status and what it says."""
        request = urllib.request.Request(
            (address or self._address) + path,
            headers={"Accept": "text/html", "X-Forwarded-For": self._comes_from},
            method=method,
        )
        answer: HTTPResponse
        with self._opener.open(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()

    def come(self) -> int:
        """Ask for the page until it is there, or for the page of those who wait."""
        status, text = self.get()
        while status == 200 and "allow cookies" in text:
            status, text = self.get()
        if status == 200:
            self.get("/coterie-tab.js")
            self.get("/_stcore/health")
        return status

    def come_in(self) -> None:
        """Wait for a place."""
        wait_until(lambda: self.come() == 200, "nobody is let in")


class _Whatever(urllib.request.HTTPErrorProcessor):
    """Takes every answer for one, and goes where it is sent."""

    def http_response(self, request: Any, response: Any) -> Any:
        if response.status in (301, 302, 303, 307):
            return super().http_response(request, response)
        return response
