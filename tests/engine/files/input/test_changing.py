"""A file that changes while it is read is one sentence, and nothing is written."""

import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from engine.cli.parsing.parser import main
from engine.core.errors import InputError
from engine.core.platform import files
from engine.core.platform.files import read_unchanging_file
from engine.data.table import Origin
from engine.files import formats, frame_to_bytes, read_table

CONTENT = b"a,b\n" + b"".join(b"%d,%d\n" % (i % 7, i * i) for i in range(30))


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"1,2\n")


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 3)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def write_over(path: Path) -> None:
    content = path.read_bytes()
    with path.open("r+b") as file:
        file.write(content[::-1])


def replace_by_longer(path: Path) -> None:
    new = path.with_name("new")
    new.write_bytes(path.read_bytes() + b"1,2\n")
    new.replace(path)


_STAYS = pytest.mark.posix("an open file stays there")
CHANGES = (
    *(grow, cut_short, empty, write_over),
    *(
        pytest.param(change, marks=_STAYS)
        for change in (replace_by_longer, Path.unlink)
    ),
)


class Changing:
    """Changes a file once, as soon as somebody has opened it to read it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch, self._ask = patch, os.fstat

    def change(self, path: Path, change: Callable[[Path], object]) -> None:
        os.utime(path, (10**9, 10**9))  # so that any write is later
        number = path.stat().st_ino

        def ask(descriptor: int) -> os.stat_result:
            status = self._ask(descriptor)
            if status.st_ino == number and status.st_mtime == 10**9:
                self._patch.setattr(files.os, "fstat", self._ask)
                change(path)
            return status

        self._patch.setattr(files.os, "fstat", ask)


@pytest.fixture
def changing(monkeypatch: pytest.MonkeyPatch) -> Changing:
    return Changing(monkeypatch)


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_found(
    change: Callable[[Path], object], tmp_path: Path, changing: Changing
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(CONTENT)
    assert read_unchanging_file(path) == CONTENT
    changing.change(path, change)
    with pytest.raises(InputError, match=r"'t\.csv' changed while it was read: wait"):
        read_unchanging_file(path)
    if path.exists():
        assert read_unchanging_file(path) == path.read_bytes()


@pytest.mark.parametrize(
    "format_id", [info.id for info in formats.infos() if info.writable]
)
def test_every_format_finds_it(
    format_id: str, tmp_path: Path, changing: Changing
) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [4.5, 6.0, 7.0]})
    path = tmp_path / f"t{formats.info(format_id).suffixes[0]}"
    path.write_bytes(frame_to_bytes(frame, Origin(format_id)))
    assert read_table(path).frame["a"].tolist() == [1, 2, 3]
    changing.change(path, cut_short)
    with pytest.raises(InputError, match="changed while it was read"):
        read_table(path)


def test_a_table_and_its_digest_are_of_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(CONTENT)
    carried = read_table(path).carried
    assert carried is not None
    assert carried.digest == read_table(CONTENT, name="t.csv").carried.digest  # type: ignore[union-attr]
    assert (carried.path, carried.content) == (path, None)
    grow(path)
    with pytest.raises(InputError, match="has changed since it was read"):
        carried.read_bytes()


TREE = "0;low;*\n1;low;*\n2;low;*\n3;low;*\n4;high;*\n5;high;*\n6;high;*\n"
DOORS = {
    "table": ("t.csv", ""),
    "plan": ("plan.json", '{"k": 3, "quasi_identifiers": ["a", "b"]}'),
    "hierarchy": ("tree.csv", TREE),
    "ledger": ("ledger.json", ""),
}


@pytest.mark.parametrize("door", DOORS)
def test_nothing_is_written_whichever_file_changes(
    door: str, tmp_path: Path, changing: Changing, capsys: pytest.CaptureFixture[str]
) -> None:
    table, output = tmp_path / "t.csv", tmp_path / "out.csv"
    table.write_bytes(CONTENT)
    changed = tmp_path / DOORS[door][0]
    words = ["run", str(table), "--quasi-identifiers", "a,b", "--k", "3"]
    words += ["--method", "mdav"]
    if door == "plan":
        words = ["run", str(table), "--plan", str(changed)]
    elif door == "hierarchy":
        words += ["--hierarchy", f"a={changed}"]
    elif door == "ledger":
        words += ["--ledger", str(changed)]
        assert main([*words, "--output", str(tmp_path / "first.csv")]) == 0
    if DOORS[door][1]:
        changed.write_text(DOORS[door][1], encoding="utf-8")
    capsys.readouterr()
    before = sorted(tmp_path.iterdir())
    changing.change(changed, grow)
    assert main([*words, "--output", str(output)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"{changed.name!r} changed while it was read" in error
    assert sorted(tmp_path.iterdir()) == before
    assert main([*words, "--output", str(output)]) in (0, 2)  # of what is there now
