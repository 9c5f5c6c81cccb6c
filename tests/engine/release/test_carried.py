"""What nobody protects leaves as it came in, as other readers of files find it."""

import csv
import io
import tempfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.errors import InputError
from engine.data.table import Table
from engine.files import ReadOptions, formats, read_table, to_bytes
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.meaning import Reading
from engine.release.source import differing_columns
from engine.release.verify import Written, check_bytes, write_and_check
from engine.release.writing import Writing

N = 12
WRITABLE = [info.id for info in formats.infos() if info.writable]


def protected(
    content: bytes, suffix: str, writing: Writing | None = None, **choices: Any
) -> tuple[Table, Written, np.ndarray]:
    """Protect column ``age`` of a file; return the rows of the release as well."""
    table = read_table(content, name=f"in{suffix}")
    others = dict.fromkeys(table.schema.names, "other")
    table = table.assign(
        roles={**others, "age": "quasi-identifier"}, kinds={"age": "continuous"}
    )
    outcome = run(Plan(k=3, method="mdav", **choices), table)
    writing = writing or Writing()
    written = write_and_check(outcome, table, writing)
    assert [str(check.detail) for check in written.failed] == []
    order = np.arange(len(outcome.release.rows))
    if writing.shuffle:
        order = np.random.default_rng(writing.seed).permutation(order)
    return table, written, outcome.release.rows[order]


WRITINGS = [Writing(), Writing(shuffle=True, seed=5)]


def delimited(records: list[list[str]], delimiter: str = ",", end: str = "\n") -> bytes:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator=end).writerows(records)
    return stream.getvalue().encode()


def records(content: bytes, delimiter: str = ",") -> list[list[str]]:
    return list(
        csv.reader(io.StringIO(content.decode(), newline=""), delimiter=delimiter)
    )


HARD = (
    "1000000000000000000.5",
    "1e400",
    "NA",
    ".",
    "1.50",
    "",
    " 2 ",
    "-0",
    "+1.5",
    "12345678901234567890",
    "0.1000000000000000055511151231257827",
    "1e-400",
)


@pytest.mark.parametrize("writing", WRITINGS)
def test_text_stays_the_same_to_the_last_letter(writing: Writing) -> None:
    columns = [
        list(HARD),
        [f"{i}.50" for i in range(N)],
        ["NA", ".", "3"] * 4,
        [f"00{i}" for i in range(N)],
        [f" {i} " for i in range(N)],
        ['a"b\r\nc', "d\ne", ""] * 4,
        ["2020-01-05", "", "2021-02-01"] * 4,
        ["1e5", "2E5", "300000"] * 4,
    ]
    names = [" x ", "y", "z\t", "code", "blank", "quoted", "", "e"]
    cells = [
        [str(30 + i % 5), *row] for i, row in enumerate(zip(*columns, strict=True))
    ]
    content = delimited([["age", *names], *cells])
    _, written, rows = protected(content, ".csv", writing)
    header, *back = records(written.content)
    assert header == ["age", *names]
    assert [record[1:] for record in back] == [cells[row][1:] for row in rows]


cells = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), include_characters='\n",;\t '),
    max_size=6,
) | st.sampled_from(HARD)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(cells, cells), min_size=6, max_size=9))
def test_any_text_stays_the_same(pairs: list[tuple[str, str]]) -> None:
    there = [["age", "a", "b"], *([str(i), *pair] for i, pair in enumerate(pairs))]
    table = read_table(delimited(there), name="a.csv")
    if table.schema.names != ("age", "a", "b"):
        return
    _, written, rows = protected(delimited(there), ".csv")
    back = records(written.content)
    assert [record[1:] for record in back[1:]] == [list(pairs[row]) for row in rows]


def test_dropped_records_and_another_delimiter_do_not_matter() -> None:
    there = [["age", "a"], *([str(i) if i % 4 else "", f"{i}.0"] for i in range(N))]
    content = delimited(there, ";", "\r\n")
    writing = Writing(format="csv", delimiter="\t")
    _, written, rows = protected(content, ".csv", writing, missing="drop")
    assert len(rows) == 9
    back = records(written.content, "\t")
    assert [record[1] for record in back[1:]] == [f"{row}.0" for row in rows]


ARROW = {
    "decimals": pa.array(
        [Decimal("12345678901234567890.12"), None, Decimal("1.50")] * 4,
        pa.decimal128(38, 10),
    ),
    "decimals of 256 bits": pa.array(
        [Decimal(10) ** 50, None, Decimal("1.5")] * 4, pa.decimal256(70, 4)
    ),
    "none and no number": pa.array([float("nan"), None, -0.0] * 4),
    "halves": pa.array([1.5, None, 2.5] * 4).cast(pa.float16()),
    "singles": pa.array([0.1, None, 1e-30] * 4, pa.float32()),
    "nothing": pa.nulls(N),
    "categories": pa.array(["b", "a", None] * 4).dictionary_encode(),
    "categories of numbers": pa.array([3, 1, None] * 4).dictionary_encode(),
    "nanoseconds": pa.array([1, None, 10**18 + 1] * 4, pa.timestamp("ns")),
    "a zone": pa.array([1, None, 10**15] * 4, pa.timestamp("us", "Europe/Berlin")),
    "days": pa.array([1, None, -(10**5)] * 4, pa.date32()),
    "milliseconds of days": pa.array([86_400_000, None, 0] * 4, pa.date64()),
    "times": pa.array([1, None, 10**9] * 4, pa.time64("ns")),
    "durations": pa.array([1, None, 10**15] * 4, pa.duration("ns")),
    "lists": pa.array([[1, None], None, []] * 4),
    "structures": pa.array([{"a": 1.5, "b": [None]}, None, {"a": None}] * 4),
    "maps": pa.array([[("a", 1)], None, []] * 4, pa.map_(pa.string(), pa.int64())),
    "bytes": pa.array([b"\xff", None, b""] * 4),
    "long text": pa.array(["a ", None, ""] * 4, pa.large_string()),
    "unsigned": pa.array([2**64 - 1, None, 0] * 4, pa.uint64()),
    "truth": pa.array([True, None, False] * 4),
    "infinite": pa.array([float("inf"), None, float("-inf")] * 4),
    "times of seconds": pa.array([1, None, 86_399] * 4, pa.time32("s")),
    "times of microseconds": pa.array([1, None, 10**6] * 4, pa.time64("us")),
}


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("name", ARROW)
def test_arrow_columns_stay_the_same_to_the_last_bit(
    name: str, writing: Writing
) -> None:
    array = ARROW[name]
    fields = [
        pa.field("age", pa.int64(), nullable=False),
        pa.field(" x ", array.type, metadata={"label": "X"}),
    ]
    table = pa.Table.from_arrays([pa.array(range(N)), array], schema=pa.schema(fields))
    stream = io.BytesIO()
    pq.write_table(table, stream)
    _, written, rows = protected(stream.getvalue(), ".parquet", writing)
    table = pq.read_table(stream)
    back = pq.read_table(io.BytesIO(written.content))
    assert back.schema.field(1).equals(table.schema.field(1), check_metadata=True)
    ours, theirs = (
        one.column(" x ").combine_chunks() for one in (table.take(pa.array(rows)), back)
    )
    assert list(map(repr, theirs.to_pylist())) == list(map(repr, ours.to_pylist()))
    if pa.types.is_floating(array.type):
        assert theirs.is_valid().equals(ours.is_valid())


def workbook(date_1904: bool = False) -> bytes:
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"date_1904": date_1904})
    sheet = book.add_worksheet("people")
    forms = [
        book.add_format({"num_format": code})
        for code in ("0.00", "dd.mm.yyyy", "[h]:mm", "0%", '"№" 000')
    ]
    top, left = 2, 1
    for j, name in enumerate(("age", " a ", "mixed", "day", "share", "code", "text")):
        sheet.write(top, left + j, name)
    sheet.write_number(top, left + 7, 2020)
    for i in range(N):
        row = top + 1 + i
        sheet.write_number(row, left, 30 + i % 5)
        sheet.write_number(row, left + 1, i / 3, forms[0])
        if i % 3 == 0:
            sheet.write_number(row, left + 2, i)
        elif i % 3 == 1:
            sheet.write_string(row, left + 2, f"00{i}")
        sheet.write_number(row, left + 3, 43_000 + i / 7, forms[1 + i % 2])
        sheet.write_number(row, left + 4, i / 10, forms[3])
        sheet.write_number(row, left + 5, i, forms[4])
        sheet.write_string(row, left + 6, ("<r>", " a&b ", "\n_x")[i % 3])
        if i % 4 == 0:
            sheet.write_formula(row, left + 7, "=NA()", None, "#N/A")
        elif i % 4 == 1:
            sheet.write_boolean(row, left + 7, True)
    book.close()
    return stream.getvalue()


@pytest.mark.parametrize("date_1904", [False, True])
@pytest.mark.parametrize("writing", WRITINGS)
def test_cells_of_workbooks_keep_types_and_number_formats(
    writing: Writing, date_1904: bool
) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    content = workbook(date_1904)
    _, written, rows = protected(content, ".xlsx", writing)
    sheets = [
        openpyxl.load_workbook(io.BytesIO(one), data_only=True)["people"]
        for one in (content, written.content)
    ]
    facts = [
        [
            [(cell.value, cell.data_type, cell.number_format) for cell in row]
            for row in sheet.iter_rows(min_row=first, min_col=column)
        ]
        for sheet, first, column in zip(sheets, (3, 1), (2, 1), strict=True)
    ]
    before, after = facts
    assert after[0] == before[0]
    expected = [before[1 + row][1:] for row in rows]
    assert [row[1:] for row in after[1:]] == expected


def test_text_that_looks_like_markup_is_text_in_workbooks() -> None:
    texts = ["<r>x</r>", "<r><t>x</r>", "_x0041_", "a&b", " a ", "\n"]
    there = [["age", "x"], *([str(i), text] for i, text in enumerate(texts))]
    _, written, _ = protected(delimited(there), ".csv", Writing(format="excel"))
    back = pd.read_excel(io.BytesIO(written.content), engine="calamine")
    assert back["x"].tolist()[:-1] == texts[:-1]


def statistical(writer: Callable[..., None], suffix: str, **how: Any) -> bytes:
    frame = pd.DataFrame(
        {
            "age": np.arange(N, dtype="float64"),
            "x": [0.1 + 0.2, np.nan, 1e300] * 4,
            "code": [1.0, 2.0, 99.0] * 4,
            "day": [13_800_000_000.5, np.nan, -1e9] * 4,
            "clock": [3600.25, np.nan, 0.0] * 4,
            "word": [" a", "b", ""] * 4,
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        writer(
            frame,
            path,
            variable_value_labels={"code": {1: "one", 99: "refused"}},
            **how,
        )
        return path.read_bytes()


def raw(content: bytes, suffix: str) -> tuple[pd.DataFrame, Any]:
    readers = {".sav": pyreadstat.read_sav, ".dta": pyreadstat.read_dta}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        path.write_bytes(content)
        found: tuple[pd.DataFrame, Any] = readers[suffix](
            path, disable_datetime_conversion=True, user_missing=True
        )
        return found


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_statistical_files_keep_numbers_labels_and_missing_values(
    suffix: str, writing: Writing
) -> None:
    if suffix == ".sav":
        content = statistical(
            pyreadstat.write_sav,
            suffix,
            variable_format={"day": "DATETIME23.2", "clock": "TIME11.2"},
            missing_ranges={"code": [{"lo": 99, "hi": 99}]},
        )
    else:
        content = statistical(
            pyreadstat.write_dta, suffix, variable_format={"day": "%tc"}
        )
    _, written, rows = protected(content, suffix, writing)
    (before, meta), (after, other) = raw(content, suffix), raw(written.content, suffix)
    for name in ("x", "code", "day", "clock", "word"):
        ours, theirs = before[name].iloc[rows].tolist(), after[name].tolist()
        assert list(map(repr, theirs)) == list(map(repr, ours)), name
    assert other.variable_value_labels == meta.variable_value_labels
    assert other.missing_ranges == meta.missing_ranges
    formats = meta.original_variable_types
    kept = {name for name in formats if name not in ("age", "word")}
    assert {name: other.original_variable_types[name] for name in kept} == {
        name: formats[name] for name in kept
    }


@pytest.mark.parametrize("name", ARROW)
def test_arrow_columns_fit_into_other_formats_or_are_named(name: str) -> None:
    table = pa.table({"age": pa.array(range(N)), "it": ARROW[name]})
    stream = io.BytesIO()
    pq.write_table(table, stream)
    refused = []
    for format_id in WRITABLE:
        try:
            protected(stream.getvalue(), ".parquet", Writing(format=format_id))
        except InputError as error:
            refused.append(str(error))
    assert all("'it'" in said for said in refused)


def test_other_formats_get_every_digit_or_say_what_they_lose() -> None:
    there = [["age", "long", "missing"]]
    there += [
        [str(i), f"100000000000000000{i}.5", ("NA", ".", "1.50")[i % 3]]
        for i in range(N)
    ]
    for form, read in {
        "parquet": lambda content: pq.read_table(io.BytesIO(content)).to_pandas(),
        "excel": lambda content: pd.read_excel(
            io.BytesIO(content), engine="calamine", keep_default_na=False, dtype=object
        ),
    }.items():
        _, written, _ = protected(delimited(there), ".csv", Writing(format=form))
        assert read(written.content)["long"].tolist() == [row[1] for row in there[1:]]
        said = "".join(map(str, written.notes))
        assert "'long'" in said
        assert "as text, which keeps every digit" in said
        assert "'missing'" in said
        assert "with 'NA' and '.' as missing" in said


def test_text_cells_of_workbooks_keep_their_signs_in_every_format() -> None:
    """Readers are pandas alone: numbers, dates and codes that were typed as text."""
    texts = {
        "amount": [f"{i}.50" for i in range(N)],
        "comma": [f"{i},50" for i in range(N)],
        "day": [f"{i % 28 + 1:02d}.03.2020" for i in range(N)],
        "code": [f"{i:05d}" for i in range(N)],
    }
    stream = io.BytesIO()
    pd.DataFrame({"age": range(N), **texts}).to_excel(stream, index=False)
    for form, read in {
        "csv": lambda content: pd.read_csv(io.BytesIO(content), dtype=str),
        "parquet": lambda content: pq.read_table(io.BytesIO(content)).to_pandas(),
        "excel": lambda content: pd.read_excel(
            io.BytesIO(content), engine="calamine", dtype=object
        ),
    }.items():
        _, written, _ = protected(stream.getvalue(), ".xlsx", Writing(format=form))
        found = read(written.content)
        for name, column in texts.items():
            assert found[name].tolist() == column, (form, name)


def test_decimals_become_text_of_the_same_digits() -> None:
    table = pa.table({"age": range(N), "x": ARROW["decimals"]})
    stream = io.BytesIO()
    pq.write_table(table, stream)
    _, written, _ = protected(stream.getvalue(), ".parquet", Writing(format="csv"))
    assert written.notes == ()
    found = [
        Decimal(row[1]) if row[1] else None for row in records(written.content)[1:]
    ]
    assert found == ARROW["decimals"].to_pylist()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_cell_that_changed_is_found_whatever_it_is_read_as(suffix: str) -> None:
    if suffix == ".csv":
        there = [["age", "x"], *([str(i), f"{i}.50"] for i in range(N))]
        content = delimited(there)
        spoil = lambda done: done.replace(b"7.50", b"7.5")  # noqa: E731
    else:
        table = pa.table({"age": range(N), "x": ARROW["decimals"]})
        stream = io.BytesIO()
        pq.write_table(table, stream)
        content = stream.getvalue()

        def spoil(done: bytes) -> bytes:
            found = pq.read_table(io.BytesIO(done))
            column = found["x"].cast(pa.float64()).cast(pa.decimal128(38, 10))
            stream = io.BytesIO()
            pq.write_table(found.set_column(1, found.schema.field("x"), column), stream)
            return stream.getvalue()

    table = read_table(content, name=f"in{suffix}").assign(
        roles={"age": "quasi-identifier", "x": "other"}, kinds={"age": "continuous"}
    )
    outcome = run(Plan(k=3, method="mdav"), table)
    written = write_and_check(outcome, table)
    spoilt = spoil(written.content)
    assert spoilt != written.content
    checks, _ = check_bytes(spoilt, written.origin, outcome, table, Writing())
    assert {check.id for check in checks if not check.passed} == {"unchanged"}


def test_the_file_must_be_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(delimited([["age", "x"], *([str(i), "1.50"] for i in range(N))]))
    table = read_table(path).assign(
        roles={"age": "quasi-identifier", "x": "other"}, kinds={"age": "continuous"}
    )
    outcome = run(Plan(k=3, method="mdav"), table)
    path.write_bytes(path.read_bytes().replace(b"1.50", b"1.51"))
    with pytest.raises(InputError, match=r"'a\.csv' has changed since it was read"):
        write_and_check(outcome, table)
    path.unlink()
    with pytest.raises(InputError, match=r"'a\.csv' cannot be read again \(no such"):
        write_and_check(outcome, table)


def test_quasi_identifiers_with_too_many_digits_are_named() -> None:
    there = [["age", "long", "short"]]
    there += [[str(i), f"100000000000000000{i}.5", "0.1"] for i in range(N)]
    table = read_table(delimited(there), name="a.csv")
    wide = pa.table({"age": [2**53 + 1, *range(1, N)], "x": [0.5] * N})
    stream = io.BytesIO()
    pq.write_table(wide, stream)
    for found, names in (
        (table, ("long", "short")),
        (read_table(stream.getvalue(), name="a.parquet"), ("age", "x")),
    ):
        plan = Plan(k=3, method="mdav", quasi_identifiers=names, identifiers=())
        outcome = run(plan, found)
        said = [str(one) for one in outcome.warnings if one.topic == "digits"]
        assert len(said) == 1
        assert f"Column {names[0]!r} has numbers with more digits" in said[0]


PEOPLE = {
    "euros": ("1.234,50 €", "-7,00 €", "0,25 €"),
    "per cent": ("5 %", "12 %", "k.A."),
    "in parentheses": ("$1,200.50", "($3.25)", ""),
    "area": ("1,5 m²", "2,25 m²", "n.a."),
    "days": ("31.12.2020", "1.2.2021", "03.04.1999"),
    "months": ("3. März 2024", "12. Mai 2023", ""),
    "quarters": ("2024Q1", "2023Q4", "2020Q2"),
    "weeks": ("2024-W05", "2023-W52", "2020-W53"),
    "compact": ("20201231", "19991130", "20200131"),
    "times": ("31.12.2020 10:05", "01.02.2021 09:30", ""),
    "codes": ("99", "1", "-9"),
}
"""Columns as people write them."""


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("format_id", WRITABLE)
def test_what_people_write_says_the_same_in_every_format(
    name: str, format_id: str
) -> None:
    rows = [["age", "said"], *([str(i), PEOPLE[name][i % 3]] for i in range(N))]
    missing = {"said": ("99", "-9")} if name == "codes" else None
    table = read_table(
        delimited(rows), name="a.csv", options=ReadOptions(missing=missing)
    ).assign(
        roles={"age": "quasi-identifier", "said": "other"}, kinds={"age": "continuous"}
    )
    assert not isinstance(table.frame["said"].dtype, pd.StringDtype)
    outcome = run(Plan(k=3, method="mdav"), table)
    written = write_and_check(outcome, table, Writing(format=format_id))
    assert [str(check.detail) for check in written.failed] == []


@pytest.mark.parametrize(
    ("cell", "other"), [("1,50 €", 1.6), ("-1,50 €", 1.5), ("1,50 €", None)]
)
def test_another_number_than_people_wrote_is_found(cell: str, other: object) -> None:
    form = {"decimal": ",", "decimals": 2, "suffix": " €"}
    reading = Reading(",", form, frozenset({"NA"}))
    assert not reading.same(cell, other)
    assert reading.same(cell, -1.5 if cell.startswith("-") else 1.5)


def test_another_day_than_people_wrote_is_found() -> None:
    reading = Reading(form={"pattern": "%-d.%-m.%Y"})
    assert reading.same("01.2.2020", pd.Timestamp(2020, 2, 1))
    assert not reading.same("1.2.2020", pd.Timestamp(2020, 1, 2))
    assert not reading.same("1.2.2020", pd.Timestamp(2020, 2, 1, 5))
    assert not reading.same("1.2.2020", None)


def test_identical_files_are_the_same_and_others_are_not() -> None:
    table = read_table(b"x,y\n1,a\n2,b\n", name="a.csv")
    came = to_bytes(table.frame, table.origin), table.origin
    rows = np.arange(2)
    places = {"a": (0, 0), "b": (1, 1)}
    assert differing_columns(came, came, places, rows) == []
    other = b"x,y\n1,a\n2.0,b\n", table.origin
    assert differing_columns(came, other, places, rows) == ["a"]
    assert differing_columns(came, came, {"a": (0, 0)}, rows[::-1]) == ["a"]
