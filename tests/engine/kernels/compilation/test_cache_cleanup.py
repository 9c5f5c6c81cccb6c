"""Compiled kernels that nobody uses go, and nothing else does."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from engine.kernels.compilation import cache_cleanup

DAY = 86400.0


def test_only_what_no_process_has_used_for_long_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_cleanup, "CACHE_ROOT", tmp_path)
    for name, days in {
        "0123456789abcdef": 8.0,
        "fedcba9876543210": 6.0,
        "aaaaaaaaaaaaaaaa.gone": 0.0,
        "of somebody else": 99.0,
        "somebody_0123456789abcdef": 99.0,
    }.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "kernel.nbi").write_bytes(b"compiled")
        os.utime(folder, (time.time() - days * DAY,) * 2)
    assert cache_cleanup.remove_unused_folders() == 2
    assert {path.name for path in tmp_path.iterdir()} == {
        "fedcba9876543210",
        "of somebody else",
        "somebody_0123456789abcdef",
    }


def test_no_folder_of_kernels_is_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_cleanup, "CACHE_ROOT", tmp_path / "none")
    assert cache_cleanup.remove_unused_folders() == 0
