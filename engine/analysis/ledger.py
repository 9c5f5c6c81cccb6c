"""Ledger: the groups of every release of some records, so that the next opens none."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from engine.analysis.composition.determined import determined
from engine.analysis.composition.statements import statements, truths
from engine.analysis.released import Released
from engine.core.errors import InfeasibleError, InputError
from engine.core.message import Message
from engine.core.partition import Partition
from engine.core.typing import Integers
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.outcome import Outcome
from engine.pipeline.prepare import Prepared
from engine.pipeline.resolved import ResolvedPlan
from engine.pipeline.run import Regroup
from engine.pipeline.unions import unions

FORMAT = "coterie-ledger"
VERSION = 1

Way = Literal["same", "coarsen"]
"""Groups of a further release: those of an earlier one, or unions of them."""


@dataclass(frozen=True, eq=False)
class Entry:
    """One release.

    Attributes
    ----------
    name : str
    digest : str
        SHA-256 of the file that was written.
    columns : tuple of str
        The quasi-identifiers, by whose values records are known again.
    records : tuple of str
        A keyed hash of each record's quasi-identifiers before protection.
    groups : tuple of (tuple of str, ndarray of int64)
        Columns that were grouped together, and the group of each record.
    k : int
    """

    name: str
    digest: str
    columns: tuple[str, ...]
    records: tuple[str, ...]
    groups: tuple[tuple[tuple[str, ...], Integers], ...]
    k: int


@dataclass(frozen=True, eq=False)
class Check:
    """What a release would open beside those before it.

    Attributes
    ----------
    opened : ndarray of int64
        Records of the release, counted from 0, that it would give back exactly.
    n_records, n_releases : int
        Of this release; before it, of any of the same records.
    """

    opened: Integers
    n_records: int
    n_releases: int

    @property
    def sentence(self) -> Message:
        """What was found, in words."""
        if self.opened.size == 0:
            return Message(
                "Beside {count} earlier release in the ledger this one opens no "
                "record.",
                "Beside {count} earlier releases in the ledger this one opens no "
                "record.",
                count=self.n_releases,
            )
        return Message(
            "Beside {count} earlier release in the ledger this one would give back "
            "{opened:,} of {n:,} records exactly.",
            "Beside {count} earlier releases in the ledger this one would give back "
            "{opened:,} of {n:,} records exactly.",
            count=self.n_releases,
            opened=self.opened.size,
            n=self.n_records,
        )


@dataclass(frozen=True, eq=False)
class Ledger:
    """Every release of some records: groups and hashes, no values.

    Attributes
    ----------
    key : str
        Of the hashes, 16 letters: so that those of two ledgers say nothing together.
    entries : tuple of Entry
    """

    key: str
    entries: tuple[Entry, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Ledger:
        """Read a ledger; a file that is not there is an empty one.

        Raises
        ------
        InputError
            If the file is no ledger.
        """
        if not path.exists():
            return cls.new()
        try:
            content = path.read_bytes()
        except OSError:
            raise _unreadable(path.name) from None
        return cls.from_bytes(content, path.name)

    @classmethod
    def new(cls) -> Ledger:
        """Return a ledger without releases."""
        return cls(secrets.token_hex(8))

    @classmethod
    def from_bytes(cls, content: bytes, name: str) -> Ledger:
        """Return what :meth:`to_bytes` gave, from a file of unknown origin.

        Raises
        ------
        InputError
            If it is no ledger.
        """
        try:
            found = json.loads(content)
            if found["format"] != FORMAT or found["version"] != VERSION:
                raise ValueError
            return cls(_key(found["key"]), tuple(map(_entry, found["releases"])))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise _unreadable(name) from None

    def to_bytes(self) -> bytes:
        """Return the ledger as a file."""
        releases = [
            {
                "name": one.name,
                "sha256": one.digest,
                "columns": list(one.columns),
                "k": one.k,
                "records": list(one.records),
                "groups": [
                    {"columns": list(columns), "labels": labels.tolist()}
                    for columns, labels in one.groups
                ],
            }
            for one in self.entries
        ]
        content = {
            "format": FORMAT,
            "version": VERSION,
            "key": self.key,
            "releases": releases,
        }
        return (json.dumps(content) + "\n").encode()

    def entry(self, outcome: Outcome, table: Table, name: str, content: bytes) -> Entry:
        """Return what is entered for a release."""
        plan, partition = outcome.plan, outcome.partition
        columns = tuple(plan.quasi_identifiers)
        groups: list[tuple[tuple[str, ...], Integers]] = [(columns, partition.labels)]
        if plan.blocks or methods.info(plan.method).traits.per_attribute:
            release = Released(name, outcome.release.frame, outcome.release.rows)
            said = statements(release, truths(table, columns), table)
            groups = [
                ((column,), one.groups[release.rows])
                for column, one in zip(columns, said, strict=True)
            ]
        return Entry(
            name,
            hashlib.sha256(content).hexdigest(),
            columns,
            self._hashes(table.frame.iloc[outcome.release.rows], columns),
            tuple(groups),
            plan.k,
        )

    def with_entry(self, entry: Entry) -> Ledger:
        """Return the ledger with one release more."""
        return replace(self, entries=(*self.entries, entry))

    def has(self, entry: Entry) -> bool:
        """Return whether the same file is entered already."""
        return any(one.digest == entry.digest for one in self.entries)

    def check(self, entry: Entry, table: Table, rows: Integers) -> Check:
        """Return which records a release would open that earlier ones keep safe.

        Parameters
        ----------
        entry : Entry
            The release.
        table : Table
            What it was made of.
        rows : ndarray of int64, shape (n_records,)
            Rows of the table that it has.
        """
        known, total = self._places(entry, table, rows)
        there = [place for place, own in enumerate(known) if (own < rows.size).any()]
        opened = np.zeros(rows.size, dtype=np.bool_)
        for column in entry.columns:
            now = _labels(entry, column, np.arange(rows.size), total)
            before = [
                labels
                for place in there
                if (labels := _labels(self.entries[place], column, known[place], total))
                is not None
            ]
            if now is None or not before:
                continue
            after = determined(np.array([*before, now]))
            opened |= (after & ~determined(np.array(before)))[: rows.size]
        return Check(np.flatnonzero(opened).astype(np.int64), rows.size, len(there))

    def earlier_groups(
        self, table: Table, rows: Integers, columns: Sequence[str]
    ) -> Integers:
        """Return the finest groups that an earlier release of these records had.

        Raises
        ------
        InputError
            If no release has the same records and columns, grouped as one.
        """
        best: Integers | None = None
        for one in self.entries:
            if set(one.columns) != set(columns) or len(one.groups) != 1:
                continue
            mine = _numbered(self._hashes(table.frame.iloc[rows], one.columns))
            theirs = _numbered(one.records)
            places = {record: place for place, record in enumerate(theirs)}
            if len(mine) == len(theirs) and all(record in places for record in mine):
                labels = one.groups[0][1][[places[record] for record in mine]]
                if best is None or labels.max() > best.max():
                    best = labels
        if best is None:
            raise InputError(
                "No release in the ledger has the same records and quasi-identifiers, "
                "grouped together, so that there are no groups to take: release the "
                "records and columns of an earlier one."
            )
        return best

    def regroup(self, table: Table, plan: ResolvedPlan, way: Way) -> Regroup:
        """Return what gives the groups of an earlier release, or unions of them.

        Parameters
        ----------
        table : Table
        plan : ResolvedPlan
        way : {"same", "coarsen"}

        Raises
        ------
        InputError
            When it is called, if no release has the same records and columns.
        InfeasibleError
            When it is called, if the same groups are smaller than k.
        """

        def regrouped(prepared: Prepared) -> Partition:
            points = prepared.points
            earlier = self.earlier_groups(table, points.rows, plan.quasi_identifiers)
            k = 1 if way == "same" else plan.k
            found = unions(points, earlier, k, prepared.blocks[0].strata)
            if found.sizes.min() < plan.k:
                raise InfeasibleError(
                    "The earlier groups have {smallest} records at least, fewer than "
                    "k = {k}: choose a smaller k, or unions of them (--regroup "
                    "coarsen).",
                    smallest=found.sizes.min(),
                    k=plan.k,
                )
            return found

        return regrouped

    def _hashes(self, frame: pd.DataFrame, columns: Sequence[str]) -> tuple[str, ...]:
        some = frame[sorted(columns)].astype("str")
        found = pd.util.hash_pandas_object(some, index=False, hash_key=self.key)
        return tuple(f"{one:016x}" for one in found.to_numpy().tolist())

    def _places(
        self, entry: Entry, table: Table, rows: Integers
    ) -> tuple[list[Integers], int]:
        """Return the number of each earlier release's records among all records.

        Those of this release come first; equal records are told apart by their order.
        """
        total = rows.size
        gone: dict[object, int] = {}
        found = []
        for one in self.entries:
            if all(column in table.frame for column in one.columns):
                mine = _numbered(self._hashes(table.frame.iloc[rows], one.columns))
            elif len(one.records) == rows.size:
                mine = _numbered(one.records)  # by order, where columns are gone
            else:
                mine = []
            places = {record: place for place, record in enumerate(mine)}
            own = np.empty(len(one.records), dtype=np.int64)
            for place, record in enumerate(_numbered(one.records)):
                key = (tuple(sorted(one.columns)), record)
                if record in places:
                    own[place] = places[record]
                else:
                    own[place] = gone.setdefault(key, total)
                    total = max(total, int(own[place]) + 1)
            found.append(own)
        return found, total


def _unreadable(name: str) -> InputError:
    return InputError(
        "{file} is no ledger of releases that can be read: name one that coterie has "
        "written, or a new file.",
        file=name,
    )


def _key(key: object) -> str:
    """Return the key of the hashes, which has 16 letters."""
    if not isinstance(key, str) or len(key.encode()) != 16:
        raise ValueError
    return key


def _entry(content: dict[str, Any]) -> Entry:
    n = len(content["records"])
    groups = []
    for one in content["groups"]:
        labels = np.array(one["labels"], dtype=np.int64)
        if labels.shape != (n,) or (labels < 0).any():
            raise ValueError
        groups.append((tuple(map(str, one["columns"])), labels))
    return Entry(
        str(content["name"]),
        str(content["sha256"]),
        tuple(map(str, content["columns"])),
        tuple(map(str, content["records"])),
        tuple(groups),
        int(content["k"]),
    )


def _numbered(records: Sequence[str]) -> list[tuple[str, int]]:
    """Return each record with how many equal ones come before it."""
    seen: dict[str, int] = {}
    found = []
    for record in records:
        found.append((record, seen.get(record, 0)))
        seen[record] = seen.get(record, 0) + 1
    return found


def _labels(entry: Entry, column: str, places: Integers, total: int) -> Integers | None:
    """Return the groups of a column over all records; None where it has none."""
    for columns, labels in entry.groups:
        if column in columns:
            found = np.full(total, -1, dtype=np.int64)
            found[places] = labels
            return found
    return None
