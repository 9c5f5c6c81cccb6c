"""What is written reads back as it was, in every format."""

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from engine.data.table import Origin
from engine.files import ReadOptions, formats, frame_to_bytes, read_table, write_table
from tests.properties import share_of_examples

LETTERS = st.characters(blacklist_categories=("Cs", "Cc", "Cn"))
TAME = st.text(st.characters(whitelist_categories=("L", "N"))).map("x".__add__)
WILD = st.text(st.one_of(LETTERS, st.sampled_from(',;|"\n\t. '))).map("x".__add__)
INTEGERS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=True)
DATES = st.dates()


def column(draw: Any, n: int, values: Any, dtype: str) -> pd.Series:
    cells = draw(st.lists(st.none() | values, min_size=n, max_size=n))
    if all(cell is None for cell in cells):
        return pd.Series([np.nan] * n)
    if dtype == "int64" and None in cells:
        dtype = "Int64"
    if dtype == "boolean" and None not in cells:
        dtype = "bool"
    series = pd.Series(cells, dtype=dtype)
    if dtype == "float64" and series.isna().all():
        return pd.Series([np.nan] * n)
    return series


@st.composite
def frames(draw: Any, kinds: list[tuple[Any, str]], **names: Any) -> pd.DataFrame:
    n = draw(st.integers(1, 8))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    columns = [column(draw, n, *kind) for kind in chosen]
    titles = draw(
        st.lists(
            WILD.map(lambda text: text.strip() + "n"),
            min_size=len(columns),
            max_size=len(columns),
            unique=True,
        )
        if not names
        else st.just([f"n{j}" for j in range(len(columns))])
    )
    return pd.DataFrame(dict(zip(titles, columns, strict=True)))


def same(back: pd.DataFrame, frame: pd.DataFrame) -> None:
    assert_frame_equal(back, frame)
    for name in frame.select_dtypes("float64"):
        known_mask = frame[name].notna()
        back_values, frame_values = (
            back[name][known_mask].to_numpy(),
            frame[name][known_mask].to_numpy(),
        )
        assert (back_values.view(np.int64) == frame_values.view(np.int64)).all()


TEXT_KINDS = [
    (INTEGERS, "int64"),
    (FLOATS, "float64"),
    (WILD, "str"),
    (DATES, "datetime64[us]"),
]

ORIGINS = st.builds(
    lambda delimiter, decimal, encoding, newline: Origin(
        "csv",
        {
            "delimiter": delimiter,
            "decimal": decimal,
            "encoding": encoding,
            "newline": newline,
            "header": True,
        },
    ),
    st.sampled_from(",;|\t"),
    st.sampled_from(".,"),
    st.sampled_from(("utf-8", "utf-8-sig", "utf-16")),
    st.sampled_from(("\n", "\r\n")),
)


@given(frames(TEXT_KINDS), ORIGINS)
def test_delimited_text_comes_back_with_its_options(
    frame: pd.DataFrame, origin: Origin
) -> None:
    content = frame_to_bytes(frame, origin)
    back = read_table(
        content, name="a.csv", options=ReadOptions.from_used_options(origin.options)
    )
    same(back.frame, frame)
    assert frame_to_bytes(back.frame, origin) == content


@settings(max_examples=share_of_examples(0.5))
@given(
    frames([(INTEGERS, "int64"), (FLOATS, "float64"), (TAME, "str")], plain=True),
    st.sampled_from((",", ";", "\t", "|")),
)
def test_delimited_text_comes_back_with_everything_found_out(
    frame: pd.DataFrame, delimiter: str
) -> None:
    content = frame_to_bytes(frame, Origin("csv", {"delimiter": delimiter}))
    back = read_table(content, name="a.csv")
    same(back.frame, frame)
    if frame.shape[1] > 1:
        assert back.origin.options["delimiter"] == delimiter


EXCEL_KINDS = [
    (st.integers(-(2**53), 2**53), "int64"),
    (st.floats(allow_infinity=False, allow_nan=False), "float64"),
    (WILD, "str"),
    (st.booleans(), "boolean"),
    (st.dates(min_value=datetime.date(1900, 3, 1)), "datetime64[us]"),
]


@given(frames(EXCEL_KINDS))
def test_a_workbook_comes_back(frame: pd.DataFrame) -> None:
    # A sheet does not know rows without contents, nor 5.0 from 5.
    frame.insert(0, "record", np.arange(len(frame)))
    for name in frame.select_dtypes("float64"):
        numbers = frame[name].dropna()
        if len(numbers) and (numbers == np.floor(numbers)).all():
            frame[name] = frame[name].where(frame[name].isna(), 0.1)
    content = frame_to_bytes(frame, Origin("excel"))
    back = read_table(content, name="a.xlsx", options=ReadOptions(header=True))
    same(back.frame, frame)


PARQUET_KINDS = [
    *TEXT_KINDS,
    (st.booleans(), "boolean"),
    (WILD, "category"),
    (st.integers(0, 255), "UInt8"),
    (st.datetimes(), "datetime64[us]"),
]


@given(frames(PARQUET_KINDS))
def test_parquet_comes_back(frame: pd.DataFrame) -> None:
    for name in frame.select_dtypes("UInt8"):
        if frame[name].notna().all():
            frame[name] = frame[name].astype("uint8")
    content = frame_to_bytes(frame, Origin("parquet"))
    table = read_table(content, name="a.parquet")
    same(table.frame, frame)
    same(
        read_table(frame_to_bytes(table.frame, table.origin), name="a.parquet").frame,
        frame,
    )


WRITABLE = [info for info in formats.infos() if info.writable]


@pytest.mark.parametrize("suffix", [s for i in WRITABLE for s in i.suffixes])
def test_every_suffix_is_written_and_read(
    suffix: str, tmp_path: Any, frame: pd.DataFrame
) -> None:
    target = tmp_path / f"table{suffix}"
    write_table(frame, target)
    assert_frame_equal(read_table(target).frame, frame)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("info", WRITABLE, ids=lambda info: info.id)
@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda frame: frame, "as it is"),
        (lambda frame: frame.set_axis(range(5, 8)), "another index"),
        (lambda frame: frame.iloc[:1], "one record"),
        (lambda frame: frame[["income"]], "one column"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_index_is_not_written(
    info: Any,
    change: Callable[[pd.DataFrame], pd.DataFrame],
    what: str,
    frame: pd.DataFrame,
) -> None:
    frame = change(frame)
    back = read_table(
        frame_to_bytes(frame, Origin(info.id)), name=f"a{info.suffixes[0]}"
    )
    assert_frame_equal(back.frame, frame.reset_index(drop=True))


@pytest.mark.parametrize("value", ["1,5 €", "a;b", "a\tb", "a|b", "a,b", 'a"b;'])
def test_a_single_column_comes_back_whole(value: str) -> None:
    frame = pd.DataFrame({"only": [value, "other", value]})
    back = read_table(
        frame_to_bytes(frame, Origin("csv", {"delimiter": ";"})), name="a.csv"
    )
    assert_frame_equal(back.frame, frame)


@pytest.mark.slow
def test_a_thousand_columns_come_back() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        rng.normal(size=(20, 1000)), columns=[f"v{j}" for j in range(1000)]
    )
    for info in WRITABLE:
        content = frame_to_bytes(frame, Origin(info.id))
        same(read_table(content, name=f"a{info.suffixes[0]}").frame, frame)
