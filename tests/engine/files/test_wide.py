"""Reading and proposing take time in proportion to columns."""

import sys
from typing import Any

from engine.files import read_table


def calls(width: int) -> int:
    """Return how often Python code is entered, and names are compared, in reading."""
    compared = 0

    class Name(str):
        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    names = [Name(f"v{j}") for j in range(width)]
    content = b"\n".join(
        ",".join(row).encode() for row in (names, *[["1"] * width, ["2"] * width] * 3)
    )
    entered = 0

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal entered
        entered += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        table = read_table(content, name="a.csv")
    finally:
        sys.setprofile(before)
    for name in names:
        assert table.schema[name].name == name
        assert name in table.schema
    return entered + compared


def test_twice_the_columns_are_twice_the_work() -> None:
    calls(20)
    few, many = calls(200), calls(800)
    assert many < 4.6 * few
