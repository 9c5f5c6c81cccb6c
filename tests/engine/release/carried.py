"""Files of which one column is protected, and readers of their own."""

import csv
import io
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from engine.data.table import Table
from engine.files import formats, read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import WrittenRelease, release_bytes_and_checks
from engine.release.writing import WritingOptions

N = 12


WRITABLE = [info.id for info in formats.infos() if info.writable]


def protected(
    content: bytes, suffix: str, writing: WritingOptions | None = None, **choices: Any
) -> tuple[Table, WrittenRelease, np.ndarray]:
    """Protect column ``age`` of a file; return the rows of the release as well."""
    table = read_table(content, name=f"in{suffix}")
    others = dict.fromkeys(table.schema.names, "other")
    table = table.assign(
        roles={**others, "age": "quasi-identifier"}, kinds={"age": "continuous"}
    )
    outcome = run(Plan(k=3, method="mdav", **choices), table)
    writing = writing or WritingOptions()
    written = release_bytes_and_checks(outcome, table, writing)
    assert [str(check.detail) for check in written.failed_checks] == []
    order = np.arange(len(outcome.release.rows))
    if writing.shuffle:
        order = np.random.default_rng(writing.seed).permutation(order)
    return table, written, outcome.release.rows[order]


WRITINGS = [WritingOptions(), WritingOptions(shuffle=True, seed=5)]


def delimited(records: list[list[str]], delimiter: str = ",", end: str = "\n") -> bytes:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator=end).writerows(records)
    return stream.getvalue().encode()


def records(content: bytes, delimiter: str = ",") -> list[list[str]]:
    return list(
        csv.reader(io.StringIO(content.decode(), newline=""), delimiter=delimiter)
    )


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
