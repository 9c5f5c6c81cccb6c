"""Check which records a release would disclose beside earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

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
)
from engine.analysis.releases.ledger_entry import LedgerEntry
from engine.core.message import Message, join_messages
from engine.core.typing import Booleans, Integers
from engine.data.persons import NOBODY, count_persons
from engine.data.table import Table


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
        sentence = join_messages(sentences)
        if self.n_people == 0:
            return sentence
        return Message(
            "{said} They are of {count:,} person, by themselves or as a sum.",
            "{said} They are of {count:,} people, by themselves or as sums.",
            said=sentence,
            count=self.n_people,
        )


def check_disclosure(
    entry: LedgerEntry,
    table: Table,
    rows: Integers,
    entries: Sequence[LedgerEntry],
    places_per_entry: Sequence[Integers],
    n_all: int,
) -> LedgerDisclosureCheck:
    """Return which records a release would disclose that earlier ones keep safe.

    Parameters
    ----------
    entry, table, rows
        As in :meth:`.ledger.Ledger.check_release`.
    entries : sequence of LedgerEntry
        Earlier releases.
    places_per_entry : sequence of ndarray of int64
        The number of each of their records among those of all releases; the records
        of this release come first.
    n_all : int
        Records of all releases.
    """
    there = [i for i, own in enumerate(places_per_entry) if (own < rows.size).any()]
    releases = [
        (entries[i], places_per_entry[i]) for i in there if places_per_entry[i].size
    ]
    opened, differs = np.zeros((2, n_all), dtype=np.bool_)
    hashed = [(one.persons, places) for one, places in releases]
    everybody = np.arange(rows.size)
    persons = _persons_of_all([*hashed, (entry.persons, everybody)], n_all)
    k_per_release = np.array([*(one.k for one, _ in releases), entry.k])
    for column in entry.columns:
        truth = encode_original_column(table.frame[column].iloc[rows], column)
        for opens, labels_of, disclosed in (
            (
                partial(determined_record_mask, persons=persons),
                LedgerEntry.sum_groups,
                opened,
            ),
            (partial(_sole_members, persons=persons), LedgerEntry.pick_groups, opened),
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
                    _scatter_labels(labels_of(one, column), places, n_all)
                    for one, places in releases
                ]
            )
            if now is None or not (before >= 0).any():
                continue
            after = opens(np.vstack([before, _scatter_labels(now, everybody, n_all)]))
            disclosed |= after & ~opens(before)
    differs[rows.size :] |= opened[rows.size :]
    opened[rows.size :] = False
    differs &= ~opened
    people = 0 if persons is None else count_persons(persons[opened | differs])
    own = (entry, np.arange(rows.size, dtype=np.int64))
    grouped = [
        _scatter_labels(labels, places, n_all)[: rows.size]
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
            entries[i].is_grouped_by(entry.columns)
            and np.isin(everybody, places_per_entry[i]).all()
            for i in there
        ),
    )


def _scatter_labels(labels: Integers | None, places: Integers, n_all: int) -> Integers:
    """Return labels of some records, if any, scattered over all, -1 for the others."""
    all_labels = np.full(n_all, -1, dtype=np.int64)
    if labels is not None:
        all_labels[places] = labels
    return all_labels


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
    back = np.unique(groups, axis=1, return_inverse=True)[1]
    whose = np.arange(back.size) if persons is None else persons
    several = (groups >= 0).sum(axis=0) > 1
    return np.asarray((sole_person_per_cell(back, whose)[back] >= 0) & several)


def _persons_of_all(
    known_groups: Sequence[tuple[tuple[str, ...], Integers]], n_all: int
) -> Integers | None:
    """Return the person of each record of all releases; None where none says so.

    Parameters
    ----------
    known_groups : sequence of (tuple of str, ndarray of int64)
        Hashes of persons of each release, or none, and its records; the last counts.
    n_all : int
    """
    if not any(hashes for hashes, _ in known_groups):
        return None
    owners = np.full(n_all, NOBODY, dtype=np.int64)
    numbers: dict[str, int] = {"": NOBODY}
    for hashes, places in known_groups:
        if hashes:
            owners[places] = [numbers.setdefault(text, len(numbers)) for text in hashes]
    return owners


def _narrowed_by_words(truth: OriginalColumn, words: Integers) -> Booleans:
    """Return a mask of records left with one value by all words, several by each."""
    n = truth.values.size
    is_sole = np.zeros(words.shape[1], dtype=np.bool_)
    claims = [ColumnStatement("range", row[:n], truth.values) for row in words]
    counts = np.array([count_candidates(truth, [claim]) for claim in claims])
    is_sole[:n] = (count_candidates(truth, claims) == 1) & (counts > 1).all(axis=0)
    return is_sole
