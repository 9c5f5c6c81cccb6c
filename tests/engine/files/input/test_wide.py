"""Reading and proposing take time in proportion to columns."""

import csv
import io
import sys
from typing import Any

import pandas as pd
import pytest

from engine.core.errors import InputError
from engine.files import ReadOptions, read_frame, read_table
from engine.files.cells import certain_types
from engine.files.input import reading


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


@pytest.mark.slow
def test_twice_the_columns_are_twice_the_work() -> None:
    calls(20)
    few, many = calls(200), calls(800)
    assert many < 4.6 * few


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_names_longer_than_what_is_looked_at_first_are_whole(end: str) -> None:
    names = [f"{'x' * 2_000} {j}" for j in range(700)]
    lines = [",".join(names), ",".join(["1"] * 700), ",".join(["2.5"] * 700)]
    content = end.join([*lines, lines[1], ""]).encode()
    assert content.index(end.encode()) > 2**20
    frame, _, _ = read_frame(content, ReadOptions(), "a.csv")
    assert list(frame) == names
    assert len(frame) == 3


def test_too_many_columns_are_named_as_the_reason() -> None:
    content = b",".join([b"a%d" % number for number in range(200_000)]) + b"\n"
    content += b",".join([b"1"] * 200_000) + b"\n"
    with pytest.raises(InputError, match="has 200,000 columns, more than the 100,000"):
        read_table(content, name="a.csv")
    with pytest.raises(InputError, match="which is no table"):
        read_table(b"x" * (2**26 + 1), name="a.csv")


@pytest.mark.parametrize("above", ["", "A title\n\n"])
@pytest.mark.parametrize("name", ["x" * 5_000_000, '"' + "7 \n" * 100_000 + '"'])
def test_a_name_that_is_far_too_long_is_named_as_the_reason(
    above: str, name: str
) -> None:
    rows = "".join(f"{i},{i * 3 % 7}\n" for i in range(50))
    with pytest.raises(InputError, match=r"name of column 2 .* characters, more than"):
        read_frame(f"{above}id,{name}\n{rows}".encode(), ReadOptions(), "a.csv")


@pytest.mark.parametrize("size", [200_000, 3_000_000])
def test_a_cell_may_be_as_long_as_it_is(size: int) -> None:
    text = f"id,remark\n1,{'x' * size}\n2,b\n3,c\n"
    frame, _, _ = read_frame(text.encode(), ReadOptions(), "a.csv")
    assert frame["remark"].str.len().tolist() == [size, 1, 1]


def test_a_long_name_is_refused_in_other_formats() -> None:
    content = io.BytesIO()
    pd.DataFrame({"a": [1, 2], "x" * 10_001: [3, 4]}).to_parquet(content)
    with pytest.raises(InputError, match=r"name of column 2 .* has 10,001 characters"):
        read_frame(content.getvalue(), ReadOptions(), "a.parquet")


CELLS = (
    "7|12|-3",
    "20200131|20201231|19991130",
    "1.5|-0.25|10",
    "1.234|2.500|7.125",
    "0123|01|2",
    "inf|nan|NA",
    "1e5|2|3.5",
    "-0|0.0|1",
    "12345678901234567890|1|2",
    "0.12345678901234567|1|2",
    "v1|v2|v3",
    "a|5|NA",
    "31.12.2020|01.02.2021|",
    "2020-01-31|2021-02-28|",
    "2020-01-31 10:00:00|2021-02-28 11:30:00|",
    "1,5|2,25|3,75",
    "1.000,5|2|",
    "5 %|6 %|",
    "Mai 2020|Juni 2020|",
    "-|3|4",
    "+5|+7|",
    "0x1F|3|",
    "True|False|",
    "||",
)


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("decimal", [None, ".", ","])
def test_many_columns_at_once_are_what_each_is_alone(
    delimiter: str, decimal: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = [column.split("|") for column in CELLS]
    columns += [[*column[:2], ""] for column in columns] + [
        column[::-1] for column in columns
    ]
    rows = [[f"c{j}x" for j in range(len(columns))], *zip(*columns, strict=True)]
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows(rows)
    content = stream.getvalue().encode()
    options = ReadOptions(
        delimiter=delimiter, header_row="1", first_row=2, footer_rows=0, decimal=decimal
    )
    at_once, origin, _ = read_frame(content, options, "a.csv")
    monkeypatch.setattr(certain_types, "MIN_BATCH_COLUMNS", sys.maxsize)
    column_wise_frame, expected, _ = read_frame(content, options, "a.csv")
    pd.testing.assert_frame_equal(at_once, column_wise_frame, check_exact=True)
    assert origin.options == expected.options


def test_columns_as_programs_write_them_are_not_looked_at_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("looked at one by one")

    monkeypatch.setattr(reading, "convert_text_column", refuse)
    rows = [[f"c{j}x" for j in range(400)]]
    rows += [[f"{i}", f"{i}.5", f"v{i}", ""] * 100 for i in range(5)]
    content = "\n".join(map(",".join, rows)).encode()
    frame, _, _ = read_frame(content, ReadOptions(), "a.csv")
    types = [str(dtype) for dtype in frame.dtypes.iloc[:4]]
    assert types == ["int64", "float64", "str", "float64"]
