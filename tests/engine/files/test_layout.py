"""Names and records are found, whatever stands around them."""

import io
from csv import writer
from typing import Any

import pandas as pd
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data.propose import role_warnings
from engine.data.reading import options_to_keep_left_out_rows, reading_messages
from engine.files import ReadOptions, frame_to_bytes, preview_file, read_table
from engine.files.layout.footer import classify_footer_rows
from tests.properties import share_of_examples

NAMES = ["region", "amount", "share", "n"]
TITLES = st.lists(
    st.sampled_from(["Report 2024", "Regional accounts", "As of: today"]), max_size=3
)
NOTES = st.lists(
    st.sampled_from(["Source: Office", "* provisional", "Note: rounded values"]),
    max_size=3,
)
TOTALS = st.sampled_from([None, "Total", "Summe", "Gesamt", "Ensemble", "合计"])


def parts(
    titles: list[str], blank: bool, units: bool, totals: str | None, notes: list[str]
) -> list[list[str]]:
    rows = [[title] for title in titles]
    if titles and blank:
        rows.append([])
    rows.append(NAMES)
    if units:
        rows.append(["", "EUR", "%", ""])
    for i in range(25):
        rows.append([f"r{i % 4}", f"{100 + i}.5", f"{i}.25", str(i)])
    if totals:
        rows.append([totals, "2812.5", "306.25", "300"])
    return rows + [[note] for note in notes]


def check(frame: pd.DataFrame) -> None:
    assert list(frame.columns) == NAMES
    assert frame["amount"].tolist() == [100.5 + i for i in range(25)]
    assert frame["n"].tolist() == list(range(25))


@given(TITLES, st.booleans(), st.booleans(), TOTALS, NOTES, st.booleans())
def test_the_table_is_found_in_text(
    titles: Any, blank: Any, units: Any, totals: Any, notes: Any, padded: bool
) -> None:
    rows = parts(titles, blank, units, totals, notes)
    if padded:  # as spreadsheets save them
        rows = [[*row, *[""] * (4 - len(row))] for row in rows]
    content = "".join(";".join(row) + "\n" for row in rows).encode()
    table = read_table(content, name="a.csv")
    check(table.frame)
    reread_table = read_table(
        content,
        name="a.csv",
        options=ReadOptions.from_used_options(table.origin.options),
    )
    assert reread_table.fingerprint == table.fingerprint
    n_left_out = len(titles) + units + bool(totals) + len(notes)
    assert len(table.origin.options.get("left_out", ())) == n_left_out
    is_noted = any(
        text.startswith("Not read as records") for text in role_warnings(table)
    )
    assert is_noted is bool(n_left_out)


@settings(max_examples=share_of_examples(0.5))
@given(TITLES, st.booleans(), st.booleans(), TOTALS, NOTES)
def test_the_table_is_found_in_a_workbook(
    titles: Any, blank: Any, units: Any, totals: Any, notes: Any
) -> None:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        book.add_worksheet("notes").write_column(0, 0, ["Read me", "Some notes."])
        sheet = book.add_worksheet("data")
        for i, row in enumerate(parts(titles, blank, units, totals, notes)):
            for j, cell in enumerate(row):
                number = cell.replace(".", "").isdigit()
                sheet.write(i, j, float(cell) if number else cell or None)
    table = read_table(stream.getvalue(), name="a.xlsx")
    assert table.origin.options["sheet"] == "data"
    check(table.frame)


def test_people_have_the_last_word() -> None:
    content = b"a;b\nc;d\n1;2\n3;4\n"
    options = ReadOptions(header_row="2", first_row=3, footer_rows=1)
    table = read_table(content, name="a.csv", options=options)
    assert table.frame.to_dict("list") == {"c": [1], "d": [2]}
    options = ReadOptions(header_row="1,2")
    table = read_table(content, name="a.csv", options=options)
    assert list(table.frame.columns) == ["a / c", "b / d"]


def test_of_a_file_without_names_the_first_record_stays_whatever_it_lacks() -> None:
    records = "".join(f"{i},{'xyz'[i % 3]},{i * i}\n" for i in range(9))
    for first in ("q,x,r", "?,2,?", "n/a,n/a,n/a", "unknown,x,3", ",x,1", "7,,1"):
        for titles in ("", "Report\n\n"):
            content = f"{titles}{first}\n{records}".encode()
            options = ReadOptions(header_row="0")
            assert read_table(content, name="a.csv", options=options).n_records == 10


def test_a_preview_shows_rows_and_choices() -> None:
    preview = preview_file(b"Report\n\nx;y\n1;2\n3;4\n5;6\n", "a.csv")
    assert preview is not None
    assert preview.rows[:3] == [["Report", ""], ["", ""], ["x", "y"]]
    assert preview.layout.header == (3,)
    assert preview.layout.first == 4
    assert all(other.header != (3,) for other in preview.alternatives)
    assert preview_file(b"", "a.parquet") is None


def test_a_category_called_total_is_no_sum() -> None:
    lines = ["sex;n", *["male;1", "female;2", "total;3"] * 5]
    frame = read_table("\n".join(lines).encode(), name="a.csv").frame
    assert len(frame) == 15


def test_what_comes_back_is_names_and_records() -> None:
    content = b"Report\n\nx;y\n1;2\n3;4\n5;6\nTotal;12\n"
    table = read_table(content, name="a.csv")
    assert frame_to_bytes(table.frame, table.origin) == b"x;y\n1;2\n3;4\n5;6\n"


def lines_of(*rows: list[Any]) -> bytes:
    return "".join(",".join(map(str, row)) + "\n" for row in rows).encode()


def sheet_of(*rows: list[Any]) -> bytes:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        for i, row in enumerate(rows):
            sheet.write_row(i, 0, row)
    return stream.getvalue()


RECORDS = [[f"r{i % 4}", 3 + i, i + 0.5] for i in range(30)]


@given(
    st.sampled_from(
        ["provisional", "voorlopige cijfers", "Daten vorläufig, Stand Mai", "暂定数据"]
    ),
    st.booleans(),
)
def test_one_cell_below_the_table_is_a_footnote(note: str, blank: bool) -> None:
    rows = [["region", "n", "share"], *RECORDS, *([[]] if blank else []), [note]]
    text = read_table(lines_of(*rows), name="a.csv")
    assert text.frame["n"].tolist() == [3 + i for i in range(30)]
    assert text.origin.options["left_out"] == [["footnote", len(rows)]]
    if blank or " " in note:
        assert len(read_table(sheet_of(*rows), name="a.xlsx").frame) == 30


def test_a_record_that_lacks_nearly_everything_stays_one() -> None:
    rows = [["region", "n", "share"], *RECORDS, ["r9", "", ""]]
    for content, name in ((lines_of(*rows), "a.csv"), (sheet_of(*rows), "a.xlsx")):
        assert len(read_table(content, name=name).frame) == 31


def test_a_total_whose_sums_are_not_worked_out_is_no_record() -> None:
    for total in (["TOTAL", "", ""], ["", "Summe", ""]):
        rows = [["region", "town", "n"], *[["r1", f"t{i}", i] for i in range(30)]]
        for content, name in (
            (lines_of(*rows, total), "a.csv"),
            (sheet_of(*rows, total), "a.xlsx"),
        ):
            table = read_table(content, name=name)
            assert len(table.frame) == 30
            assert table.origin.options["left_out"] == [["totals", 32]]


def test_years_above_numbers_are_names_of_columns() -> None:
    numbers = [[f"unit {i}", 100 + i, 7 * i, 5.5 + i, 2.5 * i] for i in range(30)]
    rows = [
        ["Cases by unit"],
        ["", "cases", "", "costs", ""],
        ["unit", 2022, 2023, 2022, 2023],
        *numbers,
    ]
    for content, name in ((lines_of(*rows), "a.csv"), (sheet_of(*rows), "a.xlsx")):
        frame = read_table(content, name=name).frame
        assert list(frame.columns) == [
            "unit",
            "cases / 2022",
            "cases / 2023",
            "costs / 2022",
            "costs / 2023",
        ]
        assert len(frame) == 30


def test_units_in_thousands_and_millions_are_no_record() -> None:
    for unit in ("EUR mn", "Mio. EUR", "million USD", "tys. zł", "k€", "kg"):
        rows = [["region", "n", "share"], ["", "number", unit], *RECORDS]
        table = read_table(lines_of(*rows), name="a.csv")
        assert table.n_records == 30, unit
        assert table.origin.options["left_out"] == [["units", 2]]


QUESTIONS = ["Where do you live?", "How old are you?", "How tall are you?", "Done"]
CODES = [f'{{"ImportId":"QID{i}"}}' for i in range(4)]
ASKED = [[f"r{i % 3}", str(20 + i), str(150 + i), "yes"] for i in range(30)]


@pytest.mark.parametrize("below", [[QUESTIONS], [QUESTIONS, CODES], [CODES]])
def test_questions_below_the_names_label_columns_and_are_no_record(
    below: list[list[str]],
) -> None:
    rows = [["Q1", "Q2", "Q3", "Q4"], *below, *ASKED]
    csv = io.StringIO(newline="")
    writer(csv).writerows(rows)
    numbers = [[a, int(b), int(c), d] for a, b, c, d in ASKED]
    sheet = sheet_of(rows[0], *below, *numbers)
    for content, name in ((csv.getvalue().encode(), "a.csv"), (sheet, "a.xlsx")):
        table = read_table(content, name=name)
        assert table.n_records == 30
        assert table.frame["Q2"].tolist() == list(range(20, 50))
        left_out_rows = table.origin.options["left_out"]
        assert left_out_rows == [["labels", 2 + i] for i in range(len(below))]
        labels = dict(zip(rows[0], QUESTIONS, strict=True))
        table_labels = table.origin.options.get("labels", {})
        assert table_labels == (labels if QUESTIONS in below else {})
        assert any(
            "labels in row" in str(message)
            for message in reading_messages(table.origin)
        )
        options = options_to_keep_left_out_rows(table.origin, "labels")
        whole = read_table(content, name=name, options=ReadOptions(**options))
        assert whole.n_records == 30 + len(below)


def test_what_a_label_says_is_proposed_from_like_a_name() -> None:
    texts = ["", "What is your gender?", "How tall are you?", "What do you weigh?"]
    rows = [[f"r{i % 9}", "xy"[i % 2], str(150 + i), str(60 + i)] for i in range(40)]
    csv = lines_of(["a", "b", "c", "d"], texts, *rows)
    assert read_table(csv, name="a.csv").schema["b"].role == "quasi-identifier"
    plain = lines_of(["a", "b", "c", "d"], *rows)
    assert read_table(plain, name="a.csv").schema["b"].role == "undecided"


def test_of_a_label_as_long_as_a_book_the_beginning_is_read() -> None:
    texts = [f"How {'often ' * 300_000}is it {name}?" for name in "abc"]
    rows = [[str(20 + i % 50), str(150 + i % 7), str(3 * i)] for i in range(60)]
    table = read_table(lines_of(["a", "b", "c"], texts, *rows), name="a.csv")
    assert table.n_records == 60
    labels = table.origin.options["labels"]
    assert labels == {n: text[:500] for n, text in zip("abc", texts, strict=True)}


@pytest.mark.parametrize(
    "first",
    [
        ["r0", "refused", "refused", "refused"],
        ["r0", "NA", "n/a", "-"],
        ["r0", "unknown", "170", "hurt back"],
        ["r0", "", "unknown", "not asked"],
    ],
)
def test_a_first_record_of_words_stays_a_record(first: list[str]) -> None:
    rows = [[f"r{i % 3}", str(20 + i), str(150 + i), str(i)] for i in range(30)]
    table = read_table(lines_of(["a", "b", "c", "d"], first, *rows), name="a.csv")
    assert table.n_records == 31


@given(n_rows=st.integers(0, 6), n_footer=st.integers(0, 9))
def test_rows_at_the_end_are_classified_however_many_are_said(
    n_rows: int, n_footer: int
) -> None:
    rows = [("total", "5") if i % 2 else ("source", "") for i in range(n_rows)]
    kinds = ["totals" if i % 2 else "footnote" for i in range(n_rows)]
    row_kinds = classify_footer_rows(rows, n_rows, n_footer)
    every = [*zip(kinds, range(1, n_rows + 1), strict=True)]
    assert [*row_kinds] == every[max(n_rows - n_footer, 0) :]
