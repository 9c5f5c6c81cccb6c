"""What the README says is what the program does."""

import re
import shlex
import shutil

import pytest

from engine.cli import main
from tests.dashboard.manual.tables import README

TEXT = README.read_text(encoding="utf-8")


def block(language: str, heading: str) -> str:
    """Return the first block of code in a language below a heading."""
    below = TEXT[TEXT.index(f"\n## {heading}\n") :]
    match = re.search(rf"```{language}\n(.*?)```", below, re.DOTALL)
    assert match is not None
    return match[1]


@pytest.fixture
def _clone(tmp_path, monkeypatch):
    """Stand in a folder like that of the README."""
    shutil.copytree(README.parent / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path)


def test_it_is_short() -> None:
    assert TEXT.count("\n") < 150


def test_it_begins_with_one_command_that_opens_the_dashboard() -> None:
    match = re.search(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    assert match is not None
    (line,) = match[1].splitlines()
    assert line.startswith("python3 -m venv .venv")
    assert line.endswith(".venv/bin/coterie")


def test_the_test_command_is_one_line_below_its_mark() -> None:
    commands = re.findall(r"<!-- test command -->\n```sh\n(.*?)\n```", TEXT, re.DOTALL)
    assert len(commands) == 1
    assert commands[0].startswith("python3 ")
    assert commands[0].endswith("-m pytest")


@pytest.mark.usefixtures("_clone")
def test_its_command_lines_run(capsys: pytest.CaptureFixture[str]) -> None:
    lines = block("sh", "From the command line").replace("\\\n", "").splitlines()
    assert len(lines) > 2
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "coterie"
        assert main(arguments) == 0, capsys.readouterr().err


@pytest.mark.usefixtures("_clone")
def test_its_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block("python", "From Python"), "README.md", "exec"), {})
    assert capsys.readouterr().out.endswith(" 5\n")
