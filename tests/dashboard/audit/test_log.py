"""Events are logged in one chain, and what cannot be logged is not done."""

import json
import os
import stat
import threading
from datetime import datetime
from pathlib import Path

import pytest

from dashboard.audit import events
from dashboard.audit import log as log_module
from dashboard.audit.chain import ChainHead, check_hash_chain
from dashboard.audit.log import AuditError, AuditLog
from engine.core.errors import ParameterError
from tests.dashboard.pages import open_page, small_table, with_runs


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def head_of(path: Path) -> ChainHead:
    head = ChainHead.from_bytes(Path(f"{path}.head").read_bytes())
    assert head is not None
    return head


def test_a_release_is_logged_with_digests_and_no_value(log: Path) -> None:
    table = small_table()
    open_page("release", with_runs(table))
    (line,) = (entry for entry in lines(log) if entry["event"] == "release")
    assert line["table"] == table.fingerprint
    assert isinstance(line["k"], int)
    assert line["k"] >= 3
    assert isinstance(line["sha256"], str)
    assert len(line["sha256"]) == 64
    assert {"when", "who", "plan", "checks"} <= set(line)
    text = log.read_text()
    for name in (*table.schema.names, "firm 7", "firms.csv", "north"):
        assert f'"{name}' not in text
    for file in (log, Path(f"{log}.head")):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert check_hash_chain([log], head_of(log)).is_proven


def test_the_page_says_why_nothing_is_released(log: Path) -> None:
    log.unlink()
    log.mkdir()
    page = open_page("release", with_runs(small_table(61)))  # none made before
    page_text = " ".join(
        element.value for element in (*page.error, *page.warning, *page.markdown)
    )
    assert "The audit log cannot be written" in page_text
    assert not page.get("download_button")


def test_lines_are_added_and_nothing_is_overwritten(log: Path) -> None:
    for number in range(3):
        events.log_event("open", "ann", records=number)
    events.start_audit_log(log)
    events.log_event("open", "ann", records=3)
    assert [entry["records"] for entry in lines(log)] == [0, 1, 2, 3]
    assert [entry["number"] for entry in lines(log)] == [1, 2, 3, 4]
    assert check_hash_chain([log], head_of(log)).is_proven


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("truncates", [False, True])
def test_a_renamed_file_is_followed_by_another(
    log: Path, restarts: bool, truncates: bool
) -> None:
    earlier = log.with_suffix(".1")
    events.log_event("open", "ann", records=1)
    if truncates:  # copied, and emptied in its place
        earlier.write_bytes(log.read_bytes())
        os.truncate(log, 0)
    else:
        log.rename(earlier)
    if restarts:
        events.start_audit_log(log)
    events.log_event("open", "ann", records=2)
    assert [entry["event"] for entry in lines(log)] == ["continued", "open"]
    assert check_hash_chain([earlier, log], head_of(log)).is_proven
    assert check_hash_chain([log]).fault == ""


def test_many_threads_write_one_chain(log: Path) -> None:
    def write() -> None:
        for number in range(20):
            events.log_event("open", "ann", records=number)

    threads = [threading.Thread(target=write) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert check_hash_chain([log], head_of(log)).n_lines == 100


def test_a_log_that_cannot_be_is_said_before_anything_is_served(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be written to"):
        AuditLog(tmp_path / "nowhere" / "audit.jsonl")


def test_two_servers_do_not_share_a_log(log: Path) -> None:
    with pytest.raises(ParameterError, match="of another server that runs"):
        AuditLog(log)


@pytest.mark.parametrize("is_running", [True, False])
def test_a_log_that_somebody_else_has_changed_is_not_gone_on_with(
    log: Path, is_running: bool
) -> None:
    for number in range(3):
        events.log_event("open", "ann", records=number)
    whole = log.read_bytes()
    first, second, third = whole.splitlines(keepends=True)
    for changed in (first + second, whole + third, whole[:-1], first + second + b"\n"):
        log.write_bytes(changed)
        if is_running:
            with pytest.raises(AuditError, match="changed by somebody else"):
                events.log_event("open", "ann", records=3)
        else:
            events._writer.log.close()  # type: ignore[union-attr]
            with pytest.raises(ParameterError, match="is not as it was written"):
                AuditLog(log).close()
        assert log.read_bytes() == changed
        log.write_bytes(whole)


def test_what_was_logged_just_before_a_crash_is_gone_on_from(log: Path) -> None:
    events.log_event("open", "ann", records=0)
    before = Path(f"{log}.head").read_bytes()
    events.log_event("open", "ann", records=1)
    Path(f"{log}.head").write_bytes(before)  # as if the machine had stopped between
    events.start_audit_log(log)
    events.log_event("open", "ann", records=2)
    assert check_hash_chain([log], head_of(log)).n_lines == 3


def test_what_cannot_be_logged_is_not_done(log: Path) -> None:
    log.unlink()
    log.mkdir()
    with pytest.raises(AuditError, match="nothing is opened, run or released"):
        events.log_event("open", "ann")


def test_a_process_that_reaches_no_writer_does_nothing(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_writer", None)
    with pytest.raises(AuditError, match="another process"):
        events.log_event("open", "ann")


def test_a_name_cannot_end_a_line_and_any_can_be_logged(log: Path) -> None:
    for mark in "\n\r\x0b\x0c\x1e\x85\u2028\u2029\u202e\udcff":
        who = f'ann{mark}{{"who": "bob"}}'
        events.log_event("open", who)
        assert lines(log)[-1]["who"] == who
    assert check_hash_chain([log], head_of(log)).is_proven


@pytest.mark.parametrize(
    ("event", "facts"),
    [
        ("open", {"value": 3}),
        ("open", {"table": "Ann Lee, 12 Long Street"}),
        ("release", {"checks": {"Ann Lee's": 2.5}}),
        ("gossip", {}),
    ],
)
def test_what_could_be_a_value_is_not_logged(
    log: Path, event: str, facts: dict[str, object]
) -> None:
    with pytest.raises(ValueError, match="This is not told of"):
        events.log_event(event, "ann", **facts)
    assert log.read_bytes() == b""


@pytest.mark.parametrize("full", ["log", "head"])
def test_what_a_full_disk_takes_a_part_of_is_taken_back(
    full: str, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events.log_event("open", "ann")
    write = os.write

    def write_part(file: int, text: bytes) -> int:
        is_log = text.startswith(b"{")
        return write(file, text[:9] if is_log == (full == "log") else text)

    with monkeypatch.context() as disk:
        disk.setattr(log_module.os, "write", write_part)
        with pytest.raises(AuditError, match="No space left"):
            events.log_event("open", "bob")
    events.log_event("open", "cyd")
    assert [entry["who"] for entry in lines(log)] == ["ann", "cyd"]
    assert check_hash_chain([log], head_of(log)).is_proven


class Minutes:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.now = 1_000_000 * 60.0

    def time(self) -> float:
        return self.now


def test_refusals_of_an_address_have_one_line_a_minute(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Minutes()
    monkeypatch.setattr(log_module, "time", clock)
    monkeypatch.setattr(log_module, "MAX_ADDRESSES", 20)
    for _ in range(1_000):
        events.count_refusal("10.0.0.1", "not signed in")
    events.count_refusal("10.0.0.1", "host")
    for number in range(30):
        events.count_refusal(f"2001:db8::{number:x}", "host")
    events.log_event("open", "ann")
    assert [entry["event"] for entry in lines(log)] == ["open"]  # the minute goes on
    clock.now += 60
    events.log_event("open", "ann")
    refusals = [entry for entry in lines(log) if entry["event"] == "refusal"]
    assert len(refusals) == 21
    by_address = {entry["address"]: entry for entry in refusals}
    assert by_address["10.0.0.1"]["count"] == 1_001
    assert by_address["10.0.0.1"]["reasons"] == {"host": 1, "not signed in": 1_000}
    assert sum(int(str(entry["count"])) for entry in refusals) == 1_031
    assert (
        datetime.fromisoformat(str(refusals[0]["minute"])).timestamp() == clock.now - 60
    )
    assert check_hash_chain([log], head_of(log)).is_proven
