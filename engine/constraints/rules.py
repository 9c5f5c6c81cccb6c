"""Linear rules between columns: read them, check records, make releases obey them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.constraints.conflict import (
    Member,
    as_arrays,
    meet,
    minimal_conflict,
    parted,
    satisfiable,
)
from engine.constraints.decimals import decimals_of, round_columns
from engine.constraints.grid import roundable
from engine.constraints.members import (
    Breach,
    about,
    breach,
    breaks,
    in_scale,
    patterns,
    residual,
    tied,
)
from engine.constraints.nearest import TOLERANCE, nearest
from engine.constraints.rounding import round_values
from engine.constraints.sentences import contradiction, no_rounding
from engine.constraints.syntax import read_rule
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.message import all_of
from engine.core.typing import Values

__all__ = [
    "TOLERANCE",
    "Breach",
    "Rules",
    "decimals_of",
    "parse_rules",
    "round_columns",
]


ROUNDING = 1e-12
"""What rounding may leave of an equation that holds, relative to its terms' size."""


@dataclass(frozen=True, eq=False)
class Rules:
    """Linear equations over some columns, and bounds of columns.

    A record satisfies them if ``A @ x = b`` and ``lower <= x <= upper``. A rule says
    nothing about a record that lacks one of its columns (NaN).

    Attributes
    ----------
    texts : tuple of str
        The rules as they were written.
    columns : tuple of str
    members : tuple of Equation or Bound
        The rules as they were read, exactly.
    """

    texts: tuple[str, ...]
    columns: tuple[str, ...]
    members: tuple[Member, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What the columns of :meth:`broken` are about."""
        return self.texts

    @cached_property
    def A(self) -> Values:  # noqa: N802
        """Factors of the equations, shape (n_equations, n_columns)."""
        rows = [list(map(float, each.factors)) for each in parted(self.members)[0]]
        return np.array(rows).reshape(-1, len(self.columns))

    @cached_property
    def b(self) -> Values:
        """Constants of the equations, shape (n_equations,)."""
        return np.array([float(each.constant) for each in parted(self.members)[0]])

    @cached_property
    def lower(self) -> Values:
        """Least value of each column, or -inf, shape (n_columns,)."""
        return as_arrays(meet(parted(self.members)[1]), len(self.columns))[0]

    @cached_property
    def upper(self) -> Values:
        """Largest value of each column, or inf, shape (n_columns,)."""
        return as_arrays(meet(parted(self.members)[1]), len(self.columns))[1]

    @property
    def bound_columns(self) -> tuple[str, ...]:
        """Columns that occur in some rule, in their order."""
        found = {j for member in self.members for j in member.support}
        return tuple(self.columns[j] for j in sorted(found))

    def residuals(self, values: Values) -> Values:
        """Return left side less right side, shape (n_records, n_rules).

        For a bound: how far a value lies beyond it, 0 within. NaN where a rule says
        nothing because a value is missing.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
        """
        found = [residual(member, values) for member in self.members]
        return np.array(found).reshape(len(found), len(values)).T

    def broken(self, values: Values, tolerance: float = TOLERANCE) -> NDArray[np.bool_]:
        """Return which record breaks which rule, shape (n_records, n_rules).

        An equation holds when its residual is below the tolerance relative to its
        terms' size; a bound holds exactly or not.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
        tolerance : float
        """
        found = [breaks(member, values, tolerance) for member in self.members]
        return np.array(found, dtype=np.bool_).reshape(len(found), len(values)).T

    def breaches(self, values: Values, worst: int = 5) -> tuple[Breach, ...]:
        """Return for each rule how many records break it, and which do most.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
        worst : int
            How many records to name for each rule.
        """
        return tuple(breach(member, values, worst) for member in self.members)

    def project(self, values: Values, weights: Values | None = None) -> Values:
        """Return the nearest values that satisfy every rule.

        Nearest in the columns' own units: the closed form
        ``x - A'(AA')^+ (Ax - b)``, as for fuzzy centres in Torra (2020,
        doi:10.3233/JIFS-189074), eq. 5; where that leaves the bounds, the nearest
        point within them. Values that satisfy the rules already come back unchanged;
        those that do so but roughly, as what an iteration has found, are moved too.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
        weights : ndarray of float64, shape (n_columns,), optional
            What a squared unit of each column costs.

        Raises
        ------
        InfeasibleError
            If numbers are so large that no floating-point numbers near them satisfy
            the rules.
        """
        off = np.flatnonzero(self.broken(values, ROUNDING).any(axis=1))
        if not off.size:
            return values
        out = values.copy()
        scale = np.ones(len(self.columns)) if weights is None else np.sqrt(weights)
        for holes, rows in patterns(np.isnan(values[off])):
            at = np.ix_(off[rows], ~holes)
            out[at] = self._without(holes)._nearest(values[at], scale[~holes])
        return out

    def _nearest(self, values: Values, scale: Values) -> Values:
        size = np.abs(self.A).max(axis=1, initial=0.0)
        A = self.A / size[:, None]
        b = np.broadcast_to(self.b / size, (len(values), size.size))
        low, high = self.lower * scale, self.upper * scale
        points, met = nearest(A / scale, b, values * scale, low, high)
        found = np.clip(points / scale, self.lower, self.upper)
        missed = ~met | self.broken(found).any(axis=1)
        found[missed] = values[missed]
        if self.broken(found).any():
            raise InfeasibleError(
                "The rules {rules} cannot be met near some groups' values: express "
                "the columns in a larger unit.",
                rules=all_of(self.texts, quoted=True),
            )
        return found

    def _without(self, holes: NDArray[np.bool_]) -> Rules:
        """Return the rules that say something about the other columns alone."""
        if not holes.any():
            return self
        kept = np.flatnonzero(~holes).tolist()
        members = about(self.members, kept)
        texts = tuple(member.text for member in members)
        return Rules(texts, tuple(self.columns[j] for j in kept), members)

    def parts(self) -> list[tuple[list[int], Rules]]:
        """Return the columns that equations tie together, each with their rules.

        Every column is in one part, alone where no equation names it.
        """
        found = []
        for columns in tied(self.members, len(self.columns)):
            holes = np.ones(len(self.columns), dtype=np.bool_)
            holes[columns] = False
            found.append((columns, self._without(holes)))
        return found

    def scaled(self, centre: Values, scale: Values) -> Rules:
        """Return the same rules about ``(values - centre) / scale``.

        Parameters
        ----------
        centre, scale : ndarray of float64, shape (n_columns,)
        """
        members = in_scale(self.members, centre, scale)
        return Rules(self.texts, self.columns, members)

    def check_rounding(self, decimals: Sequence[int] | NDArray[np.int64]) -> None:
        """Refuse decimals with which no values at all can satisfy the rules.

        Parameters
        ----------
        decimals : sequence of int, one per column
            -1 where a column is not rounded.

        Raises
        ------
        InfeasibleError
            Names the rules and the columns whose rounding is impossible.
        """
        places = [int(d) for d in decimals]
        if max(places, default=-1) < 0:
            return
        wrong = minimal_conflict(
            self.members, lambda members: roundable(members, places)
        )
        if wrong:
            raise InfeasibleError(no_rounding(wrong, self.columns, places))

    def first_roundable(self, *choices: tuple[int, ...]) -> tuple[int, ...]:
        """Return the first decimals with which values can satisfy the rules.

        Parameters
        ----------
        *choices : tuple of int, one per column
            The one that is wanted most first; -1 where a column is not rounded.

        Raises
        ------
        InfeasibleError
            If there are none; about the last.
        """
        *wanted, last = choices
        for decimals in wanted:
            try:
                self.check_rounding(decimals)
            except InfeasibleError:
                continue
            return decimals
        self.check_rounding(last)
        return last

    def round(
        self, values: Values, decimals: Sequence[int] | NDArray[np.int64]
    ) -> Values:
        """Return rounded values that satisfy the rules exactly.

        Rounded columns satisfy equations in decimal arithmetic, bounds hold, and
        columns that are not rounded are set so that equations hold to 1e-9 relative.
        See :func:`engine.constraints.rounding.round_values` for how near they stay.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
            That satisfy the rules, as :meth:`project` gives.
        decimals : sequence of int, one per column
            -1 where a column is not rounded.

        Raises
        ------
        InfeasibleError
            Names the rules and the columns whose rounding is impossible.
        """
        places = np.asarray(decimals, dtype=np.int64)
        if (places < 0).all():
            return values
        self.check_rounding(decimals)
        out = values.copy()
        for holes, rows in patterns(np.isnan(values)):
            rules = self._without(holes)
            out[np.ix_(rows, ~holes)] = round_values(
                rules.members,
                places[~holes].tolist(),
                values[np.ix_(rows, ~holes)],
                rules.columns,
            )
        return out


def parse_rules(
    texts: Sequence[str], columns: tuple[str, ...], known: tuple[str, ...] = ()
) -> Rules:
    """Read rules such as ``"1.16*exp16 + 1.07*exp7 = total"`` or ``"age >= 0"``.

    A column whose name is not a plain word is written between backquotes.

    Parameters
    ----------
    texts : sequence of str
    columns : tuple of str
        The columns that may occur: those that the release changes.
    known : tuple of str, optional
        All columns of the table, to tell a wrong name from a wrong role.

    Raises
    ------
    ParameterError
        If a rule cannot be read, names another column, or contradicts the others.
    """
    members = tuple(read_rule(text, columns, known) for text in texts)
    wrong = minimal_conflict(members, satisfiable)
    if wrong:
        raise ParameterError(contradiction(wrong))
    return Rules(tuple(texts), columns, members)
