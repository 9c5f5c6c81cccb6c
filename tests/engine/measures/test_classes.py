"""Classes are worked out once per table, and never those of another."""

import numpy as np
import pandas as pd
import pytest

from engine.measures import classes
from engine.measures.classes import ClassCache, record_classes, smallest_class_size

FRAME = pd.DataFrame({"a": [1, 1, 2, None, None], "b": ["x", "x", "x", "y", None]})


def test_records_with_the_same_values_share_a_class() -> None:
    assert record_classes(FRAME, ("a", "b")).tolist() == [0, 0, 1, 2, 3]
    assert record_classes(FRAME, ("b",)).tolist() == [0, 0, 0, 1, 2]
    assert smallest_class_size(FRAME, ("a",)) == 1
    assert smallest_class_size(FRAME.drop(index=2), ("a",)) == 2


def test_each_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(frame: pd.DataFrame, columns: tuple[str, ...]) -> np.ndarray:
        calls.append(columns)
        return record_classes(frame, columns)

    monkeypatch.setattr(classes, "record_classes", counted)
    cache, other = ClassCache(), FRAME.iloc[::-1].reset_index(drop=True)
    for _ in range(3):
        assert cache.get_classes(FRAME, ("a",)).tolist() == [0, 0, 1, 2, 2]
        assert cache.get_classes(other, ("a",)).tolist() == [0, 0, 1, 2, 2]
        assert cache.get_classes(other, ("b",)).tolist() == [0, 1, 2, 2, 2]
    assert calls == [("a",), ("a",), ("b",)]


def test_nobody_changes_what_others_read() -> None:
    with pytest.raises(ValueError, match="read-only"):
        ClassCache().get_classes(FRAME, ("a",))[0] = 7
