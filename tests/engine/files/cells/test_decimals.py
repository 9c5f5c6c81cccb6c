"""Columns that people write with fixed decimals are released with them."""

import io
import re
import zipfile
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data.formats.display import format_column_if_special
from engine.files import ReadOptions, formats, read_table
from engine.files.cells.decimals import min_decimals, pad_decimals
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions
from tests.properties import share_of_examples


def released(
    cells: list[str], rounding: str = "types", only: str | None = None
) -> list[str]:
    """Return a protected column of numbers as it is written, and check the file."""
    lines = ["a;b", *(f"{cell};{i}" for i, cell in enumerate(cells, 1))]
    table = read_table("\n".join(lines).encode() + b"\n", name="a.csv")
    table = table.assign({"a": "quasi-identifier", "b": "other"})
    plan = Plan(
        quasi_identifiers=("a",), k=3, missing="keep", rounding=rounding, only=only
    )
    outcome = run(plan, table)
    written = release_bytes_and_checks(outcome, table)
    assert written.failed_checks == ()
    return [line.split(";")[0] for line in written.content.decode().split()][1:]


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("gap", ["", "NA", "None"])
def test_every_number_keeps_the_decimals_of_its_column(
    decimal: str, count: int, gap: str
) -> None:
    numbers = [152.0, 154.0, 161.5, -3.0, 90.0, 88.0, 1200.0, 1300.0, 1250.0, 7.0]
    cells = [f"{x:.{count}f}".replace(".", decimal) for x in numbers]
    released_cells = released(cells + [gap] * 3 if gap else cells)
    form = re.compile(rf"-?\d+{re.escape(decimal)}\d{{{count}}}")
    assert all(map(form.fullmatch, released_cells[: len(cells)])), released_cells


@pytest.mark.parametrize("decimal", [".", ","])
def test_people_see_them_too_and_so_do_ends_of_intervals(decimal: str) -> None:
    cells = [f"{x}{decimal}50" for x in range(9)]
    text = "\n".join(["a;b", *(f"{cell};1" for cell in cells)])
    table = read_table(text.encode(), name="a.csv")
    assert format_column_if_special(table.frame["a"], table.origin).tolist() == cells
    plan = Plan(quasi_identifiers=("a",), k=3, aggregation="interval")
    intervals = set(run(plan, table).release.frame["a"])
    between = "; " if decimal == "," else ", "
    ends = {
        end for interval in intervals for end in interval.strip("[]").split(between)
    }
    assert len(intervals) == 3
    assert ends <= set(cells)


def test_means_that_are_not_rounded_keep_all_their_digits() -> None:
    texts = released(["1.00", "2.00", "2.00", "7.00", "7.00", "7.00"], "none")
    assert [*map(len, texts)] == [18] * 3 + [4] * 3


def test_a_column_of_different_decimals_has_as_many_as_it_needs() -> None:
    assert released(["1.5", "1.50", "1.5", "3", "3", "3"]) == ["1.5"] * 3 + ["3"] * 3


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20), st.integers(1, 9))
def test_more_decimals_change_no_number(numbers: list[float], least: int) -> None:
    text = pa.array(numbers).cast(pa.large_string())
    padded = pad_decimals(text, 0, least).to_pylist()
    for number, before, padded_text in zip(
        numbers, text.to_pylist(), padded, strict=True
    ):
        assert float(padded_text) == number
        if "." not in before:
            assert padded_text == before
        elif re.fullmatch("-?[0-9.]+", padded_text):
            assert len(padded_text.partition(".")[2]) >= least


@given(
    st.lists(
        st.from_regex(r"-?[0-9]{1,4}(\.[0-9]{1,12})?(e[0-9])? ?", fullmatch=True),
        min_size=1,
    )
)
def test_decimals_are_the_fewest_of_whole_numbers_and_of_those_with_any(
    cells: list[str],
) -> None:
    values = np.array([*map(float, cells)])
    whole, pointed = [], []
    for cell, value in zip(cells, values, strict=True):
        count = len(cell.strip().partition(".")[2])
        if "e" in cell:
            count = 0 if value.is_integer() else 1
        if value.is_integer():
            whole.append(count)
        if count:
            pointed.append(count)
    some = min(pointed, default=0)
    expected = min(whole, default=some), some
    column = pa.chunked_array([cells], pa.large_string())
    found = min_decimals(column, values, ".")
    assert found == tuple(one if one <= 9 else 1 for one in expected)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("3 3 3 3 1.1", "3 3 3"),
        ("3.0 3.0 3.0 1.1", "3.0 3.0 3.0"),
        ("4 4 4 3.50 3.50 3.50 2.25 2.25 2.25", "4 4 4 3.50 3.50 3.50 2.25 2.25 2.25"),
        ("3.50 3.50 3.50 9.25 9.50 9.75", "3.50 3.50 3.50 9.50 9.50 9.50"),
        ("2.5 3.5 3.0 7.25 7.25 7.25", "3.0 3.0 3.0 7.25 7.25 7.25"),
        ("1e5 1e5 1e5 3 3 3 2.5 2.5 2.5", "100000 100000 100000 3 3 3 2.5 2.5 2.5"),
        ("$4 $4 $4 $3.50 $3.50 $3.50", "$4 $4 $4 $3.50 $3.50 $3.50"),
        ("2 3 4 1 1 1", "3 3 3 1 1 1"),
    ],
)
@pytest.mark.parametrize("decimal", [".", ","])
def test_numbers_stand_as_the_numbers_of_their_column_do(
    cells: str, expected: str, decimal: str
) -> None:
    numbers = cells.replace(".", decimal).split()
    # What is not whole is left out, so that nothing else tells of it.
    only = "b < 4" if numbers[-1] == f"1{decimal}1" else None
    assert released(numbers, only=only) == expected.replace(".", decimal).split()


def test_whole_means_of_whole_numbers_have_no_decimals_without_rounding() -> None:
    assert released(["2", "3", "4", "1", "1", "1"], "none") == ["3"] * 3 + ["1"] * 3


@pytest.mark.parametrize("name", ["t.xlsx", "t.dat"])
def test_so_do_numbers_of_workbooks_and_fixed_width_text_as_csv(name: str) -> None:
    numbers = [3.0, 3.0, 3.0, 1.1]
    if name == "t.xlsx":
        stream = io.BytesIO()
        formats.get("excel")().write(
            pd.DataFrame({"a": numbers, "b": [1, 2, 3, 4]}), stream, {}
        )
        content, how = stream.getvalue(), ReadOptions()
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            sheet = book.read("xl/worksheets/sheet1.xml").decode()
        assert "<v>3</v>" in sheet
        assert "<v>3.0</v>" not in sheet
    else:
        content = b"".join(f"{x:<3g} {i}\n".encode() for i, x in enumerate(numbers, 1))
        how = ReadOptions(layout="a 1-3, b 5-5")
    table = read_table(content, name=name, options=how)
    for role in ("quasi-identifier", "other"):
        mine = table.assign({"a": role, "b": "quasi-identifier"})
        own = tuple(n for n in "ab" if mine.schema[n].role.value == "quasi-identifier")
        plan = Plan(quasi_identifiers=own, k=3, only="b < 4")
        written = release_bytes_and_checks(
            run(plan, mine), mine, WritingOptions(format="csv")
        )
        assert written.failed_checks == ()
        lines = written.content.decode().split()[1:]
        assert [line.split(",")[0] for line in lines] == ["3"] * 3


LONG_DECIMALS = st.decimals(
    Decimal("-9e20"), Decimal("9e20"), places=3, allow_nan=False, allow_infinity=False
)


@settings(max_examples=share_of_examples(0.5))
@given(
    st.lists(LONG_DECIMALS, min_size=6, max_size=12),
    st.sampled_from(["mean", "median"]),
    st.sampled_from([".csv", ".parquet"]),
)
def test_merged_numbers_of_many_digits_are_right_to_what_is_said(
    numbers: list[Decimal], rule: str, suffix: str
) -> None:
    # Of opposite signs, so that a mean may be far smaller than what it is made of.
    numbers = [*numbers, -numbers[0], Decimal("123456789012345678901.125")]
    if suffix == ".csv":
        content = "\n".join(["a;b", *(f"{x};1" for x in numbers), ""]).encode()
    else:
        kind = pa.decimal128(30, 3)
        stream = io.BytesIO()
        pq.write_table(pa.table({"a": pa.array(numbers, kind)}), stream)
        content = stream.getvalue()
    table = read_table(content, name=f"t{suffix}")
    table = table.assign(
        dict.fromkeys(table.schema.names, "other") | {"a": "quasi-identifier"},
        {"a": "continuous"},
    )
    outcome = run(Plan(quasi_identifiers=("a",), k=3, aggregation=rule), table)
    assert any("right to 15 digits of its largest" in x for x in outcome.warnings)
    written = release_bytes_and_checks(outcome, table).content
    if suffix == ".csv":
        cells = [line.split(";")[0] for line in written.decode().split()[1:]]
    else:
        cells = pq.read_table(io.BytesIO(written))["a"].to_pylist()
    labels = outcome.partition.labels
    last_digit = Fraction(10) ** (max(map(abs, numbers)).adjusted() - 14)
    for label in set(labels.tolist()):
        group = sorted(Fraction(numbers[i]) for i in np.flatnonzero(labels == label))
        middle = group[(len(group) - 1) // 2], group[len(group) // 2]
        exact = sum(group) / len(group) if rule == "mean" else sum(middle) / 2
        for i in np.flatnonzero(labels == label):
            assert abs(Fraction(Decimal(cells[i])) - exact) <= last_digit / 2
