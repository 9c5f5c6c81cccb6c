"""What people open, run and take away is logged, and never a value."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from dashboard.server import audit
from engine.core.errors import ParameterError
from tests.dashboard.pages import open_page, small_table, with_runs
from tests.imports import ROOT


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(audit.LOG_FILE_VARIABLE, "")
    path = tmp_path / "audit.jsonl"
    audit.start_logging(path)
    return path


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_release_is_logged_with_digests_and_no_value(log: Path) -> None:
    table = small_table()
    page = open_page("release", with_runs(table))
    assert not page.exception
    (line,) = (one for one in lines(log) if one["event"] == "release")
    assert line["table"] == table.fingerprint
    assert isinstance(line["k"], int)
    assert line["k"] >= 3
    assert isinstance(line["sha256"], str)
    assert len(line["sha256"]) == 64
    assert {"when", "who", "plan", "checks"} <= set(line)
    text = log.read_text()
    for name in (*table.schema.names, "firm 7", "firms.csv", "north"):
        assert f'"{name}' not in text
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_lines_are_added_and_nothing_is_overwritten(log: Path) -> None:
    for number in range(3):
        audit.log_event("open", "ann", records=number)
    audit.start_logging(log)
    audit.log_event("open", "ann", records=3)
    assert [one["records"] for one in lines(log)] == [0, 1, 2, 3]


def test_a_log_that_cannot_be_is_said_before_anything_is_served(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be written to"):
        audit.start_logging(tmp_path / "nowhere" / "audit.jsonl")


def test_what_cannot_be_logged_is_not_done(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(audit.LOG_FILE_VARIABLE, str(log.parent))
    with pytest.raises(OSError, match="directory"):
        audit.log_event("open", "ann")


def test_a_name_cannot_end_a_line_and_any_can_be_logged(log: Path) -> None:
    for mark in "\n\r\x0b\x0c\x1e\x85\u2028\u2029\u202e\udcff":
        who = f'ann{mark}{{"who": "bob"}}'
        audit.log_event("open", who)
        assert lines(log)[-1]["who"] == who


def test_what_a_full_disk_takes_a_part_of_is_taken_back(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit.log_event("open", "ann")
    write = audit.os.write
    with monkeypatch.context() as full:
        full.setattr(audit.os, "write", lambda file, text: write(file, text[:9]))
        with pytest.raises(OSError, match="No space left"):
            audit.log_event("open", "bob")
    audit.log_event("open", "cyd")
    assert [one["who"] for one in lines(log)] == ["ann", "cyd"]


@pytest.mark.slow
def test_the_doctor_says_where_nothing_compiled_can_be_kept(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("no folder")
    told = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"), str(nowhere))
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "dashboard.doctor"],
        env=os.environ | told | {"TMPDIR": str(work)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "would fail: quick starts" in done.stdout
    assert done.returncode == 1
    assert not list(work.iterdir())


def test_the_doctor_says_what_would_fail(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dashboard.doctor"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "runs at once" in done.stdout
    assert done.returncode == ("would fail:" in done.stdout)


def test_the_bill_names_what_is_installed() -> None:
    from dashboard.bill import bill_of_materials

    named = {one["name"]: one["version"] for one in bill_of_materials()["components"]}
    assert named["streamlit"] == version("streamlit")
    assert named["pyarrow"] == version("pyarrow")


LOCKED = {
    "": "requirements.lock",
    "auth": "requirements.lock",
    "dask": "requirements.lock",
    "sql": "requirements.lock",
    "r": "requirements-r.lock",
}
"""Where the packages of each extra are locked; those of tests are in no server."""


def test_every_dependency_is_locked_with_digests_and_no_address() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    needed = {"": project["dependencies"], **project["optional-dependencies"]}
    assert set(needed) - set(LOCKED) == {"test"}
    for extra, file_name in LOCKED.items():
        versions = _locked(file_name)
        for one in needed[extra]:
            package, wanted = re.fullmatch(r"([\w-]+)(?:\[\w+\])?(.*)", one).groups()
            found = versions[package]
            assert list(SpecifierSet(wanted).filter(found)) == found, one


def _locked(name: str) -> dict[str, list[str]]:
    """Return the versions of each package in a file, all with digests."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    found: dict[str, list[str]] = {}
    for entry in re.split(r"\n(?=\S)", text.strip()):
        assert "--hash=sha256:" in entry, entry
        package, version_of = re.match(r"([\w.-]+)==([\w.]+)", entry).groups()
        found.setdefault(package, []).append(version_of)
    return found
