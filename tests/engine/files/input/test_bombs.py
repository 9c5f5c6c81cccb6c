"""Small files of any format that unfold to more than memory are refused unread."""

import bz2
import gzip
import io
import lzma
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter

from engine.cli import main
from engine.core.errors import InputError
from engine.files import preview_file, read_table
from engine.files.columnar import parquet
from engine.files.input import source
from engine.files.workbooks import workbook
from engine.streaming.records.source import open_parquet_source
from tests.engine.files.workbooks.test_ods import cell, document, row
from tests.engine.files.workbooks.test_xls import FAR_CELL

N = 60_000
LONG = "a long answer, " * 200
EQUAL = pd.DataFrame({"a": [1.0] * N, "b": [2.0] * N, "c": [3.0] * N})
SAID = "which is not safe to open"


def parquet_bytes(columns: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream, **options)
    return stream.getvalue()


def statistical(kind: str, frame: pd.DataFrame, folder: Path, **options: Any) -> bytes:
    path = folder / f"made.{kind}"
    getattr(pyreadstat, f"write_{kind}")(frame, path, **options)
    return path.read_bytes()


def stata(version: int, byteorder: str) -> bytes:
    stream = io.BytesIO()
    frame = pd.DataFrame({"n": range(2_000), "s": [LONG] * 2_000})
    frame.to_stata(
        stream,
        write_index=False,
        version=version,
        convert_strl=["s"],
        byteorder=byteorder,
    )
    return stream.getvalue()


def excel() -> bytes:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_column(0, 0, ["x", *[LONG] * 2_000])
    return stream.getvalue()


def zipped(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def r_integer(*values: int) -> bytes:
    return struct.pack(f">{len(values)}i", *values)


def r_symbol(name: str) -> bytes:
    return r_integer(1) + r_text(name)


def r_text(name: str) -> bytes:
    return r_integer(0x40009, len(name)) + name.encode()


def r_frame(column: bytes, n: int) -> bytes:
    pytest.importorskip("pyreadr")
    return b"".join(
        [
            b"X\n",
            r_integer(3, 0x40000, 0x30500, 5) + b"UTF-8" + r_integer(0x313, 1) + column,
            r_integer(0x402) + r_symbol("names") + r_integer(16, 1) + r_text("x"),
            r_integer(0x402) + r_symbol("class") + r_integer(16, 1),
            r_text("data.frame") + r_integer(0x402) + r_symbol("row.names"),
            r_integer(13, 2, -(2**31), -n, 254),
        ]
    )


def r_sequence(n: int) -> bytes:
    kind = r_symbol("compact_intseq") + r_integer(2) + r_symbol("base")
    kind = r_integer(238, 2) + kind + r_integer(2, 13, 1, 13, 254)
    return r_frame(
        kind + r_integer(14, 3) + struct.pack(">3d", n, 1, 1) + r_integer(254), n
    )


def r_factor(n: int) -> bytes:
    codes = r_integer(0x30D, n) + r_integer(1) * n
    levels = r_integer(0x402) + r_symbol("levels") + r_integer(16, 1) + r_text(LONG)
    kind = r_integer(0x402) + r_symbol("class") + r_integer(16, 1) + r_text("factor")
    return r_frame(codes + levels + kind + r_integer(254), n)


def duck(folder: Path) -> bytes:
    duckdb = pytest.importorskip("duckdb")
    path = folder / "made.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.sql(f"CREATE TABLE t AS SELECT '{LONG}' AS a FROM range(8000)")
    return path.read_bytes()


CSV = b"a,b\n" + b"1,2\n" * 400_000
BOMBS: dict[str, Callable[[Path], bytes]] = {
    "equal.parquet": lambda _: parquet_bytes({"a": [7] * N, "b": ["x"] * N}),
    "text.parquet": lambda _: parquet_bytes({"a": [None, "b", *[LONG] * 2_000]}),
    "bytes.pq": lambda _: parquet_bytes(
        {"a": pa.array([b"x" * 64] * N, pa.binary(64))}
    ),
    "prefix.parquet": lambda _: parquet_bytes(
        {"a": [LONG] * 2_000},
        use_dictionary=False,
        column_encoding={"a": "DELTA_BYTE_ARRAY"},
    ),
    "lists.parquet": lambda _: parquet_bytes({"a": [[], *[[LONG, "b"]] * 2_000]}),
    "parts.parquet": lambda _: parquet_bytes({"a": [None, *[{"b": LONG}] * 2_000]}),
    "long.parquet": lambda _: parquet_bytes({"a": [[1] * 3_000] * 100}),
    "t.csv.gz": lambda _: gzip.compress(CSV),
    "t.zip": lambda _: zipped("t.csv", CSV),
    "nested.zip": lambda _: zipped(
        "t.parquet", parquet_bytes({"a": list(range(8)) * N}, use_dictionary=False)
    ),
    "t.rds": lambda _: gzip.compress(r_frame(bytes(1 << 22), 2)),
    "t.rdata": lambda _: bz2.compress(r_frame(bytes(1 << 22), 2)),
    "t.rda": lambda _: lzma.compress(r_frame(bytes(1 << 22), 2)),
    "sequence.rds": lambda _: r_sequence(2_000_000_000),
    "factor.rds": lambda _: r_factor(2_000),
    "t.zsav": lambda at: statistical("sav", EQUAL, at, compress=True),
    "t.dta": lambda _: stata(117, "<"),
    "new.dta": lambda _: stata(118, "<"),
    "wide.dta": lambda _: stata(119, "<"),
    "other.dta": lambda _: stata(118, ">"),
    "t.duckdb": duck,
    "t.xlsx": lambda _: excel(),
    "book.zip": lambda _: zipped("t.xlsx", excel()),
    "old.zip": lambda _: zipped("p.xls", FAR_CELL),
    "base.zip": lambda at: zipped("t.duckdb", duck(at)),
    "old.xls": lambda _: FAR_CELL,
    "t.ods": lambda _: document(a=[row([cell("x")]), row([cell(LONG)], 2_000)]),
}


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (source, parquet, workbook):
        monkeypatch.setattr(module, "MAX_UNCHECKED_BYTES", 1 << 20)
    monkeypatch.setattr(source, "MAX_UNFOLDING", 20)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_unfolds_to_much_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = BOMBS[name](tmp_path)
    with pytest.raises(InputError, match=SAID):
        read_table(content, name=name)
    folder = tmp_path / "only"
    folder.mkdir()
    (folder / name).write_bytes(content)
    line = ["protect", str(folder / name), "--output", str(folder / "out.csv")]
    assert main(line) == 2
    error = capsys.readouterr().err
    assert SAID in error
    assert error.count("\n") == 1
    assert [each.name for each in folder.iterdir()] == [name]


@pytest.mark.parametrize(
    "name", [name for name in BOMBS if "t.rd" not in name and "old" not in name]
)
def test_the_same_file_is_read_where_it_does_no_harm(name: str, tmp_path: Path) -> None:
    if name == "sequence.rds":
        assert read_table(r_sequence(40), name=name).frame["x"].tolist()[-1] == 40
        return
    assert len(read_table(BOMBS[name](tmp_path), name=name).frame) >= 100


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("name", ["t.xlsx", "t.ods"])
def test_a_bomb_is_no_preview(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=SAID):
        preview_file(BOMBS[name](tmp_path), name)


@pytest.mark.usefixtures("small_limits")
def test_a_bomb_is_refused_out_of_core(tmp_path: Path) -> None:
    for name, make in BOMBS.items():
        if name.endswith(("parquet", "pq")):
            path = tmp_path / name
            path.write_bytes(make(tmp_path))
            with pytest.raises(InputError, match=SAID):
                open_parquet_source(path)


@pytest.mark.usefixtures("small_limits")
def test_a_large_table_of_distinct_values_is_no_bomb(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "amount": rng.normal(size=N).round(3),
            "code": rng.integers(0, 40, N),
            "word": pd.Series(rng.integers(0, 9_000, N)).map("the word {}".format),
        }
    )
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    assert open_parquet_source(path).n_records == N
    text = frame.to_csv(index=False).encode()
    for name, content in {
        "t.parquet": path.read_bytes(),
        "t.csv.gz": gzip.compress(text),
        "t.zip": zipped("t.csv", text),
        "t.zsav": statistical("sav", frame, tmp_path, compress=True),
        "t.dta": statistical("dta", frame, tmp_path),
    }.items():
        assert read_table(content, name=name).frame.shape == frame.shape


@pytest.mark.slow
def test_a_bomb_of_thirty_million_rows_is_refused_at_the_true_limit() -> None:
    columns = {"a": pa.repeat(1.5, 30_000_000), "b": pa.repeat(2, 30_000_000)}
    content = parquet_bytes(columns)
    before = pa.total_allocated_bytes()
    with pytest.raises(InputError, match=SAID):
        read_table(content, name="bomb.parquet")
    assert len(content) < 1_000_000
    assert pa.total_allocated_bytes() - before < 10_000_000
