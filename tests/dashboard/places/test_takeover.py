"""A server that is taken over hands its log on, and takes it back if that fails."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dashboard.audit import events
from dashboard.audit.chain import ChainHead, check_hash_chain
from dashboard.places.entrance.door import DoorReply, DoorRequest
from dashboard.places.launch import ServerOptions
from dashboard.places.settings import (
    PlaceSettings,
    SocketAddress,
    consecutive_ports_routing,
)
from dashboard.places.supervision.peer_link import PeerLink
from dashboard.places.supervision.takeover import (
    OlderServerEnd,
    find_older_server,
    takeover_socket_path,
)
from tests.asynchronous import finish

if sys.platform == "win32":
    pytest.skip("Windows has no such sockets", allow_module_level=True)


class Older:
    """A server that is taken over, without places."""

    def __init__(self, folder: Path) -> None:
        self.log, self.told = folder / "audit.jsonl", list[str]()
        older = {"p1": SocketAddress(port=9001)}
        routing = consecutive_ports_routing(
            ServerOptions(port=8700), PlaceSettings(1), older
        )
        self.end = OlderServerEnd(
            lambda: routing,
            ["0af1"],
            lambda digest: self.told.append(f"signed out {digest}"),
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

    async def administer(self, request: DoorRequest) -> DoorReply:
        return DoorReply(200, f"{request.method} {request.target}")

    def lines(self) -> list[str]:
        return [json.loads(one)["event"] for one in self.log.read_text().splitlines()]


async def until(is_so: Any) -> None:
    while not is_so():
        await asyncio.sleep(0.01)


async def take_over(older: Older, folder: Path) -> None:
    path = takeover_socket_path(folder / "control")
    assert find_older_server(folder / "control") is None
    server = await asyncio.start_unix_server(older.end.serve_newer, path)
    found = await asyncio.to_thread(find_older_server, folder / "control")
    assert found is not None
    assert (found.port, found.has_log) == (8700, True)
    assert found.ports == {"p1": 9001, "p2": 8701}
    heard: list[dict[str, Any]] = []

    async def answer(what: str, facts: dict[str, Any]) -> dict[str, Any]:
        heard.append(facts)
        return {"why": None}

    for is_retired in (False, True):
        await asyncio.to_thread(events.log_event, "reload", "")
        before = older.lines()
        link = PeerLink(
            *await asyncio.open_unix_connection(path), answer, lambda what, facts: None
        )
        listening = asyncio.create_task(link.listen())
        assert await link.ask("log") == {"signed_out": ["0af1"]}
        await asyncio.to_thread(events.log_event, "stop", "ann")
        assert heard.pop() == {"event": "stop", "who": "ann", "facts": {}}
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
