"""Files are replaced, locked and found as on every system."""

import ctypes
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.core.errors import InputError
from engine.core.platform import files
from engine.files.input.source import InputBytes


def _hold(times: int, code: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have `os.replace` refuse for some times, as Windows does for an open file."""
    replace, tried = os.replace, list[str]()

    def refuse(source: str, target: str) -> None:
        tried.append(source)
        if len(tried) <= times:
            error = PermissionError(13, "held by another program")
            error.winerror = code  # type: ignore[attr-defined]
            raise error
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    return tried


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("new", "old"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    return tmp_path / "new", tmp_path / "old"


def test_a_file_that_a_scanner_holds_is_replaced_when_it_lets_go(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = _hold(3, 32, monkeypatch)
    files.move_and_replace(*pair)
    assert len(tried) == 4
    assert pair[1].read_text(encoding="utf-8") == "new"


def test_a_file_that_is_held_for_ever_stays_as_it_is(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_HELD_SECONDS", 0.0)
    _hold(10**9, 32, monkeypatch)
    with pytest.raises(PermissionError):
        files.move_and_replace(*pair)
    assert [path.read_text(encoding="utf-8") for path in pair] == ["new", "old"]


def test_what_is_forbidden_for_good_is_tried_once(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = _hold(10**9, 1, monkeypatch)
    with pytest.raises(PermissionError):
        files.move_and_replace(*pair)
    assert len(tried) == 1


@pytest.mark.parametrize("times", [0, 3, 10**9])
def test_a_file_that_a_scanner_holds_is_removed_when_it_lets_go(
    times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_HELD_SECONDS", 0.0 if times > 3 else 60.0)
    path, unlink, tried = tmp_path / "file", Path.unlink, list[Path]()
    path.touch()

    def refuse(self: Path, missing_ok: bool = False) -> None:
        tried.append(self)
        if len(tried) <= times:
            error = PermissionError(13, "held by another program")
            error.winerror = 32  # type: ignore[attr-defined]
            raise error
        unlink(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    if times > 3:
        with pytest.raises(PermissionError):
            files.remove_file(path)
    else:
        files.remove_file(path)
        assert len(tried) == times + 1
        files.remove_file(tmp_path / "none")
    assert path.exists() == (times > 3)


@pytest.mark.parametrize(("platform", "tries"), [("win32", 4), ("linux", 1)])
def test_a_table_that_a_scanner_holds_is_read_when_it_lets_go(
    platform: str, tries: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "sys", SimpleNamespace(platform=platform))
    monkeypatch.setattr(files, "MAX_HELD_SECONDS", 60.0)
    table, opened, tried = tmp_path / "a.csv", Path.open, list[Path]()
    table.write_text("a\n1\n", encoding="utf-8")

    def refuse(self: Path, *mode: Any, **options: Any) -> Any:
        tried.append(self)
        if len(tried) < 4:  # as of what is opened: no number of Windows comes along
            raise PermissionError(13, "Permission denied")
        return opened(self, *mode, **options)

    monkeypatch.setattr(Path, "open", refuse)
    source = InputBytes(table.name, table)
    if platform == "win32":
        source.check_readable()
    else:
        with pytest.raises(InputError, match=r"a\.csv' cannot be opened \(Permission"):
            source.check_readable()
    assert len(tried) == tries


def test_a_folder_takes_the_place_of_an_empty_one_on_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(files, "MAX_HELD_SECONDS", 0.0)
    replace = os.replace

    def refuse(source: Path, target: Path) -> None:
        if os.path.isdir(target):
            error = PermissionError(13, "Access is denied")
            error.winerror = 5  # type: ignore[attr-defined]
            raise error
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    for name in ("new", "empty", "full"):
        (tmp_path / name).mkdir()
    for name in ("new", "full"):
        (tmp_path / name / "a").write_text(name, encoding="utf-8")
    with pytest.raises(OSError, match="not empty"):
        files.move_and_replace(tmp_path / "new", tmp_path / "full")
    files.move_and_replace(tmp_path / "new", tmp_path / "empty")
    assert (tmp_path / "empty" / "a").read_text(encoding="utf-8") == "new"
    assert (tmp_path / "full" / "a").read_text(encoding="utf-8") == "full"


def test_a_lock_is_held_by_one_until_the_file_is_closed(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("wb") as first:
        assert files.try_lock_file(first.fileno())
        with (tmp_path / "lock").open("rb+") as second:
            assert not files.try_lock_file(second.fileno())
    with (tmp_path / "lock").open("rb+") as third:
        assert files.try_lock_file(third.fileno())


@pytest.mark.parametrize(
    ("platform", "version", "is_set"),
    [
        ("win32", (3, 11, 9), True),
        ("win32", (3, 12, 3), True),
        ("win32", (3, 11, 10), False),
        ("win32", (3, 12, 4), False),
        ("win32", (3, 13, 0), False),
        ("linux", (3, 11, 2), False),
    ],
)
def test_where_python_heeds_no_mode_the_system_is_told_who_may_enter(
    platform: str,
    version: tuple[int, int, int],
    is_set: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        files, "sys", SimpleNamespace(platform=platform, version_info=version)
    )
    kernel = SimpleNamespace(GetSystemDirectoryW=_name_system_folder)
    windll = SimpleNamespace(kernel32=kernel)
    monkeypatch.setattr(ctypes, "windll", windll, raising=False)
    calls: list[list[str]] = []

    def run(words: list[str], **_options: object) -> SimpleNamespace:
        calls.append(words)
        return SimpleNamespace(returncode=int("refusing" in words[1]))

    monkeypatch.setattr(subprocess, "run", run)
    files.make_private(tmp_path / "a b")
    rights = [
        f"*{account}:(OI)(CI)F" for account in ("S-1-3-4", "S-1-5-18", "S-1-5-32-544")
    ]
    words = [str(tmp_path / "a b"), "/inheritance:r", "/grant:r", *rights]
    assert [call[1:] for call in calls] == [words] * is_set
    folder, name = os.path.split("".join(call[0] for call in calls))
    assert (name, bool(folder)) == ("icacls.exe" * is_set, is_set)
    if is_set:
        with pytest.raises(PermissionError, match="no access rights can be set"):
            files.make_private(tmp_path / "refusing")


@pytest.mark.posix("what Windows answers is imitated")
@pytest.mark.parametrize(
    ("ntdll", "most"),
    [
        ({}, 259),
        ({"RtlAreLongPathsEnabled": lambda: 0x7F00}, 259),
        ({"RtlAreLongPathsEnabled": lambda: 1}, None),
    ],
)
def test_paths_are_as_long_as_windows_allows(
    ntdll: dict[str, Any], most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files.max_path_chars() is None or os.name == "nt"
    monkeypatch.setattr(files, "sys", SimpleNamespace(platform="win32"))
    windll = SimpleNamespace(ntdll=SimpleNamespace(**ntdll))
    monkeypatch.setattr(ctypes, "windll", windll, raising=False)
    assert files.max_path_chars() == most


def _name_system_folder(name: Any, _size: int) -> None:
    name.value = r"C:\Windows\system32"
