"""Parquet: every type comes back as it was, and damage is noticed."""

import datetime
import decimal
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.core.errors import InputError
from engine.data.table import Table
from engine.files import frame_to_bytes, read_table
from engine.files.columnar import parquet as module


def store(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream)
    return stream.getvalue()


def read(table: pa.Table) -> Table:
    return read_table(store(table), name="a.parquet")


TYPES = {
    "int16 with blanks": pa.array([1, None, 3], pa.int16()),
    "uint64": pa.array([1, 2, 2**64 - 1], pa.uint64()),
    "int64 with blanks": pa.array([2**53 + 1, None, 3]),
    "decimal": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.25")]),
    "date": pa.array([datetime.date(1, 1, 1), None, datetime.date(9999, 12, 31)]),
    "time": pa.array([datetime.time(1, 2), None, datetime.time(3, 4)]),
    "moment": pa.array([1, 2, None], pa.timestamp("ns", tz="Europe/Berlin")),
    "float32": pa.array([0.1, None, 2], pa.float32()),
    "categories": pa.array(["x", "y", None]).dictionary_encode(),
    "text": pa.array(["x", "", None], pa.string()),
    "large text": pa.array(["x", "", None], pa.large_string()),
    "truth": pa.array([True, None, False]),
    "duration": pa.array([1, 2, None], pa.duration("s")),
}


@pytest.mark.parametrize("name", TYPES)
def test_a_column_goes_back_in_its_type(name: str) -> None:
    stored = pa.table({"x": TYPES[name], "n": [1.5, 2.5, 3.5]})
    table = read(stored)
    back = pq.read_table(io.BytesIO(frame_to_bytes(table.frame, table.origin)))
    assert back.schema.equals(stored.schema)
    assert back.equals(stored)


def test_a_column_that_no_longer_fits_its_type_gets_a_wider_one() -> None:
    table = read(pa.table({"x": pa.array([1, 2], pa.int16())}))
    changed = table.frame.assign(x=[1.5, 2.5])
    back = pq.read_table(io.BytesIO(frame_to_bytes(changed, table.origin)))
    assert back["x"].to_pylist() == [1.5, 2.5]


def test_metadata_of_table_and_columns_are_kept() -> None:
    field = pa.field("x", pa.int64(), metadata={"label": "Age"})
    stored = pa.Table.from_arrays(
        [pa.array([1, 2])], schema=pa.schema([field], metadata={"who": "me"})
    )
    table = read(stored)
    back = pq.read_schema(io.BytesIO(frame_to_bytes(table.frame, table.origin)))
    assert back.metadata == {b"who": b"me"}
    assert back.field("x").metadata[b"label"] == b"Age"


def test_an_index_that_pandas_wrote_cannot_hide_names() -> None:
    frame = pd.DataFrame({"x": [1, 2]}, index=pd.Index(["Ada", "Alan"], name="who"))
    stream = io.BytesIO()
    frame.to_parquet(stream)
    table = read_table(stream.getvalue(), name="a.parquet")
    assert set(table.schema.names) == {"x", "who"}
    assert table.frame.index.equals(pd.RangeIndex(2))


def test_a_column_of_nulls_is_all_missing() -> None:
    table = read(pa.table({"x": pa.nulls(2), "y": [1, 2]}))
    assert table.frame["x"].isna().all()
    assert table.frame["x"].dtype == np.float64


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (pa.array([[1], None]), ["[1]", None]),
        (pa.array([{"a": 1}, {"a": 2}]), ["{'a': 1}", "{'a': 2}"]),
        (pa.array([b"a", b"\xff"]), ["61", "ff"]),
    ],
)
def test_what_is_no_number_text_or_date_is_told_apart_by_text(
    values: Any, text: list[str | None]
) -> None:
    column = read(pa.table({"x": values})).frame["x"]
    assert [None if pd.isna(cell) else cell for cell in column] == text


def test_a_file_cut_short_is_refused() -> None:
    content = store(pa.table({"x": [1, 2, 3]}))
    for spoilt in (content[:-1], content[: len(content) // 2], b"PAR1", b"x,y\n1,2\n"):
        with pytest.raises(InputError, match="not a whole Parquet file"):
            read_table(spoilt, name="a.parquet")


def test_text_that_is_no_text_is_refused() -> None:
    bad = pa.array([b"\xff\xfe", b"a"]).view(pa.string())
    with pytest.raises(InputError, match="not a whole Parquet file"):
        read(pa.table({"x": bad}))


def test_duplicate_names_are_refused() -> None:
    arrays = [pa.array([1]), pa.array([2])]
    with pytest.raises(InputError, match=r"'x' \(columns 1 and 2\)"):
        read(pa.Table.from_arrays(arrays, ["x", "x"]))


def test_decimals_are_read_as_the_numbers_nearest_to_them() -> None:
    cells = [decimal.Decimal(i).scaleb(-10) for i in range(1, 2_000, 3)]
    stream = io.BytesIO()
    pq.write_table(pa.table({"a": pa.array(cells, pa.decimal128(15, 10))}), stream)
    table = read_table(stream.getvalue(), name="a.parquet")
    assert table.frame["a"].tolist() == [float(cell) for cell in cells]


@pytest.mark.parametrize(
    "kind", [pa.binary(), pa.large_binary(), pa.binary(1), pa.binary_view()]
)
def test_bytes_that_were_given_a_common_value_go_back_as_bytes(kind: Any) -> None:
    cells = [bytes([at]) for at in range(250)]
    table = read(pa.table({"a": pa.array(cells, kind)}))
    common = table.frame["a"].where(table.frame.index % 2 == 1, table.frame["a"].iat[9])
    content = frame_to_bytes(pd.DataFrame({"a": common}), table.origin)
    back = pq.read_table(io.BytesIO(content)).column("a")
    assert back.to_pylist()[:4] == [bytes([at]) for at in (9, 1, 9, 3)]
    assert back.type == kind
    coarser = common.where(table.frame.index != 0, "*")
    content = frame_to_bytes(pd.DataFrame({"a": coarser}), table.origin)
    assert pq.read_table(io.BytesIO(content)).column("a").to_pylist()[:2] == ["*", "01"]


def test_more_columns_than_a_plan_can_name_are_refused_by_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_COLUMNS", 2)
    monkeypatch.setattr(pq.ParquetFile, "read", None)  # before anything is read
    content = store(pa.table({name: [1] for name in "abc"}))
    with pytest.raises(InputError, match=r"has 3 columns, more than the 2 that a plan"):
        read_table(content, name="wide.parquet")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "W. Europe Standard Time", "+25:77"])
@pytest.mark.parametrize("nest", ["plain", "list", "struct"])
def test_times_of_an_unknown_zone_are_told(zone: str, nest: str) -> None:
    moments = pa.array([0, 3600, None], pa.timestamp("s", zone))
    column = {
        "plain": moments,
        "list": pa.ListArray.from_arrays(pa.array([0, 1, 2, 3]), moments),
        "struct": pa.StructArray.from_arrays([moments], ["at"]),
    }[nest]
    with pytest.raises(InputError, match="'when' has times of the zone") as raised:
        read(pa.table({"age": [1, 2, 3], "when": column}))
    assert zone in str(raised.value)


def test_a_machine_without_a_list_of_time_zones_is_told(tmp_path: Path) -> None:
    moments = pa.array([0, 3600, None], pa.timestamp("s", "Europe/Berlin"))
    path = tmp_path / "a.parquet"
    path.write_bytes(store(pa.table({"age": [1, 2, 3], "when": moments})))
    code = (
        "import sys, zoneinfo\n"
        "sys.modules['tzdata'] = None\nzoneinfo.reset_tzpath(())\n"
        "from engine.cli import main\nsys.exit(main(sys.argv[1:]))"
    )
    words = ["run", str(path), "--quasi-identifiers", "age", "--k", "2"]
    for more in ([], ["--out-of-core", "--output", str(tmp_path / "out")]):
        command = [sys.executable, "-c", code, *words, *more]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr == (
            "coterie: Column 'when' has times of the zone 'Europe/Berlin', which this "
            "machine does not know: install the package tzdata, or save the times "
            "without a zone.\n"
        )
