"""Fixed-width text: a layout says where columns stand; three ways to write one."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cli.parsing.parser import main
from engine.core.errors import EngineError, InputError, ParameterError
from engine.files import ReadOptions, read_table, write_table
from engine.files.text.fixed_width_layout import (
    ColumnPosition,
    fixed_width_layout_to_text,
    parse_fixed_width_layout,
)
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions
from engine.report.command_line import command_line

LAYOUT = "id 1-4, age 5-7, income 8-16, region 17-20, sex 21"
SAME = {
    "line": LAYOUT,
    "lines": LAYOUT.replace(", ", "\n"),
    "starts": "Name;Start;Width\nid;1;4\nage;5;3\nincome;8;9\nregion;17;4\nsex;21;1\n",
    "ends": "name,start,end\nid,1,4\nage,5,7\nincome,8,16\nregion,17,20\nsex,21,21\n",
    "widths": "name\tlength\nid\t4\nage\t3\nincome\t9\nregion\t4\nsex\t1\n",
    "mu-ARGUS": "id 1 4\n  <IDENTIFICATION>\nage 5 3\n  <RECODABLE>\nincome 8 9\n"
    "  <NUMERIC>\n  <DECIMALS> 1\nregion 17 4\nsex 21 1\n",
}


def content(newline: str = "\n", encoding: str = "utf-8") -> bytes:
    rng = np.random.default_rng(3)
    lines = [
        f"{i:04d}{rng.integers(18, 90):3d}{rng.integers(100, 99999) / 10:9.1f}"
        f"{rng.choice(['nord', 'süd', '']):4s}{rng.integers(1, 3)}"
        for i in range(40)
    ]
    return (newline.join(lines) + newline).encode(encoding)


def read(layout: str, text: bytes | None = None) -> pd.DataFrame:
    text = content() if text is None else text
    return read_table(text, name="a.dat", options=ReadOptions(layout=layout)).frame


@pytest.mark.parametrize("layout", SAME.values(), ids=SAME)
def test_columns_are_where_pandas_finds_them(layout: str) -> None:
    spans = [(0, 4), (4, 7), (7, 16), (16, 20), (20, 21)]
    expected = pd.read_fwf(
        io.BytesIO(content()),
        colspecs=spans,
        names=["id", "age", "income", "region", "sex"],
        dtype={"id": str, "region": str},
    )
    layout_frame = read(layout)
    assert list(layout_frame) == list(expected)
    assert layout_frame["id"].astype(str).tolist()[:3] in (["0000", "0001", "0002"],)
    for name in ("age", "income", "sex"):
        assert layout_frame[name].tolist() == expected[name].tolist()
    assert (
        layout_frame["region"].fillna("").tolist()
        == expected["region"].fillna("").tolist()
    )


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encodings_and_line_ends_are_found(newline: str, encoding: str) -> None:
    frame = read(LAYOUT, content(newline, encoding))
    pd.testing.assert_frame_equal(frame, read(LAYOUT))


def test_codes_of_a_metadata_file_are_missing_values() -> None:
    frame = read("age 5 3\nsex 21 1 2\n  <RECODABLE>\n")
    assert frame["sex"].dropna().unique().tolist() == [1]
    assert frame["sex"].isna().any()


@given(st.lists(st.tuples(st.text(min_size=1), st.integers(1, 9)), min_size=1))
def test_a_layout_is_read_as_it_is_written_again(columns) -> None:
    names = list(dict.fromkeys(" ".join(name.split()) for name, _ in columns))
    names = [name for name in names if name and name.isprintable()]
    places = tuple(ColumnPosition(f"c{n}", i + 1, i + 2) for i, n in enumerate(names))
    if places:
        assert parse_fixed_width_layout(fixed_width_layout_to_text(places)) == places


@given(st.text())
def test_any_text_is_a_layout_or_one_sentence(text: str) -> None:
    with contextlib.suppress(InputError, ParameterError):
        assert all(
            place.end >= place.start >= 1 for place in parse_fixed_width_layout(text)
        )


@pytest.mark.parametrize(
    ("layout", "said"),
    {
        "age 5-3": "the last is not before the first",
        "age 0-3": "places count from 1",
        "age 5-7, age 8-9": "share a name",
        "age": "cannot be read at 'age'",
        "name,start\nage,1": "cannot be read",
        "name,start,width\nage,x,1": "cannot be read at 'age,x,1'",
        "age 300-302": "up to place 302",
        "": "cannot be read",
    }.items(),
)
def test_a_layout_that_does_not_fit_is_one_sentence(layout: str, said: str) -> None:
    with pytest.raises(EngineError) as error:
        read(layout)
    assert said in str(error.value)


def test_a_file_without_a_layout_asks_for_one() -> None:
    with pytest.raises(InputError, match="needs a layout"):
        read_table(content(), name="a.dat")
    with pytest.raises(InputError, match="Line 3 of file"):
        read(LAYOUT, b"\n".join(content().splitlines()[:2]) + b"\n\n0001 33\n")


def test_a_release_leaves_as_csv_and_can_be_repeated(tmp_path: Path) -> None:
    options = ReadOptions(layout=SAME["mu-ARGUS"])
    table = read_table(content(), name="a.asc", options=options)
    plan = Plan(k=3, quasi_identifiers=("age", "income"), identifiers=("id",))
    outcome = run(plan, table)
    written = release_bytes_and_checks(outcome, table, WritingOptions())
    assert written.origin.format == "csv"
    assert not written.failed_checks
    assert f"--layout '{LAYOUT}'" in command_line(outcome.plan, table)
    reread_table = read_table(
        content(),
        name="a.asc",
        options=ReadOptions.from_used_options(table.origin.options),
    )
    assert reread_table.fingerprint == table.fingerprint
    with pytest.raises(InputError, match="can be read but not written"):
        write_table(table.frame, tmp_path / "b.dat")


@pytest.mark.parametrize("by_file", [True, False])
def test_the_command_line_takes_a_layout(tmp_path: Path, by_file: bool) -> None:
    source, target, layout = (tmp_path / n for n in ("a.dat", "b.csv", "l.csv"))
    source.write_bytes(content())
    layout.write_text(SAME["starts"])
    line = ["run", str(source), "--quasi-identifiers", "age", "--k", "3"]
    line += ["--identifiers", "id", "--output", str(target), "--layout"]
    assert main([*line, str(tmp_path / "none.csv")]) == 2
    assert not target.exists()
    assert main([*line, str(layout) if by_file else LAYOUT]) == 0
    assert list(pd.read_csv(target)) == ["age", "income", "region", "sex"]
