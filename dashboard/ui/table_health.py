"""Health of a table: facts about its columns, problems, missing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

import sample_data
from dashboard.i18n import text_data
from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.readers.kinds import Read
from dashboard.state import session
from dashboard.state.session_cache import BY_COLUMNS, per_session
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.attributes import Attribute
from engine.data.kinds import Role
from engine.data.propose import Suggestion, labels_of, suggest, warnings
from engine.data.read_attribute import read_attribute
from engine.data.schema import Column
from engine.data.table import Table
from engine.pipeline.only import records_to_release
from engine.points.encode import read_weights


@dataclass(frozen=True, eq=False)
class Meaning:
    """What a column means in its kind, or why it means nothing.

    Attributes
    ----------
    attribute : Attribute or None
    missing : ndarray of bool, shape (n_records,), or None
        Where values are missing; None where none is.
    problem : Message or None
    """

    attribute: Attribute | None = None
    missing: NDArray[np.bool_] | None = None
    problem: Message | None = None

    @classmethod
    def of(cls, table: Table, name: str) -> Self:
        """Read a column."""
        try:
            attribute, values = read_attribute(table, name)
        except EngineError as error:
            return cls(problem=error.message)
        missing = np.isnan(values)
        return cls(attribute, missing if missing.any() else None)


class Inspection:
    """What a table is like, whatever the roles of its columns.

    Worked out column by column when it is asked for: of thousands, few are looked at.

    Parameters
    ----------
    table : Table
    """

    def __init__(self, table: Table) -> None:
        self._frame = table.frame
        self._labels = labels_of(table.origin)
        self._distinct: dict[str, int] = {}
        self._suggestions: dict[str, Suggestion] = {}
        self._meanings: dict[str, tuple[Column, Meaning]] = {}

    def take(self, read: Read) -> None:
        """Know what was found out when the table was read."""
        names = read.table.schema.names
        self._distinct.update(zip(names, read.distinct, strict=True))
        self._suggestions.update(zip(names, read.suggestions, strict=True))

    def distinct(self, name: str) -> int:
        """Return how many different values a column has."""
        if name not in self._distinct:
            self._distinct[name] = int(self._frame[name].nunique())
        return self._distinct[name]

    def suggestions(self, names: Sequence[str]) -> Mapping[str, Suggestion]:
        """Return what is proposed for columns, and why."""
        new = [name for name in names if name not in self._suggestions]
        if new:
            found = suggest(self._frame[new], self._labels)
            self._suggestions |= {one.column.name: one for one in found}
        return self._suggestions

    def meaning(self, table: Table, name: str) -> Meaning:
        """Return what a column means in the kind that it has now."""
        asked = replace(table.schema[name], role=Role.QUASI_IDENTIFIER)
        known, meaning = self._meanings.get(name, (None, None))
        if meaning is None or known != asked:
            meaning = Meaning.of(table, name)
            self._meanings[name] = asked, meaning
        return meaning


@dataclass(frozen=True, eq=False)
class Health:
    """What stands in the way of protecting a table, and what is merely odd.

    Attributes
    ----------
    problems : tuple of str
        Sentences; with any of them no run can succeed.
    warnings : tuple of str
        Sentences.
    missing : mapping of str to (int, int)
        Quasi-identifiers with missing values: how many, and the first one's record.
    patterns : mapping of tuple of str to int
        Records by the quasi-identifiers that they lack, all of which it names; those
        that lack nothing count under the empty one.
    """

    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    missing: Mapping[str, tuple[int, int]]
    patterns: Mapping[tuple[str, ...], int]

    @property
    def affected(self) -> int:
        """Records with at least one missing quasi-identifier."""
        return sum(count for lacking, count in self.patterns.items() if lacking)


def inspect(table: Table) -> Inspection:
    """Return what a table is like; worked out once per session and table.

    Once for all sessions of a sample: every new tab shows one.
    """
    ws = session.workspace()
    if ws.sample and ws.table and ws.table.fingerprint == table.fingerprint:
        return _of_sample(ws.sample)
    return _inspect(table)


_inspect = per_session(4)(Inspection)


@cache
def _of_sample(sample: str) -> Inspection:
    return Inspection(sample_data.load(sample))


def examine(table: Table) -> Health:
    """Return what the current roles and kinds lead to; worked out once."""
    return _examine(table, session.workspace().choices.only)


@per_session(16, BY_COLUMNS)
def _examine(table: Table, only: str | None) -> Health:
    return health(table, only, inspect(table))


def health(
    table: Table, only: str | None = None, found: Inspection | None = None
) -> Health:
    """Return what the roles and kinds lead to.

    Missing values count in the records to release. What was found out before is not
    worked out again.
    """
    found = found or Inspection(table)
    suggested = found.suggestions(table.schema.with_role(Role.OTHER))
    problems: list[str] = []
    rows = np.arange(table.n_records)
    try:
        rows = records_to_release(only, table)[0]
    except EngineError as error:
        problems.append(plain(_(error.message)))
    missing: dict[str, tuple[int, int]] = {}
    holes: dict[str, NDArray[np.bool_]] = {}
    quasi = table.schema.quasi_identifiers
    if not quasi:
        problems.append(
            _(
                "No column is a quasi-identifier yet: mark at least one column by "
                "which somebody could be recognised."
            )
        )
    for name in quasi:
        meaning = found.meaning(table, name)
        if meaning.problem is not None:
            problems.append(plain(_(meaning.problem)))
        if meaning.missing is None:
            continue
        empty = meaning.missing[rows]
        if empty.all():
            problems.append(
                _("Column {name} has no values at all: give it another role.").format(
                    name=plain(repr(name))
                )
            )
        elif empty.any():
            missing[name] = int(empty.sum()), int(rows[empty.argmax()]) + 1
            holes[name] = empty
    weights = table.schema.with_role(Role.WEIGHT)
    if len(weights) > 1:
        problems.append(
            _(
                "Columns {names} all have the role weight, but only one column can say "
                "how much a record weighs: give the others another role."
            ).format(names=listed(weights))
        )
    for name in weights[:1]:
        try:
            read_weights(table, name, rows)
        except EngineError as error:
            problems.append(plain(_(error.message)))
    return Health(
        tuple(problems),
        tuple(plain(_(one)) for one in warnings(table, suggested)),
        missing,
        _patterns(holes, rows.size),
    )


def _patterns(
    holes: Mapping[str, NDArray[np.bool_]], n_records: int
) -> dict[tuple[str, ...], int]:
    """Return how many records lack which columns."""
    if not holes:
        return {(): n_records}
    found, counts = np.unique(
        np.column_stack(list(holes.values())), axis=0, return_counts=True
    )
    return {
        tuple(name for name, lacks in zip(holes, line, strict=True) if lacks): int(n)
        for line, n in zip(found, counts, strict=True)
    }


def listed(names: Sequence[str]) -> str:
    """Return ``'a', 'b' and 'c'``."""
    shown = [plain(repr(name)) for name in names]
    if len(shown) < 2:
        return "".join(shown)
    return _("{first} and {last}").format(first=", ".join(shown[:-1]), last=shown[-1])


def why(suggestion: Suggestion, column: Column) -> str:
    """Return why a column has its role, or what was proposed instead."""
    proposed = suggestion.column.role
    if proposed is column.role:
        sure = next(
            words
            for least, words in text_data.HOW_SURE.items()
            if suggestion.confidence >= least
        )
        reason = _(suggestion.reason)
        return reason if proposed is Role.UNDECIDED else _(sure).format(reason=reason)
    if proposed is Role.UNDECIDED:
        return _("You decided. {reason}").format(reason=_(suggestion.reason))
    return _("Proposed: {role}. {reason}").format(
        role=_(text_data.FATES[proposed]).lower(), reason=_(suggestion.reason)
    )
