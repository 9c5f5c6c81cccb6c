"""Memory of an out-of-core run: its limit, what blocks need, and freeing of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa

from engine.core.errors import ParameterError
from engine.core.platform.memory import total_memory_bytes, trim_heap
from engine.streaming.blocks.split import SAMPLED_RECORDS_PER_BLOCK
from engine.streaming.passes.moments import SUM_RUN_RECORDS
from engine.streaming.records.source import ParquetSource

MEBIBYTE = 2**20

COPIES_PER_BLOCK = 7.5
"""Of a block's values at once, as measured: read, joined, written, read back."""

ALLOCATOR_BYTES_PER_BLOCK = 64 * MEBIBYTE
"""What allocators keep for each block at work, for later uses."""

NUMBERS_PER_CELL, NUMBERS_PER_RECORD = 14.0, 30.0
"""Numbers that grouping and replacing work with, per quasi-identifier and per record;
measured with mdav, polished or not, and blocked."""

COPIES_PER_CATEGORY_COORDINATE = 5.0
"""The same for each further coordinate of a category; measured alike."""

BLOCK_UNEVENNESS = 1.3
"""How much larger than planned a block is taken to be: five standard deviations."""

RUN_COPIES = 5
"""Of the records of a run at once: waiting, joined, sorted, and some to spare."""

MIN_BUFFER_BYTES, MAX_BUFFER_BYTES = 8 * MEBIBYTE, 256 * MEBIBYTE
"""Bytes of records that wait for their run to be written."""


def parse_memory_size(text: str) -> int:
    """Return an amount of memory such as ``2GB``, ``500 MB`` or ``1.5GiB`` in bytes.

    Raises
    ------
    ParameterError
    """
    size_match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", text.lower())
    if not size_match:
        raise ParameterError(
            "--memory is {text!r}, but must be an amount such as 2GB or 500MB.",
            text=text,
        )
    base = 1024 if size_match[3] else 1000
    return int(float(size_match[1]) * base ** " kmgt".index(size_match[2] or " "))


def trim_free_memory() -> None:
    """Release unused memory of the libraries to the operating system."""
    pa.default_memory_pool().release_unused()
    trim_heap()


def default_memory_limit() -> int:
    """Return half of the machine's memory, in bytes."""
    return total_memory_bytes() // 2


@dataclass(frozen=True)
class MemoryBudget:
    """Memory limit of a run, and what its spool or parallel blocks may take of it.

    Attributes
    ----------
    limit : int
        Bytes, of everything that is resident.
    base : int
        Bytes that Python and its libraries take.
    """

    limit: int
    base: int

    def spool_bytes(self, source: ParquetSource, n_parallel: int) -> int:
        """Return the bytes of records that each of some tasks may buffer."""
        free_bytes = (self.limit - self.base) // n_parallel - _read_bytes(source)
        return min(MAX_BUFFER_BYTES, max(MIN_BUFFER_BYTES, free_bytes // RUN_COPIES))

    def max_parallel_tasks(self, task_bytes: int) -> int:
        """Return the number of tasks that may be at work at once: at least one."""
        return max(1, (self.limit - self.base) // task_bytes)

    def max_parallel_blocks(self, shape: BlockShape) -> int:
        """Return the number of blocks of this shape that may be protected at once."""
        return (self.limit - self.base) // shape.required_bytes

    def check_limit(
        self,
        source: ParquetSource,
        records_per_block: int,
        p: int,
        coordinates: int = 0,
    ) -> int:
        """Return the bytes that a task takes; raise if the limit is too low for them.

        Parameters
        ----------
        records_per_block : int
        p : int
            Number of quasi-identifiers.
        coordinates : int
            Of their points, as far as the first records tell; 0 for one each.

        Raises
        ------
        ParameterError
            Says which limit, or which size of blocks, would do.
        """
        task_bytes = _required_bytes(source, records_per_block, p, coordinates)
        need = self.base + task_bytes
        if need <= self.limit:
            return task_bytes
        fewer = records_per_block
        while (
            fewer > 1000
            and self.base + _required_bytes(source, fewer, p, coordinates) > self.limit
        ):
            fewer //= 2
        if self.base + _required_bytes(source, fewer, p, coordinates) > self.limit:
            fewer = 0
        raise self._too_small(need, records_per_block, fewer)

    def check_block_limit(self, shape: BlockShape, records_per_block: int) -> None:
        """Raise if protecting the largest block needs more than the limit.

        Parameters
        ----------
        shape : BlockShape
            Of that block.
        records_per_block : int
            That was aimed at.

        Raises
        ------
        ParameterError
        """
        need = self.base + shape.required_bytes
        if need > self.limit:
            raise self._too_small(need, records_per_block, 0)

    def _too_small(self, need: int, records: int, fewer: int) -> ParameterError:
        amounts = {
            "limit": _format_limit(self.limit),
            "least": _format_limit(1.05 * need),
        }
        if not fewer:
            return ParameterError(
                "A memory limit of {limit} is too small for blocks of about "
                "{records:,} records: say --memory {least} or more.",
                records=records,
                **amounts,
            )
        return ParameterError(
            "A memory limit of {limit} is too small for blocks of about {records:,} "
            "records: say --memory {least} or more, or --records-per-block {fewer}.",
            records=records,
            fewer=fewer,
            **amounts,
        )


@dataclass(frozen=True)
class BlockShape:
    """Size of a block: bytes, records, attributes and coordinates.

    Attributes
    ----------
    n_bytes : int
        Of its values in memory.
    n_records : int
    n_attributes : int
        Quasi-identifiers.
    n_coordinates : int
        Of their points; 0 for one each.
    """

    n_bytes: int
    n_records: int
    n_attributes: int
    n_coordinates: int = 0

    @property
    def required_bytes(self) -> int:
        """Memory in bytes needed to protect the block."""
        extra_numbers = COPIES_PER_CATEGORY_COORDINATE * max(
            0, self.n_coordinates - self.n_attributes
        )
        each = NUMBERS_PER_CELL * self.n_attributes + extra_numbers + NUMBERS_PER_RECORD
        numbers = each * self.n_records
        return (
            int(COPIES_PER_BLOCK * self.n_bytes + 8 * numbers)
            + ALLOCATOR_BYTES_PER_BLOCK
        )


def _required_bytes(
    source: ParquetSource, records_per_block: int, p: int, coordinates: int
) -> int:
    """Return the bytes of the step that takes most."""
    records = int(min(BLOCK_UNEVENNESS * records_per_block, source.n_records))
    n_bytes = int(records * source.bytes_per_record)
    block = BlockShape(n_bytes, records, p, coordinates).required_bytes
    blocks = -(-source.n_records // records_per_block)
    sample = 4 * SAMPLED_RECORDS_PER_BLOCK * blocks * 8 * (p + 1) + _moments_bytes(p)
    return max(block, max(sample, RUN_COPIES * MIN_BUFFER_BYTES) + _read_bytes(source))


def _moments_bytes(p: int) -> int:
    """Return the bytes that summing up the records of a part takes."""
    return 3 * SUM_RUN_RECORDS * 8 * (p + 1)


def _read_bytes(source: ParquetSource) -> int:
    """Return the bytes that a pass takes for reading."""
    batch = int(source.batch_records() * source.bytes_per_record)
    return source.open_bytes + 4 * batch


def _format_limit(amount: float) -> str:
    """Return an amount in the form of ``--memory``, rounded up."""
    if amount < 1e9:
        return f"{-(-amount // 1e6):.0f}MB"
    return f"{-(-amount // 1e8) / 10:.1f}GB"
