"""Every command and every Python example of the manual runs, and shows what it says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.manual.chapters import CHAPTER_ORDER, MANUAL_FOLDER
from engine.cli import main
from tests.imports import ROOT

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

NOT_RUN = {
    "coterie serve": "serves until it is stopped: tests/browser/places/test_serving.py",
    "coterie doctor": "looks at the machine: tests/dashboard/server",
    "podman ": "builds and serves in a container",
    "sed ": "installs",
    "/opt/coterie/bin/coterie serve": "as coterie serve, where it was installed",
    "sudo ": "installs",
    "pip ": "installs",
    ".venv/bin/pip ": "installs",
    ".venv/bin/python .ci/folder/": "builds: tests/test_folder.py",
    "python3 -m venv": "installs: tests/test_readme.py",
    ".venv/bin/python -m ": "is of developers",
}
"""Lines that are not run, by their beginning, with the reason."""

FILES_OF_READERS = ("claims/", "loans.csv")
"""Files of the reader's own in examples of chapters."""

QUICK = ("ten-minutes",)
"""Chapters that the default tests run; the others are slow together."""


def blocks(chapter: str) -> list[tuple[str, str]]:
    """Return the language and text of each block of code of a chapter."""
    text = (MANUAL_FOLDER / f"{chapter}.md").read_text(encoding="utf-8")
    return BLOCK.findall(text)


CHAPTERS = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in CHAPTER_ORDER
    if {kind for kind, _ in blocks(name)} & {"sh", "console", "python", "pycon"}
]


def run(line: str) -> tuple[int, str]:
    """Run a line of a shell that calls Coterie; return exit code and what it says."""
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    code = 0
    for part in line.split(" && "):
        program, *arguments = shlex.split(part)
        assert program == "coterie", part
        if arguments[0] == "class":  # replaces the process that it is called in
            command = [sys.executable, "-m", "engine", *arguments]
            done = subprocess.run(command, check=False, capture_output=True)
            code = done.returncode
            output.write((done.stdout + done.stderr).decode())
        else:
            code = run_here(arguments, output)
        if code:
            break
    return code, output.buffer.getvalue().decode()


def run_here(arguments: list[str], said: io.TextIOWrapper) -> int:
    """Run a command in this process; return its exit code."""
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            return main(arguments)
        except SystemExit as end:
            return int(end.code or 0)


def is_run(line: str) -> bool:
    """Return whether a line is to be run."""
    prefixes = (*NOT_RUN, "#")
    return (
        bool(line)
        and not line.startswith(prefixes)
        and not any(name in line for name in FILES_OF_READERS)
    )


def check_shell(text: str) -> None:
    """Run lines, which must all succeed."""
    for line in text.replace("\\\n", "").splitlines():
        if is_run(line):
            code, output = run(line)
            assert code == 0, f"{line}\n{output}"


def check_console(text: str) -> None:
    """Run lines after a prompt, and compare what they say with what follows."""
    code = 0
    for turn in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _newline, expected_output = turn.partition("\n")
        if line == "echo $?":
            assert expected_output.strip() == str(code)
            continue
        code, output = run(line)
        same = doctest.OutputChecker().check_output(expected_output, output, LIKE)
        assert same, f"$ {line}\n{output}"


def check_python(text: str, names: dict[str, object]) -> None:
    """Run Python, with its output if it is a session."""
    if not text.startswith(">>>"):
        exec(compile(text, "manual", "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(text, names, "manual", None, 0)
    failures: list[str] = []
    runner = doctest.DocTestRunner(optionflags=LIKE)
    runner.run(test, out=failures.append, clear_globs=False)
    assert not failures, "".join(failures)
    names.update(test.globs)


@pytest.fixture
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand in a folder like that of a reader."""
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        yield


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_a_chapter_shows_happens(chapter: str) -> None:
    names: dict[str, object] = {}
    for kind, text in blocks(chapter):
        if kind == "sh":
            check_shell(text)
        elif kind == "console":
            check_console(text)
        elif kind in ("python", "pycon"):
            check_python(text, names)


def test_what_is_not_run_is_still_there() -> None:
    text = "\n".join(text for name in CHAPTER_ORDER for _kind, text in blocks(name))
    for beginning in (*NOT_RUN, *FILES_OF_READERS):
        assert beginning in text
