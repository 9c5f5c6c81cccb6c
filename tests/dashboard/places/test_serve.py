"""Places behind a real proxy: each person has a process, and nobody another one's."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from dashboard.server.browsers import GONE
from tests.benchmarks.visitor import Visitor, visit
from tests.dashboard.places.servers import (
    Person,
    Served,
    is_running,
    need_proxy,
    serving_places,
    wait_until,
)

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are looked at in /proc"
)


async def refuse_code(port: int, person: Person) -> int:
    """Return the code with which a place closes somebody's connection."""
    async with connect(
        f"ws://127.0.0.1:{port}/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        additional_headers={"Cookie": f"place={person.cookies['place']}"},
    ) as talk:
        await talk.wait_closed()
        return talk.close_code or 0


async def tell_story(served: Served) -> None:
    """Two people have two places, a third waits; one dies, one leaves."""
    ann, ben, cem = (Person(served.address) for _ in range(3))
    await asyncio.to_thread(ann.come_in)
    await asyncio.to_thread(ben.come_in)
    assert {ann.place, ben.place} == {"p1", "p2"}
    async with visit(served.port, Visitor, ben.cookies) as at_ben:
        async with visit(served.port, Visitor, ann.cookies) as at_ann:
            await asyncio.gather(at_ann.do("first"), at_ben.do("first"))
            assert "compare" in at_ann.pages
            status, text = await asyncio.to_thread(lambda: (cem.come(), cem.get()[1]))
            assert status == 503
            assert "All places of this server are taken (2)" in text

            # A proxy that brings Ann to Ben's place is at fault, and told so.
            ports = served.ports()
            status, text = ann.get(address=f"http://127.0.0.1:{ports[ben.place]}")
            assert status == 421
            assert "must switch on sticky cookies" in text
            assert await refuse_code(ports[ben.place], ann) == GONE

            # Ann's process dies: she is told, and Ben notices nothing.
            pid = served.pid(ann.place)
            assert pid is not None
            old = ann.cookies["place"]
            os.kill(pid, signal.SIGKILL)
            await at_ben.do("again")
            assert not at_ben.exceptions
        wait_until(lambda: ann.get()[0] == 410 or ann.place == "door", "not told")
        assert ann.cookies.get("place") != old

    # Whoever waits is let in when somebody has left; Ben has closed his tabs.
    pid = served.pid(ben.place)
    assert pid is not None
    await asyncio.to_thread(cem.come_in)
    await asyncio.to_thread(ann.come_in)
    wait_until(lambda: not is_running(pid), "what Ben knew is still there")
    assert ben.get()[0] in (200, 503)  # a ticket, or the page of those who wait
    assert ben.place in ("door", "p1", "p2")


@pytest.mark.parametrize(
    "proxy", ["haproxy", pytest.param("nginx", marks=pytest.mark.slow)]
)
def test_each_person_has_a_process_of_their_own(proxy: str, tmp_path: Path) -> None:
    need_proxy(proxy)
    words = ("--processes", "2", "--proxy", proxy, "--leave-seconds", "5")
    with serving_places(tmp_path, *words) as served:
        asyncio.run(tell_story(served))
        # Whoever kills the supervisor leaves nothing behind, either.
        pids = served.pids()
        assert len(pids) >= 5  # itself, the forkserver, two places, the proxy
        served.process.send_signal(signal.SIGKILL)
        for pid in pids:
            wait_until(lambda pid=pid: not is_running(pid), f"{pid} goes on")
        wait_until(lambda: not list(tmp_path.glob("coterie-server-*")), "files stay")


def serve(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "engine", "serve", *words],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | environment,
    )


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = serve("--port", str(port), "--proxy", "none")
    assert done.returncode == 2
    assert done.stderr.startswith(f"coterie: Port {port} is taken by another program")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_processes_that_do_not_start_are_told(tmp_path: Path) -> None:
    """Spawned ones find something that cannot be imported in the place of the app's."""
    need_proxy("haproxy")
    (tmp_path / "sitecustomize.py").write_text(
        "import os\nif 'COTERIE_PLACE_ORDER' in os.environ: os._exit(7)\n"
    )
    done = serve("--start", "spawn", "--processes", "1", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert "The processes of this server do not start (exit code 7)" in last
