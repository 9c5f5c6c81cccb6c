"""What another process has left takes no more than its files, and is what it says."""

import io
import json
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pydantic import TypeAdapter

from engine.storage.bounded_reading import (
    DamagedFileError,
    free_mapped_pages,
    read_bounded_bytes,
    read_bounded_json,
    read_frame,
    read_integer_array,
    read_validated_json,
)

FRAME = pd.DataFrame(
    {
        "a": [1, 2, 3],
        "b": pd.array([1, None, 3], dtype="Int64"),
        "c": ["x", None, "ä"],
        "d": pd.Categorical(["u", "v", "u"], ordered=True),
        "e": pd.to_datetime(["2020-01-31", None, "9999-12-31"]).astype("datetime64[s]"),
        "f": [0.5, np.nan, -0.0],
        "g": pd.array([True, None, False], dtype="boolean"),
        "h": pd.Series([None, None, None], dtype=object),
        "i": pd.to_datetime(["2020-01-31"] * 3).tz_localize("Europe/Berlin"),
    }
)


def arrow(table: pa.Table, path: Path, **how: Any) -> Path:
    with pa.ipc.new_file(str(path), table.schema, **how) as out:
        out.write_table(table)
    return path


def test_frames_come_back_as_they_were_written(tmp_path: Path) -> None:
    path = arrow(pa.Table.from_pandas(FRAME), tmp_path / "f")
    pd.testing.assert_frame_equal(read_frame(path), FRAME)
    empty = arrow(pa.Table.from_pandas(FRAME[[]]), tmp_path / "g")
    assert len(read_frame(empty)) == 3


@pytest.mark.posix("no file is mapped there: it could not be removed")
@pytest.mark.skipif(sys.platform != "linux", reason="by the files of /proc")
def test_a_frame_that_nobody_looks_at_takes_no_memory(tmp_path: Path) -> None:
    values, path = pd.DataFrame({"a": np.arange(300_000.0)}), tmp_path / "large.arrow"
    table = pa.Table.from_pandas(values)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as out:
        out.write_table(table)
    frame = read_frame(path)
    path.unlink()  # as jobs' folders are
    pd.testing.assert_frame_equal(frame, values)
    assert resident_kilobytes(path) > 2_000
    free_mapped_pages()
    assert resident_kilobytes(path) < 100
    pd.testing.assert_frame_equal(frame, values)


def resident_kilobytes(path: Path) -> int:
    """Return how much of a mapped file is in this process's memory."""
    maps = Path("/proc/self/smaps").read_text(encoding="utf-8")
    return int(maps.partition(f"{path}")[2].partition("Rss:")[2].split()[0])


def swollen(path: Path) -> Path:
    """Write a column of zeros that takes next to nothing."""
    zeros = pa.table({"a": pa.array(np.zeros(2_000_000))})
    how = pa.ipc.IpcWriteOptions(compression="zstd")
    assert arrow(zeros, path, options=how).stat().st_size < 20_000
    return path


def swollen_words(path: Path) -> Path:
    """Write categories that take next to nothing."""
    words = pa.array([str(10**6 + number) for number in range(20_000)])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1]), words)
    how = pa.ipc.IpcWriteOptions(compression="lz4")
    return arrow(pa.table({"a": column}), path, options=how)


def changed(path: Path, old: bytes, new: bytes) -> Path:
    """Write the same columns, with something else in their file."""
    content = arrow(pa.Table.from_pandas(FRAME), path).read_bytes()
    assert old in content
    assert len(old) == len(new)
    path.write_bytes(content.replace(old, new))
    return path


def shared_values(path: Path) -> Path:
    """Write many columns, all of which say to have the same bytes."""
    n, columns = 50_000, 40
    table = pa.table({f"a{at}": pa.array([7] * n, pa.int64()) for at in range(columns)})
    content = arrow(table, path).read_bytes()
    start = content.index((7).to_bytes(8, "little") * n)
    head, size = content[:start], 8 * n
    pairs = [
        pair for at in range(columns) for pair in ((size * at, 0), (size * at, size))
    ]
    separate_buffers = np.array(pairs, "<i8").tobytes()
    shared_buffers = np.array([(0, 0), (0, size)] * columns, "<i8").tobytes()
    whole = np.array([size * columns], "<i8").tobytes()
    assert head.count(separate_buffers) == head.count(whole) == 1
    head = head.replace(separate_buffers, shared_buffers)
    head = head.replace(whole, np.array([size], "<i8").tobytes())
    path.write_bytes(head + content[start : start + size] + b"\xff" * 4 + bytes(4))
    return path


def far_offsets(path: Path) -> Path:
    """Write texts of which one lies far beyond the end of their bytes."""
    texts = pa.array(["x" * 1_001, "y" * 1_002, "z" * 1_003], pa.large_string())
    content = arrow(pa.table({"a": texts}), path).read_bytes()
    place = (2_003).to_bytes(8, "little")
    assert content.count(place) == 1
    path.write_bytes(content.replace(place, (2**40).to_bytes(8, "little")))
    return path


def far_codes(path: Path) -> Path:
    """Write categories that are not there."""
    codes = pa.array([0, 100], pa.int8())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["x"]), safe=False)
    return arrow(pa.table({"a": column}), path)


def nothing(path: Path) -> Path:
    """Write a great many records of nothing."""
    column = pa.Array.from_buffers(pa.null(), 2**31 - 1, [None])
    return arrow(pa.table({"a": column}), path)


def nested(path: Path) -> Path:
    column = pa.array([[[1]]])
    return arrow(pa.table({"a": column}), path)


def repeated(path: Path) -> Path:
    column = pa.RunEndEncodedArray.from_arrays([2**31 - 1], [7])
    return arrow(pa.table({"a": column}), path)


def told_types(path: Path) -> Path:
    """Tell pandas to make something else of a column."""
    kind, other = b'"datetime64[s]"', b'"interval[i64]"'
    return changed(path, kind, other)


def told_labels(path: Path) -> Path:
    """Tell pandas that the names of columns are something else."""
    kind, other = b'"str", "metadata": {"enc', b'"eva", "metadata": {"enc'
    return changed(path, kind, other)


def deep_schema(path: Path) -> Path:
    deep = pa.table({"a": [1]}).replace_schema_metadata({"pandas": "[" * 100_000})
    return arrow(deep, path)


def cut(path: Path) -> Path:
    content = arrow(pa.Table.from_pandas(FRAME), path).read_bytes()
    path.write_bytes(content[: len(content) // 2])
    return path


FRAMES: list[Callable[[Path], Path]] = [
    swollen,
    swollen_words,
    shared_values,
    far_offsets,
    far_codes,
    nothing,
    nested,
    repeated,
    told_types,
    told_labels,
    deep_schema,
    cut,
]


@pytest.mark.parametrize("make", FRAMES, ids=lambda maker: maker.__name__)
def test_columns_that_are_no_table_are_refused(
    make: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = make(tmp_path / "f")
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        with pytest.raises(DamagedFileError):
            read_frame(path)
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()
    assert pa.total_allocated_bytes() - before < 4 * 2**20


def test_any_byte_may_be_wrong(tmp_path: Path) -> None:
    path = arrow(pa.Table.from_pandas(FRAME), tmp_path / "f")
    good, rng = bytearray(path.read_bytes()), np.random.default_rng(0)
    refused = 0
    for place in rng.choice(len(good), 300, replace=False):
        bad = good.copy()
        bad[place] ^= int(rng.integers(1, 256))
        path.write_bytes(bad)
        try:
            assert len(read_frame(path)) <= 10**7
        except DamagedFileError:
            refused += 1
    assert refused > 30


def saved(values: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values, allow_pickle=values.dtype == object)
    return stream.getvalue()


def test_whole_numbers_come_back(tmp_path: Path) -> None:
    path = tmp_path / "n.npy"
    for values in (np.arange(1000), np.array([], np.int64), np.array([-(2**63)])):
        path.write_bytes(saved(values))
        assert read_integer_array(path).tolist() == values.tolist()


@pytest.mark.parametrize(
    "content",
    [
        saved(np.array([1.5])),
        saved(np.array([[1]])),
        saved(np.array([{}], object)),
        saved(np.arange(9))[:-8],
        saved(np.arange(9)) + bytes(8),
        saved(np.arange(9)).replace(b"(9,)", b"(10**9,)"),
        saved(np.arange(9)).replace(b"\x93NUMPY", b"PK\3\4PY"),
        b"",
        b"\x93NUMPY\1\0\xff\xff",
    ],
)
def test_other_numbers_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "n.npy").write_bytes(content)
    with pytest.raises(DamagedFileError):
        read_integer_array(tmp_path / "n.npy")


def test_json_has_a_shape_and_a_length(tmp_path: Path) -> None:
    path, shape = tmp_path / "a.json", TypeAdapter(dict[str, int])
    path.write_text('{"a": 1}')
    assert read_validated_json(path, shape) == {"a": 1}
    for text in ('{"a": "1"}', '{"a": NaN}', '{"a": 1.0}', "[", '{"a": true}', ""):
        path.write_text(text)
        with pytest.raises(DamagedFileError):
            read_validated_json(path, shape)
    path.write_text(json.dumps({"a" * 1000: 1}))
    with pytest.raises(DamagedFileError):
        read_validated_json(path, shape, 999)
    for read in (
        read_bounded_json,
        lambda json_path: read_validated_json(json_path, TypeAdapter(Any)),
    ):
        for text in ("[" * 1_000_000, "[", "", "\0"):
            path.write_text(text)
            with pytest.raises(DamagedFileError):
                read(path)


@pytest.mark.posix("pipes and links have other names there")
def test_nobody_waits_for_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("link", "pipe", "folder", "absent", "/dev/zero"):
        with pytest.raises((DamagedFileError, OSError)):
            read_bounded_bytes(tmp_path / name)
    assert read_bounded_bytes(tmp_path / "secret") == b"{}"
