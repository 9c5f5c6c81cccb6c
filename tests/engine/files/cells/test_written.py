"""Numbers and dates come back as they were written, in every way that people write."""

import datetime
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import InputError, ParameterError
from engine.data.formats.date_format import DateFormat
from engine.data.formats.number_format import NumberFormat
from engine.data.reading import reading_messages
from engine.files import ReadOptions, frame_to_bytes, read_table
from engine.files.cells.months import MONTH_TABLES

SIGNS = [
    (",", "."),
    (",", " "),
    (",", "\u00a0"),
    (",", "\u202f"),
    (".", ","),
    (".", "'"),
    (".", "\u2019"),
]
FORMS = st.builds(
    lambda signs, unit, negative: NumberFormat(
        signs[0], signs[1], decimals=2, negative=negative, **unit
    ),
    st.sampled_from(SIGNS),
    st.sampled_from(
        [
            {},
            {"suffix": " %"},
            {"suffix": " \u20ac"},
            {"prefix": "CHF "},
            {"prefix": "$"},
            {"suffix": "kg"},
            {"suffix": " mg/dl"},
            {"suffix": " years", "singular": " year"},
        ]
    ),
    st.sampled_from(["-", "\u2212", "trailing", "parentheses"]),
)
CENTS = st.lists(st.integers(-(10**9), 10**9), min_size=3, max_size=12, unique=True)


@given(FORMS, CENTS)
def test_numbers_come_back_in_their_writing(form: NumberFormat, cents: Any) -> None:
    values = [1234.5, 12.25, 0.5, 1.0, *(cent / 100 for cent in cents)]
    lines = ["x|y", *(f"{form.format_number(value)}|a" for value in values)]
    content = "\n".join([*lines, ""]).encode()
    table = read_table(content, name="a.csv", options=ReadOptions(delimiter="|"))
    assert table.frame["x"].tolist() == values
    assert frame_to_bytes(table.frame, table.origin) == content


SCALES = [
    {"prefix": "$", "scales": (("M", 6), ("K", 3))},
    {"scales": ((" Mrd. \u20ac", 9), (" Mio. \u20ac", 6), (" \u20ac", 0))},
    {"scales": ((" km", 3), (" m", 0))},
]


@given(st.sampled_from(SCALES), CENTS)
def test_amounts_of_several_magnitudes_come_back(scales: Any, cents: Any) -> None:
    form = NumberFormat(**scales)
    tops = [25 * 10 ** (power - 1) for _, power in form.scales]
    values = [*map(float, tops), 0.0, *(cent / 100 for cent in cents)]
    lines = ["x|y", *(f"{form.format_number(value)}|a" for value in values)]
    content = "\n".join([*lines, ""]).encode()
    options = ReadOptions(delimiter="|", decimal=".")
    table = read_table(content, name="a.csv", options=options)
    assert table.frame["x"].tolist() == values
    assert frame_to_bytes(table.frame, table.origin) == content


def test_a_column_that_says_its_decimal_sign_is_read_whatever_others_say() -> None:
    content = b"a|b\n1.5|1.234,56 EUR\n2.25|7,00 EUR\n0.125|12,50 EUR\n"
    table = read_table(content, name="a.csv", options=ReadOptions(delimiter="|"))
    assert table.frame["a"].tolist() == [1.5, 2.25, 0.125]
    assert table.frame["b"].tolist() == [1234.56, 7.0, 12.5]
    assert frame_to_bytes(table.frame, table.origin) == content


PATTERNS = [
    "%d.%m.%Y",
    "%-d.%-m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%m/%d/%y",
    "%d-%m-%Y",
    "%Y/%m/%d",
    "%Y%m%d",
    "%-d %b %Y",
    "%-d. %b %Y",
    "%b %-d, %Y",
    "%d.%m.%Y %H:%M",
    "%m/%d/%Y %I:%M %p",
    "%-d/%-m/%Y %-I:%M:%S%P",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%dT%H:%M:%S.%L+00:00",
    "%Y-%m-%d %H:%M:%S.000",
    "%d%b%Y",
    "%-d%b%Y:%H:%M:%S",
    "%Y-T%q",
    "%Y-%m",
    "%m/%Y",
    "%YQ%q",
    "%Y-W%V",
]


@given(
    st.sampled_from(PATTERNS),
    st.sampled_from(MONTH_TABLES),
    st.lists(st.dates(datetime.date(1940, 1, 1), datetime.date(2029, 12, 31))),
)
def test_dates_come_back_in_their_writing(pattern: str, months: Any, days: Any) -> None:
    form = DateFormat(pattern, months if "%b" in pattern else ())
    # The first ones tell day from month, and one month from another.
    first = [pd.Timestamp(1999, month, 28 - month) for month in range(1, 13)]
    moments = form.snap_to_format(pd.Series([*first, *map(pd.Timestamp, days)]))
    lines = ["x|y", *(f"{form.format_date(moment)}|a" for moment in moments)]
    content = "\n".join([*lines, ""]).encode()
    table = read_table(content, name="a.csv", options=ReadOptions(delimiter="|"))
    assert table.frame["x"].tolist() == moments.tolist()
    assert frame_to_bytes(table.frame, table.origin) == content


def read(content: bytes, **options: Any) -> pd.DataFrame:
    return read_table(content, name="a.csv", options=ReadOptions(**options)).frame


def test_a_column_that_can_be_read_twice_is_asked_about() -> None:
    content = b"x,y\n01/02/2024,a\n03/04/2024,b\n"
    assert read(content)["x"].tolist() == ["01/02/2024", "03/04/2024"]
    first = read(content, forms={"x": "day-month"})["x"][0]
    assert first == pd.Timestamp(2024, 2, 1)
    first = read(content, forms={"x": "month-day"})["x"][0]
    assert first == pd.Timestamp(2024, 1, 2)
    with pytest.raises(InputError, match="'x' is not written as decimal-comma"):
        read(content, forms={"x": "decimal-comma"})
    with pytest.raises(ParameterError, match="no column called 'z'"):
        read(content, forms={"z": "text"})
    with pytest.raises(ParameterError, match="cannot be written as 'klingon'"):
        read(content, forms={"x": "klingon"})


def test_another_column_tells_the_order_of_day_and_month() -> None:
    frame = read(b"x,y\n01/02/2024,25/12/2024\n03/04/2024,01/01/2024\n")
    assert frame["x"][0] == pd.Timestamp(2024, 2, 1)


@pytest.mark.parametrize(
    "cells",
    [
        ["01067", "12345", "80331"],
        ["612 345 678", "699 111 222", "622 333 444"],
        ["+49 30 123", "+49 40 222", "+49 89 333"],
        ["12345678901234567890", "2", "3"],
        ["1.234", "12.34", "1.2.3"],
        ["192.168.100.200", "192.168.100.201", "192.168.178.102"],
        ["(1)", "(2)", "(3)"],
        ["12 %", "3 EUR", "4 %"],
        ["t0", "t1", "t2"],
        ["s 12", "s 5", "s 30"],
        ["5", "6", "seven"],
        ["1st", "2nd", "3rd"],
        ["12A", "14A", "15A"],
        ["007 kg", "012 kg", "101 kg"],
        ["3 kg", "4 years", "5 kg"],
        ["$5", "\u20ac6", "$7"],
        ["10 m", "10 M", "3 km"],
        ["9 am", "10 am", "11 am"],
        ["31.04.2024", "30.04.2024", "01.01.2024"],
    ],
    ids=lambda cells: cells[0],
)
def test_codes_and_mixtures_stay_text(cells: list[str]) -> None:
    content = "\n".join(["x;y", *(f"{cell};a" for cell in cells), ""]).encode()
    assert read(content)["x"].tolist() == cells


@pytest.mark.parametrize("sign", ".,")
@pytest.mark.parametrize(
    ("cells", "are_codes"),
    [
        (["62.1", "62.10", "47.2"], True),
        (["62", "62.1", "62.10"], True),
        (["1.1", "1.2", "1.10", "10.1"], True),
        (["62.10", "62.11", "62.20"], False),
        (["62.1", "62.2", "62.11"], False),
        (["0.5", "0.50", "1.5"], False),
        (["-1.5", "1.50", "1.5"], False),
        (["5", "5.5", "5.50"], False),
        (["62.0", "62", "63"], False),
    ],
    ids=str,
)
def test_codes_that_zeros_at_the_end_tell_apart_stay_text(
    sign: str, cells: list[str], are_codes: bool
) -> None:
    cells = [cell.replace(".", sign) for cell in cells] * 2
    content = "\n".join(["x;y", *(f"{cell};a" for cell in cells), ""]).encode()
    column = read(content)["x"]
    assert pd.api.types.is_numeric_dtype(column.dtype) is not are_codes
    if are_codes:
        assert column.tolist() == cells
        form = {"x": "decimal-comma" if sign == "," else "decimal-point"}
        assert pd.api.types.is_numeric_dtype(read(content, forms=form)["x"].dtype)


def test_amounts_that_seldom_come_again_are_no_codes() -> None:
    cells = ["62.1", "62.10", "47.2", "48.3"]
    assert read("\n".join(["x;y", *(f"{c};a" for c in cells), ""]).encode())[
        "x"
    ].tolist() == [62.1, 62.1, 47.2, 48.3]


def test_codes_that_people_name_are_missing() -> None:
    content = b"age,y\n34,a\n-9,b\n99,c\n"
    assert read(content, missing={"age": ["-9", "99"]})["age"].isna().sum() == 2
    with pytest.raises(ParameterError, match="no column called 'z'"):
        read(content, missing={"z": ["1"]})


DAYS = st.dates(datetime.date(1900, 1, 1), datetime.date(2099, 12, 31))
WAYS = st.sampled_from(["%d.%m.%Y", "%Y-%m-%d", "%-d/%-m/%Y", "%-d.%-m.%Y"])


@given(st.lists(st.tuples(DAYS, WAYS), max_size=30))
def test_days_that_are_written_in_several_ways_are_days(cells: Any) -> None:
    # The first ones tell day from month, and that there are several ways.
    first_rows = [
        (datetime.date(1999, 3, 28), way) for way in ("%-d/%-m/%Y", "%Y-%m-%d")
    ]
    rows = [*first_rows, *cells]
    texts = [DateFormat(way).format_date(pd.Timestamp(day)) for day, way in rows]
    content = "\n".join(["x|y", *(f"{text}|a" for text in texts), ""]).encode()
    table = read_table(content, name="a.csv", options=ReadOptions(delimiter="|"))
    assert table.frame["x"].tolist() == [pd.Timestamp(day) for day, _way in rows]
    # All in one way from now on, which says the same.
    reread_table = read_table(frame_to_bytes(table.frame, table.origin), name="a.csv")
    assert reread_table.frame["x"].tolist() == table.frame["x"].tolist()
    assert any(
        "writes its dates in" in str(message)
        for message in reading_messages(table.origin)
    )


@pytest.mark.parametrize(
    "cells",
    [
        ["03/04/2001", "2000-01-01"],
        ["13/04/2001", "04/13/2001", "2000-01-01"],
        ["13/4/2001", "4-13-2001"],
        ["31.4.2001", "2000-01-01"],
        ["1.2.2003", "2000-01-01", "x1"],
        ["1.2.2003", "1.2.03"],
    ],
    ids=lambda cells: cells[0],
)
def test_mixed_days_that_could_be_others_stay_text(cells: list[str]) -> None:
    content = "\n".join(["x;y", *(f"{cell};a" for cell in cells), ""]).encode()
    assert read(content)["x"].tolist() == cells


def test_people_and_other_columns_say_the_order_of_mixed_days() -> None:
    content = b"x;y\n03/04/2001;25/12/2024\n2000-01-01;01/12/2024\n"
    assert read(content)["x"][0] == pd.Timestamp(2001, 4, 3)
    content = b"x;y\n03/04/2001;a\n2000-01-01;b\n"
    assert read(content, forms={"x": "month-day"})["x"][0] == pd.Timestamp(2001, 3, 4)
    assert read(content, forms={"x": "day-month"})["x"][0] == pd.Timestamp(2001, 4, 3)
