"""Find columns or an order that link records of a person in a released file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.core.message import Message, join_some_with_and
from engine.core.typing import Integers, Values
from engine.data.persons import NOBODY, code_identifiers, count_persons
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

MIN_LINKED_SHARE = 0.05
"""Share of the records whose person's next one the order tells, beyond chance, from
which it links records."""

MAX_LINKED_ROWS = 3
"""Rows within which the next record of a person, or of a neighbour, is near."""

DRAWN_ORDERS = 4
"""Orders drawn at random, by which chance is estimated; one of large tables."""

MAX_DRAWN_OFTEN = 20_000
"""Records up to which several orders are drawn."""


@dataclass(frozen=True)
class PersonLinks:
    """Columns and order of a release that link records of the same person.

    Attributes
    ----------
    pseudonyms : tuple of str
        Columns of the release that name persons: those that say who they are, and
        others that do as well.
    constant : tuple of str
        Columns that leave as they are and do not vary within any person.
    by_order : bool
        Whether neighbouring records are one person's, or persons come in the same
        order again and again.
    """

    pseudonyms: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    by_order: bool = False

    def __bool__(self) -> bool:
        return bool(self.pseudonyms or self.constant or self.by_order)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that link records of a person."""
        return self.pseudonyms + self.constant

    @property
    def said(self) -> tuple[Message, ...]:
        """Messages on each link and how to remove it."""
        messages = []
        if self.columns:
            messages.append(
                Message(
                    "The file itself says which records are one person's, by "
                    "{columns}: leave it out, or protect whole histories "
                    "(--intruder-knows all).",
                    "The file itself says which records are one person's, by "
                    "{columns}: leave them out, or protect whole histories "
                    "(--intruder-knows all).",
                    count=len(self.columns),
                    columns=join_some_with_and(self.columns),
                )
            )
        if self.by_order:
            messages.append(
                Message(
                    "The order of the records says which are one person's: shuffle "
                    "them (--shuffle), or protect whole histories "
                    "(--intruder-knows all)."
                )
            )
        return tuple(messages)


def find_person_links(outcome: Outcome, table: Table, is_shuffled: bool) -> PersonLinks:
    """Return what links a person's records; empty if all may be known or none counted.

    Nothing where an intruder may know all of them anyway, or nobody is counted.

    Parameters
    ----------
    table : Table
        What was protected.
    is_shuffled : bool
        Whether records are written in a random order.
    """
    plan, persons = outcome.plan, outcome.persons
    if persons is None or plan.intruder_knows == "all":
        return PersonLinks()
    rows = outcome.release.rows
    exact = [
        name
        for name in outcome.release.columns
        if name not in plan.quasi_identifiers and name in table.frame
    ]
    frame = table.frame[exact].iloc[rows]
    constant = [name for name in exact if _is_constant(frame[name], persons)]
    pseudonyms = tuple(
        name
        for name in constant
        if name in plan.person_columns or _names_persons(frame[name], persons)
    )
    others = tuple(name for name in constant if name not in pseudonyms)
    in_order = not is_shuffled and does_order_link_persons(persons)
    return PersonLinks(pseudonyms, others, in_order)


def _is_constant(column: pd.Series, persons: Integers) -> bool:
    """Return whether a column varies, but within no person."""
    values = code_identifiers(column) - NOBODY  # a code of its own for missing values
    has_person = persons != NOBODY
    pairs = np.unique(
        persons[has_person] * (int(values.max()) + 1) + values[has_person]
    )
    return pairs.size == count_persons(persons) and bool((values != values[0]).any())


def _names_persons(column: pd.Series, persons: Integers) -> bool:
    """Return whether every person has a value of their own."""
    values = code_identifiers(column)[persons != NOBODY]
    return count_persons(values) == count_persons(persons)


def does_order_link_persons(persons: Integers) -> bool:
    """Return whether the rows' order tells more than chance which share a person.

    A person's next record is near in the file, or neighbours' next records are
    neighbours again, as where every wave lists the people in one order, whoever is
    missing in it. What is left to chance are the same rows in an order drawn at random.
    """
    file_shares = _ordered_shares(persons)
    rng = np.random.default_rng(0)
    count = DRAWN_ORDERS if persons.size <= MAX_DRAWN_OFTEN else 1
    drawn = [_ordered_shares(rng.permutation(persons)) for _ in range(count)]
    chance = np.mean(drawn, axis=0)
    noise = 3.0 * np.sqrt(chance * (1.0 - chance) / max(1, persons.size))
    return bool((file_shares > chance + noise + MIN_LINKED_SHARE).any())


def _ordered_shares(persons: Integers) -> Values:
    """Return the shares of rows whose person comes soon again, and as neighbours do.

    Each in the next row, and in one of the next few: shape (2, 2).
    """
    order = np.argsort(persons, kind="stable")
    first, second = order[:-1], order[1:]
    same = (persons[first] == persons[second]) & (persons[first] != NOBODY)
    after = np.full(persons.size, -1, dtype=np.int64)
    after[first[same]] = second[same]
    has_next = after >= 0
    waits = (after - np.arange(persons.size))[has_next]
    row_distances = np.abs(np.diff(after))[has_next[1:] & has_next[:-1]]
    counts = [
        [np.count_nonzero(rows <= max_rows) for max_rows in (1, MAX_LINKED_ROWS)]
        for rows in (waits, row_distances)
    ]
    return np.array(counts) / max(1, persons.size)
