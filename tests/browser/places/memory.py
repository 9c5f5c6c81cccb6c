"""What lies in the memory of processes: planted texts and numbers, by /proc/PID/mem."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

N_PLANTED = 1_000

NAMES = [f"Zyqwor{number:04d}Kelvanne" for number in range(N_PLANTED)]

NUMBERS = 7_345_161.0 + np.arange(N_PLANTED) * 3.0 + 0.015625
"""Exact as 8-byte floats, and as decimal numbers of six places."""

MAX_PROXY_VALUES = 16
"""Of what went through a proxy: some 80 bytes in each of HAProxy's threads."""

_CHUNK_BYTES = 2**24


N_ROWS_EACH = 12
"""Rows of a planted table for each that is planted."""


def planted_rows() -> Iterator[str]:
    """Yield the lines of a table of all that is planted, with others between them."""
    yield "name,age,amount"
    for number, (name, amount) in enumerate(zip(NAMES, NUMBERS, strict=True)):
        yield f"{name},{20 + number % 60},{amount:.6f}"
        for filler in range(N_ROWS_EACH - 1):
            n = number * N_ROWS_EACH + filler
            yield f"Abcdef{n:05d}Kelvanne,{20 + n % 60},{6_000_000 + 7 * n}.015625"


def _patterns() -> list[re.Pattern[bytes]]:
    """Return what finds names and numbers as text, of 1, 2 and 4 bytes a sign."""
    patterns = []
    for width in (1, 2, 4):
        pad = b"\0" * (width - 1)
        digits = rb"[0-9]" + pad
        name = pad.join(bytes([sign]) for sign in b"Zyqwor") + pad + digits * 4
        name += pad.join(bytes([sign]) for sign in b"Kelv")
        number = b"7" + pad + b"3" + pad + digits * 5 + rb"\." + pad + b"0" + pad
        number += b"1" + pad + b"5" + pad + b"6"
        patterns += [re.compile(name), re.compile(number)]
    return patterns


_PATTERNS = _patterns()
_SORTED_BITS = np.sort(NUMBERS.view(np.uint64))


def find_planted(content: bytes) -> set[bytes]:
    """Return what is planted in some bytes: texts, and 8-byte floats by their bits."""
    hits = {hit.replace(b"\0", b"") for p in _PATTERNS for hit in p.findall(content)}
    for offset in range(0, min(8, len(content)), 4):
        whole = (len(content) - offset) // 8
        bits = np.frombuffer(content, np.uint64, whole, offset)
        near = bits[(bits >= _SORTED_BITS[0]) & (bits <= _SORTED_BITS[-1])]
        hits |= {hit.tobytes() for hit in near[np.isin(near, _SORTED_BITS)]}
    return hits


def find_in_process(pid: int) -> set[bytes]:
    """Return what is planted in the memory of a process; nothing where it has ended."""
    hits: set[bytes] = set()
    try:
        maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
        with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            for line in maps:
                area, rights, *_ = line.split()
                if rights.startswith("r") and not line.endswith(
                    ("[vvar]", "[vsyscall]")
                ):
                    hits |= _find_in_area(memory.fileno(), area)
    except (FileNotFoundError, ProcessLookupError):
        return set()
    return hits


def _find_in_area(memory: int, area: str) -> set[bytes]:
    hits: set[bytes] = set()
    start, end = (int(text, 16) for text in area.split("-"))
    while start < end:
        try:
            content = os.pread(memory, min(_CHUNK_BYTES, end - start), start)
        except OSError:  # what no process may read, such as a file's end that is gone
            content = b""
        if content.strip(b"\0"):
            hits |= find_planted(content)
        # What lies across two chunks is found in the second.
        overlap = 256 if len(content) == _CHUNK_BYTES else 0
        start += max(len(content) - overlap, 4096)
    return hits


def find_in_files(folder: Path) -> set[bytes]:
    """Return what is planted in the files below a folder."""
    hits: set[bytes] = set()
    for path in folder.rglob("*"):
        if path.is_file():
            hits |= find_planted(path.read_bytes())
    return hits
