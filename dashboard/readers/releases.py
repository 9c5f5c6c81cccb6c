"""Orders on releases to a reading process: write, certify, check against a ledger.

Columns that nobody protects leave as they came in, and a certificate says what its file
holds: for both that file is read again, and therefore not in the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

from dashboard.jobs.workers.resource_limits import resource_limits
from engine.analysis.releases.disclosure_check import LedgerDisclosureCheck
from engine.analysis.releases.ledger import Ledger
from engine.core.errors import EngineError, InputError
from engine.core.message import Message, message_to_json
from engine.core.platform.temporary import DiskFullError
from engine.data.table import Origin, Table
from engine.pipeline.outcome import Outcome
from engine.release.checks import ReleaseCheck
from engine.release.verify import WrittenRelease, release_bytes_and_checks
from engine.release.writing import WritingOptions, check_release_format
from engine.storage.bounded_reading import (
    DamagedFileError,
    read_bounded_bytes,
    read_integer_array,
    read_validated_json,
)
from engine.storage.outcomes import (
    load_outcome,
    load_table,
    read_json,
    save_outcome,
    save_table,
    write_json,
)

Order = Mapping[str, Any]

MAX_LEDGER_BYTES, MAX_LEDGER_RELEASES = 2**25, 1_000
"""Size of a ledger that is continued in a browser: some million records."""

_TABLE, _OUTCOME, _ASKED = "given-table", "given-outcome", "asked.json"
_LEDGER, _FILE, _FOUND = "ledger.json", "release", "found.json"


def make_outcome_input_writer(
    outcome: Outcome, table: Table, request: object = None, content: bytes = b""
) -> Callable[[Path], None]:
    """Return a function that writes a result and its table into an order's folder.

    Parameters
    ----------
    table : Table
        The table that was protected, with the file that it came from.
    request : object
        What is to be done with them, as JSON.
    content : bytes
        A file that belongs to the order.
    """

    def write(folder: Path) -> None:
        save_table(table, folder / _TABLE)
        save_outcome(outcome, folder / _OUTCOME, table)
        write_json(folder / _ASKED, request)
        (folder / "content").write_bytes(content)

    return write


def _load_result(folder: Path) -> tuple[Outcome, Table, Any]:
    table = load_table(folder / _TABLE)
    outcome = load_outcome(folder / _OUTCOME, table)
    assert isinstance(outcome, Outcome)
    return outcome, table, read_json(folder / _ASKED)


def make_written_release_or_refusal(
    outcome: Outcome, table: Table, writing_options: WritingOptions
) -> WrittenRelease | Message:
    """Return a release, written and checked, or a message on why it cannot be.

    What the format cannot hold is found out before anything is written.

    Raises
    ------
    DiskFullError, DamagedFileError
        If that is so now, and may be otherwise next time.
    """
    try:
        check_release_format(table, outcome.plan, writing_options.format)
        return release_bytes_and_checks(outcome, table, writing_options)
    except (DiskFullError, DamagedFileError):
        raise
    except EngineError as error:
        # An answer, and no failure: it stays the same however often it is asked for.
        return error.message


def write_release_in_process(content: bytes, order: Order, folder: Path) -> None:
    """Write a checked release, or why there is none, into an order's folder."""
    outcome, table, options = _load_result(folder)
    reply = make_written_release_or_refusal(outcome, table, WritingOptions(**options))
    if isinstance(reply, Message):
        write_json(folder / _FOUND, {"refused": message_to_json(reply)})
        return
    (folder / _FILE).write_bytes(reply.content)
    facts = {
        "origin": [reply.origin.format, dict(reply.origin.options), reply.origin.name],
        "checks": [
            {
                "id": entry.id,
                "title": message_to_json(entry.title),
                "passed": bool(entry.passed),
                "detail": message_to_json(entry.detail),
                "promised": bool(entry.promised),
            }
            for entry in reply.checks
        ],
        "k": int(reply.k),
        "notes": [message_to_json(entry) for entry in reply.notes],
        "formulas": dict(reply.formulas),
    }
    write_json(folder / _FOUND, facts)


_Count = Annotated[int, Field(ge=0)]


class _Looked(TypedDict):
    """A check of a file as JSON."""

    id: str
    title: Message
    passed: bool
    detail: Message
    promised: bool


class _Told(TypedDict):
    """What is told of a release, as JSON."""

    origin: tuple[str, dict[str, Any], str]
    checks: list[_Looked]
    k: _Count
    notes: list[Message]
    formulas: dict[str, _Count]


class _Refused(TypedDict):
    """Why there is no release, as JSON."""

    refused: Message


_TOLD_ADAPTER: TypeAdapter[_Told | _Refused] = TypeAdapter(_Told | _Refused)

MAX_TOLD_BYTES = 2**24
"""Bytes of what is told of a release beside its file."""


def fetch_release(folder: Path) -> WrittenRelease | Message:
    """Return the release in an order's folder, or a message on why there is none."""
    facts = read_validated_json(folder / _FOUND, _TOLD_ADAPTER, MAX_TOLD_BYTES)
    if "refused" in facts:
        return cast(_Refused, facts)["refused"]
    return WrittenRelease(
        content=read_bounded_bytes(folder / _FILE, resource_limits().reading_bytes),
        origin=Origin(*facts["origin"]),
        checks=tuple(ReleaseCheck(**check) for check in facts["checks"]),
        k=facts["k"],
        notes=tuple(facts["notes"]),
        formulas=facts["formulas"],
    )


def certify_in_process(content: bytes, order: Order, folder: Path) -> None:
    """Write a run's certificate, its proof limited in time, to the order's folder."""
    from engine.certificate.write import build_certificate  # loads the solvers

    outcome, table, seconds = _load_result(folder)
    (folder / _FILE).write_bytes(
        build_certificate(outcome, table, seconds=seconds).text
    )


def fetch_certificate(folder: Path) -> bytes:
    """Return the bytes of the certificate in an order's folder."""
    return read_bounded_bytes(folder / _FILE, resource_limits().reading_bytes)


def read_ledger_in_process(content: bytes, order: Order, folder: Path) -> None:
    """Write a ledger to the order's folder; raise if it is invalid or too large.

    Raises
    ------
    InputError
        If it is none, or a very large one.
    """
    ledger = Ledger.from_bytes(content, order["name"])
    written = ledger.to_bytes()
    if len(written) > MAX_LEDGER_BYTES or len(ledger.entries) > MAX_LEDGER_RELEASES:
        too_large = Message(
            "The ledger {file!r} has {count:,} releases and {size:.0f} MB, more than "
            "the {most:,} releases and {most_size:.0f} MB of one that can be continued "
            "here: use the command line.",
            file=order["name"],
            count=len(ledger.entries),
            size=len(written) / 2**20,
            most=MAX_LEDGER_RELEASES,
            most_size=MAX_LEDGER_BYTES / 2**20,
        )
        raise InputError(too_large)
    (folder / _LEDGER).write_bytes(written)


def fetch_ledger(folder: Path) -> Ledger:
    """Return the ledger in an order's folder."""
    return Ledger.from_bytes(
        read_bounded_bytes(folder / _LEDGER, MAX_LEDGER_BYTES), _LEDGER
    )


def check_release_against_ledger_in_process(
    content: bytes, order: Order, folder: Path
) -> None:
    """Check a release against a ledger; write disclosed records and counts to a folder.

    ``content`` is the ledger.
    """
    outcome, table, _nothing = _load_result(folder)
    ledger = Ledger.from_bytes(content, _LEDGER)
    entry = ledger.entry_for(outcome, table, "", b"")
    ledger_check = ledger.check_release(entry, table, outcome.release.rows)
    np.save(folder / "opened.npy", ledger_check.opened, allow_pickle=False)
    counts = (
        ledger_check.n_records,
        ledger_check.n_releases,
        ledger_check.n_people,
        ledger_check.smallest_class,
        ledger_check.n_differing,
        ledger_check.has_earlier_groups,
    )
    write_json(folder / _FOUND, counts)


_COUNTS_ADAPTER = TypeAdapter(tuple[_Count, _Count, _Count, _Count, _Count, bool])


def fetch_ledger_check(folder: Path) -> LedgerDisclosureCheck:
    """Return the check of a release against a ledger that is in an order's folder."""
    counts = read_validated_json(folder / _FOUND, _COUNTS_ADAPTER)
    opened = read_integer_array(folder / "opened.npy")
    if opened.size > counts[0]:
        raise DamagedFileError()
    return LedgerDisclosureCheck(opened, *counts)
