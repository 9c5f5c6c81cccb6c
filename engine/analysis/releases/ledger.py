"""Ledger of releases, to find records that a new release would disclose."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from engine.analysis.composition.candidates import count_candidates
from engine.analysis.composition.determined import (
    find_determined_records,
    sole_person_per_cell,
)
from engine.analysis.composition.statements import (
    ReleaseStatement,
    TrueColumn,
    encode_true_column,
    encode_true_columns,
    release_statements,
)
from engine.analysis.releases.ledger_entry import LedgerEntry
from engine.analysis.releases.released import ReleaseWithOrigins
from engine.core.errors import InfeasibleError, InputError
from engine.core.message import Message
from engine.core.partition import Partition
from engine.core.platform.files import read_unchanging_file
from engine.core.typing import Booleans, Integers
from engine.data.persons import NOBODY, count_persons
from engine.data.table import Table
from engine.pipeline.grouping.group import Regroup
from engine.pipeline.grouping.persons import count_persons_per_stratum
from engine.pipeline.grouping.prepare import PreparedTable
from engine.pipeline.grouping.unions import partition_into_unions
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolved import ResolvedPlan

LEDGER_FORMAT = "coterie-ledger"
LEDGER_VERSION = 1

Way = Literal["same", "coarsen"]
"""Groups of a further release: those of an earlier one, or unions of them."""


OPENS_NOTHING_CHECK = Message("Opens nothing beside earlier releases")
"""What a release is checked for that has a ledger."""


@dataclass(frozen=True, eq=False)
class LedgerCheck:
    """Records that a release would give back exactly, beside earlier releases.

    Attributes
    ----------
    opened : ndarray of int64
        Records of the release, counted from 0, that it would give back exactly.
    n_records, n_releases : int
        Of this release; before it, of any of the same records.
    n_people : int
        Whom the opened records are about, where k counts persons.
    smallest_class : int
        Records in the smallest set that shares its groups in all releases, this one
        among them: whom those are left with who know the groups of all.
    """

    opened: Integers
    n_records: int
    n_releases: int
    n_people: int = 0
    smallest_class: int = 0

    @property
    def to_message(self) -> Message:
        """The disclosed records as a sentence."""
        if self.opened.size == 0:
            return Message(
                "Beside {count} earlier release in the ledger this one opens no "
                "record.",
                "Beside {count} earlier releases in the ledger this one opens no "
                "record.",
                count=self.n_releases,
            )
        said = Message(
            "Beside {count} earlier release in the ledger this one would give back "
            "{opened:,} of {n:,} records exactly.",
            "Beside {count} earlier releases in the ledger this one would give back "
            "{opened:,} of {n:,} records exactly.",
            count=self.n_releases,
            opened=self.opened.size,
            n=self.n_records,
        )
        if self.n_people == 0:
            return said
        return Message(
            "{said} They are of {count:,} person, by themselves or as a sum.",
            "{said} They are of {count:,} people, by themselves or as sums.",
            said=said,
            count=self.n_people,
        )


@dataclass(frozen=True, eq=False)
class Ledger:
    """Releases of the same records: their groups and hashes, without data values.

    Attributes
    ----------
    key : str
        Of the hashes, 16 letters: so that those of two ledgers say nothing together.
    entries : tuple of LedgerEntry
    """

    key: str
    entries: tuple[LedgerEntry, ...] = ()

    @classmethod
    def read_file(cls, path: Path) -> Ledger:
        """Read a ledger; a missing file gives an empty one.

        Raises
        ------
        InputError
            If the file is no ledger.
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
            found = json.loads(content)
            if found["format"] != LEDGER_FORMAT or found["version"] != LEDGER_VERSION:
                raise ValueError
            return cls(
                _check_key(found["key"]),
                tuple(map(LedgerEntry.from_json, found["releases"])),
            )
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise _unreadable_error(name) from None

    def to_bytes(self) -> bytes:
        """Return the content of the ledger file."""
        content = {
            "format": LEDGER_FORMAT,
            "version": LEDGER_VERSION,
            "key": self.key,
            "releases": [one.to_json() for one in self.entries],
        }
        return (json.dumps(content) + "\n").encode()

    def entry_for(
        self, outcome: Outcome, table: Table, name: str, content: bytes
    ) -> LedgerEntry:
        """Return the ledger entry of a release."""
        plan, partition = outcome.plan, outcome.partition
        columns = tuple(plan.quasi_identifiers)
        release, rows = (
            ReleaseWithOrigins.from_outcome(outcome, name),
            outcome.release.rows,
        )
        of_columns = release_statements(
            release, encode_true_columns(table, columns), table
        )
        said = list(zip(columns, of_columns, strict=True))
        groups: list[tuple[tuple[str, ...], Integers]] = [(columns, partition.labels)]
        if release.groups is None:
            groups = [((column,), one.groups[rows]) for column, one in said]
        return LedgerEntry(
            name,
            hashlib.sha256(content).hexdigest(),
            columns,
            self._hashes(table.frame.iloc[rows], columns),
            tuple(groups),
            plan.k,
            tuple((c, one.groups[rows]) for c, one in said if one.meaning == "range"),
            tuple(column for column, one in said if one.meaning == "member"),
            self._person_hashes(outcome, table),
        )

    def _person_hashes(self, outcome: Outcome, table: Table) -> tuple[str, ...]:
        if outcome.persons is None:
            return ()
        columns = list(outcome.plan.person_columns)
        found = self._hashes(table.frame.iloc[outcome.release.rows], columns)
        return tuple(
            "" if person == NOBODY else one
            for one, person in zip(found, outcome.persons.tolist(), strict=True)
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
        there = {one.digest for one in self.entries}
        more = (one for one in ledger.entries if one.digest not in there)
        return replace(self, entries=(*self.entries, *more))

    def has_entry(self, entry: LedgerEntry) -> bool:
        """Return whether the ledger has an entry of the same file."""
        return any(one.digest == entry.digest for one in self.entries)

    def check_release(
        self, entry: LedgerEntry, table: Table, rows: Integers
    ) -> LedgerCheck:
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
        known, total = self._places(table, rows)
        there = [place for place, own in enumerate(known) if (own < rows.size).any()]
        releases = [
            (self.entries[place], known[place]) for place in there if known[place].size
        ]
        opened = np.zeros(rows.size, dtype=np.bool_)
        hashed = [(one.persons, places) for one, places in releases]
        persons = _persons_of_all(
            [*hashed, (entry.persons, np.arange(rows.size))], total
        )
        for column in entry.columns:
            truth = encode_true_column(table.frame[column].iloc[rows], column)
            for opens, labels_of in (
                (
                    partial(find_determined_records, persons=persons),
                    LedgerEntry.sum_groups,
                ),
                (partial(_sole_members, persons=persons), LedgerEntry.pick_groups),
                (partial(_narrowed_by_words, truth), LedgerEntry.word_codes),
            ):
                now = labels_of(entry, column)
                before = [
                    _scatter_labels(labels, places, total)
                    for one, places in releases
                    if (labels := labels_of(one, column)) is not None
                ]
                if now is None or not before:
                    continue
                now = _scatter_labels(now, np.arange(rows.size), total)
                after = opens(np.array([*before, now]))
                opened |= (after & ~opens(np.array(before)))[: rows.size]
        people = 0 if persons is None else count_persons(persons[: rows.size][opened])
        found = np.flatnonzero(opened).astype(np.int64)
        own = (entry, np.arange(rows.size, dtype=np.int64))
        grouped = [
            _scatter_labels(labels, places, total)[: rows.size]
            for one, places in (*releases, own)
            for _, labels in one.groups
        ]
        sizes = np.unique(np.array(grouped), axis=1, return_counts=True)[1]
        return LedgerCheck(found, rows.size, len(there), people, int(sizes.min()))

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
        for one in self.entries:
            if set(one.columns) != set(columns) or len(one.groups) != 1:
                continue
            mine = _number_duplicates(self._hashes(table.frame.iloc[rows], one.columns))
            theirs = _number_duplicates(one.records)
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

    def regroup_like_earlier(
        self, table: Table, plan: ResolvedPlan, way: Way
    ) -> Regroup:
        """Return a regrouping by an earlier release's groups, or by unions of them.

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
            When it is called, if the same groups are smaller than k, or unions would
            have to keep what persons' records have in common.
        """

        def regrouped(prepared: PreparedTable) -> Partition:
            points, persons = prepared.points, prepared.persons
            if persons is not None and (way, plan.intruder_knows) == ("coarsen", "all"):
                raise InfeasibleError(
                    "Unions of earlier groups need an intruder who knows one record of "
                    "a person: take the same groups (--regroup same)."
                )
            earlier = self.earlier_groups(table, points.rows, plan.quasi_identifiers)
            k = 1 if way == "same" else plan.k
            strata = prepared.blocks[0].strata
            found = partition_into_unions(points, earlier, k, strata, persons=persons)
            smallest = int(count_persons_per_stratum(found.labels, persons).min())
            if smallest < plan.k and persons is not None:
                raise InfeasibleError(
                    "The earlier groups have records of {smallest} people at least, "
                    "fewer than k = {k}: choose a smaller k, or unions of them "
                    "(--regroup coarsen).",
                    smallest=smallest,
                    k=plan.k,
                )
            if smallest < plan.k:
                raise InfeasibleError(
                    "The earlier groups have {smallest} records at least, fewer than "
                    "k = {k}: choose a smaller k, or unions of them (--regroup "
                    "coarsen).",
                    smallest=smallest,
                    k=plan.k,
                )
            return found

        return regrouped

    def _hashes(self, frame: pd.DataFrame, columns: Sequence[str]) -> tuple[str, ...]:
        some = frame[sorted(columns)].astype("str")
        found = pd.util.hash_pandas_object(some, index=False, hash_key=self.key)
        return tuple(f"{one:016x}" for one in found.to_numpy().tolist())

    def _places(self, table: Table, rows: Integers) -> tuple[list[Integers], int]:
        """Return the number of each earlier release's records among all records.

        Those of this release come first; equal records are told apart by their order.
        """
        total = rows.size
        gone: dict[object, int] = {}
        found = []
        for one in self.entries:
            if all(column in table.frame for column in one.columns):
                mine = _number_duplicates(
                    self._hashes(table.frame.iloc[rows], one.columns)
                )
            elif len(one.records) == rows.size:
                mine = _number_duplicates(
                    one.records
                )  # by order, where columns are gone
            else:
                mine = []
            places = {record: place for place, record in enumerate(mine)}
            own = np.empty(len(one.records), dtype=np.int64)
            for place, record in enumerate(_number_duplicates(one.records)):
                key = (tuple(sorted(one.columns)), record)
                if record in places:
                    own[place] = places[record]
                else:
                    own[place] = gone.setdefault(key, total)
                    total = max(total, int(own[place]) + 1)
            found.append(own)
        return found, total


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


def _number_duplicates(records: Sequence[str]) -> list[tuple[str, int]]:
    """Return each record with the number of equal ones before it."""
    seen: dict[str, int] = {}
    found = []
    for record in records:
        found.append((record, seen.get(record, 0)))
        seen[record] = seen.get(record, 0) + 1
    return found


def _scatter_labels(labels: Integers, places: Integers, total: int) -> Integers:
    """Return labels of some records scattered over all, -1 for the others."""
    found = np.full(total, -1, dtype=np.int64)
    found[places] = labels
    return found


def _sole_members(groups: Integers, persons: Integers | None) -> Booleans:
    """Return records that are alone in the intersection of their groups.

    Or there with records of the same person only. Nobody knows whose value a median
    is, so that any may be that of whoever is left.
    """
    back = np.unique(groups, axis=1, return_inverse=True)[1].reshape(-1)
    whose = np.arange(back.size) if persons is None else persons
    several = (groups >= 0).sum(axis=0) > 1
    return np.asarray((sole_person_per_cell(back, whose)[back] >= 0) & several)


def _persons_of_all(
    known: Sequence[tuple[tuple[str, ...], Integers]], total: int
) -> Integers | None:
    """Return the person of each record of all releases; None where none says so.

    Parameters
    ----------
    known : sequence of (tuple of str, ndarray of int64)
        Hashes of persons of each release, or none, and its records; the last counts.
    total : int
    """
    if not any(hashes for hashes, _ in known):
        return None
    found = np.full(total, NOBODY, dtype=np.int64)
    numbers: dict[str, int] = {"": NOBODY}
    for hashes, places in known:
        if hashes:
            found[places] = [numbers.setdefault(one, len(numbers)) for one in hashes]
    return found


def _narrowed_by_words(truth: TrueColumn, words: Integers) -> Booleans:
    """Return who is left with one value by all words, with several by each."""
    n = truth.values.size
    found = np.zeros(words.shape[1], dtype=np.bool_)
    said = [ReleaseStatement("range", row[:n], truth.values) for row in words]
    alone = np.array([count_candidates(truth, [one]) for one in said])
    found[:n] = (count_candidates(truth, said) == 1) & (alone > 1).all(axis=0)
    return found
