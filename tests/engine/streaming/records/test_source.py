"""A file or a folder of files is one table, and what is no such table is refused."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.core.context import SILENT
from engine.core.errors import InputError
from engine.streaming.records import source as module
from engine.streaming.records.source import open_parquet_source
from engine.streaming.workers.threads import ThreadWorkers
from tests.engine.streaming.tables import people, written


def test_batches_are_the_table_and_know_where_they_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BATCH_RECORDS", 64)
    monkeypatch.setattr(module, "MIN_BATCH_RECORDS", 1)
    table = people(1000)
    written(table.slice(0, 300), tmp_path / "1.parquet")
    written(table.slice(300), tmp_path / "2.parquet")
    source = open_parquet_source(tmp_path)
    keys: list[int] = []
    for part in source.parts:
        assert part.first == len(keys)
        for first, batch in part.batches(["key", "word"], SILENT):
            assert first == len(keys)
            assert batch.num_rows <= 64
            assert batch.schema.names == ["key", "word"]
            keys += batch.column("key").to_pylist()
        assert len(keys) == part.first + part.n_records
    assert keys == list(range(1000))
    assert source.n_records == 1000


def test_a_part_is_whole_row_groups_of_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"a": np.arange(1000.0)})
    written(table.slice(0, 600), tmp_path / "1.parquet", row_group_size=100)
    written(table.slice(600), tmp_path / "2.parquet", row_group_size=150)

    def parts() -> list[tuple[str, tuple[int, ...], int]]:
        found = open_parquet_source(tmp_path).parts
        return [(part.path.name, part.row_groups, part.n_records) for part in found]

    assert [n_records for _, _, n_records in parts()] == [600, 400]
    monkeypatch.setattr(module, "PART_BYTES", 200 * 8)
    assert parts() == [
        ("1.parquet", (0, 1), 200),
        ("1.parquet", (2, 3), 200),
        ("1.parquet", (4, 5), 200),
        ("2.parquet", (0, 1), 300),
        ("2.parquet", (2,), 100),
    ]


THREADS = ThreadWorkers(2, 10**6)


def test_a_fingerprint_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = written(people(100), tmp_path / "a.parquet")
    fingerprint = open_parquet_source(path).fingerprint(THREADS)
    path = path.rename(tmp_path / "b.parquet")
    assert open_parquet_source(path).fingerprint(THREADS) == fingerprint
    assert open_parquet_source(tmp_path).fingerprint(THREADS) == fingerprint
    written(people(100, seed=6), path)
    assert open_parquet_source(path).fingerprint(THREADS) != fingerprint


def test_a_fingerprint_is_a_digest_of_the_digests_of_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(people(300), tmp_path / "a.parquet")
    content, size = path.read_bytes(), 1000
    assert len(content) > 3 * size
    monkeypatch.setattr(module, "PIECE_BYTES", size)
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    whole = sha256(b"".join(sha256(each).digest() for each in pieces))
    assert open_parquet_source(path).fingerprint(THREADS) == whole.hexdigest()


def test_values_that_repeat_are_not_taken_for_small(tmp_path: Path) -> None:
    text = pa.array(["a long text that repeats " * 10] * 20_000)
    path = written(pa.table({"a": text}), tmp_path / "a.parquet", 20_000)
    assert path.stat().st_size < 20_000
    assert open_parquet_source(path).bytes_per_record > 250
    assert open_parquet_source(path).n_bytes > 20_000 * 250


def test_what_is_no_table_is_refused_in_a_sentence(tmp_path: Path) -> None:
    def refused(path: Path, says: str) -> None:
        with pytest.raises(InputError, match=says):
            open_parquet_source(path)

    refused(tmp_path / "none", "no file or folder")
    refused(tmp_path, "neither a Parquet file nor delimited text")
    (tmp_path / "a.json").write_text("[]")
    refused(tmp_path / "a.json", "neither a Parquet file nor delimited text")
    (tmp_path / "a.json").unlink()
    (tmp_path / "a.parquet").write_text("a,b\n1,2\n")
    refused(tmp_path / "a.parquet", "not a whole Parquet file")
    written(people(10).slice(0, 0), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", "no records")
    (tmp_path / "deep").mkdir()
    refused(tmp_path, "folder 'deep'")
    pq.write_table(
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
        tmp_path / "a.parquet",
    )
    refused(tmp_path / "a.parquet", "'a'")
    written(pa.table({" a": [1]}), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", "Column 1 has no name")


def test_files_of_one_table_have_the_same_columns(tmp_path: Path) -> None:
    written(pa.table({"a": [1], "b": [2]}), tmp_path / "1.parquet")
    written(pa.table({"b": [1], "a": [2]}), tmp_path / "2.parquet")
    with pytest.raises(InputError, match=r"'2.parquet'.*other columns"):
        open_parquet_source(tmp_path)
    written(pa.table({"a": [1], "b": [2.0]}), tmp_path / "2.parquet")
    with pytest.raises(InputError, match=r"'b' is double in file '2.parquet'"):
        open_parquet_source(tmp_path)


def test_a_file_cut_short_is_noticed_while_reading(tmp_path: Path) -> None:
    table = pa.table({"a": np.random.default_rng(0).normal(size=50_000)})
    path = written(table, tmp_path / "a.parquet", 10_000)
    source = open_parquet_source(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:1000] + b"\0" * 200_000 + whole[201_000:])
    with pytest.raises(InputError, match="not a whole Parquet file"):
        for _ in source.parts[0].batches(["a"], SILENT):
            pass
