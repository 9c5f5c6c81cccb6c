"""Text is read out of core as it is in memory, however it is cut into parts."""

import codecs
import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import engine
from engine import Plan
from engine.core.context import SILENT
from engine.core.errors import InputError
from engine.files.input.options import ReadOptions
from engine.files.text import delimited_records, record_ranges
from engine.files.text.file_text import FileText
from engine.files.text.record_range import locate_records
from engine.files.text.record_ranges import iterate_record_ranges
from engine.streaming.records import delimited as module
from engine.streaming.records.delimited import open_delimited_source
from engine.streaming.records.source import ParquetSource
from engine.streaming.workers.threads import ThreadWorkers
from engine.streaming.workspace import lock_workspace
from tests.engine.streaming.runs import run
from tests.engine.streaming.tables import content, read

N = 600


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read some dozens of records at once, and cut texts into ranges of some more."""
    monkeypatch.setattr(delimited_records, "_BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr(delimited_records, "_MIN_BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr(module, "RANGE_BYTES", 1 << 11)
    monkeypatch.setattr(record_ranges, "STEP_BYTES", 1 << 9)


def convert(
    path: Path, options: ReadOptions | None = None, threads: int = 2
) -> tuple[pd.DataFrame, ParquetSource, dict[str, bytes]]:
    """Return what a text is read as, its source and the files of the copy."""
    with lock_workspace(path.with_name(f"out-{threads}")) as workspace:
        workers = ThreadWorkers(threads, 0)
        source = open_delimited_source(
            path, options or ReadOptions(), workspace, workers, SILENT
        )
        frame = pq.read_table(workspace.input).to_pandas()
        return frame, source, content(workspace.input)


def assert_equal_values(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    assert list(found) == list(expected)
    for name in expected:
        column, own = expected[name], found[name]
        kinds = [
            pd.api.types.is_numeric_dtype,
            pd.api.types.is_datetime64_any_dtype,
            pd.api.types.is_string_dtype,
        ]
        for is_kind in kinds:
            assert is_kind(own) == is_kind(column), name
        assert own.isna().tolist() == column.isna().tolist(), name
        assert own.dropna().tolist() == column.dropna().tolist(), name


NUMBERS = [str(number) for number in np.random.default_rng(1).integers(0, 999, N)]
COLUMNS: dict[str, list[str]] = {
    "whole": NUMBERS,
    "gaps": ["" if i % 7 == 0 else cell for i, cell in enumerate(NUMBERS)],
    "words for gaps": [
        "NA" if i % 50 == 49 else cell for i, cell in enumerate(NUMBERS)
    ],
    "text in the last record": [*NUMBERS[:-1], "many"],
    "a late fraction": [*NUMBERS[:-9], *(f"{i}.5" for i in range(9))],
    "late codes": [*(str(i + 100) for i in range(N - 5)), *["007"] * 5],
    "codes": [f"{i % 90:03}" for i in range(N)],
    "long": [*NUMBERS[:-1], "12345678901234567890123"],
    "plus": [*(f"+{cell}1" for cell in NUMBERS[:-2]), "-3", "+4"],
    "telephone": [f"+49{cell}1" for cell in NUMBERS],
    "late plus": [*NUMBERS[:-2], "+3", "4"],
    "versions": [
        f"{i % 9 + 1}.{i % 4}0" if i % 3 else f"{i % 9 + 1}.1" for i in range(N)
    ],
    "late gaps": [*NUMBERS[:-20], *["-"] * 20],
    "days": [f"2024-0{i % 9 + 1}-1{i % 9}" for i in range(N)],
    "no day at last": [*(f"2024-0{i % 9 + 1}-1{i % 9}" for i in range(N - 1)), "soon"],
    "times": [f"2024-01-02 03:04:{i % 60:02}" for i in range(N)],
    "late fractions of seconds": [
        *(f"2024-01-02 03:04:{i % 60:02}" for i in range(N - 1)),
        "2024-01-02 03:04:05.123456",
    ],
    "a date or another": [f"0{i % 9 + 1}/0{i % 8 + 1}/2024" for i in range(N)],
    "day first, as one says": [
        *(f"0{i % 9 + 1}/0{i % 8 + 1}/2024" for i in range(N - 1)),
        "25/12/2024",
    ],
    "money": [f"${i % 999 + 1},000.50" for i in range(N)],
    "late money": [*NUMBERS[:-1], "$1,000"],
    "words": [["a", "b, c", 'say "x"', "two\nlines", ""][i % 5] for i in range(N)],
    "nothing": [""] * N,
    "something at last": [*[""] * (N - 1), "7"],
    "text at last": [*[""] * (N - 1), "seven"],
    "compact days": [f"202401{i % 28 + 1:02}" for i in range(N)],
    "signs": ["1e5" if i % 2 else "-0.5" for i in range(N)],
    "thousands": [f"{i % 9 + 1}.{i % 900 + 100}" for i in range(N)],
    "late decimals": [*(f"{i % 9 + 1}.{i % 900 + 100}" for i in range(N - 1)), "1.5"],
}


def write_text(path: Path, names: list[str], delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(["number", *names])
        writer.writerows(
            [str(i + 1), *(COLUMNS[name][i] for name in names)] for i in range(N)
        )
    return path


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_read_as_in_memory(
    name: str, delimiter: str, tmp_path: Path, small_parts: None
) -> None:
    path = write_text(tmp_path / "in.csv", [name], delimiter)
    frame, source, files = convert(path)
    assert len(files) > 1 or "\n" in path.read_text()
    assert_equal_values(frame, engine.read_table(path).frame)
    assert source.n_records == N


def test_all_columns_together_and_whatever_the_threads(
    tmp_path: Path, small_parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Records are longer here than those of one column: still some dozens at once.
    monkeypatch.setattr(delimited_records, "_BLOCK_BYTES", 1 << 13)
    monkeypatch.setattr(module, "RANGE_BYTES", 1 << 15)
    path = write_text(tmp_path / "in.csv", [*COLUMNS])
    frame, _, files = convert(path, threads=2)
    assert len(files) > 3
    assert_equal_values(frame, engine.read_table(path).frame)
    assert convert(path, threads=1)[2] == files


TEXTS: dict[str, tuple[str, str]] = {
    "decimal comma": (
        "utf-8",
        "a;b;c\n" + "".join(f"{i};{i},5;0{i}\n" for i in range(N)),
    ),
    "cp1252": ("cp1252", "größe;öl\n" + "".join(f"{i};ä{i}\n" for i in range(N))),
    "utf-16": ("utf-16", "größe\töl\n" + "".join(f"{i}\tä{i}\n" for i in range(N))),
    "mark": ("utf-8-sig", "a,b\n" + "".join(f"{i},x{i}\n" for i in range(N))),
    "windows": ("utf-8", "a,b\r\n" + "".join(f"{i},x{i}\r\n" for i in range(N))),
    "old mac": ("utf-8", "a,b\r" + "".join(f"{i},x{i}\r" for i in range(N))),
    "one column": (
        "utf-8",
        "a\n" + "".join(f"{i or ''}\n" for i in range(2 * N)) + "\n\n",
    ),
    "no names": ("utf-8", "".join(f"{i},{i / 4}\n" for i in range(1, N))),
    "blank lines": ("utf-8", "a,b\n" + "".join(f"{i},x{i}\n\n" for i in range(N))),
    "title and totals": (
        "utf-8",
        "People of a town\n\na,b\n"
        + "".join(f"{i},{i * 2}\n" for i in range(N))
        + "\nSource: a test\n",
    ),
    "names again": (
        "utf-8",
        ("a,b\n" + "".join(f"{i},x{i}\n" for i in range(N // 3))) * 3,
    ),
    "a column without a name": (
        "utf-8",
        "a,b,\n" + "".join(f"{i},x{i},\n" for i in range(N)),
    ),
    "a value without a name": (
        "utf-8",
        "a,b,\n" + "".join(f"{i},x{i},\n" for i in range(N)) + "1,2,3\n",
    ),
    "marks within fields": (
        "utf-8",
        'size,b,c\n5" pipe,1,x\n'
        + "".join(f'{i}",2,"q\n\n{i},""1"""\n' for i in range(N)),
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_read_as_in_memory(
    name: str, tmp_path: Path, small_parts: None
) -> None:
    path = tmp_path / "in.csv"
    encoding, text = TEXTS[name]
    path.write_bytes(text.encode(encoding))
    frame, source, files = convert(path)
    assert len(files) > 1 or name == "old mac"
    table = engine.read_table(path)
    assert_equal_values(frame, table.frame)
    assert set(source.messages()) == set(
        engine.data.reading.reading_messages(table.origin)
    )


def test_what_is_said_about_a_text_counts(tmp_path: Path, small_parts: None) -> None:
    rows = "".join(f"{i % 99},0{i % 9},{i % 7}\n" for i in range(N))
    path = tmp_path / "in.txt"
    path.write_text("a|b|c\n" + rows.replace(",", "|"))
    options = ReadOptions(
        delimiter="|", forms={"c": "text"}, missing={"a": ["98", "7"]}
    )
    expected = engine.read_table(path, options=options).frame
    assert_equal_values(convert(path, options)[0], expected)
    assert expected["a"].isna().any()


def test_files_of_a_folder_are_one_table(tmp_path: Path, small_parts: None) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "1.csv").write_text("a,b\n" + "1,x\n" * 50)
    (folder / "2.csv").write_text("a;b\n" + "2.5;y\n" * 50)
    frame, _, _ = convert(folder)
    assert frame["a"].tolist() == [1.0] * 50 + [2.5] * 50
    (folder / "2.csv").write_text("b,a\n" + "y,2\n" * 50)
    with pytest.raises(InputError, match=r"'2.csv' has other columns"):
        convert(folder)


@pytest.mark.parametrize("seed", range(20))
def test_ranges_begin_at_records(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each range alone has the records that it has within the text."""
    monkeypatch.setattr(record_ranges, "STEP_BYTES", 40)
    rng = np.random.default_rng(seed)
    cells = ['"a\nb"', '"x,""y"""', '""', '"",', 'q"r', '5"', " z", '"\r\n"', "", "0"]
    rows = [",".join(rng.choice(cells, 3)) for _ in range(200)]
    body = "\n".join(["a,b,c,d", *(row.replace('"",', '""') for row in rows)]) + "\n"
    text = body.replace("a,b,c,d", "a,b,c")
    path = tmp_path / "in.csv"
    path.write_text(text, newline="")
    file_text = FileText.of_file(path)
    records = locate_records(file_text, ReadOptions(delimiter=","), "in.csv")
    ranges = [*iterate_record_ranges(file_text, records, 100)]
    assert len(ranges) > 5
    assert ranges[0].start == records.start
    assert ranges[-1].end == records.end == len(text.encode())
    found = []
    for before, each in zip([None, *ranges], ranges, strict=False):
        assert before is None or before.end == each.start
        own = file_text[each.start : each.end].decode()
        found += [row for row in csv.reader(io.StringIO(own, newline="")) if row]
    whole = csv.reader(io.StringIO(text, newline=""))
    assert found == [row for row in whole if row][1:]


def test_a_long_field_is_within_a_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_ranges, "STEP_BYTES", 16)
    field = '"' + "line\n" * 100 + '"'
    path = tmp_path / "in.csv"
    path.write_text(f"a,b\n{field},1\n{field},2\n")
    file_text = FileText.of_file(path)
    records = locate_records(file_text, ReadOptions(), "in.csv")
    ranges = [*iterate_record_ranges(file_text, records, 1)]
    assert [file_text[each.start : each.end].decode()[-3:] for each in ranges] == [
        ",1\n",
        ",2\n",
    ]


DAMAGES: dict[str, tuple[Callable[[list[str]], None], str]] = {
    "a field too many": (
        lambda lines: lines.__setitem__(400, "1,2,3"),
        "Line 401 of file 'in.csv' has 3 fields where",
    ),
    "a field too few": (
        lambda lines: lines.__setitem__(550, "1"),
        "Line 551 of file 'in.csv' has 1 field where",
    ),
    "an open mark": (
        lambda lines: lines.__setitem__(300, '1,"x'),
        "line 301 of file 'in.csv' is never closed",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_record_is_named_by_its_line(
    damage: str, tmp_path: Path, small_parts: None
) -> None:
    lines = ["a,b", *(f"{i},x{i}" for i in range(N))]
    change, says = DAMAGES[damage]
    change(lines)
    path = tmp_path / "in.csv"
    path.write_text("\n".join(lines))
    plan = Plan(k=3, quasi_identifiers=("a",))
    with pytest.raises(InputError, match=says):
        run(plan, path, tmp_path / "out")
    assert [*tmp_path.iterdir()] == [path]


def test_bytes_of_another_encoding_are_named_by_their_line(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(b"a,b\n1,x\n" + "2,ä\n".encode("cp1252"))
    with pytest.raises(InputError, match=r"Line 3 of file 'in\.csv' cannot be"):
        convert(path, ReadOptions(encoding="utf-8"))
    path.write_bytes(
        codecs.BOM_UTF16_LE + "a,b\n1,x\n".encode("utf-16-le") + b"\x00\xd8"
    )
    with pytest.raises(InputError, match="cannot be read as utf-16"):
        convert(path)


@pytest.mark.parametrize("text", ["", "\n\n\n", "a,b\n"])
def test_a_text_without_records_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text(text)
    with pytest.raises(InputError):
        convert(path)


def mixed_people(path: Path) -> Path:
    """Write people with ties, gaps, decimal commas, leading zeros and text."""
    rng = np.random.default_rng(3)
    with path.open("w", encoding="cp1252") as stream:
        stream.write("code;age;income;day;town\n")
        for i in range(1000):
            age = "" if i % 90 == 5 else str(rng.integers(18, 40))
            income = f"{rng.integers(0, 900) / 2:.1f}".replace(".", ",")
            day = f"{rng.integers(1, 29):02}.{rng.integers(1, 13):02}.1980"
            stream.write(f'{i % 60:03};{age};{income};{day};"Köln\n{i % 3}"\n')
    return path


def test_groups_and_values_are_those_of_a_run_in_memory(tmp_path: Path) -> None:
    path = mixed_people(tmp_path / "in.csv")
    names = ("age", "income", "day")
    plan = Plan(
        method="mdav", k=4, quasi_identifiers=names, missing="drop", person="none"
    )
    outcome = run(plan, path, tmp_path / "out", records_per_block=1000)
    memory_outcome = engine.run(plan, engine.read_table(path))
    expected = memory_outcome.release.frame
    released = read(tmp_path / "out")
    assert_equal_values(released[list(names)], expected[list(names)])
    assert outcome.n_groups == memory_outcome.partition.n_groups
    assert outcome.information_loss == pytest.approx(
        memory_outcome.information_loss, rel=1e-9
    )
    table = engine.read_table(path).frame.dropna(subset="age")
    assert released["code"].tolist() == table["code"].tolist()
    assert released["town"].tolist() == table["town"].tolist()
