"""Codes of the persons that records are about, and counts of persons per class.

Several records may be about one person, and some about nobody that is known: these
count for nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.core.typing import Booleans, Integers, Values

NOBODY = -1
"""Code of records without an identifier."""

MIN_IDENTIFIED_SHARE = 0.5
"""Share of the records that a column must identify to be taken for that of persons."""


@dataclass(frozen=True)
class PersonCounts:
    """Number of persons, of records without person, and of nearly equal identifiers.

    Attributes
    ----------
    n_records, n_persons : int
    n_nobody : int
        Records without an identifier.
    n_alike : int
        How many identifiers vanish if case and surplus blanks are ignored.
    max_records : int
        Of one person.
    """

    n_records: int
    n_persons: int
    n_nobody: int
    n_alike: int
    max_records: int

    @classmethod
    def from_codes(cls, codes: Integers, n_alike: int = 0) -> PersonCounts:
        """Return the counts of person codes, with `n_alike` similar identifiers."""
        sizes = np.bincount(codes[codes != NOBODY])
        n_persons, n_known = int(np.count_nonzero(sizes)), int(sizes.sum())
        return cls(
            n_records=codes.size,
            n_persons=n_persons,
            n_nobody=codes.size - n_known,
            n_alike=n_alike,
            max_records=int(sizes.max(initial=0)),
        )

    def __add__(self, others: PersonCounts) -> PersonCounts:
        """Return the counts of these records and of those of other persons."""
        return PersonCounts(
            self.n_records + others.n_records,
            self.n_persons + others.n_persons,
            self.n_nobody + others.n_nobody,
            self.n_alike + others.n_alike,
            max(self.max_records, others.max_records),
        )

    @property
    def has_repeats(self) -> bool:
        """Whether a person has several records, or a record has no person."""
        return self.n_persons < self.n_records

    @property
    def may_be_persons(self) -> bool:
        """Whether the values repeat as identifiers of persons do.

        Not one that is the same for all, nor one that says nothing of most records.
        """
        n_known = self.n_records - self.n_nobody
        identifies = n_known >= MIN_IDENTIFIED_SHARE * self.n_records
        return identifies and 1 < self.n_persons < n_known


def code_persons(frame: pd.DataFrame, person_columns: Sequence[str]) -> Integers:
    """Return each record's person code by first appearance, NOBODY without one.

    Identifiers are compared as they are written: those that differ by case or blanks
    are different persons, but the number 17 and the text "17" are one.

    Parameters
    ----------
    frame : pandas.DataFrame, n_records rows
    person_columns : sequence of str
        Which together say who a record is about.

    Returns
    -------
    ndarray of int64, shape (n_records,)
        0, 1, ... by first appearance; :data:`NOBODY` where a column says nothing.
    """
    codes = np.zeros(len(frame), dtype=np.int64)
    known_mask = np.ones(len(frame), dtype=np.bool_)
    for number, name in enumerate(person_columns):
        labels = code_identifiers(frame[name])
        known_mask &= labels != NOBODY
        if number:
            labels = pd.factorize(codes * (labels.max(initial=0) + 2) + labels)[0]
        codes = labels.astype(np.int64, copy=False)
    if not known_mask.all():
        codes[~known_mask] = NOBODY
        codes[known_mask] = pd.factorize(codes[known_mask])[0]
    return codes


def code_identifiers(column: pd.Series) -> Integers:
    """Return codes of values, the same where these are equal or written the same.

    Ascending by first appearance; :data:`NOBODY` where values are missing or blank.
    """
    codes, values = pd.factorize(column)
    if pd.api.types.is_numeric_dtype(column.dtype):  # of many, each would take a while
        return codes.astype(np.int64, copy=False)
    blank = np.append([is_blank(value) for value in values], True)[codes]
    are_texts = [isinstance(value, str) for value in values]
    if any(are_texts) and not all(are_texts):
        codes = _join_values_of_same_text(codes, column)
    return np.where(blank, NOBODY, codes).astype(np.int64, copy=False)


def _join_values_of_same_text(codes: Integers, column: pd.Series) -> Integers:
    """Return value codes in which values with a text in common have one code."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    present_mask, n_values = codes >= 0, int(codes.max()) + 1
    texts, names = pd.factorize(column[present_mask].astype(object).map(str))
    ties = coo_array(
        (np.ones(texts.size), (codes[present_mask], n_values + texts)),
        shape=(n_values + len(names),) * 2,
    )
    joined = pd.factorize(connected_components(ties, directed=False)[1][:n_values])[0]
    return np.append(joined, -1)[codes]


def renumber_persons(persons: Integers) -> Integers:
    """Return person codes renumbered 0, 1, ..., with their order kept."""
    has_records = _has_records(persons)
    if has_records.all():
        return persons
    numbers = np.cumsum(has_records, dtype=np.int64) - 1
    return np.where(persons == NOBODY, NOBODY, numbers[persons])


def is_blank(value: object) -> bool:
    """Return whether a value is empty or blank text, which names nobody."""
    return isinstance(value, str) and not value.strip()


def count_persons(persons: Integers) -> int:
    """Return the number of distinct persons among codes."""
    return int(np.count_nonzero(_has_records(persons)))


def _has_records(persons: Integers) -> Booleans:
    """Return of each person up to the last whether a record is about them."""
    is_named = np.zeros(int(persons.max(initial=NOBODY)) + 2, dtype=np.bool_)
    is_named[persons] = True  # of nobody, at the end
    return is_named[:-1]


def lowest_repeated_person_code(persons: Integers) -> int:
    """Return the lowest code of a person with several records, else 0."""
    return int(np.argmax(np.bincount(persons[persons != NOBODY]) > 1))


def has_repeated_persons(persons: Integers) -> bool:
    """Return whether a person has several records, or a record has no person."""
    return count_persons(persons) < persons.size


def persons_per_class(class_labels: Integers, persons: Integers | None) -> Integers:
    """Return the number of distinct persons in each class; of records without persons.

    Parameters
    ----------
    class_labels : ndarray of int64, shape (n_records,)
        Numbered 0, 1, ...
    persons : ndarray of int64, shape (n_records,), or None
        Persons, or :data:`NOBODY`.

    Returns
    -------
    ndarray of int64, shape (n_classes,)
    """
    if persons is None:
        return np.bincount(class_labels).astype(np.int64)
    n_classes, known_mask = int(class_labels.max()) + 1, persons != NOBODY
    pairs = _sorted_pairs(class_labels[known_mask], persons[known_mask])[0]
    return np.bincount(pairs, minlength=n_classes).astype(np.int64)


def k_of_persons(
    class_labels: Integers, persons: Integers | None, intruder_knows: str
) -> int:
    """Return k: the fewest persons, or records, among whom one cannot be told apart.

    Parameters
    ----------
    class_labels : ndarray of int64, shape (n_records,)
        Records that share their released values, numbered 0, 1, ...
    persons : ndarray of int64, shape (n_records,), or None
        Without persons, records are counted.
    intruder_knows : {"one", "all", "counts"}
        One record of a person: the fewest different persons of a class. All of them:
        also the fewest persons who have records in the same set of classes; with
        counts, who have as many records in each class.
    """
    fewest = int(persons_per_class(class_labels, persons).min())
    if persons is None or intruder_knows == "one" or fewest == 0:
        return fewest
    sets = class_set_per_person(class_labels, persons, intruder_knows == "counts")
    return min(fewest, int(np.bincount(sets).min()))


def class_set_per_person(
    class_labels: Integers, person_codes: Integers, counts: bool = False
) -> Integers:
    """Return for each person a code of the set of classes with their records.

    Parameters
    ----------
    class_labels, person_codes : ndarray of int64, shape (n_records,)
        Persons are numbered 0, 1, ...
    counts : bool
        Whether the number of records in each class counts, too.

    Returns
    -------
    ndarray of int64, shape (n_persons,)
        The same for persons with records in the same classes.
    """
    known_mask = person_codes != NOBODY
    persons, visited = _sorted_pairs(
        person_codes[known_mask], class_labels[known_mask], distinct=not counts
    )
    ends = np.flatnonzero(np.diff(persons)) + 1
    sets: dict[bytes, int] = {}
    numbers = [
        sets.setdefault(visits.tobytes(), len(sets))
        for visits in np.split(visited, ends)
    ]
    return np.array(numbers, dtype=np.int64)


def k_of_known_persons(
    class_labels: Integers, persons: Integers, intruder_knows: str
) -> int:
    """Return the k of persons, ignoring records of nobody; see `k_of_persons`."""
    known_mask = persons != NOBODY
    labels = np.unique(class_labels[known_mask], return_inverse=True)[1]
    return k_of_persons(labels.astype(np.int64), persons[known_mask], intruder_knows)


def person_weights(class_labels: Integers, persons: Integers) -> Values:
    """Return record weights that sum to 1 for each person in each of their classes.

    Parameters
    ----------
    class_labels, persons : ndarray of int64, shape (n_records,)

    Returns
    -------
    ndarray of float64, shape (n_records,)
        1 / (records of the person in the class); 0 for those of nobody.
    """
    weights = np.zeros(persons.size)
    mask = persons != NOBODY
    pairs = class_labels[mask] * (int(persons.max(initial=0)) + 1) + persons[mask]
    _, of, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    weights[mask] = 1.0 / counts[of]
    return weights


def person_value_matching_sizes(
    class_labels: Integers, value_codes: Integers, persons: Integers
) -> Integers:
    """Return the size of a maximum matching of persons and values in each class.

    Several values of one person count once: it is the largest number of pairs of a
    person and a value of theirs in which nobody and no value comes twice.

    Parameters
    ----------
    class_labels, value_codes, persons : ndarray of int64, shape (n_records,)
        All of them numbers from 0; records of nobody count for nothing.

    Returns
    -------
    ndarray of int64, shape (n_classes,)
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    n_classes, known_mask = int(class_labels.max()) + 1, persons != NOBODY
    class_labels = class_labels[known_mask]
    value_codes = value_codes[known_mask]
    persons = persons[known_mask]
    # A person, and a value, of every class is one of its own.
    whose = class_labels * (int(persons.max(initial=0)) + 1) + persons
    which = class_labels * (int(value_codes.max(initial=0)) + 1) + value_codes
    row_keys, rows = np.unique(whose, return_inverse=True)
    column_keys, columns = np.unique(which, return_inverse=True)
    graph = csr_array(
        (np.ones(persons.size, dtype=np.int8), (rows, columns)),
        shape=(row_keys.size, column_keys.size),
    )
    matched = maximum_bipartite_matching(graph, perm_type="column")
    of = np.zeros(row_keys.size, dtype=np.int64)
    of[rows] = class_labels
    return np.bincount(of[matched >= 0], minlength=n_classes).astype(np.int64)


def _sorted_pairs(
    first: Integers, second: Integers, distinct: bool = True
) -> tuple[Integers, Integers]:
    """Return pairs of two codes, each once unless not `distinct`, ordered by both."""
    width = int(second.max(initial=0)) + 1
    pairs = first * width
    pairs += second
    pairs.sort()  # a table of hashes, as np.unique has, takes eight times the memory
    if distinct:
        pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: pairs.size]]
    return pairs // width, pairs % width


def count_near_duplicates(frame: pd.DataFrame, person_columns: Sequence[str]) -> int:
    """Return how many texts merge if case and blanks are ignored, over all columns."""
    count = 0
    for name in person_columns:
        values = frame[name].dropna()
        if pd.api.types.is_numeric_dtype(values.dtype):
            continue
        texts = {str(value) for value in pd.unique(values)}
        plain = {" ".join(text.split()).casefold() for text in texts if text.strip()}
        count += sum(bool(text.strip()) for text in texts) - len(plain)
    return count


def can_be_person_identifiers(column: pd.Series) -> bool:
    """Return whether values repeat, vary and are mostly known, like person ids."""
    return PersonCounts.from_codes(code_identifiers(column)).may_be_persons


def finest_repeating_column(
    frame: pd.DataFrame, candidate_columns: Sequence[str]
) -> str | None:
    """Return the column with most distinct values among those that repeat, or None.

    Parameters
    ----------
    candidate_columns : sequence of str
        Identifiers; of equally fine ones the first is taken.
    """
    counts = {
        name: PersonCounts.from_codes(code_identifiers(frame[name]))
        for name in candidate_columns
    }
    repeating = [name for name, each in counts.items() if each.may_be_persons]
    return max(repeating, key=lambda name: counts[name].n_persons, default=None)


def columns_constant_per_person(
    frame: pd.DataFrame, person: str, columns: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns in which each person's records have one value.

    Missing values, and records without a person, are left out of account.

    Parameters
    ----------
    person : str
        Column that says who a record is about.
    columns : sequence of str
    """
    persons = code_identifiers(frame[person])

    def is_constant(name: str) -> bool:
        values = pd.factorize(frame[name])[0].astype(np.int64)
        known_mask = (persons >= 0) & (values >= 0)
        of, _ = _sorted_pairs(persons[known_mask], values[known_mask])
        return not (of[1:] == of[:-1]).any()

    return tuple(filter(is_constant, columns))
