"""Rules that depend on governing columns, which the release leaves as they are.

In ``if sex = m then pregnancies = 0`` sex may be no quasi-identifier. Its values stay,
so that the rule leaves each record fewer alternatives: those fall away that its
governing values rule out, and where these meet one whole, nothing is left to be kept.
Records may share a group if rules leave them the same alternatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pandas as pd

from engine.constraints.edits import Alternative, Atom, EditRule, WordTest
from engine.constraints.linear import Equation, Inequality
from engine.constraints.parsing.condition import matching_atom_mask
from engine.constraints.parsing.syntax import Member
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.message import join_with_and
from engine.core.typing import Integers, Values

OPEN = "open"
"""Word of a record's alternative that its governing columns do not rule out."""


@dataclass(frozen=True)
class GoverningCondition:
    """Conditions on governing columns for each alternative of one rule.

    Attributes
    ----------
    text : str
        The rule.
    columns : tuple of str
        All columns of the table that governing atoms may name, by position.
    alternatives : tuple of (tuple of PolynomialComparison or WordTest, bool)
        The governing atoms of each alternative, and whether it has no other atoms.
    """

    text: str
    columns: tuple[str, ...]
    alternatives: tuple[tuple[Alternative, bool], ...]

    @property
    def governing_columns(self) -> tuple[str, ...]:
        """Governing columns that the rule names, in column order."""
        atoms = (atom for some, _ in self.alternatives for atom in some)
        places = sorted({j for atom in atoms for j in atom.support})
        return tuple(self.columns[j] for j in places)

    def open_alternatives(self, frame: pd.DataFrame, rows: Integers) -> Values:
        """Return 1 for alternatives that are open to a record, 0 for the others.

        NaN where nothing is left to be kept: an alternative is met whole, or a value
        is missing.

        Parameters
        ----------
        frame : pandas.DataFrame
            Has the governing columns.
        rows : ndarray of int64, shape (n_records,)
            Rows of the frame that are records.

        Returns
        -------
        ndarray of float64, shape (n_records, n_alternatives)

        Raises
        ------
        ParameterError
            If an atom does not fit its column.
        InfeasibleError
            If no alternative is open to a record.
        """
        governing_frame = frame[list(self.columns)]
        openness = np.ones((rows.size, len(self.alternatives)))
        named = governing_frame[list(self.governing_columns)].iloc[rows]
        exempt_mask = named.isna().to_numpy().any(axis=1)
        for place, (atoms, is_whole) in enumerate(self.alternatives):
            holds = np.ones(rows.size, dtype=np.bool_)
            for atom in atoms:
                holds &= matching_atom_mask(atom, governing_frame, self.text)[rows]
            if is_whole:
                exempt_mask |= holds
            openness[:, place] = np.where(is_whole, 0.0, holds)
        closed = ~exempt_mask & ~openness.any(axis=1)
        if closed.any():
            raise InfeasibleError(
                "{count:,} record breaks the rule {rule!r} by values of {columns}, "
                "which leave as they are: correct them, or leave the rule out.",
                "{count:,} records break the rule {rule!r} by values of {columns}, "
                "which leave as they are: correct them, or leave the rule out.",
                count=int(closed.sum()),
                rule=self.text,
                columns=join_with_and(self.governing_columns, quoted=True),
            )
        openness[exempt_mask] = np.nan
        return openness


def rewritten_rules_and_conditions(
    rules: Sequence[Member], n_columns: int, governing_columns: tuple[str, ...]
) -> tuple[tuple[Member, ...], tuple[GoverningCondition, ...]]:
    """Return rules rewritten without governing columns, and conditions on these.

    In their place stand more columns: one of each alternative of a governed rule,
    whose word says whether it is open.

    Parameters
    ----------
    rules : sequence of Equation, Bound, Inequality or EditRule
        Positions of governing columns come after those of the other columns.
    n_columns : int
        Number of the other columns.
    governing_columns : tuple of str

    Raises
    ------
    ParameterError
        If a rule calculates with a governing column, or names no other.
    """
    new_rules, conditions = list[Member](), list[GoverningCondition]()
    width = n_columns
    for rule in rules:
        named = [j - n_columns for j in rule.support if j >= n_columns]
        if not named:
            new_rules.append(rule)
            continue
        column = governing_columns[named[0]]
        if len(named) == len(rule.support):
            raise ParameterError(
                "The rule {rule!r} names no quasi-identifier: {column!r} leaves as it "
                "is, so that no release can change whether the rule holds. Leave it "
                "out.",
                rule=rule.text,
                column=column,
            )
        if not isinstance(rule, EditRule) or any(
            min(atom.support) < n_columns <= max(atom.support) for atom in rule.atoms
        ):
            raise ParameterError(
                "The rule {rule!r} calculates with {column!r}, which leaves as it is, "
                "so that records of one group could not keep it together: name the "
                "column among the quasi-identifiers, or compare it with a number or a "
                'word in a condition, as in "if {column} = 1 then income = 0".',
                rule=rule.text,
                column=column,
            )
        edit, condition = _split_edit(rule, n_columns, governing_columns, width)
        new_rules.append(edit)
        conditions.append(condition)
        width += len(condition.alternatives)
    return tuple(_with_width(rule, n_columns, width) for rule in new_rules), tuple(
        conditions
    )


def open_alternatives_code_per_record(
    conditions: Sequence[GoverningCondition], frame: pd.DataFrame, rows: Integers
) -> Integers:
    """Return a code per record, equal where the same alternatives are open.

    Numbered from 0 in order of first appearance.

    Parameters
    ----------
    conditions : sequence of GoverningCondition
    frame, rows
        As for :meth:`GoverningCondition.open_alternatives`.
    """
    codes = np.zeros(rows.size, dtype=np.int64)
    for condition in conditions:
        for column in condition.open_alternatives(frame, rows).T:
            codes = codes * 3 + np.where(np.isnan(column), 2, column).astype(np.int64)
            codes = np.asarray(pd.factorize(codes)[0], dtype=np.int64)
    return codes


def governing_columns(conditions: Sequence[GoverningCondition]) -> list[str]:
    """Return the names of the governing columns in conditions, each once."""
    named = (name for each in conditions for name in each.governing_columns)
    return list(dict.fromkeys(named))


def _with_width(rule: Member, n_columns: int, width: int) -> Member:
    """Return a rule about the first columns of `width` columns."""
    more = (Fraction(0),) * (width - n_columns)
    if isinstance(rule, Equation):
        return replace(rule, factors=rule.factors[:n_columns] + more)
    if isinstance(rule, Inequality):
        rows = tuple((factors[:n_columns] + more, c) for factors, c in rule.rows)
        return replace(rule, rows=rows)
    return rule


def _split_edit(
    rule: EditRule, n_columns: int, names: tuple[str, ...], first_place: int
) -> tuple[EditRule, GoverningCondition]:
    edit_alternatives: list[tuple[Atom, ...]] = []
    governing_alternatives: list[tuple[Alternative, bool]] = []
    places = {n_columns + j: j for j in range(len(names))}
    for alternative in rule.alternatives:
        atoms = tuple(atom for atom in alternative if max(atom.support) < n_columns)
        governing_atoms = tuple(
            atom.with_positions(places)
            for atom in alternative
            if min(atom.support) >= n_columns
        )
        is_open = WordTest(first_place + len(governing_alternatives), OPEN, True, 1.0)
        edit_alternatives.append((is_open, *atoms))
        governing_alternatives.append((governing_atoms, not atoms))
    return (
        EditRule(rule.text, tuple(edit_alternatives)),
        GoverningCondition(rule.text, names, tuple(governing_alternatives)),
    )
