"""No command writes over a file that it reads."""

import argparse
import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pandas as pd
import pytest

from engine.cli import check, compare, out_of_core, run, sweep, timing
from engine.cli.parsing.parser import _build_parser, main
from engine.cli.parsing.path_options import OUTPUT_OPTIONS
from tests.engine.release.spellings import SPELLINGS, Spelling

READ = {"file", "folder", "sign_in", "releases", "group_files", "control"}
"""Options with a path that is only read."""


def path_options(command: str) -> Iterator[argparse.Action]:
    """Yield the options of a command that take a path."""
    [commands] = [
        action
        for action in _build_parser([command])._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    for action in commands.choices[command]._actions:
        if action.type is Path:
            yield action


def test_every_path_of_a_command_is_said_to_be_read_or_written() -> None:
    for command in ("run", "compare", "reproduce", "check", "methods", "attack"):
        for action in path_options(command):
            assert (action.dest in READ) != (action.dest in OUTPUT_OPTIONS), action.dest


COMMANDS = {
    "run": ("run IN --quasi-identifiers a --hierarchy b=TREE", "IN TREE"),
    "run a plan": ("run IN --plan PLAN", "IN PLAN"),
    "run out of core": ("run PART --quasi-identifiers a --out-of-core", "PART"),
    "run a folder": ("run PARTS --quasi-identifiers a --out-of-core", "PART"),
    "compare": ("compare IN --quasi-identifiers a --hierarchy b=TREE", "IN TREE"),
    "reproduce": ("reproduce CASC", "CENSUS"),
}
"""Commands, and the files that they read."""

TARGETS = [
    (words, source, action.option_strings[0])
    for words, sources in COMMANDS.values()
    for source in sources.split()
    for action in path_options(words.split()[0])
    if action.dest in OUTPUT_OPTIONS and action.option_strings[0] not in words
]

CASES = list(zip(itertools.cycle(SPELLINGS), TARGETS, strict=False))
"""Every target, spelled in turn in another way; see also the tests of targets."""


FILES = {
    "IN": "in.csv",
    "TREE": "tree.csv",
    "PLAN": "plan.json",
    "PARTS": "parts",
    "PART": "parts/in.parquet",
    "CASC": "casc",
    "CENSUS": "casc/census.csv",
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with every file that is read."""
    folder = tmp_path_factory.mktemp("written")
    paths = {name: folder / path for name, path in FILES.items()}
    paths["PARTS"].mkdir()
    paths["CASC"].mkdir()
    frame = pd.DataFrame({"a": range(20), "b": list("xy") * 10})
    frame.to_csv(paths["IN"], index=False)
    frame.to_csv(paths["CENSUS"], index=False)
    frame.to_parquet(paths["PART"])
    paths["TREE"].write_text("x;all\ny;all\n")
    paths["PLAN"].write_text('{"k": 3, "quasi_identifiers": ["a"]}')
    return folder


@pytest.fixture
def files(tmp_path: Path, written: Path) -> dict[str, Path]:
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    return {name: tmp_path / path for name, path in FILES.items()}


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return every file there, with its inode."""
    return {
        str(path): (path.stat().st_ino, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def never(*words: object, **more: object) -> NoReturn:
    pytest.fail("The command has begun.")


@pytest.mark.parametrize(("spell", "target"), CASES)
def test_no_target_of_any_command_is_one_of_its_inputs(
    spell: Spelling,
    target: tuple[str, str, str],
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words, source, flag = target
    for place, name in itertools.product(MODULES, WORK):
        monkeypatch.setattr(place, name, never, raising=False)
    line = [
        re.sub("[A-Z]+$", lambda word_match: str(files[word_match[0]]), word)
        for word in words.split()
    ]
    line += [flag, str(spell(files[source]))]
    before = contents(tmp_path)
    assert main(line) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert "which is read" in output.err
    assert contents(tmp_path) == before


MODULES = (check, compare, out_of_core, run, sweep, timing)

WORK = ("table_of", "plan_of", "plan_text")
"""What every run begins with."""


def test_no_two_targets_of_a_command_are_one_file(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [
        output_option.option_strings[0]
        for output_option in path_options("run")
        if output_option.dest in OUTPUT_OPTIONS
    ]
    before = contents(tmp_path)
    for first, second in itertools.combinations(flags, 2):
        line = ["run", str(files["IN"]), "--quasi-identifiers", "a"]
        line += [first, str(tmp_path / "new.csv")]
        line += [second, str(tmp_path / "casc" / ".." / "new.csv")]
        assert main(line) == 2
        assert "would be the same file" in capsys.readouterr().err
    assert contents(tmp_path) == before
