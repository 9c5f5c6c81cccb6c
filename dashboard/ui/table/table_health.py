"""Health of a table: problems, warnings, missing values and facts on its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

import sample_data
from dashboard.i18n import text_data
from dashboard.i18n.language import _, within_sentence
from dashboard.i18n.markdown import escape_text
from dashboard.readers.work_kinds import TableWithSuggestions
from dashboard.state import session
from dashboard.state.caches.session_cache import HASH_BY_COLUMNS, cache_in_session
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.conversion.attributes import AttributeInfo
from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.kinds import Role
from engine.data.propose import (
    Suggestion,
    column_labels,
    role_warnings,
    suggest_columns,
)
from engine.data.schema import COSTLY, Column
from engine.data.table import Table
from engine.pipeline.planning.record_condition import select_row_numbers_and_messages
from engine.points.encode import read_record_weights


@dataclass(frozen=True, eq=False)
class AttributeOrProblem:
    """A column read as an attribute, with its missing values, or why it cannot be.

    Attributes
    ----------
    attribute : AttributeInfo or None
    missing : ndarray of bool, shape (n_records,), or None
        Where values are missing; None where none is.
    problem : Message or None
    """

    attribute: AttributeInfo | None = None
    missing: NDArray[np.bool_] | None = None
    problem: Message | None = None

    @classmethod
    def read_column(cls, table: Table, name: str) -> Self:
        """Return a table's column, read as an attribute in its present kind."""
        try:
            attribute, values = read_attribute_and_numbers(table, name)
        except EngineError as error:
            return cls(problem=error.message)
        missing = np.isnan(values)
        return cls(attribute, missing if missing.any() else None)


class TableInspection:
    """Facts on a table's columns, whatever their roles, computed when first asked for.

    Worked out column by column when it is asked for: of thousands, few are looked at.
    """

    def __init__(self, table: Table) -> None:
        self._frame = table.frame
        self._labels = column_labels(table.origin)
        self._distinct: dict[str, int] = {}
        self._suggestions: dict[str, Suggestion] = {}
        self._meanings: dict[str, tuple[Column, AttributeOrProblem]] = {}

    def add_reading_findings(self, read: TableWithSuggestions) -> None:
        """Add the counts and suggestions that were computed when the table was read."""
        names = read.table.schema.names
        self._distinct.update(zip(names, read.distinct, strict=True))
        self._suggestions.update(zip(names, read.suggestions, strict=True))

    def count_distinct(self, name: str) -> int:
        """Return the number of different values of a column."""
        if name not in self._distinct:
            self._distinct[name] = int(self._frame[name].nunique())
        return self._distinct[name]

    def suggestions_for(self, names: Sequence[str]) -> Mapping[str, Suggestion]:
        """Return the suggested role and kind of columns, with reasons, by name."""
        new = [name for name in names if name not in self._suggestions]
        if new:
            suggestions = suggest_columns(self._frame[new], self._labels)
            self._suggestions |= {entry.column.name: entry for entry in suggestions}
        return self._suggestions

    def column_meaning(self, table: Table, name: str) -> AttributeOrProblem:
        """Return a column read as an attribute of its present kind, or the problem."""
        column = replace(table.schema[name], role=Role.QUASI_IDENTIFIER)
        old_column, meaning = self._meanings.get(name, (None, None))
        if meaning is None or old_column != column:
            meaning = AttributeOrProblem.read_column(table, name)
            self._meanings[name] = column, meaning
        return meaning


@dataclass(frozen=True, eq=False)
class TableHealth:
    """Missing values of a table, warnings, and problems that prevent its protection.

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
    def n_affected(self) -> int:
        """Records with at least one missing quasi-identifier."""
        return sum(count for lacking, count in self.patterns.items() if lacking)


def inspect_table(table: Table) -> TableInspection:
    """Return the inspection of a table's columns, cached per session or per sample.

    Once for all sessions of a sample: every new tab shows one.
    """
    ws = session.workspace()
    if ws.sample and ws.table and ws.table.fingerprint == table.fingerprint:
        return _inspect_sample(ws.sample)
    return _inspect(table)


_inspect = cache_in_session(4)(TableInspection)


@cache
def _inspect_sample(sample: str) -> TableInspection:
    return TableInspection(sample_data.load(sample))


def cached_table_health(table: Table) -> TableHealth:
    """Return the problems, warnings and missing values of a table; cached."""
    return _examine(table, session.workspace().shared_plan.only)


@cache_in_session(16, HASH_BY_COLUMNS)
def _examine(table: Table, only: str | None) -> TableHealth:
    return table_health(table, only, inspect_table(table))


def table_health(
    table: Table,
    record_condition: str | None = None,
    inspection: TableInspection | None = None,
) -> TableHealth:
    """Return the problems, warnings and missing values of a table with its roles.

    Missing values count in the records to release. What was found out before is not
    worked out again.
    """
    inspection = inspection or TableInspection(table)
    suggested = inspection.suggestions_for(table.schema.with_role(Role.OTHER))
    problems: list[str] = []
    rows = np.arange(table.n_records)
    try:
        rows = select_row_numbers_and_messages(record_condition, table)[0]
    except EngineError as error:
        problems.append(escape_text(_(error.message)))
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
        meaning = inspection.column_meaning(table, name)
        if meaning.problem is not None:
            problems.append(escape_text(_(meaning.problem)))
        if meaning.missing is None:
            continue
        empty = meaning.missing[rows]
        if empty.all():
            problems.append(
                _("Column {name} has no values at all: give it another role.").format(
                    name=escape_text(repr(name))
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
            ).format(names=join_quoted_names(weights))
        )
    for name in weights[:1]:
        try:
            read_record_weights(table, name, rows)
        except EngineError as error:
            problems.append(escape_text(_(error.message)))
    return TableHealth(
        tuple(problems),
        tuple(escape_text(_(warning)) for warning in role_warnings(table, suggested)),
        missing,
        _missing_patterns(holes, rows.size),
    )


def _missing_patterns(
    holes: Mapping[str, NDArray[np.bool_]], n_records: int
) -> dict[tuple[str, ...], int]:
    """Return how many records lack which columns."""
    if not holes:
        return {(): n_records}
    patterns, counts = np.unique(
        np.column_stack(list(holes.values())), axis=0, return_counts=True
    )
    return {
        tuple(name for name, lacks in zip(holes, line, strict=True) if lacks): int(n)
        for line, n in zip(patterns, counts, strict=True)
    }


def join_quoted_names(names: Sequence[str]) -> str:
    """Return names in quotes as a list in words, such as ``'a', 'b' and 'c'``."""
    texts = [escape_text(repr(name)) for name in names]
    if len(texts) < 2:
        return "".join(texts)
    return _("{first} and {last}").format(first=", ".join(texts[:-1]), last=texts[-1])


def role_reason_text(suggestion: Suggestion, column: Column) -> str:
    """Return why a column has its role, or which role was proposed instead, and why."""
    if column.is_costly:
        return _(COSTLY)
    proposed = suggestion.column.role
    if proposed is column.role:
        sure = next(
            words
            for threshold, words in text_data.HOW_SURE.items()
            if suggestion.confidence >= threshold
        )
        reason = _(suggestion.reason)
        return reason if proposed is Role.UNDECIDED else _(sure).format(reason=reason)
    if proposed is Role.UNDECIDED:
        return _("You decided. {reason}").format(reason=_(suggestion.reason))
    return _("Proposed: {role}. {reason}").format(
        role=within_sentence(_(text_data.FATES[proposed])), reason=_(suggestion.reason)
    )
