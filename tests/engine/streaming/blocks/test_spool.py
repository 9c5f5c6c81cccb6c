"""What is sent to a leaf comes back from it, in the order in which it came."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from engine.core.errors import InputError
from engine.streaming.blocks.spool import (
    LeafSpool,
    SpoolWriter,
    drain_streams_into_table,
)
from tests.engine.streaming.tables import people


def filled(folder: Path, most_bytes: int, n: int = 5000) -> tuple[LeafSpool, pa.Table]:
    folder.mkdir()
    table = people(n).drop_columns(["level"])
    spool = LeafSpool(folder, 4)
    batches = table.to_batches(max_chunksize=300)
    files = []
    for first in range(0, len(batches), 7):  # as if by tasks
        writer = SpoolWriter(folder, 4, most_bytes)
        for batch in batches[first : first + 7]:
            writer.add_batch(batch, batch.column("key").to_numpy() % 7 % 4)  # uneven
        files.append(writer.finish())
    files.append(SpoolWriter(folder, 4, most_bytes).finish())  # of no records
    for file in files:
        spool.add_file(file)
    spool.finish()
    return spool, table


@pytest.mark.parametrize("most_bytes", [1, 50_000, 10**9])
def test_a_leaf_gives_back_its_records_in_their_order(
    tmp_path: Path, most_bytes: int
) -> None:
    spool, table = filled(tmp_path / "spool", most_bytes)
    leaves = np.arange(5000) % 7 % 4
    assert spool.leaf_sizes().tolist() == np.bincount(leaves).tolist()
    for leaf in range(4):
        expected = table.filter(pa.array(leaves == leaf)).drop_columns(["gaps"])
        assert (
            drain_streams_into_table(spool.records_of([leaf]).read_streams())
            .drop_columns(["gaps"])
            .equals(expected)
        )
    keys = [
        drain_streams_into_table(spool.records_of(some).read_streams())["key"]
        for some in ([2, 0], [2], [0])
    ]
    assert keys[0].to_pylist() == keys[1].to_pylist() + keys[2].to_pylist()


def test_a_spool_is_complete_with_its_index_only(tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    folder.mkdir()
    spool = LeafSpool(folder, 2)
    batch = people(100).drop_columns(["level"]).to_batches()[0]
    writer = SpoolWriter(folder, 2, 10**9)
    writer.add_batch(batch, np.zeros(100, dtype=np.int64))
    file = writer.finish()
    assert [each.name for each in folder.iterdir()] == [file.name]
    spool.add_file(file)
    assert not spool.is_complete
    spool.finish()
    assert LeafSpool(folder, 2).is_complete
    assert LeafSpool(folder, 2).leaf_sizes().tolist() == [100, 0]
    assert LeafSpool(folder, 2).leaf_nbytes()[0] >= batch.nbytes * 0.9


def test_damaged_bytes_are_one_sentence_and_are_written_again(tmp_path: Path) -> None:
    for place in ("run-00000.arrows", "index.npy"):
        folder = tmp_path / place
        filled(folder, 10**9)
        path = folder / place
        content = bytearray(path.read_bytes())
        content[len(content) // 2 :] = b"x" * (len(content) - len(content) // 2)
        path.write_bytes(content if place[0] == "r" else content[:50])
        spool = LeafSpool(folder, 4)
        with pytest.raises(InputError, match="not what was written"):
            spool.records_of(range(4)).read_streams()
        assert not spool.is_complete
