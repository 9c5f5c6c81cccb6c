"""Memory, disk and folders: what a run needs is said before it writes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.core.errors import EngineError, InputError
from engine.core.platform.memory import resident_bytes
from engine.streaming.memory import MemoryBudget
from tests.engine.streaming.runs import PLAN, run


def test_a_limit_that_is_too_small_says_one_that_is_not(
    source: Path, tmp_path: Path
) -> None:
    small = resident_bytes() + 10**6
    with pytest.raises(EngineError, match=r"say --memory \d") as raised:
        run(PLAN, source, tmp_path / "out", memory=small)
    assert list(tmp_path.iterdir()) == []
    from engine.streaming.memory import parse_memory_size

    enough = str(raised.value).split("--memory ")[1].split(" or more")[0]
    run(PLAN, source, tmp_path / "out", memory=int(1.1 * parse_memory_size(enough)))


def test_blocks_are_protected_at_once_as_far_as_memory_allows() -> None:
    from engine.streaming.memory import BlockShape

    shape = BlockShape(10_000_000, 100_000, 4)
    assert (
        MemoryBudget(10**9, 10**9 - 3 * shape.required_bytes - 1).max_parallel_blocks(
            shape
        )
        == 3
    )


def test_a_disk_without_room_is_named_before_it_is_written_to(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free: Callable[[Path], Any] = lambda _: type("Usage", (), {"free": 1000})  # noqa: E731
    monkeypatch.setattr("shutil.disk_usage", free)
    with pytest.raises(InputError, match="free some"):
        run(PLAN, source, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_is_there_is_never_replaced(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(EngineError, match="exists already"):
        run(PLAN, source, tmp_path / "out")
    with pytest.raises(EngineError, match="does not exist"):
        run(PLAN, source, tmp_path / "no" / "out")
    (tmp_path / "out" / "mine").unlink()
    run(PLAN, source, tmp_path / "out")  # an empty folder is as good as none


def test_two_runs_do_not_share_a_folder(source: Path, tmp_path: Path) -> None:
    from engine.streaming.workspace import lock_workspace

    with (
        lock_workspace(tmp_path / "out"),
        pytest.raises(InputError, match="Another run"),
    ):
        run(PLAN, source, tmp_path / "out")
