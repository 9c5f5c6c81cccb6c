"""What modules hold is not looked through after every click."""

from __future__ import annotations

import gc
import sys
import types
import weakref

import pytest

from dashboard.server.garbage import collect_all, freeze


def test_only_new_modules_are_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    freeze()
    try:
        assert not freeze()
        monkeypatch.setitem(sys.modules, "a module of a test", types.ModuleType("m"))
        before = gc.get_freeze_count()
        held = [[] for _ in range(10_000)]
        assert freeze()
        # Of what was frozen before, a few may have been let go meanwhile.
        assert gc.get_freeze_count() >= before + 0.9 * len(held)
        assert not freeze()
    finally:
        gc.unfreeze()


class Ring:
    """Holds itself: only a search for garbage finds it."""

    def __init__(self) -> None:
        self.itself = self


def test_what_is_made_later_is_still_collected() -> None:
    freeze()
    try:
        ring = weakref.ref(Ring())
        gc.collect()
        assert ring() is None
    finally:
        gc.unfreeze()


def test_what_was_frozen_and_is_garbage_goes_when_all_is_collected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    try:
        monkeypatch.setattr("dashboard.server.garbage._modules", 0)
        held = Ring()
        ring = weakref.ref(held)
        freeze()
        del held
        gc.collect()
        assert ring() is not None
        collect_all()
        assert ring() is None
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
