"""The administrator sees who is in which place, and ends one."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dashboard.places.admin.administration import format_status, main
from dashboard.places.admin.control import PlaceStatus, ServerStatus
from dashboard.places.entrance.place_assigner import HttpRequest
from dashboard.places.sharing.shared_runs import PlaceRunScheduler
from dashboard.places.supervision.administrator import Administrator
from dashboard.places.supervision.place_keeper import PlaceKeeper
from dashboard.places.supervision.place_table import Place, PlacesByName
from dashboard.places.supervision.server_status import StatusCollector
from tests.asynchronous import finish

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
    processor_minutes=2.4,
)
STATUS = ServerStatus("9.8", True, 4, 2**20, [ANN, PlaceStatus("p2", "free")])


def test_a_status_is_a_line_for_each_place_and_one_for_all() -> None:
    heading, ann, free, last = format_status(STATUS).splitlines()
    titles = "place state person tabs here idle memory runs files processor"
    assert heading.split() == titles.split()
    expected = "p1 taken us ann?[2J 2 12 min 1 min 300 MB 1+3 2 min"
    assert ann.split() == expected.split()
    assert free.split() == ["p2", "free", "0", "MB"]
    assert last.startswith("1 of 2 places are taken; 4 people wait for one, 3 runs")


class House:
    """The parts of a server that an administrator reaches, without processes."""

    def __init__(self, folder: Path) -> None:
        self.ended: list[str] = []
        self.cancelled: list[str] = []
        self.is_drained = False
        self.places = PlacesByName(
            (name, Place(name, 1, folder, f"{name}.x", "taken", who=who))
            for name, who in (("p1", "us ann"), ("p2", "us ben"), ("p3", "us ann"))
        )
        self.places["p2"].state = "free"
        self.log = folder / "audit.jsonl"
        status = SimpleNamespace(collect_status=lambda: STATUS)
        runs = SimpleNamespace(cancel_runs=self.cancelled.append)
        keeper = SimpleNamespace(end=lambda place, fate: self.ended.append(place.name))
        self.administrator = Administrator(
            self.places,
            cast(StatusCollector, status),
            cast(PlaceRunScheduler, runs),
            cast(PlaceKeeper, keeper),
            self.drain,
            self.log,
            self.ask_older,
        )
        self.older: dict[tuple[str, str], dict[str, Any]] = {}

    def drain(self) -> None:
        self.is_drained = True

    async def ask_older(self, method: str, target: str) -> dict[str, Any] | None:
        return self.older.get((method, target))

    def ask(self, method: str, target: str) -> tuple[int, Any]:
        reply = finish(self.administrator.answer(HttpRequest(method, target, {})))
        return reply.status, json.loads(reply.body)


def test_what_goes_over_the_socket_comes_back(tmp_path: Path) -> None:
    house = House(tmp_path)
    code, content = house.ask("GET", "/places")
    assert (code, ServerStatus.from_json(content)) == (200, STATUS)
    assert house.ask("POST", "/places/p1/end")[0] == 200
    assert house.ask("POST", "/places/p2/end")[0] == 409  # which nobody has
    assert house.ask("POST", "/places/p1/end-runs")[0] == 200
    assert (house.ended, house.cancelled) == (["p1"], ["p1.x"])
    for method, target in (
        ("GET", "/places/p1/end"),
        ("GET", "/drain"),
        ("POST", "/places"),
        ("GET", "/"),
    ):
        assert house.ask(method, target)[0] == 404
    assert (house.ended, house.is_drained) == (["p1"], False)
    assert house.ask("POST", "/drain")[0] == 200
    assert house.is_drained


def test_all_places_of_a_person_are_erased_and_no_others(tmp_path: Path) -> None:
    house = House(tmp_path)
    assert house.ask("POST", "/people/us%20ann/erase")[0] == 200
    assert house.ended == ["p1", "p3"]
    for nobody in ("us%20ben", "", "us%20a"):
        assert house.ask("POST", f"/people/{nobody}/erase")[0] in (404, 409)
    assert house.ended == ["p1", "p3"]


def test_the_last_lines_of_the_log_come_first(tmp_path: Path) -> None:
    house = House(tmp_path)
    assert house.ask("GET", "/events") == (200, [])
    lines = [json.dumps({"number": n, "who": "x" * 900}) for n in range(200)]
    house.log.write_text("\n".join(lines) + "\n")
    code, entries = house.ask("GET", "/events")
    assert code == 200
    assert [entry["number"] for entry in entries] == list(range(199, 179, -1))
    house.log.write_text("\n".join([*lines, "nonsense", "[" * 9_000, "7"]) + "\n")
    code, entries = house.ask("GET", "/events")
    assert (code, entries[0]["number"]) == (200, 199)


def test_the_older_server_is_asked_for_its_places(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.older["POST", "/places/p9/end"] = {"status": 200, "body": "{}"}
    assert house.ask("POST", "/places/p9/end")[0] == 200
    assert house.ask("POST", "/places/p8/end")[0] == 409
    older = replace(STATUS, places=[replace(ANN, place="p9", state="draining")])
    body = json.dumps(older.to_json())
    house.older["GET", "/places"] = {"status": 200, "body": body}
    names = [each["place"] for each in house.ask("GET", "/places")[1]["places"]]
    assert names == ["p1", "p2", "p9"]


def test_places_of_a_server_that_was_taken_over_are_shown_while_people_have_them() -> (
    None
):
    ben = replace(ANN, place="p0", state="draining", person="us ben")
    older = replace(STATUS, places=[ben, PlaceStatus("p9", "free")])
    both = STATUS.with_older_server(older)
    assert [each.place for each in both.places] == ["p1", "p2", "p0"]
    lines = format_status(both).splitlines()
    assert lines[3].split()[:4] == ["p0", "draining", "us", "ben"]
    assert lines[-1].startswith("2 of 3 places are taken")


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
    error_text = capsys.readouterr().err
    assert says in error_text
    assert error_text.count("\n") == 1
