"""How much memory a run may take, and how it is shared out."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import resource
import sys
from dataclasses import dataclass

import pyarrow as pa

from engine.core.errors import ParameterError
from engine.streaming.moments import RUN
from engine.streaming.source import Source
from engine.streaming.split import PER_BLOCK

MEBIBYTE = 2**20

COPIES = 7.5
"""Of a block's values at once, as measured: read, joined, written, read back."""

KEPT = 64 * MEBIBYTE
"""What allocators keep for each block at work, for later uses."""

CELL, RECORD = 14.0, 30.0
"""Numbers that grouping and replacing work with, per quasi-identifier and per record;
measured with mdav, polished or not, and blocked."""

WIDE = 5.0
"""The same for each further coordinate of a category; measured alike."""

UNEVEN = 1.3
"""How much larger than planned a block is taken to be: five standard deviations."""

RUN_COPIES = 5
"""Of the records of a run at once: waiting, joined, sorted, and some to spare."""

LEAST_WAITING, MOST_WAITING = 8 * MEBIBYTE, 256 * MEBIBYTE
"""Of records that wait for their run to be written."""


def bytes_in(text: str) -> int:
    """Read an amount of memory such as ``2GB``, ``500 MB`` or ``1.5GiB``.

    Raises
    ------
    ParameterError
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", text.lower())
    if not found:
        raise ParameterError(
            "--memory is {text!r}, but must be an amount such as 2GB or 500MB.",
            text=text,
        )
    base = 1024 if found[3] else 1000
    return int(float(found[1]) * base ** " kmgt".index(found[2] or " "))


def resident() -> int:
    """Return the bytes of memory that this process holds now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # only Linux has it: take the most that was ever held
        return peak()


def peak() -> int:
    """Return the most bytes of memory that this process has ever held."""
    with contextlib.suppress(OSError):  # only Linux has it
        with open("/proc/self/status", encoding="ascii") as file:
            found = re.search(r"^VmHWM:\s*(\d+) kB", file.read(), re.MULTILINE)
        if found:
            return int(found[1]) * 1024
    # On Linux this would count what the process held that started this one.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def give_back() -> None:
    """Return memory that is free to the system; libraries keep it for later uses."""
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def usual_limit() -> int:
    """Return half of the machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


@dataclass(frozen=True)
class Budget:
    """What each step may take of a limit.

    Attributes
    ----------
    limit : int
        Bytes, of everything that is resident.
    base : int
        Bytes that Python and its libraries take.
    """

    limit: int
    base: int

    def waiting(self, source: Source) -> int:
        """Return the bytes of records that may wait for their run to be written."""
        left = self.limit - self.base - _reading(source)
        return min(MOST_WAITING, max(LEAST_WAITING, left // RUN_COPIES))

    def at_once(self, shape: Shape) -> int:
        """Return how many blocks of this shape may be protected at once."""
        return (self.limit - self.base) // shape.need

    def check(
        self, source: Source, records_per_block: int, p: int, coordinates: int = 0
    ) -> None:
        """Refuse a limit under which a run could not stay, before it begins.

        Parameters
        ----------
        source : Source
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
        need = self.base + _need(source, records_per_block, p, coordinates)
        if need <= self.limit:
            return
        fewer = records_per_block
        while (
            fewer > 1000
            and self.base + _need(source, fewer, p, coordinates) > self.limit
        ):
            fewer //= 2
        if self.base + _need(source, fewer, p, coordinates) > self.limit:
            fewer = 0
        raise self._too_small(need, records_per_block, fewer)

    def check_blocks(self, shape: Shape, records_per_block: int) -> None:
        """Refuse a limit under which the largest block cannot be protected.

        Parameters
        ----------
        shape : Shape
            Of that block.
        records_per_block : int
            That was aimed at.

        Raises
        ------
        ParameterError
        """
        need = self.base + shape.need
        if need > self.limit:
            raise self._too_small(need, records_per_block, 0)

    def _too_small(self, need: int, records: int, fewer: int) -> ParameterError:
        amounts = {"limit": _written(self.limit), "least": _written(1.05 * need)}
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
class Shape:
    """How large a block is.

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
    def need(self) -> int:
        """Bytes that protecting it takes."""
        further = WIDE * max(0, self.n_coordinates - self.n_attributes)
        numbers = (CELL * self.n_attributes + further + RECORD) * self.n_records
        return int(COPIES * self.n_bytes + 8 * numbers) + KEPT


def _need(source: Source, records_per_block: int, p: int, coordinates: int) -> int:
    """Return the bytes of the step that takes most."""
    records = int(min(UNEVEN * records_per_block, source.n_records))
    n_bytes = int(records * source.bytes_per_record)
    block = Shape(n_bytes, records, p, coordinates).need
    blocks = -(-source.n_records // records_per_block)
    sample = 4 * PER_BLOCK * blocks * 8 * (p + 1) + 3 * RUN * 8 * (p + 1)
    return max(block, max(sample, RUN_COPIES * LEAST_WAITING) + _reading(source))


def _reading(source: Source) -> int:
    """Return the bytes that a pass takes for reading."""
    batch = int(source.batch_records() * source.bytes_per_record)
    return source.open_bytes + 4 * batch


def _written(amount: float) -> str:
    """Return an amount as it is said to ``--memory``, rounded up."""
    if amount < 1e9:
        return f"{-(-amount // 1e6):.0f}MB"
    return f"{-(-amount // 1e8) / 10:.1f}GB"
