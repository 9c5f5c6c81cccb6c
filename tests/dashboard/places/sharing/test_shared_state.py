"""Servers share sign-outs, quotas, heads and drains: in a file, and in PostgreSQL."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from dashboard.audit.chain import ChainHead, check_hash_chain
from dashboard.jobs.scheduling.quota import RunQuota
from dashboard.places.__main__ import main
from dashboard.places.admin.administration import main as administrate
from dashboard.places.sharing.shared_state import (
    KEPT_SPENT_SECONDS,
    SharedServer,
    SharedState,
    SharedStateError,
    open_shared_state,
)
from dashboard.places.supervision.state_sync import StateSync
from dashboard.server.sign_in import MAX_SIGN_OUT_SECONDS, sign_out_token
from engine.core.errors import ParameterError
from tests.asynchronous import finish
from tests.benchmarks.visitor import Visitor, visit
from tests.dashboard.places.servers import (
    Person,
    need_proxy,
    serving_places,
    wait_until,
)

NOW = 2_000_000_000.0

OpenState = Callable[[], SharedState]
"""Connects once more to the same state, which is empty at first."""


class Database:
    """A PostgreSQL server of Debian's packages, at a socket of its own."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._data, self._programs = folder / "data", programs
        # It refuses to be run by the administrator.
        is_root = sys.platform != "win32" and os.geteuid() == 0
        self._user = "postgres" if is_root else None
        if self._user:
            shutil.chown(folder, self._user)
        self._control("initdb", "--auth=trust", "--username=coterie")
        self.address = f"postgresql://coterie@/postgres?host={folder}"
        self._options = f"-k {folder} -c listen_addresses= -c fsync=off"
        self.start()

    def _control(self, action: str, *words: str) -> None:
        option = [f"-o {' '.join(words)}"] if words else []
        program = str(self._programs / "pg_ctl")
        command = [program, "-D", str(self._data), "-w", *option, action]
        subprocess.run(
            command,
            check=True,
            user=self._user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def start(self) -> None:
        self._control("start", self._options)

    def stop(self) -> None:
        self._control("stop", "")


def find_programs() -> Path | None:
    """Return the folder of PostgreSQL's programs; None where there are none."""
    if program := shutil.which("pg_ctl"):
        return Path(program).parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders else None


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    pytest.importorskip("psycopg")
    programs = find_programs()
    if programs is None or sys.platform != "linux":
        if os.environ.get("COTERIE_REQUIRE_POSTGRESQL"):
            pytest.fail("PostgreSQL is not installed")
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    # The name of a socket has at most 107 letters.
    with tempfile.TemporaryDirectory(prefix="database-") as folder:
        running = Database(Path(folder), programs)
        yield running
        running.stop()


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a state that is empty."""
    if request.param == "file":
        return str(tmp_path / "state.db")
    database: Database = request.getfixturevalue("database")
    state = open_shared_state(database.address)
    for table in ("begun", "sign_outs", "erasures", "spent", "servers"):
        state._execute(f"DELETE FROM coterie_{table}")
    state.close()
    return database.address


@pytest.fixture
def open_state(address: str) -> Iterator[OpenState]:
    with ExitStack() as stack:

        def connect() -> SharedState:
            state = open_shared_state(address)
            stack.callback(state.close)
            return state

        yield connect


def test_servers_begin_with_the_first(open_state: OpenState) -> None:
    assert open_state().find_begin(NOW) == NOW
    assert open_state().find_begin(NOW + 60.0) == NOW


def test_sign_outs_are_kept_for_as_long_as_cookies(open_state: OpenState) -> None:
    our_state, others = open_state(), open_state()
    our_state.add_sign_out("first", NOW)
    others.add_sign_out(f"{NOW} us ann'; DROP TABLE x", NOW + 1.0)
    others.add_sign_out("first", NOW + 2.0)
    assert our_state.list_sign_outs(0.0) == ["first", f"{NOW} us ann'; DROP TABLE x"]
    assert our_state.list_sign_outs(NOW + 0.5) == [f"{NOW} us ann'; DROP TABLE x"]
    our_state.add_sign_out("late", NOW + MAX_SIGN_OUT_SECONDS + 0.5)
    assert len(others.list_sign_outs(0.0)) == 2


def test_processor_time_counts_for_an_hour_on_other_servers(
    open_state: OpenState,
) -> None:
    our_state, others = open_state(), open_state()
    our_state.add_spent("a", "ann", 5.0, NOW)
    our_state.add_spent("a", "ann", 7.0, NOW + 60.0)
    our_state.add_spent("a", "ben?", 1.5, NOW + 60.0)
    assert others.spent_elsewhere("b", NOW + 60.0) == {"ann": 12.0, "ben?": 1.5}
    assert our_state.spent_elsewhere("a", NOW + 60.0) == {}
    late = NOW + KEPT_SPENT_SECONDS + 1.0
    assert others.spent_elsewhere("b", late) == {"ann": 7.0, "ben?": 1.5}


def test_servers_are_as_they_last_said(open_state: OpenState) -> None:
    our_state, others = open_state(), open_state()
    first = SharedServer("b:1/2", NOW, True, 4, 3, "7 ab")
    our_state.store_server(first)
    others.store_server(SharedServer("a:1/2", NOW, True, 2, 0))
    drained = SharedServer("b:1/2", NOW + 5.0, False, 4, 1, "9 cd")
    our_state.store_server(drained)
    assert others.list_servers() == [SharedServer("a:1/2", NOW, True, 2, 0), drained]


@pytest.mark.posix("no server runs there")
def test_what_cannot_be_reached_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SharedStateError, match=r"cannot be reached at /.*/none/x\.db"):
        open_shared_state(str(tmp_path / "none" / "x.db"))
    (tmp_path / "text").write_text("no database, and longer than its head" * 9)
    with pytest.raises(SharedStateError, match="not a database"):
        open_shared_state(str(tmp_path / "text"))


@pytest.mark.posix("no server runs there")
def test_a_server_does_not_start_without_its_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_proxy("haproxy")
    assert main(["--state", str(tmp_path / "none" / "x.db")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "The state that servers share cannot be reached" in line


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ParameterError, match=r"pip install 'coterie\[postgresql\]'"):
        open_shared_state("postgresql://nowhere/x")


def test_a_password_is_not_said() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(SharedStateError) as error:
        open_shared_state("postgresql://ann:secret@127.0.0.1:1/x?sslmode=disable")
    assert "127.0.0.1:1/x" in str(error.value)
    assert "secret" not in str(error.value)


@pytest.mark.slow
def test_a_database_that_begins_anew_is_found_again(database: Database) -> None:
    state = open_shared_state(database.address)
    state.find_begin(NOW)
    database.stop()
    with pytest.raises(SharedStateError):
        state.list_servers()
    with pytest.raises(SharedStateError):
        state.list_servers()
    database.start()
    assert state.find_begin(NOW + 60.0) == NOW
    state.close()


class Peer:
    """A server as far as the state goes, which others share."""

    def __init__(self, name: str, state: SharedState) -> None:
        self.signed_out: list[str] = []
        self.erased: list[str] = []
        self.quota: RunQuota[Any] = RunQuota(5, 10.0)
        self.sync = StateSync(
            state,
            lambda: SharedServer(name, time.time(), True, 2, 1),
            self.signed_out.append,
            lambda seconds: setattr(self.quota, "seconds_elsewhere", seconds),
            self.erased.append,
        )


def test_what_one_server_says_another_knows(
    open_state: OpenState, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        our_peer, others = Peer("a", open_state()), Peer("b", open_state())
        our_peer.sync.tell_sign_out("digest")
        our_peer.sync.tell_spent("ann", 11 * 60.0)
        await our_peer.sync.exchange()
        await others.sync.exchange()
        assert others.signed_out == ["digest"]
        assert "one person may take 10 here" in str(
            others.quota.denial_reason("ann", [])
        )
        assert not our_peer.quota.denial_reason("ann", []).template
        assert [each.name for each in our_peer.sync.servers] == ["a"]
        assert [each.name for each in others.sync.servers] == ["a", "b"]
        our_peer.sync.tell_erasure("ann")
        await our_peer.sync.exchange()
        later = Peer("c", open_state())
        for _ in range(2):
            for each in (our_peer, others, later):
                await each.sync.exchange()
        assert (our_peer.erased, others.erased, later.erased) == ([], ["ann"], [])

    finish(story())
    assert capsys.readouterr().err == ""


class Unreachable:
    """A state that cannot be reached for a while."""

    def __init__(self, state: SharedState) -> None:
        self._state, self.is_down = state, True

    def __getattr__(self, name: str) -> object:
        if self.is_down:
            raise SharedStateError("It is down.")
        return getattr(self._state, name)


def test_a_server_goes_on_alone_and_tells_later(
    open_state: OpenState, capsys: pytest.CaptureFixture[str]
) -> None:
    down = Unreachable(open_state())

    async def story() -> None:
        our_peer = Peer("a", down)  # type: ignore[arg-type]
        our_peer.sync.tell_sign_out("digest")
        await our_peer.sync.exchange()
        await our_peer.sync.exchange()
        down.is_down = False
        await our_peer.sync.exchange()

    finish(story())
    (error_line,) = capsys.readouterr().err.splitlines()
    assert error_line == "coterie: It is down. Until then this server goes on alone."
    assert open_state().list_sign_outs(0.0) == ["digest"]


SECRETS = """
[auth]
redirect_uri = "http://127.0.0.1/oauth2callback"
cookie_secret = "long random text of our own"
client_id = "us"
client_secret = "ours"
server_metadata_url = "http://127.0.0.1:9/.well-known/openid-configuration"
"""


@contextmanager
def two_servers(folder: Path, state: str) -> Iterator[list[Person]]:
    """Serve places twice, with one state; yield somebody at each."""
    secrets = folder / "secrets.toml"
    secrets.write_text(SECRETS)
    with ExitStack() as stack:
        people = []
        for name in ("a", "b"):
            words = ["--processes", "1", "--proxy", "haproxy", "--state", state]
            words += ["--sign-in", str(secrets)]
            words += ["--audit", str(folder / f"{name}.jsonl")]
            served = stack.enter_context(serving_places(folder / name, *words))
            people.append(Person(served.address))
        yield people


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="places need Linux here")
def test_who_signs_out_of_one_server_has_signed_out_of_all(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_proxy("haproxy")
    pytest.importorskip("authlib")
    claims = {"iss": "us", "sub": "ann", "is_logged_in": True}
    with tempfile.TemporaryDirectory(prefix="two-") as short:
        folder = Path(short)
        with two_servers(folder, address) as (first_person, second_person):
            claims["iat"] = time.time()
            signed = create_signed_value(
                "long random text of our own", USER_COOKIE_NAME, json.dumps(claims)
            )
            for person in (first_person, second_person):
                person.set_cookie(USER_COOKIE_NAME, signed.decode())
                person.come_in()
                assert "Sign in" not in person.get()[1]
            token = sign_out_token(first_person.cookies)
            assert (
                first_person.get(f"/auth/logout?token={token}", method="POST")[0] == 200
            )
            wait_until(
                lambda: "Sign in" in second_person.get()[1], "the cookie lets in"
            )
            (control,) = folder.glob("a/coterie-server-*/control")

            def told() -> str:
                assert administrate(["--control", str(control)]) == 0
                return capsys.readouterr().out

            ends = re.compile("places are taken, seen .*ends with line [0-9]+ [0-9a-f]")
            wait_until(lambda: len(ends.findall(told())) == 2, "it knows no other")
            claims |= {"sub": "ben", "iat": time.time()}
            signed = create_signed_value(
                "long random text of our own", USER_COOKIE_NAME, json.dumps(claims)
            )
            second_person.set_cookie(USER_COOKIE_NAME, signed.decode())
            second_person.come_in()

            async def be_erased() -> None:
                async with visit(
                    second_person.port, Visitor, second_person.cookies
                ) as tab:
                    await tab.do("first page")
                    words = ["--control", str(control), "--erase-person", "us ben"]
                    assert await asyncio.to_thread(administrate, words) == 0
                    await asyncio.wait_for(tab.ended.wait(), 100.0)

            finish(be_erased())
            assert "other servers are told" in capsys.readouterr().out

            def erased() -> set[tuple[str, str]]:
                lines = (folder / "b.jsonl").read_text().splitlines()
                events = [json.loads(line) for line in lines]
                ends = [each for each in events if each["event"] == "erase"]
                return {(each["who"], each["why"]) for each in ends}

            wait_until(
                lambda: ("us ben", "administrator") in erased(), "it is not told"
            )
        state = open_shared_state(address)
        for server in state.list_servers():
            assert not server.is_open
            head = ChainHead.from_bytes(server.head.encode())
            logs = [folder / f"{name}.jsonl" for name in ("a", "b")]
            assert any(check_hash_chain([log], head).is_proven for log in logs)
        state.close()
