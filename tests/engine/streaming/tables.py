"""Tables that the tests of streaming share."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

QUASI = ("height", "income", "day")
"""A number, a whole number and a date."""


def people(n: int, seed: int = 5) -> pa.Table:
    """Return records of many types; ``key`` tells them apart."""
    rng = np.random.default_rng(seed)
    days = rng.integers(0, 20_000, n).astype("timedelta64[D]")
    word = rng.choice(["a", "bb", ""], n).astype(object)
    word[rng.random(n) < 0.1] = None
    gaps = rng.normal(size=n)
    gaps[rng.random(n) < 0.1] = np.nan
    frame = {
        "key": pa.array(np.arange(n)),
        "name": pa.array([f"person {i}" for i in range(n)]),
        "height": pa.array(rng.normal(170, 10, n)),
        "income": pa.array(rng.integers(0, 90_000, n).astype(np.int32)),
        "day": pa.array((np.datetime64("1960-01-01") + days).astype("datetime64[D]")),
        "word": pa.array(word, pa.string()),
        "level": pa.DictionaryArray.from_arrays(
            pa.array(rng.integers(0, 3, n).astype(np.int8)),
            pa.array(["low", "middle", "high"]),
            ordered=True,
        ),
        "gaps": pa.array(gaps, pa.float32()),
        "when": pa.array(rng.integers(0, 10**15, n), pa.timestamp("us", "UTC")),
    }
    schema = pa.schema(
        [pa.field(name, column.type) for name, column in frame.items()],
        metadata={b"made by": b"a test"},
    )
    return pa.Table.from_arrays(list(frame.values()), schema=schema)


def written(table: pa.Table, path: Path, row_group_size: int = 700) -> Path:
    """Write a table to a Parquet file and return its path."""
    pq.write_table(table, path, row_group_size=row_group_size)
    return path


def numbers(n: int, p: int, seed: int = 1) -> pa.Table:
    """Return normal numbers x0, x1, ..."""
    rng = np.random.default_rng(seed)
    return pa.table({f"x{j}": rng.normal(size=n) for j in range(p)})


def content(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def read(folder: Path) -> pd.DataFrame:
    """Return a release as a frame."""
    return pq.read_table(folder).to_pandas(date_as_object=False)
