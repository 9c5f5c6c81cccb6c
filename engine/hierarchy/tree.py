"""The Hierarchy class: a row per leaf, from specific to general levels."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd

from engine.core.arguments import check_arguments
from engine.core.errors import InputError, ParameterError
from engine.core.typing import Integers
from engine.hierarchy.words import index_and_list_distinct_texts

ROOT_LABEL = "*"
"""Label of the root of every hierarchy that is built here, as in ARX."""

_SPECIAL_CHARS = frozenset(';,\t"\r\n')
"""Cells with any of these are quoted, whichever delimiter a reader will try."""


@check_arguments
@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A generalisation hierarchy: the generalisation of each value at each level.

    Two labels are one node if they are equal and stand at the same level. A label may
    come again further up (leaf ``"X"``, then ``"X"``): that is a node of its own.

    Attributes
    ----------
    rows : tuple of tuple of str
        One per leaf: the leaf first, the root last, all of one length of at least 2.

    Raises
    ------
    InputError
        If rows differ in length, a cell is empty, a leaf comes twice, a node has two
        parents, or there are two roots. A label must not lie above itself with others
        in between. The sentence names the value.

    Examples
    --------
    >>> tree = Hierarchy((("A09", "A00-A09", "*"), ("A41", "A30-A49", "*")))
    >>> tree.height
    2
    >>> tree.nodes[tree.common_ancestor([0, 1])]
    '*'
    """

    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        rows = tuple(tuple(row) for row in self.rows)
        object.__setattr__(self, "rows", rows)
        _check_shape(rows)
        _check_leaves(rows)
        _check_levels(rows)
        _check_cycles(rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return (
            f"Hierarchy({len(self.rows)} leaves, {self.height} levels above them, "
            f"root {self.rows[0][-1]!r})"
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the rows; equal for equal hierarchies."""
        return hashlib.sha256(repr(self.rows).encode()).hexdigest()

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Leaf labels (the column's values), in the order of the rows."""
        return tuple(row[0] for row in self.rows)

    @property
    def height(self) -> int:
        """Number of levels above the leaves."""
        return len(self.rows[0]) - 1

    @cached_property
    def _numbered(self) -> tuple[tuple[str, ...], Integers, Integers, Integers]:
        """Labels, ancestors, levels and leaf counts of all nodes."""
        ancestors = np.empty((len(self.rows), self.height + 1), dtype=np.int64)
        labels: list[str] = []
        levels: list[int] = []
        for level in range(self.height + 1):
            numbers: dict[str, int] = {}
            for leaf, row in enumerate(self.rows):
                label = row[level]
                if label not in numbers:
                    numbers[label] = len(labels)
                    labels.append(label)
                    levels.append(level)
                ancestors[leaf, level] = numbers[label]
        counts = np.bincount(ancestors.ravel(), minlength=len(labels))
        arrays = ancestors, np.array(levels, np.int64), counts.astype(np.int64)
        for array in arrays:
            array.flags.writeable = False
        return (tuple(labels), *arrays)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Labels of all nodes: the leaves, then each level in order of appearance."""
        return self._numbered[0]

    @property
    def ancestors(self) -> Integers:
        """Node of each leaf at each level, shape (n_leaves, height + 1), read-only."""
        return self._numbered[1]

    @property
    def levels(self) -> Integers:
        """Level of each node, 0 for leaves, shape (n_nodes,), read-only."""
        return self._numbered[2]

    @property
    def leaf_counts(self) -> Integers:
        """Leaves below each node (1 for a leaf), shape (n_nodes,), read-only."""
        return self._numbered[3]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {leaf: place for place, leaf in enumerate(self.leaves)}

    def codes(self, values: pd.Series, name: str) -> Integers:
        """Return each record's leaf number; -1 where the value is missing.

        Parameters
        ----------
        values : pandas.Series, n_records values
            Compared as text, see :func:`engine.hierarchy.leaf_text_of`.
        name : str
            The column's, for the message.

        Returns
        -------
        ndarray of int64, shape (n_records,)

        Raises
        ------
        InputError
            If a value is no leaf; the sentence names the first one.
        """
        records, texts = index_and_list_distinct_texts(values)
        places = np.array([self._places.get(text, -1) for text in texts], np.int64)
        for distinct in np.flatnonzero(places < 0):
            uncovered_records = np.flatnonzero(records == distinct)
            raise uncovered_value_error(
                name, texts[distinct], int(uncovered_records[0])
            )
        # Missing records point to the -1 at the end.
        return np.append(places, np.int64(-1))[records]

    def uncovered_values(self, values: pd.Series) -> tuple[str, ...]:
        """Return the distinct values that are not leaves, in order of appearance."""
        _, texts = index_and_list_distinct_texts(values)
        return tuple(text for text in texts if text not in self._places)

    def common_ancestor(self, leaves: Iterable[int]) -> int:
        """Return the node number of the nearest common ancestor of the given leaves.

        Parameters
        ----------
        leaves : iterable of int
            Leaf numbers, at least one.

        Raises
        ------
        ParameterError
            If there is no leaf, or a number that no leaf has.
        """
        chosen = np.unique(np.fromiter(leaves, dtype=np.int64))
        if chosen.size == 0 or chosen[0] < 0 or chosen[-1] >= len(self.rows):
            raise ParameterError(
                "A common ancestor needs at least one leaf, each numbered from 0 to "
                "{last}.",
                last=len(self.rows) - 1,
            )
        paths = self.ancestors[chosen]
        level = int(np.argmax((paths == paths[0]).all(axis=0)))
        return int(paths[0, level])

    def to_csv(self, delimiter: str = ";") -> str:
        """Return the hierarchy as a CSV level file, as ARX reads and writes them.

        One line per leaf, general to the right, without a header.

        Parameters
        ----------
        delimiter : {";", ",", tab}
        """
        return "".join(
            delimiter.join(map(_quote_cell, row)) + "\n" for row in self.rows
        )


def uncovered_value_error(name: str, text: str, record: int) -> InputError:
    """Return the error for a value that a column's hierarchy does not contain."""
    return InputError(
        "The hierarchy of column {column!r} does not have the value "
        "{value!r} (first in record {record:,}): add a row "
        "for it, or correct the value.",
        column=name,
        value=text,
        record=record + 1,
    )


def _quote_cell(cell: str) -> str:
    if _SPECIAL_CHARS.isdisjoint(cell):
        return cell
    return '"' + cell.replace('"', '""') + '"'


def _check_shape(rows: tuple[tuple[str, ...], ...]) -> None:
    if not rows:
        raise InputError("The hierarchy has no rows: give it one row per value.")
    width = len(rows[0])
    for number, row in enumerate(rows, start=1):
        for level, cell in enumerate(row):
            if not isinstance(cell, str) or not cell.strip():
                if level == 0:
                    raise InputError(
                        "Row {row:,} of the hierarchy has no value: fill it in.",
                        row=number,
                    )
                raise InputError(
                    "Row {row:,} of the hierarchy (value {value!r}) is empty at level "
                    "{level}: fill it in.",
                    row=number,
                    value=row[0],
                    level=level,
                )
        if len(row) != width:
            raise InputError(
                "Row {row:,} of the hierarchy (value {value!r}) has {count} cell, but "
                "the first row has {width}: give every row the same number of levels.",
                "Row {row:,} of the hierarchy (value {value!r}) has {count} cells, but "
                "the first row has {width}: give every row the same number of levels.",
                count=len(row),
                row=number,
                value=row[0],
                width=width,
            )
    if width < 2:
        raise InputError(
            "The hierarchy has one level only: write the value first and what it "
            "becomes to its right, up to the root."
        )


def _check_leaves(rows: tuple[tuple[str, ...], ...]) -> None:
    first: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        if row[0] in first:
            raise InputError(
                "The value {value!r} has two rows in the hierarchy "
                "({first:,} and {second:,}): leave one of them out.",
                value=row[0],
                first=first[row[0]],
                second=number,
            )
        first[row[0]] = number


def _check_levels(rows: tuple[tuple[str, ...], ...]) -> None:
    """Refuse two roots, and two parents of one node."""
    root = rows[0][-1]
    for row in rows:
        if row[-1] != root:
            raise InputError(
                "The hierarchy has two roots, {root!r} and {second!r}: end every "
                "row with the same label, for instance {usual!r}.",
                root=root,
                second=row[-1],
                usual=ROOT_LABEL,
            )
    for level in range(1, len(rows[0]) - 1):
        parents: dict[str, str] = {}
        for row in rows:
            parent = parents.setdefault(row[level], row[level + 1])
            if parent != row[level + 1]:
                raise InputError(
                    "{label!r} at level {level} of the hierarchy has two "
                    "parents, {parent!r} and {other!r}: keep one of them.",
                    label=row[level],
                    level=level,
                    parent=parent,
                    other=row[level + 1],
                )


def _check_cycles(rows: tuple[tuple[str, ...], ...]) -> None:
    """Refuse labels that lie above each other, below the root."""
    levels = [dict.fromkeys(level) for level in tuple(zip(*rows, strict=True))[:-1]]
    if sum(map(len, levels)) == len(set().union(*levels)):
        return  # no label stands at two levels
    above: dict[str, dict[str, None]] = {}
    for row in rows:
        for low, high in pairwise(row[:-1]):
            if low != high:
                above.setdefault(low, {})[high] = None
    checked_labels: set[str] = set()
    for start in above:
        # Depth first; `path` is the way here, `turns` what is left to try on it.
        path, turns = [start], [iter(above[start])]
        while path and start not in checked_labels:
            label = next(turns[-1], None)
            if label is None:
                checked_labels.add(path.pop())
                turns.pop()
            elif label in path:
                ring = [*path[path.index(label) :], label]
                raise InputError(
                    "{label!r} lies above itself in the hierarchy ({ring}): correct "
                    "one of these labels.",
                    label=label,
                    ring=" -> ".join(map(repr, ring)),
                )
            elif label in above and label not in checked_labels:
                path.append(label)
                turns.append(iter(above[label]))
