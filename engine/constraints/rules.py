"""Rules between columns: parsing, checks of records, projection and rounding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.constraints.breaches import (
    RuleBreach,
    count_and_rank_violations,
    rule_breach_mask,
)
from engine.constraints.conflict import find_minimal_conflict, is_satisfiable
from engine.constraints.edits import EditRule
from engine.constraints.exact_rounding.grid import has_rounded_solution
from engine.constraints.exact_rounding.rounding import (
    round_values,
    round_with_mask_and_rounded_columns,
)
from engine.constraints.governing import (
    OPEN,
    GoverningCondition,
    rewritten_rules_and_conditions,
)
from engine.constraints.linear import RELATIVE_TOLERANCE, Linear
from engine.constraints.parsing.syntax import Member, parse_rule
from engine.constraints.projection import project_on_linear_rules_with_success_mask
from engine.constraints.repair import RepairTask, repair_with_success_mask
from engine.constraints.rewritten_rules import (
    connected_column_groups,
    iterate_rules_with_word_codes,
    missing_patterns,
    rescale_rules,
    restrict_rules_to_columns,
)
from engine.constraints.sentences import contradiction_message, no_rounding_message
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.message import join_with_and
from engine.core.typing import Integers, Values

Among = Callable[[int], Values]
"""Gives the records that a row may take its values from, shape (n, n_columns)."""

EQUATION_TOLERANCE = 1e-12
"""What rounding may leave of an equation that holds, relative to its terms' size."""


@dataclass(frozen=True, eq=False)
class Rules:
    """Constraint rules on records: linear rules and edits (non-linear rules).

    A rule says nothing about a record that lacks one of its columns (NaN).

    Attributes
    ----------
    texts : tuple of str
        The rules as they were written.
    columns : tuple of str
        Columns that the release changes, and one more for each alternative of a rule
        with governing columns.
    members : tuple of Equation, Bound, Inequality or EditRule
        The rules as they were read, exactly.
    conditions : tuple of GoverningCondition
        What rules ask of columns that leave as they are.
    """

    texts: tuple[str, ...]
    columns: tuple[str, ...]
    members: tuple[Member, ...]
    conditions: tuple[GoverningCondition, ...] = ()

    @property
    def bound_columns(self) -> tuple[str, ...]:
        """Numeric columns that occur in a rule, in column order."""
        positions = {j for member in self.members for j in member.support}
        return tuple(self.columns[j] for j in sorted(positions - self._words))

    @property
    def word_columns(self) -> tuple[str, ...]:
        """Columns that a rule compares with words, in column order."""
        return tuple(self.columns[j] for j in sorted(self._words))

    @property
    def _words(self) -> set[int]:
        return {j for edit in self.edits for j in edit.word_columns}

    @property
    def n_changed(self) -> int:
        """Number of columns that the release changes."""
        n_alternatives = sum(len(each.alternatives) for each in self.conditions)
        return len(self.columns) - n_alternatives

    def open_alternatives(self, frame: pd.DataFrame, rows: Integers) -> Values:
        """Return what governing columns leave open, (n_records, n_alternatives).

        Parameters
        ----------
        frame, rows
            As for :meth:`GoverningCondition.open_alternatives`.

        Raises
        ------
        ParameterError, InfeasibleError
        """
        each = [clause.open_alternatives(frame, rows) for clause in self.conditions]
        return np.column_stack([np.empty((rows.size, 0)), *each])

    def broken(
        self, values: Values, tolerance: float = RELATIVE_TOLERANCE
    ) -> NDArray[np.bool_]:
        """Return a bool mask of broken rules, shape (n_records, n_rules).

        An equation holds when its residual is below the tolerance relative to its
        terms' size; a bound holds exactly or not.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
        tolerance : float
        """
        masks = [rule_breach_mask(member, values, tolerance) for member in self.members]
        return np.array(masks, dtype=np.bool_).reshape(len(masks), len(values)).T

    def breaches(self, values: Values, worst: int = 5) -> tuple[RuleBreach, ...]:
        """Return for each rule the number of records that break it, and the worst.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
        worst : int
            How many records to name for each rule.
        """
        return tuple(
            count_and_rank_violations(member, values, worst) for member in self.members
        )

    def project(self, values: Values, among: Among | None = None) -> Values:
        """Return the nearest values that satisfy every rule.

        Nearest in the columns' own units: the closed form
        ``x - A'(AA')^+ (Ax - b)``, as for fuzzy centres in Torra (2020,
        doi:10.3233/JIFS-189074), eq. 5; where that leaves the bounds, the nearest
        point within them. Values that satisfy the rules already come back unchanged;
        those that do so but roughly, as what an iteration has found, are moved too.
        Where an edit that is not linear is broken, the nearest of its alternatives is
        chosen (:mod:`engine.constraints.repair`).

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
        among : callable, optional
            As for :meth:`round`.

        Raises
        ------
        InfeasibleError
            If numbers are so large that no floating-point numbers near them satisfy
            the rules, or no alternative of an edit can be met.
        """
        off = np.flatnonzero(self.broken(values, EQUATION_TOLERANCE).any(axis=1))
        if not off.size:
            return values
        out = values.copy()
        for holes, rows in missing_patterns(np.isnan(values[off])):
            at = np.ix_(off[rows], ~holes)
            out[at] = self._without(holes)._nearest(values[at])
        return self._repaired(values, out, None, among)

    @property
    def edits(self) -> tuple[EditRule, ...]:
        """Non-linear rules."""
        return tuple(each for each in self.members if isinstance(each, EditRule))

    @property
    def linear_rules(self) -> tuple[Linear, ...]:
        """Linear rules."""
        return tuple(each for each in self.members if not isinstance(each, EditRule))

    def _nearest(self, values: Values) -> Values:
        projection, met_mask = project_on_linear_rules_with_success_mask(
            self.linear_rules, values
        )
        projection[~met_mask] = values[~met_mask]
        linear = Rules(self.texts, self.columns, self.linear_rules)
        if linear.broken(projection).any():
            raise InfeasibleError(
                "The rules {rules} cannot be met near some groups' values: express "
                "the columns in a larger unit.",
                rules=join_with_and(self.texts, quoted=True),
            )
        return projection

    def _repaired(
        self,
        values: Values,
        is_met: Values,
        decimals: Sequence[int] | None,
        among: Among | None,
    ) -> Values:
        """Return values in which no edit is broken any more."""
        if not self.edits:
            return is_met
        off = np.flatnonzero(self.broken(is_met)[:, self._nonlinear].any(axis=1))
        if not off.size:
            return is_met
        out = is_met.copy()
        open_rows = []
        for holes, rows in missing_patterns(np.isnan(values[off])):
            at = np.ix_(off[rows], ~holes)
            rules = self._without(holes)
            places = (
                None
                if decimals is None
                else [d for d, hole in zip(decimals, holes, strict=True) if not hole]
            )
            task = _repair_task(rules, places)
            out[at], met_mask = repair_with_success_mask(task, values[at])
            open_rows += off[rows[~met_mask]].tolist()
        for row in sorted(open_rows):
            chosen = None if among is None else self._chosen(values[row], among(row))
            if chosen is None:
                edits = [edit.text for edit in self.edits]
                raise InfeasibleError(
                    "A group has no values near its own that keep the rules {rules}, "
                    "and none of its records keeps them either: leave a rule out, or "
                    "correct the records that break it.",
                    rules=join_with_and(edits, quoted=True),
                )
            out[row] = chosen
        return out

    @property
    def _nonlinear(self) -> list[int]:
        members = enumerate(self.members)
        return [at for at, each in members if isinstance(each, EditRule)]

    def _chosen(self, value: Values, records: Values) -> Values | None:
        """Return the record nearest to a value among those that keep every rule."""
        keeping = records[~self.broken(records).any(axis=1)]
        if not len(keeping):
            return None
        present_mask = ~np.isnan(value)
        spread = records[:, present_mask].std(axis=0)
        unit = np.where(spread > 0.0, spread, 1.0)
        distances = np.square((keeping - value)[:, present_mask] / unit).sum(axis=1)
        return np.asarray(keeping[distances.argmin()])

    def _without(self, holes: NDArray[np.bool_]) -> Rules:
        """Return the rules that say something about the other columns alone."""
        if not holes.any():
            return self
        return self.about_columns(np.flatnonzero(~holes).tolist())

    def about_columns(self, columns: Sequence[int]) -> Rules:
        """Return the rules that involve only the given columns, now renumbered."""
        members = restrict_rules_to_columns(self.members, columns)
        texts = tuple(member.text for member in members)
        return Rules(texts, tuple(self.columns[j] for j in columns), members)

    def connected_parts(self) -> list[tuple[list[int], Rules]]:
        """Return the connected components of columns that share rules, with rules.

        Every column is in one part, alone where no rule names it with another; those
        of rules' alternatives come last, with the columns that the rule names.
        """
        parts = []
        for columns in connected_column_groups(self.members, len(self.columns)):
            holes = np.ones(len(self.columns), dtype=np.bool_)
            holes[columns] = False
            parts.append((columns, self._without(holes)))
        return parts

    def rescaled(self, centre: Values, scale: Values) -> Rules:
        """Return the linear rules rewritten for ``(values - centre) / scale``.

        Parameters
        ----------
        centre, scale : ndarray of float64, shape (n_columns,)
        """
        members = rescale_rules(self.linear_rules, centre, scale)
        return Rules(tuple(each.text for each in members), self.columns, members)

    def check_rounding(self, decimals: Sequence[int] | NDArray[np.int64]) -> None:
        """Raise if no values with these decimals can satisfy the rules.

        Parameters
        ----------
        decimals : sequence of int, one per column that the release changes
            -1 where a column is not rounded.

        Raises
        ------
        InfeasibleError
            Names the rules and the columns whose rounding is impossible.
        """
        places = self._pad_decimals(decimals)
        if max(places, default=-1) < 0:
            return
        wrong = find_minimal_conflict(
            self.members, lambda members: has_rounded_solution(members, places)
        )
        if wrong:
            raise InfeasibleError(no_rounding_message(wrong, self.columns, places))

    def first_roundable(self, *choices: tuple[int, ...]) -> tuple[int, ...]:
        """Return the first of several choices of decimals that rules permit.

        Parameters
        ----------
        *choices : tuple of int, one per column that the release changes
            The one that is wanted most first; -1 where a column is not rounded.

        Raises
        ------
        InfeasibleError
            If rules permit none of them; the message is about the last.
        """
        *first_choices, last = choices
        for decimals in first_choices:
            try:
                self.check_rounding(decimals)
            except InfeasibleError:
                continue
            return decimals
        self.check_rounding(last)
        return last

    def round(
        self,
        values: Values,
        decimals: Sequence[int] | NDArray[np.int64],
        among: Among | None = None,
    ) -> Values:
        """Return rounded values that satisfy the rules exactly.

        Rounded columns satisfy equations in decimal arithmetic, bounds hold, and
        columns that are not rounded are set so that equations hold to 1e-9 relative.
        See :func:`engine.constraints.exact_rounding.rounding.round_values` for how near
        they stay.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
            That satisfy the rules, as :meth:`project` gives.
        decimals : sequence of int, one per column that the release changes
            -1 where a column is not rounded.
        among : callable, optional
            Takes the number of a row and gives the records, shape (n, n_columns), of
            which the nearest that keeps every rule is taken where no alternative of
            an edit can be met.

        Raises
        ------
        InfeasibleError
            Names the rules and the columns whose rounding is impossible.
        """
        places = np.array(self._pad_decimals(decimals), dtype=np.int64)
        if (places < 0).all():
            return values
        self.check_rounding(decimals)
        out = values.copy()
        for holes, rows in missing_patterns(np.isnan(values)):
            rules = self._without(holes)
            out[np.ix_(rows, ~holes)] = round_values(
                rules.members,
                places[~holes].tolist(),
                values[np.ix_(rows, ~holes)],
                rules.columns,
            )
        return self._repaired(values, out, places.tolist(), among)

    def _pad_decimals(self, decimals: Sequence[int] | Integers) -> list[int]:
        """Return decimals for all columns; those of alternatives are not rounded."""
        places = [int(d) for d in decimals]
        return places + [-1] * (len(self.columns) - len(places))


def _repair_task(rules: Rules, decimals: Sequence[int] | None) -> RepairTask:
    """Return how edits are repaired: projected, or rounded as well."""
    places = tuple([-1] * len(rules.columns) if decimals is None else decimals)

    def solve(
        members: Sequence[Linear], values: Values
    ) -> tuple[Values, NDArray[np.bool_]]:
        solutions, mask = project_on_linear_rules_with_success_mask(members, values)
        if decimals is not None and mask.any():
            solutions[mask], fits, _ = round_with_mask_and_rounded_columns(
                members, places, solutions[mask], rules.columns
            )
            mask[mask] = fits
        return solutions, mask

    def distance(values: Values, points: Values) -> Values:
        offsets = points - values
        if decimals is None:
            return np.asarray(np.square(offsets).sum(axis=1))
        return np.asarray(np.abs(offsets).sum(axis=1))

    def kept(values: Values) -> NDArray[np.bool_]:
        return np.asarray(~rules.broken(values).any(axis=1))

    return RepairTask(rules.linear_rules, rules.edits, places, solve, distance, kept)


def parse_rules(
    texts: Sequence[str],
    columns: tuple[str, ...],
    table_columns: tuple[str, ...] = (),
    word_codes: Mapping[str, Mapping[str, int]] | None = None,
    governing_columns: tuple[str, ...] = (),
) -> Rules:
    """Return rules parsed from texts such as ``"1.16*exp16 + 1.07*exp7 = total"``.

    A column whose name is not a plain word is written between backquotes.

    Parameters
    ----------
    texts : sequence of str
    columns : tuple of str
        The columns that may occur: those that the release changes.
    table_columns : tuple of str, optional
        All columns of the table, to tell a wrong name from a wrong role.
    word_codes : mapping of str to mapping of str to int, optional
        The columns that hold words, and the number of each word. Without it words are
        read, but no record can be said to keep what is said about them.
    governing_columns : tuple of str, optional
        Columns that leave as they are, on which conditions may depend.

    Raises
    ------
    ParameterError
        If a rule cannot be read, names another column, or contradicts the others.
    """
    all_columns = (*columns, *governing_columns)
    read = tuple(parse_rule(text, all_columns, table_columns) for text in texts)
    members, conditions = rewritten_rules_and_conditions(
        read, len(columns), governing_columns
    )
    n_alternatives = sum(len(each.alternatives) for each in conditions)
    more = tuple(f"{OPEN} {place}" for place in range(n_alternatives))
    if word_codes is not None:
        by_place = {at: word_codes.get(name) for at, name in enumerate(columns)}
        by_place |= {len(columns) + place: {OPEN: 1} for place in range(n_alternatives)}
        place_codes = {at: words for at, words in by_place.items() if words is not None}
        members = tuple(
            iterate_rules_with_word_codes(members, (*columns, *more), place_codes)
        )
    wrong = find_minimal_conflict(members, is_satisfiable)
    if wrong:
        raise ParameterError(contradiction_message(wrong))
    return Rules(tuple(texts), (*columns, *more), members, conditions)
