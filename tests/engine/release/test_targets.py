"""Nothing is written over what is read, nor two files to one place."""

import os
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.core.errors import ParameterError
from engine.release import targets
from engine.release.targets import check_output_paths
from engine.release.write import write_all
from tests.engine.release.spellings import SPELLINGS, Spelling

spelled = pytest.mark.parametrize("spell", SPELLINGS, ids=lambda one: one.__name__)


def test_targets_are_checked_before_work_begins(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="is a folder"):
        check_output_paths([tmp_path])
    with pytest.raises(ParameterError, match="A dash names no file"):
        check_output_paths([Path("-")])
    with pytest.raises(ParameterError, match="does not exist"):
        check_output_paths([tmp_path / "no" / "x.csv"])
    with pytest.raises(ParameterError, match="would be the same file"):
        check_output_paths([tmp_path / "x.csv", tmp_path / "x.csv"])
    check_output_paths([tmp_path / "x.csv", tmp_path / "y.csv"], [tmp_path / "z.csv"])


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(targets, "max_path_chars", lambda: 259)


@pytest.mark.parametrize(
    "name",
    ["CON", "nul.csv", "Com1.tar.gz", "lpt³.csv", "aux .csv", "a:b.csv", "what?.csv"],
)
@pytest.mark.usefixtures("windows")
def test_names_that_windows_keeps_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="Windows keeps the name"):
        check_output_paths([tmp_path / name])


@pytest.mark.usefixtures("windows")
def test_other_names_are_taken_on_windows(tmp_path: Path) -> None:
    names = ("console.csv", "com.csv", "null.csv", "Gehälter 2024 (neu).csv", ".x.csv")
    check_output_paths([tmp_path / name for name in names])


@pytest.mark.usefixtures("windows")
def test_a_path_too_long_for_windows_is_called_too_long(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="more than the 259 characters"):
        check_output_paths([tmp_path / ("d" * 250) / "x.csv"])
    # Its folder is there; the path and a file of that name would not be.
    room = 259 - len(str(tmp_path)) - 1
    with pytest.raises(ParameterError, match="more than the 259 characters"):
        check_output_paths([tmp_path / ("x" * (room + 1))])
    check_output_paths([tmp_path / ("x" * room)])
    write_all({tmp_path / ("x" * room): b"whole"})
    with pytest.raises(ParameterError, match="does not exist"):
        check_output_paths([Path("missing") / "x.csv"])


@pytest.mark.parametrize("name", ["x" * 200, "x" * 25, "x" * 12, "x" * 10])
def test_no_draft_has_a_longer_path_than_its_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft_paths: list[str] = []
    make = tempfile.mkstemp

    def note(**where: Any) -> tuple[int, str]:
        handle, path = make(**where)
        draft_paths.append(path)
        return handle, path

    monkeypatch.setattr(tempfile, "mkstemp", note)
    write_all({tmp_path / name: b"whole"})
    assert draft_paths
    assert all(len(path) <= len(str(tmp_path / name)) for path in draft_paths)


@spelled
def test_no_target_is_an_input_however_it_is_spelled(
    spell: Spelling, tmp_path: Path
) -> None:
    source = tmp_path / "in.csv"
    source.write_text("a\n1\n")
    other = spell(source)
    for target, read in ((source, other), (other, source)):
        with pytest.raises(ParameterError, match="which is read"):
            check_output_paths([tmp_path / "x.csv", target], [read])


@spelled
def test_no_two_targets_are_one_file_however_they_are_spelled(
    spell: Spelling, tmp_path: Path
) -> None:
    old = tmp_path / "old.csv"
    old.write_text("a\n1\n")
    with pytest.raises(ParameterError, match="would be the same file"):
        check_output_paths([old, tmp_path / "x.csv", spell(old)])


def test_links_to_a_file_that_is_not_there_yet_are_followed(tmp_path: Path) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to("new.csv")
    with pytest.raises(ParameterError, match="would be the same file"):
        check_output_paths([tmp_path / "new.csv", link])


@pytest.mark.parametrize("place", ["new.csv", "deeper/new.csv", "deeper/../new.csv"])
def test_nothing_is_put_into_a_folder_that_is_read(place: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "deeper").mkdir(parents=True)
    for named in (folder, tmp_path / "linked"):
        if named != folder:
            named.symlink_to(folder)
        with pytest.raises(ParameterError, match="outside of it"):
            check_output_paths([named / place], [folder])
        with pytest.raises(ParameterError, match="outside of it"):
            check_output_paths([], [folder], [named / place])
    # A name that only begins alike is another folder.
    check_output_paths([tmp_path / "in.csv"], [folder])


def test_nothing_is_put_into_the_folder_of_a_release(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(ParameterError, match="outside of it"):
        check_output_paths([folder / "part-00000.parquet"], [], [folder])
    check_output_paths([tmp_path / "outcome.json"], [], [folder])


@pytest.mark.parametrize("letter", ["x", "é", "字"])
def test_names_are_as_long_as_the_disk_takes_them(letter: str, tmp_path: Path) -> None:
    longest = letter * (255 // len(letter.encode()))
    check_output_paths([tmp_path / longest])
    write_all({tmp_path / longest: b"whole"})
    assert (tmp_path / longest).read_bytes() == b"whole"
    with pytest.raises(ParameterError, match="name another file"):
        check_output_paths([tmp_path / (longest + letter)])


def test_names_that_differ_in_case_or_accents_may_be_one_file(tmp_path: Path) -> None:
    for file_name, other in (("Out.csv", "out.CSV"), ("\u00e9.csv", "e\u0301.csv")):
        with pytest.raises(ParameterError, match="would be the same file"):
            check_output_paths([tmp_path / file_name, tmp_path / other])


def test_devices_and_pipes_are_no_targets(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe.csv", tmp_path / "link.csv"
    os.mkfifo(pipe)
    link.symlink_to("/dev/null")
    for target in (pipe, link, Path("/dev/null")):
        with pytest.raises(ParameterError, match="a device or a pipe"):
            check_output_paths([target])


def test_files_are_written_where_links_lead_to(tmp_path: Path) -> None:
    folder, link = tmp_path / "deep", tmp_path / "link.csv"
    folder.mkdir()
    link.symlink_to(folder / "new.csv")
    for content in (b"first", b"second"):
        write_all({link: content})
        assert link.is_symlink()
        assert (folder / "new.csv").read_bytes() == content
    assert [path.name for path in folder.iterdir()] == ["new.csv"]
