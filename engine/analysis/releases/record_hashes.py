"""Keyed hashes of records, by which those of two releases are known to be the same."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from engine.analysis.releases.ledger_entry import LedgerEntry
from engine.core.typing import Integers
from engine.data.conversion.numeric import has_inexact_integers, is_numeric_column


def hash_records(
    frame: pd.DataFrame, columns: Sequence[str], key: str, are_numbers_as_read: bool
) -> tuple[str, ...]:
    """Return a keyed hash of each record's values in columns, whatever their order.

    Parameters
    ----------
    key : str
        16 characters.
    are_numbers_as_read : bool
        Whether 17 and 17.0 are the same value.
    """
    some = frame[sorted(columns)]
    if are_numbers_as_read:
        some = some.apply(_numbers_as_read)
    hashes = pd.util.hash_pandas_object(some.astype("str"), index=False, hash_key=key)
    return tuple(f"{one:016x}" for one in hashes.to_numpy().tolist())


def _numbers_as_read(column: pd.Series) -> pd.Series:
    """Return numbers as float64, however they are stored; other values as they are.

    Whole numbers are read as floats where some are missing. Those that no float has
    stay.
    """
    if not is_numeric_column(column) or has_inexact_integers(column):
        return column
    return column.astype("float64") + 0.0  # no -0.0


@dataclass(frozen=True)
class RecordHashes:
    """Hashes of records: of quasi-identifiers, of all columns, and of persons.

    The last two are empty where they are not known, and so is the hash of nobody.
    """

    records: Sequence[str] = ()
    contents: Sequence[str] = ()
    persons: Sequence[str] = ()

    @classmethod
    def of_entry(cls, entry: LedgerEntry) -> RecordHashes:
        """Return the hashes that a ledger has of a release's records."""
        return cls(entry.records, entry.contents, entry.persons)

    def with_records(self, others: RecordHashes, places: Integers) -> RecordHashes:
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
        return RecordHashes(*both)

    def keys(self, hashes: Sequence[str]) -> list[tuple[str, str] | None]:
        """Return each record's own hash with another, None where that is empty."""
        others = hashes or ("",) * len(self.records)
        return [
            (own, other) if other else None
            for own, other in zip(self.records, others, strict=True)
        ]


def match_records(mine: RecordHashes, others: RecordHashes) -> Integers:
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
