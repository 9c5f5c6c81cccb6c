"""The administrator sees who is in which place, and ends one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dashboard.places.administration import format_status, main
from dashboard.places.control import (
    PlaceStatus,
    ServerStatus,
    answer_control_request,
)
from dashboard.places.door import DoorRequest

ANN = PlaceStatus(
    "p1",
    "taken",
    "us ann\x1b[2J",
    tabs=2,
    taken_seconds=725.0,
    idle_seconds=61.0,
    memory_bytes=300 * 2**20,
    runs={"running": 1, "waiting": 3},
    files={"running": 0, "waiting": 0},
)
STATUS = ServerStatus("9.8", True, 4, 2**20, [ANN, PlaceStatus("p2", "free")])


def test_a_status_is_a_line_for_each_place_and_one_for_all() -> None:
    heading, ann, free, last = format_status(STATUS).splitlines()
    assert heading.split() == [
        "place",
        "state",
        "person",
        "tabs",
        "here",
        "idle",
        "memory",
        "runs",
        "files",
    ]
    told = "p1 taken us ann?[2J 2 12 min 1 min 300 MB 1+3"
    assert ann.split() == told.split()
    assert free.split() == ["p2", "free", "0", "MB"]
    assert last.startswith("1 of 2 places are taken; 4 people wait for one, 3 runs")


def test_what_goes_over_the_socket_comes_back() -> None:
    ended: list[str] = []

    def end(name: str) -> bool:
        ended.append(name)
        return name == "p1"

    def ask(method: str, target: str) -> tuple[int, str]:
        request = DoorRequest(method, target, {})
        reply = answer_control_request(request, lambda: STATUS, end)
        return reply.status, reply.body

    code, body = ask("GET", "/places")
    assert (code, ServerStatus.from_json(json.loads(body))) == (200, STATUS)
    assert [ask("POST", f"/places/{name}/end")[0] for name in ("p1", "p2")] == [
        200,
        409,
    ]
    assert ended == ["p1", "p2"]
    for method, target in (
        ("GET", "/places/p1/end"),
        ("POST", "/places"),
        ("GET", "/"),
    ):
        assert ask(method, target)[0] == 404
    assert ended == ["p1", "p2"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "No server of yours is found in"),
        (["--control", "nowhere"], "The server does not answer at nowhere"),
        (["--control", "nowhere", "--end", "../p1"], "is no place: write one"),
    ],
)
def test_a_server_that_is_not_there_is_told(
    words: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(words) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1
