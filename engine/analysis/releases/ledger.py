"""Ledger of releases, to find records that a new release would disclose."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from engine.analysis.composition.statements import (
    encode_original_columns,
    release_statements,
)
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.analysis.releases.disclosure_check import (
    LedgerDisclosureCheck,
    check_disclosure,
)
from engine.analysis.releases.ledger_entry import LedgerEntry
from engine.analysis.releases.record_hashes import (
    RecordHashes,
    hash_records,
    match_records,
)
from engine.core.errors import InfeasibleError, InputError
from engine.core.message import Message
from engine.core.partition import Partition
from engine.core.platform.files import read_unchanging_file
from engine.core.typing import Integers
from engine.data.persons import NOBODY, code_persons, persons_per_class
from engine.data.table import Table
from engine.pipeline.grouping.group import Regroup
from engine.pipeline.grouping.prepare import PreparedTable
from engine.pipeline.grouping.unions import partition_into_group_unions
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolve_plan import ResolvedPlan

LEDGER_FORMAT = "coterie-ledger"

LEDGER_VERSIONS = (1, 2)
"""In the first, 17 and 17.0 are different values of records and people."""

Regrouping = Literal["same", "coarsen"]
"""Groups of a further release: those of an earlier one, or unions of them."""

OPENS_NOTHING_CHECK = Message("Opens nothing beside earlier releases")
"""What a release is checked for that has a ledger."""

NO_EARLIER_GROUPS = Message(
    "No earlier release has groups of all these records by these quasi-identifiers: "
    "release new people as a table of their own, or choose a larger k or another "
    "method."
)


@dataclass(frozen=True, eq=False)
class Ledger:
    """Releases of the same records: their groups and hashes, without data values.

    Attributes
    ----------
    key : str
        Key of the hashes, 16 characters. Two ledgers with different keys reveal nothing
        together.
    entries : tuple of LedgerEntry
    version : int
        One of :data:`LEDGER_VERSIONS`, kept by a ledger for good: hashes of different
        versions could not be compared.
    """

    key: str
    entries: tuple[LedgerEntry, ...] = ()
    version: int = LEDGER_VERSIONS[-1]

    @classmethod
    def read_file(cls, path: Path) -> Ledger:
        """Read a ledger; a missing file gives an empty one.

        Raises
        ------
        InputError
            If the file is no ledger, or cannot be read.
        """
        if not path.exists():
            return cls.new()
        try:
            content = read_unchanging_file(path)
        except OSError:
            raise _unreadable_error(path.name) from None
        return cls.from_bytes(content, path.name)

    @classmethod
    def new(cls) -> Ledger:
        """Return a ledger without releases, with a new key."""
        return cls(secrets.token_hex(8))

    @classmethod
    def from_bytes(cls, content: bytes, name: str) -> Ledger:
        """Parse the content of a ledger file, of unknown origin.

        Raises
        ------
        InputError
            If it is no ledger.
        """
        try:
            document = json.loads(content)
            version = document["version"]
            if document["format"] != LEDGER_FORMAT or version not in LEDGER_VERSIONS:
                raise ValueError
            return cls(
                _check_key(document["key"]),
                tuple(map(LedgerEntry.from_json, document["releases"])),
                int(version),
            )
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise _unreadable_error(name) from None

    def to_bytes(self) -> bytes:
        """Return the content of the ledger file."""
        content = {
            "format": LEDGER_FORMAT,
            "version": self.version,
            "key": self.key,
            "releases": [entry.to_json() for entry in self.entries],
        }
        return (json.dumps(content) + "\n").encode()

    def entry_for(
        self, outcome: Outcome, table: Table, name: str, content: bytes
    ) -> LedgerEntry:
        """Return the ledger entry of a release."""
        plan, partition = outcome.plan, outcome.partition
        columns = tuple(plan.quasi_identifiers)
        release = ReleaseWithOrigins.from_outcome(outcome, name)
        rows = outcome.release.rows
        of_columns = release_statements(
            release, encode_original_columns(table, columns), table
        )
        pairs = list(zip(columns, of_columns, strict=True))
        groups: list[tuple[tuple[str, ...], Integers]] = [(columns, partition.labels)]
        if release.groups is None:
            groups = [((column,), one.groups[rows]) for column, one in pairs]
        return LedgerEntry(
            name,
            hashlib.sha256(content).hexdigest(),
            columns,
            self._hashes(table.frame.iloc[rows], columns),
            tuple(groups),
            plan.k,
            tuple((c, one.groups[rows]) for c, one in pairs if one.meaning == "range"),
            tuple(column for column, one in pairs if one.meaning == "member"),
            self._person_hashes(outcome, table),
            self._hashes(table.frame.iloc[rows], table.schema.names),
        )

    def _person_hashes(self, outcome: Outcome, table: Table) -> tuple[str, ...]:
        columns = list(outcome.plan.person_columns)
        if not columns:
            return ()
        frame = table.frame.iloc[outcome.release.rows]
        hashes, persons = self._hashes(frame, columns), code_persons(frame, columns)
        return tuple(
            "" if person == NOBODY else digest
            for digest, person in zip(hashes, persons.tolist(), strict=True)
        )

    def with_entry(self, entry: LedgerEntry) -> Ledger:
        """Return the ledger with one more entry."""
        return replace(self, entries=(*self.entries, entry))

    def merge_with(self, ledger: Ledger | None) -> Ledger:
        """Return a ledger with the releases of both ledgers, this one's first.

        Raises
        ------
        InputError
            If both have releases and their hashes have different keys, so that nobody
            can tell which records are the same.
        """
        if ledger is None or not ledger.entries:
            return self
        if not self.entries:
            return ledger
        if self.key != ledger.key:
            raise InputError(
                "This is another ledger than that of the releases of this session: "
                "open it in a new tab, before anything is released."
            )
        digests = {entry.digest for entry in self.entries}
        more = (entry for entry in ledger.entries if entry.digest not in digests)
        return replace(self, entries=(*self.entries, *more))

    def has_entry(self, entry: LedgerEntry) -> bool:
        """Return whether the ledger has an entry of the same file."""
        return any(other.digest == entry.digest for other in self.entries)

    def check_release(
        self, entry: LedgerEntry, table: Table, rows: Integers
    ) -> LedgerDisclosureCheck:
        """Return which records a release would disclose that earlier ones keep safe.

        Parameters
        ----------
        entry : LedgerEntry
            The release.
        table : Table
            What it was made of.
        rows : ndarray of int64, shape (n_records,)
            Rows of the table that it has.
        """
        places, n_all = self._places(table, rows, entry.persons)
        return check_disclosure(entry, table, rows, self.entries, places, n_all)

    def earlier_groups(
        self, table: Table, rows: Integers, columns: Sequence[str]
    ) -> Integers:
        """Return the finest group labels of an earlier release of these records.

        Raises
        ------
        InputError
            If no release has the same records and columns, grouped as one.
        """
        best: Integers | None = None
        for entry in self.entries:
            if not entry.is_grouped_by(columns):
                continue
            frame = table.frame.iloc[rows]
            hashes = RecordHashes(
                self._hashes(frame, entry.columns),
                self._hashes(frame, table.schema.names),
            )
            places = match_records(hashes, RecordHashes.of_entry(entry))
            if (places >= 0).all():
                labels = entry.groups[0][1][places]
                if best is None or np.unique(labels).size > np.unique(best).size:
                    best = labels
        if best is None:
            raise InputError(NO_EARLIER_GROUPS)
        return best

    def regroup_like_earlier(
        self, table: Table, plan: ResolvedPlan, regrouping: Regrouping
    ) -> Regroup:
        """Return a regrouping by an earlier release's groups, or by unions of them.

        Parameters
        ----------
        regrouping : {"same", "coarsen"}

        Raises
        ------
        InputError
            When it is called, if no release has the same records and columns.
        InfeasibleError
            When it is called, if the same groups are smaller than k, or unions would
            have to keep what persons' records have in common.
        """

        def regrouped(prepared: PreparedTable) -> Partition:
            points, persons = prepared.points, prepared.persons
            if persons is not None and (regrouping, plan.intruder_knows) == (
                "coarsen",
                "all",
            ):
                raise InfeasibleError(
                    "Unions of earlier groups need an intruder who knows one record of "
                    "a person: take the same groups (--regroup same)."
                )
            earlier = self.earlier_groups(table, points.rows, plan.quasi_identifiers)
            k = 1 if regrouping == "same" else plan.k
            strata = prepared.blocks[0].strata
            partition = partition_into_group_unions(
                points, earlier, k, strata, persons=persons
            )
            smallest = int(persons_per_class(partition.labels, persons).min())
            if smallest < plan.k and persons is not None:
                raise InfeasibleError(
                    "The earlier groups have records of {count} person at least, "
                    "fewer than k = {k}: choose a smaller k, or unions of them "
                    "(--regroup coarsen).",
                    "The earlier groups have records of {count} people at least, "
                    "fewer than k = {k}: choose a smaller k, or unions of them "
                    "(--regroup coarsen).",
                    count=smallest,
                    k=plan.k,
                )
            if smallest < plan.k:
                raise InfeasibleError(
                    "The earlier groups have {count} record at least, fewer than k = "
                    "{k}: choose a smaller k, or unions of them (--regroup coarsen).",
                    "The earlier groups have {count} records at least, fewer than k = "
                    "{k}: choose a smaller k, or unions of them (--regroup coarsen).",
                    count=smallest,
                    k=plan.k,
                )
            return partition

        return regrouped

    def _hashes(self, frame: pd.DataFrame, columns: Sequence[str]) -> tuple[str, ...]:
        return hash_records(frame, columns, self.key, self.version > 1)

    def _places(
        self, table: Table, rows: Integers, persons: Sequence[str]
    ) -> tuple[list[Integers], int]:
        """Return the number of each earlier release's records among all records.

        Those of this release come first, whose hashes of persons are given.
        """
        total, frame = rows.size, table.frame.iloc[rows]
        contents = self._hashes(frame, table.schema.names)
        cache: dict[tuple[str, ...], tuple[RecordHashes, list[int]]] = {}
        places = []
        for each in self.entries:
            key, is_there = tuple(sorted(each.columns)), set(each.columns) <= set(frame)
            if not is_there and len(each.records) == total == rows.size:
                places.append(np.arange(total, dtype=np.int64))  # by order
                continue
            if key not in cache:
                hashes = RecordHashes()
                if is_there:
                    hashes = RecordHashes(self._hashes(frame, key), contents, persons)
                cache[key] = hashes, list(range(len(hashes.records)))
            others, numbers = cache[key]
            entry_hashes = RecordHashes.of_entry(each)
            matches = match_records(entry_hashes, others)
            new = np.flatnonzero(matches < 0)
            matches[new] = len(others.records) + np.arange(new.size)
            numbers += range(total, total + new.size)
            total += new.size
            cache[key] = others.with_records(entry_hashes, new), numbers
            places.append(np.array(numbers, dtype=np.int64)[matches])
        return places, total


def _unreadable_error(name: str) -> InputError:
    return InputError(
        "{file} is no ledger of releases that can be read: name one that coterie has "
        "written, or a new file.",
        file=name,
    )


def _check_key(key: object) -> str:
    """Return the key of the hashes, which has 16 letters."""
    if not isinstance(key, str) or len(key.encode()) != 16:
        raise ValueError
    return key
