"""Ledger of releases, to find records that a new release would disclose."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from engine.analysis.composition.candidates import count_candidates
from engine.analysis.composition.determined_unknowns import (
    determined_record_mask,
    differencing_disclosure_mask,
    sole_person_per_cell,
)
from engine.analysis.composition.statements import (
    ColumnStatement,
    OriginalColumn,
    encode_original_column,
    encode_original_columns,
    release_statements,
)
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.analysis.releases.ledger_entry import LedgerEntry
from engine.core.errors import InfeasibleError, InputError
from engine.core.message import Message, join_messages
from engine.core.partition import Partition
from engine.core.platform.files import read_unchanging_file
from engine.core.typing import Booleans, Integers
from engine.data.conversion.numeric import has_inexact_integers, is_numeric_column
from engine.data.persons import (
    NOBODY,
    code_persons,
    count_persons,
    persons_per_class,
)
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
class LedgerDisclosureCheck:
    """Records that a release would disclose together with earlier releases.

    Attributes
    ----------
    opened : ndarray of int64
        Records of the release, counted from 0, that it would give back exactly.
    n_records, n_releases : int
        Records of this release; releases before it of any of the same records.
    n_people : int
        Whom the opened and differing records are about, where k counts persons.
    smallest_class : int
        Records in the smallest set that shares its groups in all releases, this one
        among them: what is left to somebody who knows a person's groups in all.
    n_differing : int
        Records that not all releases have, as of somebody who has withdrawn, and that
        would follow by themselves or as a sum of fewer than k people.
    has_earlier_groups : bool
        Whether an earlier release has groups of all these records, to be taken again.
    """

    opened: Integers
    n_records: int
    n_releases: int
    n_people: int = 0
    smallest_class: int = 0
    n_differing: int = 0
    has_earlier_groups: bool = False

    @property
    def n_opened(self) -> int:
        """Number of records that the release would give back, in either way."""
        return self.opened.size + self.n_differing

    @property
    def to_message(self) -> Message:
        """The disclosed records as a sentence."""
        if self.n_opened == 0:
            return Message(
                "Beside {count} earlier release in the ledger this one opens no "
                "record.",
                "Beside {count} earlier releases in the ledger this one opens no "
                "record.",
                count=self.n_releases,
            )
        sentences = []
        if self.opened.size:
            sentences.append(
                Message(
                    "Beside {count} earlier release in the ledger this one would give "
                    "back {opened:,} of {n:,} records exactly.",
                    "Beside {count} earlier releases in the ledger this one would give "
                    "back {opened:,} of {n:,} records exactly.",
                    count=self.n_releases,
                    opened=self.opened.size,
                    n=self.n_records,
                )
            )
        if self.n_differing:
            sentences.append(
                Message(
                    "The difference between this release and earlier ones in the "
                    "ledger would give back {count:,} record that not all of them "
                    "have, by itself or in a sum of fewer than k people: wait until k "
                    "people have come or gone, or leave out all who shared a group "
                    "with those who have gone, and take the same groups again "
                    "(--regroup same).",
                    "The difference between this release and earlier ones in the "
                    "ledger would give back {count:,} records that not all of them "
                    "have, by themselves or as sums of fewer than k people: wait "
                    "until k people have come or gone, or leave out all who shared a "
                    "group with those who have gone, and take the same groups again "
                    "(--regroup same).",
                    count=self.n_differing,
                )
            )
        said = join_messages(sentences)
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
            found = json.loads(content)
            version = found["version"]
            if found["format"] != LEDGER_FORMAT or version not in LEDGER_VERSIONS:
                raise ValueError
            return cls(
                _check_key(found["key"]),
                tuple(map(LedgerEntry.from_json, found["releases"])),
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
            "releases": [one.to_json() for one in self.entries],
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
            self._hashes(table.frame.iloc[rows], table.schema.names),
        )

    def _person_hashes(self, outcome: Outcome, table: Table) -> tuple[str, ...]:
        columns = list(outcome.plan.person_columns)
        if not columns:
            return ()
        frame = table.frame.iloc[outcome.release.rows]
        found, persons = self._hashes(frame, columns), code_persons(frame, columns)
        return tuple(
            "" if person == NOBODY else one
            for one, person in zip(found, persons.tolist(), strict=True)
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
        known, total = self._places(table, rows, entry.persons)
        there = [place for place, own in enumerate(known) if (own < rows.size).any()]
        releases = [
            (self.entries[place], known[place]) for place in there if known[place].size
        ]
        opened, differs = np.zeros((2, total), dtype=np.bool_)
        hashed = [(one.persons, places) for one, places in releases]
        everybody = np.arange(rows.size)
        persons = _persons_of_all([*hashed, (entry.persons, everybody)], total)
        k_per_release = np.array([*(one.k for one, _ in releases), entry.k])
        for column in entry.columns:
            truth = encode_original_column(table.frame[column].iloc[rows], column)
            for opens, labels_of, found in (
                (
                    partial(determined_record_mask, persons=persons),
                    LedgerEntry.sum_groups,
                    opened,
                ),
                (
                    partial(_sole_members, persons=persons),
                    LedgerEntry.pick_groups,
                    opened,
                ),
                (partial(_narrowed_by_words, truth), LedgerEntry.word_codes, opened),
                (
                    partial(_differing, k_per_release, persons),
                    LedgerEntry.groups_of,
                    differs,
                ),
            ):
                now = labels_of(entry, column)
                before = np.array(
                    [
                        _scatter_labels(labels_of(one, column), places, total)
                        for one, places in releases
                    ]
                )
                if now is None or not (before >= 0).any():
                    continue
                after = opens(
                    np.vstack([before, _scatter_labels(now, everybody, total)])
                )
                found |= after & ~opens(before)
        differs[rows.size :] |= opened[rows.size :]
        opened[rows.size :] = False
        differs &= ~opened
        people = 0 if persons is None else count_persons(persons[opened | differs])
        own = (entry, np.arange(rows.size, dtype=np.int64))
        grouped = [
            _scatter_labels(labels, places, total)[: rows.size]
            for one, places in (*releases, own)
            for _, labels in one.groups
        ]
        sizes = np.unique(np.array(grouped), axis=1, return_counts=True)[1]
        return LedgerDisclosureCheck(
            np.flatnonzero(opened).astype(np.int64),
            rows.size,
            len(there),
            people,
            int(sizes.min()),
            int(np.count_nonzero(differs)),
            any(
                _is_grouped_by(self.entries[place], entry.columns)
                and np.isin(everybody, known[place]).all()
                for place in there
            ),
        )

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
            if not _is_grouped_by(one, columns):
                continue
            frame = table.frame.iloc[rows]
            mine = _RecordHashes(
                self._hashes(frame, one.columns),
                self._hashes(frame, table.schema.names),
            )
            places = _match_records(mine, _RecordHashes.of_entry(one))
            if (places >= 0).all():
                labels = one.groups[0][1][places]
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
            found = partition_into_group_unions(
                points, earlier, k, strata, persons=persons
            )
            smallest = int(persons_per_class(found.labels, persons).min())
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
            return found

        return regrouped

    def _hashes(self, frame: pd.DataFrame, columns: Sequence[str]) -> tuple[str, ...]:
        some = frame[sorted(columns)]
        if self.version > 1:
            some = some.apply(_numbers_as_read)
        some = some.astype("str")
        found = pd.util.hash_pandas_object(some, index=False, hash_key=self.key)
        return tuple(f"{one:016x}" for one in found.to_numpy().tolist())

    def _places(
        self, table: Table, rows: Integers, persons: Sequence[str]
    ) -> tuple[list[Integers], int]:
        """Return the number of each earlier release's records among all records.

        Those of this release come first, whose hashes of persons are given.
        """
        total, frame = rows.size, table.frame.iloc[rows]
        contents = self._hashes(frame, table.schema.names)
        known: dict[tuple[str, ...], tuple[_RecordHashes, list[int]]] = {}
        found = []
        for one in self.entries:
            key, is_there = tuple(sorted(one.columns)), set(one.columns) <= set(frame)
            if not is_there and len(one.records) == total == rows.size:
                found.append(np.arange(total, dtype=np.int64))  # by order
                continue
            if key not in known:
                mine = _RecordHashes()
                if is_there:
                    mine = _RecordHashes(self._hashes(frame, key), contents, persons)
                known[key] = mine, list(range(len(mine.records)))
            others, numbers = known[key]
            theirs = _RecordHashes.of_entry(one)
            own = _match_records(theirs, others)
            new = np.flatnonzero(own < 0)
            own[new] = len(others.records) + np.arange(new.size)
            numbers += range(total, total + new.size)
            total += new.size
            known[key] = others.with_records(theirs, new), numbers
            found.append(np.array(numbers, dtype=np.int64)[own])
        return found, total


def _unreadable_error(name: str) -> InputError:
    return InputError(
        "{file} is no ledger of releases that can be read: name one that coterie has "
        "written, or a new file.",
        file=name,
    )


def _numbers_as_read(column: pd.Series) -> pd.Series:
    """Return numbers as float64, however they are stored; other values as they are.

    Whole numbers are read as floats where some are missing. Those that no float has
    stay.
    """
    if not is_numeric_column(column) or has_inexact_integers(column):
        return column
    return column.astype("float64") + 0.0  # no -0.0


def _check_key(key: object) -> str:
    """Return the key of the hashes, which has 16 letters."""
    if not isinstance(key, str) or len(key.encode()) != 16:
        raise ValueError
    return key


@dataclass(frozen=True)
class _RecordHashes:
    """Hashes of records: of quasi-identifiers, of all columns, and of persons.

    The last two are empty where they are not known, and so is the hash of nobody.
    """

    records: Sequence[str] = ()
    contents: Sequence[str] = ()
    persons: Sequence[str] = ()

    @classmethod
    def of_entry(cls, entry: LedgerEntry) -> _RecordHashes:
        """Return the hashes that a ledger has of a release's records."""
        return cls(entry.records, entry.contents, entry.persons)

    def with_records(self, others: _RecordHashes, places: Integers) -> _RecordHashes:
        """Return the hashes with those of some other records behind."""
        both = (
            (
                *(mine or ("",) * len(self.records)),
                *((theirs or ("",) * len(others.records))[i] for i in places.tolist()),
            )
            for mine, theirs in (
                (self.records, others.records),
                (self.contents, others.contents),
                (self.persons, others.persons),
            )
        )
        return _RecordHashes(*both)

    def keys(self, hashes: Sequence[str]) -> list[tuple[str, str] | None]:
        """Return each record's own hash with another, None where that is empty."""
        others = hashes or ("",) * len(self.records)
        return [
            (own, other) if other else None
            for own, other in zip(self.records, others, strict=True)
        ]


def _match_records(mine: _RecordHashes, others: _RecordHashes) -> Integers:
    """Return the place of each record among others, -1 where it is not.

    Records have equal quasi-identifiers. Of several, those that are equal in all
    columns belong together, then those of one person, then those of equal order.

    Notes
    -----
    Somebody new with the quasi-identifiers of somebody who has gone is taken for them:
    identifiers may be written anew for each release, so that another name does not say
    that it is another person. What releases determine of single records stays
    determined, because it only adds that two values are equal, as they are; a release
    may be refused that opens nothing. A sum of several people who have gone can remain
    unseen where somebody new takes the place of one of them in a group of others.
    """
    found = np.full(len(mine.records), -1, dtype=np.int64)
    free = np.ones(len(others.records), dtype=np.bool_)
    levels: list[tuple[Sequence[Any], Sequence[Any]]] = [
        (mine.keys(mine.contents), others.keys(others.contents)),
        (mine.keys(mine.persons), others.keys(others.persons)),
        (mine.records, others.records),
    ]
    for own, theirs in levels:
        places: dict[Any, deque[int]] = {}
        for place in np.flatnonzero(free).tolist():
            if theirs[place] is not None:
                places.setdefault(theirs[place], deque()).append(place)
        for place in np.flatnonzero(found < 0).tolist():
            if places.get(own[place]):
                found[place] = places[own[place]].popleft()
                free[found[place]] = False
    return found


def _is_grouped_by(entry: LedgerEntry, columns: Collection[str]) -> bool:
    """Return whether a release has one partition of its records, by these columns."""
    return set(entry.columns) == set(columns) and len(entry.groups) == 1


def _scatter_labels(labels: Integers | None, places: Integers, total: int) -> Integers:
    """Return labels of some records, if any, scattered over all, -1 for the others."""
    found = np.full(total, -1, dtype=np.int64)
    if labels is not None:
        found[places] = labels
    return found


def _differing(
    k_per_release: Integers, persons: Integers | None, groups: Integers
) -> Booleans:
    """Return records that the difference of some releases gives back."""
    return differencing_disclosure_mask(groups, k_per_release[: len(groups)], persons)


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


def _narrowed_by_words(truth: OriginalColumn, words: Integers) -> Booleans:
    """Return a mask of records left with one value by all words, several by each."""
    n = truth.values.size
    found = np.zeros(words.shape[1], dtype=np.bool_)
    said = [ColumnStatement("range", row[:n], truth.values) for row in words]
    alone = np.array([count_candidates(truth, [one]) for one in said])
    found[:n] = (count_candidates(truth, said) == 1) & (alone > 1).all(axis=0)
    return found
