"""Variables that set nothing are named, and no others."""

import os
import re
import subprocess
import sys

import pytest

from dashboard.jobs.workers.environment import (
    INTERNAL_VARIABLES,
    PREFIX,
    SETTING_VARIABLES,
    ineffective_variable_warnings,
)
from dashboard.places.launch import ServerOptions, server_warnings
from tests.imports import ROOT


@pytest.fixture(autouse=True)
def _without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(PREFIX):
            monkeypatch.delenv(name)


def test_all_variables_that_the_program_reads_are_known() -> None:
    paths = [
        path
        for tree in ("engine", "dashboard")
        for path in ROOT.glob(f"{tree}/**/*.py")
    ]
    read = {
        name
        for path in paths
        if path.name != "environment.py"
        for name in re.findall(rf'"({PREFIX}\w+)"', path.read_text(encoding="utf-8"))
    }
    assert read == {*SETTING_VARIABLES, *INTERNAL_VARIABLES}


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("COTERIE_MEMORY", "8000", ": perhaps COTERIE_MEMORY_MB is meant."),
        ("COTERIE_PERSONS_MB", "1", ": perhaps COTERIE_PERSON_MB is meant."),
        ("coterie_threads", "2", ": perhaps COTERIE_THREADS is meant."),
        ("COTERIE_", "2", "COTERIE_ sets nothing: Coterie has no such variable."),
        ("COTERIE_QXZ", "2", "COTERIE_QXZ sets nothing: Coterie has no such variable."),
        ("COTERIE_MEMORY_MB", "8 GB", "a whole number of megabytes in place of '8 GB'"),
        ("COTERIE_READING_MB", "0", "a whole number of megabytes in place of '0'"),
        ("COTERIE_PERSON_MB", "8²", "a whole number of megabytes in place of '8²'"),
        ("COTERIE_THREADS", "two", "COTERIE_THREADS must be a whole number from 1 to"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="names have one case there")
def test_a_variable_that_sets_nothing_is_named(
    name: str, value: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    (line,) = ineffective_variable_warnings()
    assert told in str(line)
    assert str(line) in server_warnings(ServerOptions())


OF_OTHERS = ("NAME", "PORT", "PORT_8501_TCP_ADDR", "SERVICE_PORT", "SERVICE_HOST")


def test_what_sets_something_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    of_others = [f"{PREFIX}{name}" for name in OF_OTHERS]
    for name in (*SETTING_VARIABLES, *INTERNAL_VARIABLES, *of_others):
        monkeypatch.setenv(name, "2")
    monkeypatch.setenv("COTERIE_MEMORY_MB", "")
    assert ineffective_variable_warnings() == []


def test_the_doctor_names_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dashboard.doctor"],
        env=os.environ | {"COTERIE_THREAD": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (
        "would fail: settings: The environment variable COTERIE_THREAD sets nothing"
        in done.stdout
    )
    assert done.returncode == 1
