"""Files beside what was made of them, column by column."""

import numpy as np

from engine.files import frame_to_bytes, read_table
from engine.release.source import find_differing_columns


def test_identical_files_are_the_same_and_others_are_not() -> None:
    table = read_table(b"x,y\n1,a\n2,b\n", name="a.csv")
    came = frame_to_bytes(table.frame, table.origin), table.origin
    rows = np.arange(2)
    places = {"a": (0, 0), "b": (1, 1)}
    assert find_differing_columns(came, came, places, rows) == []
    other = b"x,y\n1,a\n2.0,b\n", table.origin
    assert find_differing_columns(came, other, places, rows) == ["a"]
    assert find_differing_columns(came, came, {"a": (0, 0)}, rows[::-1]) == ["a"]
