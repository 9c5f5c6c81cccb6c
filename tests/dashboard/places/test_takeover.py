"""A server that is taken over hands its log on, and takes it back if that fails."""

import asyncio
import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any, cast

import pytest

from dashboard.audit import events
from dashboard.audit.chain import ChainHead, check_hash_chain
from dashboard.places.entrance.place_assigner import HttpReply, HttpRequest
from dashboard.places.launch import ServerOptions
from dashboard.places.settings import (
    PlaceSettings,
    SocketAddress,
    consecutive_ports_routing,
)
from dashboard.places.sharing.supervisor_link import MAX_LINE_BYTES
from dashboard.places.supervision.peer_link import SupervisorPeerLink
from dashboard.places.supervision.supervisor import Supervisor
from dashboard.places.supervision.takeover import (
    OlderServerSide,
    find_older_server,
    takeover_socket_path,
)
from dashboard.server.sign_in import MAX_SIGN_OUT_SECONDS
from tests.asynchronous import finish

if sys.platform == "win32":
    pytest.skip("Windows has no such sockets", allow_module_level=True)


SIGN_OUTS = [f"{number:064x}" for number in range(20_000)]
"""More than one line has room for."""


class Older:
    """A server that is taken over, without places."""

    def __init__(self, folder: Path) -> None:
        self.log, self.told = folder / "audit.jsonl", list[str]()
        older = {"p1": SocketAddress(port=9001)}
        routing = consecutive_ports_routing(
            ServerOptions(port=8700), PlaceSettings(1), older
        )
        self.end = OlderServerSide(
            lambda: routing,
            dict.fromkeys(SIGN_OUTS, 1.5),
            lambda digest, _told: self.told.append(f"signed out {digest}"),
            self.retire,
            lambda: self.open_log(),
            lambda: self.told.append("stop"),
            self.administer,
        )

    def open_log(self) -> None:
        events.start_audit_log(self.log)

    def retire(self) -> list[str]:
        self.told.append("retire")
        return ["p1.secret"]

    async def administer(self, request: HttpRequest) -> HttpReply:
        return HttpReply(200, f"{request.method} {request.target}")

    def lines(self) -> list[str]:
        return [json.loads(line)["event"] for line in self.log.read_text().splitlines()]


async def until(is_so: Any) -> None:
    while not is_so():
        await asyncio.sleep(0.01)


async def take_over(older: Older, folder: Path) -> None:
    path = takeover_socket_path(folder / "control")
    assert find_older_server(folder / "control") is None
    server = await asyncio.start_unix_server(older.end.serve_newer, path)
    older_server = await asyncio.to_thread(find_older_server, folder / "control")
    assert older_server is not None
    assert (older_server.port, older_server.has_log) == (8700, True)
    assert older_server.ports == {"p1": 9001, "p2": 8701}
    received_facts: list[dict[str, Any]] = []
    notices: list[tuple[str, dict[str, Any]]] = []

    async def answer(what: str, facts: dict[str, Any]) -> dict[str, Any]:
        received_facts.append(facts)
        return {"why": None}

    for is_retired in (False, True):
        await asyncio.to_thread(events.log_event, "reload", "")
        before = older.lines()
        link = SupervisorPeerLink(
            *await asyncio.open_unix_connection(path, limit=MAX_LINE_BYTES),
            answer,
            lambda what, facts: notices.append((what, facts)),
        )
        listening = asyncio.create_task(link.listen())
        notices.clear()
        await link.ask("log")
        assert [facts["digest"] for _, facts in notices] == SIGN_OUTS
        assert notices[0] == ("signed out", {"digest": SIGN_OUTS[0], "told": 1.5})
        older.end.tell("signed out", digest="meanwhile")
        await until(lambda: notices[-1] == ("signed out", {"digest": "meanwhile"}))
        await asyncio.to_thread(events.log_event, "stop", "ann")
        assert received_facts.pop() == {"event": "stop", "who": "ann", "facts": {}}
        assert older.lines() == before
        if is_retired:
            assert await link.ask("retire") == {"tokens": ["p1.secret"]}
            reply = await link.ask("administer", method="GET", target="/places")
            assert reply["body"] == "GET /places"
            link.tell("signed out", digest="b2")
            await until(lambda: "signed out b2" in older.told)
        listening.cancel()  # its server has ended
        await until(lambda: isinstance(events._writer, events.LocalWriter))
        await asyncio.to_thread(events.log_event, "reload", "")
        assert older.lines() == [*before, "reload"]
    await until(lambda: "stop" in older.told)
    assert older.told == ["retire", "signed out b2", "stop"]
    server.close()


def test_the_log_is_handed_on_and_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(events.LOG_FILE_VARIABLE, "")
    monkeypatch.setattr(events, "_writer", None)
    older = Older(tmp_path)
    older.open_log()
    finish(take_over(older, tmp_path))
    head = ChainHead.from_bytes(Path(f"{older.log}.head").read_bytes())
    assert check_hash_chain([older.log], head).is_proven


class Peer:
    """A connection to another server, whose supervisor hears at once what is told."""

    def __init__(self, supervisor: Supervisor, heard: list[str]) -> None:
        self._supervisor, self._heard = supervisor, heard

    def tell(self, kind: str, *, digest: str, told: float) -> None:
        assert kind == "signed out"
        self.tell_sign_out(digest, told)

    def tell_sign_out(self, digest: str, told: float) -> None:
        self._heard.append(digest)
        self._supervisor._note_other_sign_out(digest, told)


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Supervisor]:
    """Return three servers, of which each has taken over the one before."""
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "")
    servers = [
        Supervisor(
            ServerOptions(port=8700), PlaceSettings(1), None, {}, tmp_path / str(number)
        )
        for number in range(3)
    ]
    return servers


@pytest.mark.parametrize("first", range(3))
def test_who_signs_out_has_signed_out_of_all_servers_in_a_row(
    first: int, three: list[Supervisor]
) -> None:
    digests: list[str] = []
    for older, newer in itertools.pairwise(three):
        older._older_end.link = cast(Any, Peer(newer, digests))
        newer._newer_end = cast(Any, Peer(older, digests))
    three[first]._note_other_sign_out("digest")
    assert [list(each._messages.signed_out) for each in three] == [["digest"]] * 3
    assert len(digests) <= 4  # and once more to whom it came from
    times = {each._messages.signed_out["digest"] for each in three}
    assert len(times) == 1  # when it is forgotten depends on no server between


def test_sign_outs_are_forgotten_when_no_cookie_can_be_about_them(
    three: list[Supervisor], monkeypatch: pytest.MonkeyPatch
) -> None:
    messages, now = three[0]._messages, 1e9
    monkeypatch.setattr(time, "time", lambda: now)
    assert messages.note_sign_out("first")
    assert messages.note_sign_out(
        "taken-over", seconds=now - MAX_SIGN_OUT_SECONDS + 9.0
    )
    assert not messages.note_sign_out("first")
    assert list(messages.signed_out) == ["first", "taken-over"]
    now += 10.0
    assert messages.note_sign_out("second")
    assert list(messages.signed_out) == ["first", "second"]
    now += MAX_SIGN_OUT_SECONDS - 9.5
    messages.note_sign_out("third")
    assert list(messages.signed_out) == ["second", "third"]


@pytest.mark.parametrize("told", [None, 1e9])
def test_an_old_sign_out_ends_nobody_who_has_signed_in_again(
    told: float | None, three: list[Supervisor], monkeypatch: pytest.MonkeyPatch
) -> None:
    older, newer = three[:2]
    sign_out, ended_people = f"{1e9} idp ann", list[str]()
    monkeypatch.setattr(time, "time", lambda: 1e9)
    older._note_other_sign_out(sign_out)
    monkeypatch.setattr(time, "time", lambda: 1e9 + MAX_SIGN_OUT_SECONDS + 1.0)
    for each in (older, newer):
        monkeypatch.setattr(each._places, "find_places_of", ended_people.append)
    newer._note_other_sign_out(sign_out, told)  # as the older tells it at a takeover
    older._note_other_sign_out(sign_out, told)
    assert not ended_people
    assert not newer._messages.signed_out
