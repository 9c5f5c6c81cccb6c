"""Rules for fewer, scaled or coded columns; columns linked by rules; gap patterns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from engine.constraints.edits import EditRule
from engine.constraints.linear import Bound, Equation, Inequality, Linear, Row
from engine.constraints.parsing.syntax import Member
from engine.core.typing import Values


def restrict_rules_to_columns(
    rules: Sequence[Member], columns: Sequence[int]
) -> tuple[Member, ...]:
    """Return the rules that involve only the given columns, which are renumbered.

    Parameters
    ----------
    rules : sequence of Member
    columns : sequence of int
        Positions of the columns that there are.
    """
    forms: list[Member] = []
    for member in rules:
        if not set(member.support) <= set(columns):
            continue
        if isinstance(member, Equation):
            factors = tuple(member.factors[j] for j in columns)
            forms.append(Equation(member.text, factors, member.constant))
        elif isinstance(member, Inequality):
            rows = tuple((tuple(f[j] for j in columns), c) for f, c in member.rows)
            forms.append(Inequality(member.text, rows))
        elif isinstance(member, EditRule):
            forms.append(member.with_positions({j: at for at, j in enumerate(columns)}))
        else:
            at = columns.index(member.column)
            forms.append(Bound(member.text, at, member.low, member.high))
    return tuple(forms)


def rescale_rules(
    rules: Sequence[Linear], centre: Values, scale: Values
) -> tuple[Member, ...]:
    """Return the rules rewritten for ``(values - centre) / scale``.

    Parameters
    ----------
    rules : sequence of Equation, Bound or Inequality
    centre, scale : ndarray of float64, shape (n_columns,)
    """
    centres = list(map(Fraction, centre.tolist()))
    scales = list(map(Fraction, scale.tolist()))
    rescaled_rules: list[Member] = []
    for member in rules:
        if isinstance(member, Equation):
            row = _rescale_row((member.factors, member.constant), centres, scales)
            rescaled_rules.append(Equation(member.text, *row))
        elif isinstance(member, Inequality):
            rows = tuple(_rescale_row(row, centres, scales) for row in member.rows)
            rescaled_rules.append(Inequality(member.text, rows))
        else:
            at, unit = centres[member.column], scales[member.column]
            low, high = (
                None if limit is None else (limit - at) / unit
                for limit in (member.low, member.high)
            )
            rescaled_rules.append(Bound(member.text, member.column, low, high))
    return tuple(rescaled_rules)


def iterate_rules_with_word_codes(
    rules: Sequence[Member],
    columns: Sequence[str],
    word_codes: Mapping[int, Mapping[str, int]],
) -> Iterator[Member]:
    """Yield the rules; edits are replaced by ones that hold the codes of their words.

    Parameters
    ----------
    rules : sequence of Member
    columns : sequence of str
    word_codes : mapping of int to mapping of str to int
        Positions of the columns that hold words, and the number of each.

    Raises
    ------
    ParameterError
    """
    for member in rules:
        if isinstance(member, EditRule):
            yield member.with_word_codes(word_codes, columns)
        else:
            yield member


def _rescale_row(
    row: Row, centres: Sequence[Fraction], scales: Sequence[Fraction]
) -> Row:
    terms = list(zip(row[0], centres, scales, strict=True))
    factors = tuple(factor * unit for factor, _, unit in terms)
    shift = sum((factor * at for factor, at, _ in terms), Fraction(0))
    return factors, row[1] - shift


def connected_column_groups(rules: Sequence[Member], n_columns: int) -> list[list[int]]:
    """Return the connected components of all columns, linked by sharing a rule.

    Parameters
    ----------
    rules : sequence of Member
    n_columns : int
        Number of columns.
    """
    of = list(range(n_columns))
    for member in rules:
        linked_parts = {of[j] for j in member.support}
        of = [min(linked_parts) if part in linked_parts else part for part in of]
    return [[j for j in range(n_columns) if of[j] == part] for part in sorted(set(of))]


def missing_patterns(
    is_missing: NDArray[np.bool_],
) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Return each pattern of missing columns, with the rows that have the pattern.

    Parameters
    ----------
    is_missing : ndarray of bool, shape (n_records, n_columns)
    """
    if not is_missing.any():
        return [
            (np.zeros(is_missing.shape[1], dtype=np.bool_), np.arange(len(is_missing)))
        ]
    kinds, which = np.unique(is_missing, axis=0, return_inverse=True)
    return [
        (kind, np.flatnonzero(which.ravel() == at)) for at, kind in enumerate(kinds)
    ]
