"""A release as it leaves: written, read back, and compared with what was promised."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.table import Origin, Table
from engine.files import to_bytes
from engine.files.base import formats
from engine.files.source import Source
from engine.pipeline.outcome import Outcome
from engine.release.checks import CHECKS, Case, Check, records
from engine.release.writing import Arranged, Writing, arrange, origin_of_release


class VerificationError(EngineError):
    """What was written does not keep what was promised."""


@dataclass(frozen=True, eq=False)
class Written:
    """A release as bytes, and what was found in them.

    Attributes
    ----------
    content : bytes
    origin : Origin
        Format, options and name that it was written with.
    checks : tuple of Check
    k : int
        Counted on the bytes; 0 if records or columns are not there.
    notes : tuple of Message
        How the format holds columns that it cannot hold as they are.
    """

    content: bytes
    origin: Origin
    checks: tuple[Check, ...]
    k: int
    notes: tuple[Message, ...] = ()

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that did not pass; with any, the release should not leave."""
        return tuple(check for check in self.checks if not check.passed)

    @property
    def broken(self) -> tuple[Check, ...]:
        """Those of them that the method promises: it should have kept them."""
        return tuple(check for check in self.failed if check.promised)


def write_and_check(
    outcome: Outcome, table: Table, writing: Writing | None = None
) -> Written:
    """Write a release, read it back, and compare it with the table and the plan.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        What was protected.
    writing : Writing, optional

    Raises
    ------
    InputError
        If the format cannot hold the release.
    """
    writing = writing or Writing()
    origin = origin_of_release(outcome, table.origin, writing)
    release = arrange(outcome, table, origin, writing)
    content = to_bytes(release.frame, origin, held=True)
    checks, k = check_bytes(content, origin, outcome, table, writing, release)
    return Written(content, origin, checks, k, release.said)


def check_bytes(
    content: bytes,
    origin: Origin,
    outcome: Outcome,
    table: Table,
    writing: Writing,
    release: Arranged | None = None,
) -> tuple[tuple[Check, ...], int]:
    """Compare a written release with what it should be.

    Parameters
    ----------
    content : bytes
    origin : Origin
        Format and options that it was written with.
    outcome : Outcome
    table : Table
        What was protected.
    writing : Writing
    release : Arranged, optional
        What was written, where it need not be arranged again.

    Returns
    -------
    checks : tuple of Check
        Only the first one, if records or columns are not there.
    k : int
    """
    release = release or arrange(outcome, table, origin, writing)
    suffix = formats.info(origin.format).suffixes[0]
    source = Source(f"release{suffix}", content=content)
    reader = formats.get(origin.format)()
    back, effective = reader.read_back(source, origin.options, release.frame)
    case = Case(outcome, table, writing, release, content, origin, back, effective)
    first = records(case)
    if not first.passed:
        return (first,), 0
    found = [check(case) for check in CHECKS]
    return (first, *(each for each in found if each is not None)), case.k
