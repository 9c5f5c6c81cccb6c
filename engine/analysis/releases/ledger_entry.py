"""Entry of a ledger: one release's groups and hashes, without data values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.typing import Integers


@dataclass(frozen=True, eq=False)
class LedgerEntry:
    """One release in a ledger: name, digest, groups and hashes of records.

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
    words : tuple of (str, ndarray of int64)
        Columns released as words, such as intervals and common ancestors, and which
        of them each record has, as a number; -1 for none.
    members : tuple of str
        Columns whose released numbers are values of members, such as medians.
    persons : tuple of str
        A keyed hash of who each record is about, an empty text for nobody, where a
        column says so; else an empty tuple.
    contents : tuple of str
        A keyed hash of each record's values in all columns, by which those with equal
        quasi-identifiers are told apart; empty in ledgers of older versions.
    """

    name: str
    digest: str
    columns: tuple[str, ...]
    records: tuple[str, ...]
    groups: tuple[tuple[tuple[str, ...], Integers], ...]
    k: int
    words: tuple[tuple[str, Integers], ...] = ()
    members: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> LedgerEntry:
        """Parse a dictionary that :meth:`to_json` returned, of unknown origin.

        Raises
        ------
        ValueError, KeyError, TypeError, OverflowError
            If it is no entry.
        """
        n = len(content["records"])
        groups = []
        for part in content["groups"]:
            labels = _whole_numbers(part["labels"])
            if labels.shape != (n,) or (labels < 0).any():
                raise ValueError
            groups.append((tuple(map(str, part["columns"])), labels))
        words = []
        for part in content.get("words", ()):
            codes = _whole_numbers(part["labels"])
            if codes.shape != (n,) or (codes < -1).any():
                raise ValueError
            words.append((str(part["column"]), codes))
        persons, contents = (
            tuple(map(str, content.get(name, ()))) for name in ("persons", "contents")
        )
        if any(hashes and len(hashes) != n for hashes in (persons, contents)):
            raise ValueError
        return cls(
            str(content["name"]),
            str(content["sha256"]),
            tuple(map(str, content["columns"])),
            tuple(map(str, content["records"])),
            tuple(groups),
            int(_whole_numbers([content["k"]])[0]),
            tuple(words),
            tuple(map(str, content.get("members", ()))),
            persons,
            contents,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the entry as a dictionary ready for JSON."""
        return {
            "name": self.name,
            "sha256": self.digest,
            "columns": list(self.columns),
            "k": self.k,
            "records": list(self.records),
            "groups": [
                {"columns": list(columns), "labels": labels.tolist()}
                for columns, labels in self.groups
            ],
            "words": [
                {"column": column, "labels": labels.tolist()}
                for column, labels in self.words
            ],
            "members": list(self.members),
            "persons": list(self.persons),
            "contents": list(self.contents),
        }

    def is_grouped_by(self, columns: Collection[str]) -> bool:
        """Return whether its records have one partition, by these columns."""
        return set(self.columns) == set(columns) and len(self.groups) == 1

    def sum_groups(self, column: str) -> Integers | None:
        """Return the group labels of a column; None if of words, or not released."""
        if any(column == name for name, _ in self.words):
            return None
        return self.groups_of(column)

    def groups_of(self, column: str) -> Integers | None:
        """Return the group labels of a column, also of words; None if not released."""
        for columns, labels in self.groups:
            if column in columns:
                return labels
        return None

    def pick_groups(self, column: str) -> Integers | None:
        """Return the group labels of a column released as members' values, or None."""
        return self.sum_groups(column) if column in self.members else None

    def word_codes(self, column: str) -> Integers | None:
        """Return each record's code of a column released as words, else None."""
        for name, labels in self.words:
            if name == column:
                return labels
        return None


def _whole_numbers(content: list[object]) -> Integers:
    """Return whole numbers as an array; what would be cut to one is none."""
    if not all(type(number) is int for number in content):
        raise TypeError
    return np.array(content, dtype=np.int64)
