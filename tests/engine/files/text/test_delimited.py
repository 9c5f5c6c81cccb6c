"""Delimited text: what is found out, what is kept, and what is refused."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.core.errors import InputError, ParameterError
from engine.data.table import Origin, Table
from engine.files import ReadOptions, frame_to_bytes, read_table


def read(content: bytes, **options: object) -> Table:
    return read_table(content, name="a.csv", options=ReadOptions(**options))  # type: ignore[arg-type]


def cells(content: bytes, column: str = "x", **options: object) -> list[object]:
    return read(content, **options).frame[column].tolist()


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"x,y\n1,2\n3,4\n", {"delimiter": ",", "decimal": ".", "header": True}),
        (b"x;y\n1,5;2\n3;4\n", {"delimiter": ";", "decimal": ",", "header": True}),
        (b"x\ty\n1,5\t2\n", {"delimiter": "\t", "decimal": ","}),
        (b"x|y\n1.5|2\n", {"delimiter": "|", "decimal": "."}),
        (b"x\n1,5\n2,5\n", {"decimal": ",", "header": True}),
        (b"1,2\n3,4\n", {"delimiter": ",", "header": False}),
        (b"x,y\r\n1,2\r\n", {"newline": "\r\n", "encoding": "utf-8"}),
        (b"\xef\xbb\xbfx,y\n1,2\n", {"encoding": "utf-8-sig"}),
        ("x,é\n1,2\n".encode(), {"encoding": "utf-8"}),
        ("x,é\n1,2\n".encode("cp1252"), {"encoding": "cp1252"}),
        ("x,é\n1,2\n".encode("utf-16"), {"encoding": "utf-16"}),
    ],
)
def test_what_was_found_can_be_inspected(
    content: bytes, found: dict[str, object]
) -> None:
    options = read(content).origin.options
    assert {name: options[name] for name in found} == found


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"x,y\n1,2\n", {"delimiter": ";"}),
        (b"x;y\n1,234;2\n", {"decimal": "."}),
        (b"x,y\n1,2\n", {"header": False}),
        ("x,é\n1,2\n".encode(), {"encoding": "cp1252"}),
    ],
)
def test_what_was_found_can_be_changed(
    content: bytes, options: dict[str, object]
) -> None:
    default_table, changed = read(content), read(content, **options)
    assert not changed.frame.equals(default_table.frame)
    assert options.items() <= changed.origin.options.items()


@pytest.mark.parametrize(
    "text",
    [
        "x,y\n1,a\n2,b\n",
        "x,y\n1,a\n2,b",
        "x,y\r\n1,a\r\n2,b\r\n",
        "x,y\r1,a\r2,b\r",
        "x,y\n1,a\n\n2,b\n\n\n",
        "\n\nx,y\n1,a\n2,b\n",
        "\ufeffx,y\n1,a\n2,b\n",
        '"x","y"\n"1","a"\n"2","b"\n',
        " x , y\n 1,a\n2 ,b\n",
        "sep=;\r\nx;y\r\n1;a\r\n2;b\r\n",
        "sep=,\nx,y\n1,a\n2,b\n",
    ],
)
def test_the_same_table_comes_in_many_guises(text: str) -> None:
    expected = pd.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    pd.testing.assert_frame_equal(read(text.encode()).frame, expected)


def test_quotes_protect_delimiters_newlines_and_quotes() -> None:
    content = b'x,y\n"a,b",1\n"c\nd",2\n"e ""f""",3\n5" pipe,4\n'
    assert cells(content) == ["a,b", "c\nd", 'e "f"', '5" pipe']


def test_a_blank_line_in_the_only_column_is_a_missing_value() -> None:
    frame = read(b"x\n1\n\n3\n\n\n").frame
    assert frame["x"].tolist() == [1, pd.NA, 3]
    frame = read(b"x\n\n\n3\n").frame
    assert frame["x"].tolist() == [pd.NA, pd.NA, 3]


def test_codes_keep_their_zeros() -> None:
    assert cells(b"x,y\n0123,1\n4567,2\n") == ["0123", "4567"]
    assert cells(b"x,y\n-012,1\n4567,2\n") == ["-012", "4567"]
    assert cells(b"x,y\n0x1F,1\n4567,2\n") == ["0x1F", "4567"]
    assert cells(b"x,y\n0.5,1\n0,2\n") == [0.5, 0.0]


def test_telephone_numbers_are_text_and_signed_changes_are_numbers() -> None:
    assert cells(b"x,y\n+31201234567,1\n+31201234568,2\n") == [
        "+31201234567",
        "+31201234568",
    ]
    assert cells(b"x,y\n+1.5,1\n-2.5,2\n") == [1.5, -2.5]


def test_na_is_missing_among_numbers_and_text_among_text() -> None:
    frame = read(b"n,c,f\n1,NA,1.5\nNA,ZA,nan\n3,DE,.\n").frame
    assert frame["n"].tolist() == [1, pd.NA, 3]
    assert frame["c"].tolist() == ["NA", "ZA", "DE"]
    assert frame["f"].isna().tolist() == [False, True, True]
    assert cells(b"x,y\nNA,1\nNA,2\n") == ["NA", "NA"]


def test_a_real_minus_999_is_a_value() -> None:
    assert cells(b"x,y\n-999,1\n-999,2\n") == [-999, -999]


def test_large_integers_lose_no_digits() -> None:
    big = 2**53 + 1
    assert cells(f"x,y\n{big},1\n,2\n".encode())[0] == big
    assert cells(b"x,y\n12345678901234567890,1\n1,2\n") == ["12345678901234567890", "1"]
    assert cells(b"x,y\n12345678901234567890,1\n1.5,2\n")[1] == "1.5"


def test_days_that_there_are_not_are_text() -> None:
    frame = read(b"a,b,c\n2020-01-31,31.12.2020,2020-02-30\n,01.01.2021,x\n").frame
    assert frame["a"].tolist()[0] == pd.Timestamp(2020, 1, 31)
    assert frame["b"].tolist() == [pd.Timestamp(2020, 12, 31), pd.Timestamp(2021, 1, 1)]
    assert frame["c"].tolist() == ["2020-02-30", "x"]
    assert cells(b"x;y\n31.04.2020;1\n30.04.2020;2\n") == ["31.04.2020", "30.04.2020"]


@pytest.mark.parametrize(
    "cells_of_a",
    [
        ["2020-01-31 10:05:00", "", "2021-02-01 00:00:00"],
        ["2020-01-31T10:05:59", "2021-02-01T00:00:00", ""],
        ["2020-01-31 10:05", "2021-02-01 23:59", "2020-01-31 10:05"],
        ["2020-01-31 00:00:00", "2021-02-01 00:00:00", ""],
        ["2020-01-31T10:05:00.250000", "", "2021-02-01T00:00:00"],
    ],
)
def test_moments_are_dates_and_are_written_as_they_were(cells_of_a: list[str]) -> None:
    content = ("a,b\n" + "".join(f"{cell},1\n" for cell in cells_of_a)).encode()
    table = read(content)
    assert table.frame["a"].dtype == "datetime64[us]"
    filled_cells = [cell for cell in cells_of_a if cell]
    assert table.frame["a"].dropna().tolist() == [
        pd.Timestamp(cell) for cell in filled_cells
    ]
    assert frame_to_bytes(table.frame, table.origin) == content
    twice = table.frame.assign(c=table.frame["a"]).drop(columns="b")
    written_lines = (
        frame_to_bytes(twice.dropna(), table.origin).decode().splitlines()[1:]
    )
    assert all(
        line.split(",")[1][10:11] in ("", filled_cells[0][10]) for line in written_lines
    )
    # A mean may be finer than all of them: nothing of it is left out.
    finer = table.frame.assign(a=table.frame["a"] + pd.Timedelta(1, "us"))
    pd.testing.assert_frame_equal(
        read(frame_to_bytes(finer, table.origin)).frame, finer
    )


@pytest.mark.parametrize(
    "cells_of_a",
    [
        ["2020-01-31 10:05:00", "2020-01-31"],
        ["2020-01-31 10:05:00", "2020-01-31T10:05:00"],
        ["2020-01-31 10:05:00", "2020-02-30 10:05:00"],
        ["2020-01-31 10:05", "2020-01-31 25:05"],
        ["2020-01-31 10:05:00", "unknown"],
        ["2020-01-31T10:05:00+01:00", "2020-01-31T10:05:00+02:00"],
    ],
)
def test_what_could_not_be_written_as_it_was_stays_text(cells_of_a: list[str]) -> None:
    content = ("a,b\n" + "".join(f"{cell},1\n" for cell in cells_of_a)).encode()
    assert read(content).frame["a"].tolist() == cells_of_a


def test_thousands_are_not_guessed() -> None:
    assert cells(b'x,y\n"1,234",a\n"5,678",b\n') == ["1,234", "5,678"]
    assert cells(b"x;y\n1.234;1\n5.678;2\n9.876;3\n") == ["1.234", "5.678", "9.876"]
    # Two groups, or another column, tell.
    assert cells(b"x;y\n1.234.567;1\n1.234;2\n") == [1234567, 1234]
    assert cells(b"x;y\n1.234;1,5\n5.678;2,5\n") == [1234, 5678]
    # A semicolon parts the fields, so the comma is free to be a decimal sign.
    assert cells(b"x;y\n1,234;1\n5,678;2\n") == [1.234, 5.678]


def test_the_decimal_sign_is_that_of_most_columns() -> None:
    content = b"a;b;c\n1,5;2,5;1.5\n1,25;2;2\n"
    frame = read(content).frame
    assert frame["a"].tolist() == [1.5, 1.25]
    assert frame["c"].tolist() == ["1.5", "2"]


def test_a_decimal_comma_far_down_is_found() -> None:
    content = b"x;y\n" + b"1;2\n" * 5000 + b"1,5;2\n"
    assert cells(content)[-1] == 1.5


def test_infinite_values_are_kept() -> None:
    assert cells(b"x,y\ninf,1\n-Inf,2\n1.5,3\n") == [np.inf, -np.inf, 1.5]


def test_truth_values_stay_the_words_they_are() -> None:
    assert cells(b"x,y\nTRUE,1\nfalse,2\n") == ["TRUE", "false"]


def test_a_column_without_values_is_all_missing() -> None:
    frame = read(b"x,y\n,1\n,2\n").frame
    assert frame["x"].isna().all()
    assert frame["x"].dtype == np.float64


def test_text_is_of_the_str_type() -> None:
    assert read(b"x,y\na,1\n,2\n").frame["x"].dtype == "str"


def test_a_nameless_column_is_called_by_its_position() -> None:
    table = read(b",x,\n1,2,3\n")
    assert table.schema.names == ("column 1", "x", "column 3")
    assert table.origin.options["nameless"] == [1, 3]
    assert read(b"1,2\n3,4\n").schema.names == ("column 1", "column 2")


def test_a_file_without_header_is_written_without_one() -> None:
    content = b"1,2\n3,4\n"
    table = read(content)
    assert frame_to_bytes(table.frame, table.origin) == content


@pytest.mark.parametrize(
    "content",
    [
        b"x;y;z\n1,5;a;2020-01-31\n2,5;;\n",
        b'\xef\xbb\xbfx,y\r\n"a,b",0123\r\nc,\r\n',
        "é|y\n1.5|ß\n".encode("cp1252"),
        b'x\n1\n""\n3\n',
    ],
)
def test_a_file_is_written_back_byte_for_byte(content: bytes) -> None:
    table = read(content)
    assert frame_to_bytes(table.frame, table.origin) == content


def test_integers_stay_integers_and_decimals_decimals() -> None:
    frame = pd.DataFrame({"i": pd.array([1, None], dtype="Int64"), "f": [1.0, 2.0]})
    assert frame_to_bytes(frame) == b"i,f\n1,1.0\n,2.0\n"


@pytest.mark.parametrize(
    ("column", "written"),
    [
        (pd.Series([True, False]), b"True\nFalse\n"),
        (pd.Series([True, None], dtype="boolean"), b'True\n""\n'),
        (pd.Series(["a", "b"], dtype="category"), b"a\nb\n"),
        (pd.Series([1, 2], dtype="category"), b"1\n2\n"),
        (pd.Series([1, "b", None], dtype=object), b'1\nb\n""\n'),
        (pd.to_datetime(pd.Series(["0999-01-02"])), b"0999-01-02\n"),
        (pd.Series([pd.Timestamp(2020, 1, 2, 3)]), b"2020-01-02T03:00:00\n"),
        (pd.Series([1.5, -0.0, 1e16, np.inf]), b"1.5\n-0\n1e+16\ninf\n"),
    ],
)
def test_every_type_of_column_can_be_written(column: pd.Series, written: bytes) -> None:
    assert frame_to_bytes(column.to_frame("x")) == b"x\n" + written


def test_letters_that_the_encoding_lacks_are_refused_with_their_column() -> None:
    frame = pd.DataFrame({"x": ["a"], "y": ["Ω"]})
    with pytest.raises(InputError, match=r"Column 'y' .* cp1252"):
        frame_to_bytes(frame, Origin("csv", {"encoding": "cp1252"}))


BAD = {
    "empty": (b"", "is empty"),
    "blank lines": (b"\n \r\n\n", "only blank lines"),
    "blank start": (b"\n" * (1 << 20) + b"x,y\n1,2\n", "begins with so many blank"),
    "empty rows": (b",\n" * 20_000 + b"1,2\n", "begins with so many blank"),
    "header only": (b"x,y\n", "header but no records"),
    "header and blank lines": (b"x,y\n\n\n", "header but no records"),
    "one name only": (b"x\n", "header but no records"),
    "one name, blank lines": (b"x\n\n\n", "header but no records"),
    "duplicate names": (b"x,y,x\n1,2,3\n", r"'x' \(columns 1 and 3\)"),
    "short record": (b"x,y\n1,2\n3\n", "Line 3 .* has 1 field where the header has 2"),
    "long record": (b"x,y\n1,2\n\n3,4,5\n", "Line 4 .* 3 fields .* has 2"),
    "ragged after newlines in quotes": (b'x,y\n"1\n2",3\n4\n', "Line 4 "),
    "ragged without header": (b"1,2\n3,4\n5\n", "Line 3 .* the first record has 2"),
    "names of rows": (b"x,y\na,1,2\nb,3,4\n", "one field more than the header"),
    "ragged after sep": (b"sep=;\nx;y\n1;2\n3\n", "Line 4 .* has 1 field"),
    "open quote": (b'x,y\n1,2\n3,"4\n5,6\n', "line 3 .* never closed"),
    "stray quotes": (b'x,y\n"1"a"b,2\n3,4\n', "quotation mark"),
    "binary": (bytes(range(256)) * 10, "not text but binary"),
    "zeros": (b"x,y\n1,\0\n", "not text but binary"),
    "workbook": (b"PK\x03\x04" + b"\0" * 50, "a workbook or another zip"),
    "parquet": (b"PAR1" + b"\0" * 50, "is a Parquet file"),
    "undecodable": (b"x,y\n1,a\n2,\x81\n", r"nor in Windows-1252 \(line 3\)"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD.keys())
def test_bad_files_get_one_clear_sentence(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(content)
    sentence = str(caught.value)
    assert re.fullmatch(r"[A-Z][^\n]*\.", sentence), sentence
    assert re.search(r"[;:,] ", sentence), "nothing says what to do"


def test_a_wrong_encoding_is_refused_with_the_line() -> None:
    with pytest.raises(InputError, match=r"Line 2 .* cannot be read as utf-8"):
        read(b"x,y\n1,\xe9\n", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read as utf-16"):
        read(b"x,y\n1,2\n3", encoding="utf-16")


def test_messages_never_show_cells() -> None:
    secret = b"Kowalski"
    for content in (
        b"x,y\n1,2\n" + secret + b"\n",
        b'x,y\n"' + secret + b'"a"b,2\n3,4\n',
        b'x,y\n1,"' + secret + b"\n",
        b"x,y\n1,2\n" + secret + b",\x81\n",
    ):
        with pytest.raises(InputError) as caught:
            read(content)
        assert secret.decode() not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ",,"},
        {"delimiter": '"'},
        {"delimiter": "\n"},
        {"delimiter": "§"},
        {"delimiter": ""},
        {"decimal": ";"},
        {"encoding": "klingon"},
        {"encoding": "rot13"},
    ],
)
def test_options_that_cannot_be_meant_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(ParameterError):
        ReadOptions(**options)  # type: ignore[arg-type]


def test_a_field_longer_than_the_first_block_is_read() -> None:
    long = "a\n" * 4_500_000
    frame = read(f'x,y\n"{long}",1\nb,2\n'.encode()).frame
    assert frame["x"].str.len().tolist() == [len(long), 1]


def test_a_file_in_another_folder_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"x,y\n1,2\n")
    read_table(path)
    assert path.read_bytes() == b"x,y\n1,2\n"
    assert list(tmp_path.iterdir()) == [path]
