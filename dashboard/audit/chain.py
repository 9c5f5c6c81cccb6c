"""Hash chain of an audit log: each line of JSON holds the digest of the one before.

A line is ``{"number": n, ..., "previous": p, "digest": d}``, where `d` is the SHA-256
of all bytes before it and `p` is that of the line before. A line that was changed has
another digest, and a line that was left out or put in breaks the chain. Who can write
the file can write all of it anew from some line on: that is seen only with a head, the
number and digest of a line, that lies where they cannot write (Schneier and Kelsey,
"Secure audit logs to support computer forensics", 1999, doi:10.1145/317087.317089).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from engine.core.errors import ParameterError

MAX_LINE_BYTES = 2**20
"""Bytes of one line, with its end."""

CONTINUED = "continued"
"""Event of the first line of a file that follows another one."""

_LINE = re.compile(
    rb'(\{"number": ([1-9][0-9]{0,17}), .*"previous": "([0-9a-f]{64})"), '
    rb'"digest": "([0-9a-f]{64})"\}\n'
)


class ChainHead(NamedTuple):
    """Number and digest of a line of a hash chain; number 0 before the first line.

    Attributes
    ----------
    number : int
        Of the line, from 1; 0 before the first.
    digest : str
        Of the line, in 64 hexadecimal digits.
    """

    number: int
    digest: str

    def to_bytes(self) -> bytes:
        """Return the head as the bytes of its file, always of the same length."""
        return b"%018d %s\n" % (self.number, self.digest.encode())

    @classmethod
    def from_bytes(cls, content: bytes) -> ChainHead | None:
        """Return the head in a head file's bytes; None if there is none."""
        match = re.fullmatch(rb"0*([0-9]{1,18}) ([0-9a-f]{64})\s*", content[:200])
        return match and cls(int(match[1]), match[2].decode())


START = ChainHead(0, "0" * 64)


class ChainLink(NamedTuple):
    """Head of the chain after a valid line, and the digest of the line before it.

    Attributes
    ----------
    head : ChainHead
        Number and digest of the line.
    previous : str
        Digest of the line before.
    """

    head: ChainHead
    previous: str


def chained_line_and_new_head(
    last_head: ChainHead, facts: Mapping[str, Any]
) -> tuple[bytes, ChainHead]:
    """Return the line of facts that continues a chain, and the chain's new head.

    In ASCII: a name could have what others take for the end of a line.
    """
    number = last_head.number + 1
    whole = {"number": number, **facts, "previous": last_head.digest}
    sealed = json.dumps(whole)[:-1].encode()
    digest = hashlib.sha256(sealed).hexdigest()
    return b'%s, "digest": "%s"}\n' % (sealed, digest.encode()), ChainHead(
        number, digest
    )


def parse_chain_link(line: bytes) -> ChainLink | None:
    """Return a line's head and the digest before it; None if malformed or altered."""
    match = _LINE.fullmatch(line)
    if match is None or hashlib.sha256(match[1]).hexdigest() != match[4].decode():
        return None
    if parse_facts(line) is None:  # whoever can write may seal what is no JSON
        return None
    return ChainLink(ChainHead(int(match[2]), match[4].decode()), match[3].decode())


def parse_facts(line: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a line; None if there is none."""
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


@dataclass(frozen=True)
class ChainCheck:
    """Findings on a hash chain: valid lines, last head, first fault, proven end.

    Attributes
    ----------
    n_lines : int
        Lines that hold, up to the first that does not.
    last : ChainHead
        Head after the last line that holds.
    fault : str
        Which line was changed, left out or put in, as a sentence; empty for none.
    is_proven : bool
        Whether a head from outside is that of the last line.
    """

    n_lines: int
    last: ChainHead
    fault: str = ""
    is_proven: bool = False


def check_hash_chain(
    paths: Iterable[Path], known_head: ChainHead | None = None
) -> ChainCheck:
    """Check the chain of a log's files, the earliest first; return the findings.

    Parameters
    ----------
    paths : iterable of Path
    known_head : ChainHead, optional
        That of a line, from where nobody could change it.

    Raises
    ------
    ParameterError
        If a file cannot be read.
    """
    check = _Checker(known_head)
    for path in paths:
        try:
            with _open_uncompressed(path) as file:
                if fault := check.add_file(file):
                    return check.result(f"{path}: {fault}")
        except (OSError, EOFError, zlib.error) as error:
            raise ParameterError(
                "{file} cannot be read ({reason}): name the file of an audit log.",
                file=path,
                reason=getattr(error, "strerror", None) or type(error).__name__,
            ) from None
    return check.result(check.missing_end())


def _open_uncompressed(path: Path) -> BinaryIO:
    """Open a file to read, as it was before a rotation has compressed it."""
    with path.open("rb") as file:
        is_compressed = file.read(2) == b"\x1f\x8b"
    return cast("BinaryIO", gzip.open(path)) if is_compressed else path.open("rb")


class _Checker:
    """Checker of the lines of successive audit files against an outside head."""

    def __init__(self, outside: ChainHead | None) -> None:
        self._outside = outside
        self._last, self._before = START, START
        self._n_lines = 0

    def result(self, fault: str = "") -> ChainCheck:
        proven = not fault and self._outside == self._last
        return ChainCheck(self._n_lines, self._last, fault, proven)

    def add_file(self, file: BinaryIO) -> str:
        """Return the first fault of the next file; empty where there is none."""
        at = 0
        while line := file.readline(MAX_LINE_BYTES):
            at += 1
            if fault := self._add_line(line, at):
                return fault
        return ""

    def missing_end(self) -> str:
        """Return which lines are missing that the head from outside names."""
        if self._outside is None or self._last.number >= self._outside.number:
            return ""
        return (
            f"line {self._last.number + 1} was left out, and all up to line "
            f"{self._outside.number}, which the head names."
        )

    def _add_line(self, line: bytes, place: int) -> str:
        """Return what is wrong at a file's line; empty where it follows the last."""
        sealed = parse_chain_link(line)
        if sealed is None:
            return f"line {place} was changed or put in."
        facts = parse_facts(line) or {}
        begins = not self._n_lines and facts.get("event") == CONTINUED
        expected = self._last.number + 1
        if not begins and sealed.head.number > expected:
            return (
                f"line {place} was left out: {sealed.head.number - expected} missing "
                f"before the line with number {sealed.head.number}."
            )
        if not begins and sealed.head.number < expected:
            is_copy = (
                sealed.head == self._last or sealed.previous != self._before.digest
            )
            return f"line {place if is_copy else place - 1} was put in."
        if not begins and sealed.previous != self._last.digest:
            return f"line {max(1, place - 1)} was changed."
        outside = self._outside
        is_named = outside is not None and sealed.head.number == outside.number
        if is_named and sealed.head != outside:
            return f"line {place}, or one before it, is not the one of the head."
        self._before, self._last = self._last, sealed.head
        self._n_lines += 1
        return ""
