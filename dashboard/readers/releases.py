"""Kinds of work on the file that somebody brought, after it was read: its release.

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

from dashboard.jobs.shares import shares
from engine.analysis.ledger import Check as LedgerCheck
from engine.analysis.ledger import Ledger
from engine.core.errors import EngineError, InputError
from engine.core.message import Message, to_json
from engine.data.table import Origin, Table
from engine.pipeline.outcome import Outcome
from engine.release.checks import Check
from engine.release.verify import Written, write_and_check
from engine.release.writing import Writing, check_format
from engine.storage.bounded import DamagedError, content_of, integers_of, shaped
from engine.storage.outcomes import (
    load_outcome,
    load_table,
    read_json,
    save_outcome,
    save_table,
    write_json,
)

Order = Mapping[str, Any]

MOST_BYTES, MOST_RELEASES = 2**25, 1_000
"""Of a ledger that is continued in a browser: some million records."""

_TABLE, _OUTCOME, _ASKED = "given-table", "given-outcome", "asked.json"
_LEDGER, _FILE, _FOUND = "ledger.json", "release", "found.json"


def given(
    outcome: Outcome, table: Table, asked: object = None, content: bytes = b""
) -> Callable[[Path], None]:
    """Return what writes a result and its table into the folder of a process.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        The table that was protected, with the file that it came from.
    asked : object
        What is to be done with them, as JSON.
    content : bytes
        A file that belongs to the order.
    """

    def write(folder: Path) -> None:
        save_table(table, folder / _TABLE)
        save_outcome(outcome, folder / _OUTCOME, table)
        write_json(folder / _ASKED, asked)
        (folder / "content").write_bytes(content)

    return write


def _given(folder: Path) -> tuple[Outcome, Table, Any]:
    table = load_table(folder / _TABLE)
    outcome = load_outcome(folder / _OUTCOME, table)
    assert isinstance(outcome, Outcome)
    return outcome, table, read_json(folder / _ASKED)


def written(outcome: Outcome, table: Table, writing: Writing) -> Written | Message:
    """Write a release, read it back and check it, or say why that cannot be.

    What the format cannot hold is found out before anything is written.
    """
    try:
        check_format(table, outcome.plan, writing.format)
        return write_and_check(outcome, table, writing)
    except EngineError as error:
        # An answer, and no failure: it stays the same however often it is asked for.
        return error.message


def write_release(content: bytes, order: Order, folder: Path) -> Mapping[str, Any]:
    """Write a release, and leave what :func:`fetch_release` returns."""
    outcome, table, asked = _given(folder)
    found = written(outcome, table, Writing(**asked))
    if isinstance(found, Message):
        write_json(folder / _FOUND, {"refused": to_json(found)})
        return {}
    (folder / _FILE).write_bytes(found.content)
    told = {
        "origin": [found.origin.format, dict(found.origin.options), found.origin.name],
        "checks": [
            {
                "id": one.id,
                "title": to_json(one.title),
                "passed": bool(one.passed),
                "detail": to_json(one.detail),
                "promised": bool(one.promised),
            }
            for one in found.checks
        ],
        "k": int(found.k),
        "notes": [to_json(one) for one in found.notes],
    }
    write_json(folder / _FOUND, told)
    return {}


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


class _Refused(TypedDict):
    """Why there is no release, as JSON."""

    refused: Message


_TOLD: TypeAdapter[_Told | _Refused] = TypeAdapter(_Told | _Refused)

MOST_TOLD = 2**24
"""Bytes of what is told of a release beside its file."""


def fetch_release(folder: Path) -> Written | Message:
    """Return a release as it leaves, or why there is none."""
    told = shaped(folder / _FOUND, _TOLD, MOST_TOLD)
    if "refused" in told:
        return cast(_Refused, told)["refused"]
    return Written(
        content=content_of(folder / _FILE, shares().reading_bytes),
        origin=Origin(*told["origin"]),
        checks=tuple(Check(**one) for one in told["checks"]),
        k=told["k"],
        notes=tuple(told["notes"]),
    )


def write_certificate(content: bytes, order: Order, folder: Path) -> Mapping[str, Any]:
    """Prove what can be proven of a run within the seconds that are asked for."""
    from engine.certificate.write import certificate  # loads the solvers

    outcome, table, seconds = _given(folder)
    (folder / _FILE).write_bytes(certificate(outcome, table, seconds=seconds).text)
    return {}


def fetch_certificate(folder: Path) -> bytes:
    """Return a certificate as a file."""
    return content_of(folder / _FILE, shares().reading_bytes)


def read_ledger(content: bytes, order: Order, folder: Path) -> Mapping[str, Any]:
    """Read a ledger of earlier releases.

    Raises
    ------
    InputError
        If it is none, or a very large one.
    """
    found = Ledger.from_bytes(content, order["name"])
    written = found.to_bytes()
    if len(written) > MOST_BYTES or len(found.entries) > MOST_RELEASES:
        too_large = Message(
            "The ledger {file!r} has {count:,} releases and {size:.0f} MB, more than "
            "the {most:,} releases and {most_size:.0f} MB of one that can be continued "
            "here: use the command line.",
            file=order["name"],
            count=len(found.entries),
            size=len(written) / 2**20,
            most=MOST_RELEASES,
            most_size=MOST_BYTES / 2**20,
        )
        raise InputError(too_large)
    (folder / _LEDGER).write_bytes(written)
    return {}


def fetch_ledger(folder: Path) -> Ledger:
    """Return a ledger as it was written anew."""
    return Ledger.from_bytes(content_of(folder / _LEDGER, MOST_BYTES), _LEDGER)


def check_ledger(content: bytes, order: Order, folder: Path) -> Mapping[str, Any]:
    """Find out what a release would open beside those in a ledger.

    ``content`` is the ledger.
    """
    outcome, table, _nothing = _given(folder)
    ledger = Ledger.from_bytes(content, _LEDGER)
    entry = ledger.entry(outcome, table, "", b"")
    found = ledger.check(entry, table, outcome.release.rows)
    np.save(folder / "opened.npy", found.opened, allow_pickle=False)
    write_json(folder / _FOUND, [found.n_records, found.n_releases])
    return {}


_COUNTS = TypeAdapter(tuple[_Count, _Count])


def fetch_ledger_check(folder: Path) -> LedgerCheck:
    """Return what was found of a release beside a ledger."""
    n_records, n_releases = shaped(folder / _FOUND, _COUNTS)
    opened = integers_of(folder / "opened.npy")
    if opened.size > n_records:
        raise DamagedError()
    return LedgerCheck(opened, n_records, n_releases)
