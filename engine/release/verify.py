"""Make the bytes of a release, read them back, and verify them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.core.arguments import check_arguments
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.table import Origin, Table
from engine.files import frame_to_bytes
from engine.files.base import formats
from engine.files.input.source import InputBytes
from engine.pipeline.outcome import Outcome
from engine.release.checks import (
    RELEASE_CHECKS,
    ReadBackRelease,
    ReleaseCheck,
    records_and_columns_check_result,
)
from engine.release.formulas import count_formulas_by_column
from engine.release.writing import (
    ArrangedRelease,
    WritingOptions,
    arrange_release,
    origin_to_write_with,
)


class VerificationError(EngineError):
    """The written file breaks a promise of the plan; exit code 2."""


@dataclass(frozen=True, eq=False)
class WrittenRelease:
    """A release as bytes, with the checks that were made on them.

    Attributes
    ----------
    content : bytes
    origin : Origin
        Format, options and name that it was written with.
    checks : tuple of ReleaseCheck
    k : int
        Counted on the bytes; 0 if records or columns are not there.
    notes : tuple of Message
        How the format holds columns that it cannot hold as they are.
    formulas : mapping of str to int
        By column: cells of text that a spreadsheet could run, in delimited text and
        where they were neutralised.
    """

    content: bytes
    origin: Origin
    checks: tuple[ReleaseCheck, ...]
    k: int
    notes: tuple[Message, ...] = ()
    formulas: Mapping[str, int] = field(default_factory=dict)

    @property
    def failed_checks(self) -> tuple[ReleaseCheck, ...]:
        """Checks that did not pass."""
        return tuple(check for check in self.checks if not check.passed)

    @property
    def broken_promises(self) -> tuple[ReleaseCheck, ...]:
        """Failed checks of what the method promises."""
        return tuple(check for check in self.failed_checks if check.promised)


@check_arguments
def release_bytes_and_checks(
    outcome: Outcome, table: Table, writing: WritingOptions | None = None
) -> WrittenRelease:
    """Return a release as bytes, with the checks of the bytes read back.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        What was protected.
    writing : WritingOptions, optional

    Raises
    ------
    InputError
        If the format cannot hold the release.
    """
    table.check_fingerprint(outcome.fingerprint)
    writing = writing or WritingOptions()
    origin = origin_to_write_with(outcome, table.origin, writing)
    release = arrange_release(outcome, table, origin, writing)
    content = frame_to_bytes(release.frame, origin, is_held=True)
    checks, k = release_checks_and_k(content, origin, outcome, table, writing, release)
    formulas = {}
    if writing.neutralise or not formats.info(origin.format).typed:
        formulas = count_formulas_by_column(outcome.release.frame)
    return WrittenRelease(content, origin, checks, k, release.said, formulas)


def release_checks_and_k(
    content: bytes,
    origin: Origin,
    outcome: Outcome,
    table: Table,
    writing: WritingOptions,
    release: ArrangedRelease | None = None,
) -> tuple[tuple[ReleaseCheck, ...], int]:
    """Return the checks of a written release against plan and table, and its k.

    Parameters
    ----------
    content : bytes
    origin : Origin
        Format and options that it was written with.
    table : Table
        What was protected.
    writing : WritingOptions
    release : ArrangedRelease, optional
        What was written, where it need not be arranged again.

    Returns
    -------
    checks : tuple of ReleaseCheck
        Only the first one, if records or columns are not there.
    k : int
    """
    release = release or arrange_release(outcome, table, origin, writing)
    suffix = formats.info(origin.format).suffixes[0]
    source = InputBytes(f"release{suffix}", content=content)
    reader = formats.get(origin.format)()
    back, effective = reader.read_back(source, origin.options, release.frame)
    case = ReadBackRelease(
        outcome, table, writing, release, content, origin, back, effective
    )
    first = records_and_columns_check_result(case)
    if not first.passed:
        return (first,), 0
    later_checks = [check(case) for check in RELEASE_CHECKS]
    return (first, *(each for each in later_checks if each is not None)), case.counted_k
