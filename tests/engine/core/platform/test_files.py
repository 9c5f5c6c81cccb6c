"""Files are replaced, locked and found as on every system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.core.platform import files


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
    monkeypatch.setattr(files, "MAX_REPLACE_SECONDS", 0.0)
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


def test_a_lock_is_held_by_one_until_the_file_is_closed(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("wb") as first:
        assert files.try_lock_file(first.fileno())
        with (tmp_path / "lock").open("rb+") as second:
            assert not files.try_lock_file(second.fileno())
    with (tmp_path / "lock").open("rb+") as third:
        assert files.try_lock_file(third.fileno())
