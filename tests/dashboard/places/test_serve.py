"""Places behind a real proxy: each person has a process, and nobody another one's."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack
from http.client import HTTPConnection
from pathlib import Path

import pytest
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from dashboard.audit.chain import ChainHead, check_hash_chain
from dashboard.places import __main__ as serve_module
from dashboard.places.admin.administration import ControlSocketConnection
from dashboard.places.admin.administration import main as administrate
from dashboard.places.admin.control import ServerStatus
from dashboard.places.supervision.takeover import OlderServer
from dashboard.server.browsers import GONE
from dashboard.server.sign_in import sign_out_token
from tests.asynchronous import finish
from tests.benchmarks.visitor import Visitor, visit
from tests.browser.conftest import free_port
from tests.dashboard.places.admin.metrics_reader import parse_metrics
from tests.dashboard.places.servers import (
    PATIENCE,
    Person,
    Served,
    is_running,
    need_proxy,
    serving_places,
    wait_until,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux", reason="processes are looked at in /proc"
    ),
]


async def refuse_code(port: int, person: Person) -> int:
    """Return the code with which a place closes somebody's connection."""
    async with connect(
        f"ws://127.0.0.1:{port}/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        additional_headers={"Cookie": f"place={person.cookies['place']}"},
    ) as talk:
        await talk.wait_closed()
        return talk.close_code or 0


def status_by_name(served: Served, person: Person, name: str) -> int:
    """Return the status of a page that somebody asks for by another name."""
    talk = HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)
    cookie = f"place={person.cookies['place']}"
    talk.request("GET", "/", headers={"Host": name, "Cookie": cookie})
    status = talk.getresponse().status
    talk.close()
    return status


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
            # Settings beside the app hold in places: no name but this machine's.
            assert status_by_name(served, ann, "elsewhere.test") == 400
            assert status_by_name(served, ann, "localhost") == 200
            status, text = await asyncio.to_thread(lambda: (cem.come(), cem.get()[1]))
            assert status == 503
            assert "All places of this server are taken (2)" in text

            # A proxy that brings Ann to Ben's place is at fault, and told so.
            ports = served.ports()
            status, text = ann.get(address=f"http://127.0.0.1:{ports[ben.place]}")
            assert status == 421
            assert "must switch on sticky cookies" in text
            assert await refuse_code(ports[ben.place], ann) == GONE

            # Whoever says very much to Ben's place does not end it.
            loud = Person(f"http://127.0.0.1:{ports[ben.place]}")
            loud.set_cookie("place", f"{ben.place}.x")
            loud.set_cookie("more", "\xff" * 12_000)
            assert loud.get()[0] == 200
            await at_ben.do("again")

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


def check_log(log: Path) -> None:
    """Ann's process died with the run in it, and Ben's ended as he left."""
    head = ChainHead.from_bytes(Path(f"{log}.head").read_bytes())
    assert check_hash_chain([log], head).fault == ""
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    whys = [entry["why"] for entry in entries if entry["event"] == "erase"]
    assert sorted(whys)[:2] == ["died", "left"]
    begun_runs, ended_runs = (
        {
            entry["run"]: entry["place"]
            for entry in entries
            if entry["event"] == f"run-{what}"
        }
        for what in ("begun", "ended")
    )
    assert begun_runs
    assert ended_runs.items() <= begun_runs.items()
    places = {entry["place"] for entry in entries if entry["event"] == "erase"}
    assert {
        run for run, place in begun_runs.items() if place in places
    } <= ended_runs.keys()


def check_metrics(where: str) -> None:
    """One process has died, at least one person has left, and nobody is named."""
    metrics = parse_metrics(asked(where, "/metrics")[1])
    ends = metrics["coterie_place_ends_total"]
    assert ends['why="died"'] == 1
    assert ends['why="left"'] >= 1
    assert sum(metrics["coterie_places"].values()) == 2
    memory = metrics["coterie_memory_bytes"]
    assert min(memory['process="server"'], memory['process="places"']) > 2**20
    assert asked(where, "/ready") == asked(where, "/health") == (200, "ok\n")
    assert asked(where, "/anything")[0] == 404


def asked(where: str, path: str) -> tuple[int, str]:
    return Person(f"http://{where}").get(path)


@pytest.mark.parametrize("proxy", ["haproxy", "nginx"])
def test_each_person_has_a_process_of_their_own(proxy: str, tmp_path: Path) -> None:
    need_proxy(proxy)
    log = tmp_path / "audit.jsonl"
    words = ("--processes", "2", "--proxy", proxy, "--leave-seconds", "5")
    where = f"127.0.0.1:{free_port()}"
    words += ("--audit", str(log), "--metrics", where)
    with serving_places(tmp_path, *words) as served:
        finish(tell_story(served))
        check_log(log)
        check_metrics(where)
        # Whoever kills the supervisor leaves nothing behind, either.
        pids = served.pids()
        assert len(pids) >= 5  # itself, the forkserver, two places, the proxy
        served.process.send_signal(signal.SIGKILL)
        for pid in pids:
            wait_until(lambda pid=pid: not is_running(pid), f"{pid} goes on")
        wait_until(lambda: not list(tmp_path.glob("coterie-server-*")), "files stay")


@pytest.mark.parametrize("proxy", ["haproxy", "nginx"])
def test_places_stand_below_a_path(proxy: str, tmp_path: Path) -> None:
    need_proxy(proxy)
    words = ("--processes", "1", "--proxy", proxy, "--base-path", "/stats/protect")
    with serving_places(tmp_path, *words) as served:
        ann = Person(f"{served.address}/stats/protect")
        ann.come_in()
        assert ann.get("/_stcore/health")[0] == 200
        assert ann.place == "p1"


async def restart_with_ann_there(served: Served, is_hasty: bool) -> None:
    """The server is told to end while Ann works; she leaves, or it is told again."""
    ann, ben = Person(served.address), Person(served.address)
    await asyncio.to_thread(ann.come_in)
    async with visit(served.port, Visitor, ann.cookies) as at_ann:
        await at_ann.do("first")
        assert not any("will be restarted" in each for each in at_ann.texts())
        served.process.send_signal(signal.SIGTERM)
        wait_until(lambda: ben.get()[0] == 503, "somebody is let in")
        assert "about to be restarted" in ben.get()[1]
        await at_ann.do("again")
        announcements = [each for each in at_ann.texts() if "will be restarted" in each]
        assert any("in 15 minutes" in each for each in announcements)
        assert not at_ann.exceptions
        if is_hasty:
            served.process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(served.process.wait, PATIENCE)
    await asyncio.to_thread(served.process.wait, PATIENCE)


@pytest.mark.parametrize(
    ("proxy", "is_hasty"),
    [("haproxy", False), ("nginx", True)],
)
def test_who_is_there_may_finish_before_a_restart(
    proxy: str, is_hasty: bool, tmp_path: Path
) -> None:
    need_proxy(proxy)
    log = tmp_path / "audit.jsonl"
    words = ("--processes", "2", "--proxy", proxy, "--leave-seconds", "1")
    with serving_places(tmp_path, *words, "--audit", str(log)) as served:
        pids = served.pids()
        finish(restart_with_ann_there(served, is_hasty))
        for pid in pids - {served.process.pid}:
            wait_until(lambda pid=pid: not is_running(pid), f"{pid} goes on")
        assert served.process.returncode == 0
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    (drain,) = (entry for entry in entries if entry["event"] == "drain")
    assert drain["minutes"] == "15"
    assert entries[-1]["event"] == "stop"


async def change_versions(old: Served, folder: Path, words: Sequence[str]) -> None:
    """A new server takes the address over; Ann leaves, and Cem stays until the end."""
    ann, ben, cem = (Person(old.address) for _ in range(3))
    for person in (ann, cem):
        await asyncio.to_thread(person.come_in)
    assert {ann.place, cem.place} == {"p1", "p2"}
    async with visit(old.port, Visitor, cem.cookies) as at_cem, AsyncExitStack() as way:
        at_ann = await way.enter_async_context(visit(old.port, Visitor, ann.cookies))
        await at_ann.do("first")
        await at_cem.do("first")
        serving = serving_places(folder, *words, "--take-over", port=old.port)
        with serving as new:
            # Both go on in the connections that they have, and are told.
            for tab in (at_ann, at_cem):
                await tab.do("again")
                assert any("will be restarted" in each for each in tab.texts())
                assert not tab.exceptions
            # Their other tabs come to the same processes, by the new proxy.
            assert sorted(new.ports()) == ["p1", "p2", "p3", "p4"]
            async with visit(new.port, Visitor, ann.cookies) as second:
                await second.do("first")
                assert not second.exceptions
            assert (await asyncio.to_thread(ann.get))[0] == 200
            # Who comes now comes to the new ones.
            await asyncio.to_thread(ben.come_in)
            assert ben.place in ("p3", "p4")
            status = await asyncio.to_thread(read_status, old.folder.parent)
            assert status == {"p1": "draining", "p2": "draining", ben.place: "taken"}
            await way.aclose()
            wait_until(lambda: cut_off(ann), "her place does not end")
            await asyncio.to_thread(ann.come_in)
            assert ann.place in ("p3", "p4")
            # The minutes are over, as at a second signal.
            old.process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(old.process.wait, PATIENCE)
            assert old.process.returncode == 0
            assert await refuse_code(new.port, cem) == GONE
            status_code, text = await asyncio.to_thread(cem.get)
            assert status_code == 410
            assert "This server was started anew" in text
            wait_until(lambda: sorted(new.ports()) == ["p3", "p4"], "routes stay")
            await asyncio.to_thread(ben.come_in)
            assert ben.place in ("p3", "p4")


def cut_off(person: Person) -> bool:
    """Return whether somebody's place is no more: they come to the door again."""
    person.get()
    return person.place == "door"


def read_status(folder: Path) -> dict[str, str]:
    """Return the states of places that people have, as ``coterie places`` does."""
    talk = ControlSocketConnection(folder / "control")
    talk.request("GET", "/places")
    status = ServerStatus.from_json(json.loads(talk.getresponse().read()))
    talk.close()
    return {each.place: each.state for each in status.places if each.has_person}


@pytest.mark.slow
@pytest.mark.parametrize("proxy", ["haproxy", "nginx"])
def test_a_new_server_takes_the_address_over_while_people_finish(
    proxy: str, tmp_path: Path
) -> None:
    need_proxy(proxy)
    log = tmp_path / "audit.jsonl"
    words = ["--processes", "2", "--proxy", proxy, "--leave-seconds", "1"]
    words += ["--control", str(tmp_path / "control"), "--audit", str(log)]
    with serving_places(tmp_path / "old", *words) as old:
        pids = old.pids()
        finish(change_versions(old, tmp_path / "new", words))
        for pid in pids - {old.process.pid}:
            wait_until(lambda pid=pid: not is_running(pid), f"{pid} goes on")
    head = ChainHead.from_bytes(Path(f"{log}.head").read_bytes())
    assert check_hash_chain([log], head).is_proven
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    happened = [
        entry["event"] for entry in entries if entry["event"] in ("start", "stop")
    ]
    assert happened == ["start", "start", "stop", "stop"]
    erased = {
        entry["place"]: entry["why"] for entry in entries if entry["event"] == "erase"
    }
    assert sorted((erased["p1"], erased["p2"])) == ["left", "restarted"]


def test_a_server_with_a_log_is_taken_over_by_one_with_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    older = OlderServer(tmp_path, 8501, "1", True, {"p1": 9000, "p2": 9001})
    monkeypatch.setattr(serve_module, "find_older_server", lambda control: older)
    words = ["--take-over", "--control", str(tmp_path / "control")]
    assert serve_module.main(words) == 2
    assert "keeps an audit log" in capsys.readouterr().err
    words += ["--audit", "log", "--port", "8600", "--processes", "1", "--print"]
    assert serve_module.main([*words, "haproxy"]) == 0
    printed = capsys.readouterr().out
    assert "--take-over --port 8600" in printed
    assert "server p2 127.0.0.1:9001 check" in printed
    assert "server p3 127.0.0.1:8601\n" in printed


PEOPLE = 50


async def work(served: Served, number: int, gate: asyncio.Semaphore, dies: bool) -> int:
    """Come, bring a table of one's own, and look at it again; some have it compared."""
    person, records = Person(served.address), 60 + number
    rows = [f"{20 + i % 40},{1000 + 37 * i * i % 4001}" for i in range(records)]
    content = "\n".join(["age,wage", *rows]).encode()
    count_text = f"{records} records"
    async with gate:
        await asyncio.to_thread(person.come_in)
        async with visit(served.port, Visitor, person.cookies) as tab:
            await tab.do("first")
            await tab.upload("Another file", "t.csv", content, "up")
            await tab.until(lambda: any(count_text in each for each in tab.texts()))
            if dies:
                pid = await asyncio.to_thread(served.pid, person.place)
                assert pid is not None
                os.kill(pid, signal.SIGKILL)
                await asyncio.to_thread(
                    wait_until, lambda: person.get()[0] == 410, "nobody was told"
                )
                return 0
            gate.release()  # who only looks keeps nobody from coming
            try:
                if number % 12 == 0:
                    await tab.turn_to("compare")
                    while tab.is_anything_running:  # as pages do that are drawn again
                        await tab.turn_to("inspect")
                        await tab.turn_to("compare")
                await tab.turn_to("help")
                await tab.turn_to("")
                assert any(count_text in each for each in tab.texts())
                assert tab.errors + tab.exceptions == []
            finally:
                await gate.acquire()
    return 1


ALONE = pytest.mark.skipif(
    "COTERIE_LOAD" not in os.environ,
    reason="so many processes want a machine of their own: set COTERIE_LOAD=1",
)


@pytest.mark.parametrize(
    ("proxy", "people"),
    [
        pytest.param("haproxy", PEOPLE, marks=ALONE),
        pytest.param("nginx", 12, marks=ALONE),
    ],
)
def test_many_people_work_and_some_processes_die(
    proxy: str, people: int, tmp_path: Path
) -> None:
    need_proxy(proxy)

    async def day(served: Served) -> list[int]:
        gate = asyncio.Semaphore(4)
        everybody = (work(served, n, gate, n % 6 == 5) for n in range(people))
        return await asyncio.gather(*everybody)

    words = ("--processes", str(people), "--proxy", proxy, "--leave-seconds", "300")
    with serving_places(tmp_path, *words) as served:
        done = finish(day(served))
    assert sum(done) == people - people // 6


def knock(port: int) -> socket.socket:
    """Ask for a websocket as somebody without cookies, and stay."""
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "X-Forwarded-For: 10.9.9.9",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    return connection


@pytest.mark.parametrize("proxy", ["haproxy", "nginx"])
def test_many_of_one_address_lock_nobody_out(proxy: str, tmp_path: Path) -> None:
    need_proxy(proxy)
    words = ("--processes", "2", "--proxy", proxy)
    with serving_places(tmp_path, *words) as served, ExitStack() as knocking:
        for _ in range(1_000):
            knocking.enter_context(knock(served.port))
        eves = [Person(served.address, "10.9.9.9") for _ in range(4)]
        for eve in eves[:2]:
            eve.come_in()
        assert [eve.come() for eve in eves[2:]] == [503, 503]
        ann = Person(served.address, "10.1.1.1")
        assert "before you: 0." in (ann.come(), ann.get()[1])[1]
        (control,) = tmp_path.glob("coterie-server-*/control")
        assert administrate(["--control", str(control), "--end", eves[0].place]) == 0

        def is_in() -> bool:
            assert 200 not in [eve.come() for eve in eves[2:]]
            return ann.come() == 200

        wait_until(is_in, "who comes last, from elsewhere, is not let in")
        assert ann.place == eves[0].place


SECRET = "long random text of our own"


@pytest.mark.parametrize("proxy", ["haproxy", "nginx"])
def test_who_signs_in_or_out_does_so_in_every_place(
    proxy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_proxy(proxy)
    pytest.importorskip("authlib")
    secrets = tmp_path / "secrets.toml"
    provider = {
        "redirect_uri": "http://127.0.0.1/oauth2callback",
        "cookie_secret": SECRET,
        "client_id": "us",
        "client_secret": "ours",
        "server_metadata_url": "http://127.0.0.1:9/.well-known/openid-configuration",
    }
    lines = "\n".join(f'{name} = "{value}"' for name, value in provider.items())
    secrets.write_text(f"[auth]\n{lines}\n")
    log = tmp_path / "audit.jsonl"
    words = ["--processes", "2", "--sign-in", str(secrets), "--audit", str(log)]
    words += ["--proxy", proxy]
    with serving_places(tmp_path, *words) as served:
        ann, copy = Person(served.address), Person(served.address)
        claims = {"iss": "us", "sub": "ann", "is_logged_in": True, "iat": time.time()}
        signed = create_signed_value(SECRET, USER_COOKIE_NAME, json.dumps(claims))
        for person in (ann, copy):
            person.come_in()
            assert "Sign in" in person.get()[1]
            person.set_cookie(USER_COOKIE_NAME, signed.decode())
            assert "Sign in" not in person.get()[1]
        assert {ann.place, copy.place} == {"p1", "p2"}
        (control,) = tmp_path.glob("coterie-server-*/control")
        assert administrate(["--control", str(control), "--json"]) == 0
        status = ServerStatus.from_json(json.loads(capsys.readouterr().out))
        assert [entry.person for entry in status.places] == ["us ann", "us ann"]
        assert min(entry.memory_bytes for entry in status.places) > 2**20
        end = ["--control", str(control), "--end", copy.place]
        assert administrate(end) == 0
        assert administrate([*end[:-1], "p9"]) == 2
        wait_until(lambda: "The administrator has ended" in copy.get()[1], "it goes on")
        copy.come_in()
        pid = served.pid(ann.place)
        assert pid is not None
        assert ann.get("/auth/logout")[0] == 200  # as a picture of another page does
        assert is_running(pid)
        assert "Sign in" not in ann.get()[1]
        token = sign_out_token(ann.cookies)
        assert ann.get(f"/auth/logout?token={token}", method="POST")[0] == 200
        wait_until(lambda: not is_running(pid), "the process of who has signed out")
        wait_until(lambda: "Sign in" in copy.get()[1], "a copy of the cookie lets in")
        ann.set_cookie(USER_COOKIE_NAME, signed.decode())
        ann.come_in()  # to a process that has begun since
        assert "Sign in" in ann.get()[1]
    head = ChainHead.from_bytes(Path(f"{log}.head").read_bytes())
    assert check_hash_chain([log], head).is_proven
    log_entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert [log_entries[0]["event"], log_entries[-1]["event"]] == ["start", "stop"]
    whys = [entry["why"] for entry in log_entries if entry["event"] == "erase"]
    assert "administrator" in whys
    (sign_out_entry,) = (entry for entry in log_entries if entry["event"] == "sign-out")
    assert (sign_out_entry["who"], sign_out_entry["address"]) == ("us ann", "127.0.0.1")
    refused = [entry for entry in log_entries if entry["event"] == "refusal"]
    assert sum(entry["reasons"].get("not signed in", 0) for entry in refused) >= 4


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
