"""Numbers before and after protection, as measures of their distributions want them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.core.message import Message
from engine.core.typing import Values
from engine.measures.base import Protected, Score

NO_NUMBERS = Message("No quasi-identifier is a number.")
"""Why there is no figure of numbers."""


@dataclass(frozen=True, eq=False)
class Pair:
    """One attribute of the records that have it.

    Attributes
    ----------
    name : str
    before, after : ndarray of float64, shape (n_present,)
        In the column's own units; as the release writes them.
    weights : ndarray of float64, shape (n_present,)
        How many units each record stands for, divided by their sum.
    """

    name: str
    before: Values
    after: Values
    weights: Values

    @property
    def deviation(self) -> float:
        """Standard deviation before protection (divided by n - 1); 0 for a constant."""
        if self.before.size < 2 or np.ptp(self.before) == 0.0:
            return 0.0
        return float(self.before.std(ddof=1))

    def per_deviation(self, difference: float) -> float:
        """Return a difference in standard deviations; 0 for a constant."""
        deviation = self.deviation
        return difference / deviation if deviation > 0.0 else 0.0


def pairs(protected: Protected) -> list[Pair]:
    """Return the numeric attributes, each without the cells that stay missing."""
    points, written = protected.points, protected.written
    weights = points.weights
    if weights is None:
        weights = np.ones(points.n_records)
    found = []
    for j in np.flatnonzero(points.numeric):
        there = ~points.missing[:, j]
        w = weights[there]
        before, after = points.values[there, j], written[there, j]
        found.append(Pair(points.names[j], before, after, w / w.sum()))
    return found


def mean_over_columns(
    measure: str, protected: Protected, figure: Callable[[Pair], float]
) -> Score:
    """Return a figure of each numeric attribute, and their mean.

    Parameters
    ----------
    measure : str
        Identifier of the score.
    protected : Protected
    figure : callable
        Takes a :class:`Pair`.
    """
    columns = {pair.name: float(figure(pair)) for pair in pairs(protected)}
    if not columns:
        return Score(measure, float("nan"), note=NO_NUMBERS)
    return Score(measure, float(np.mean(list(columns.values()))), columns)


@dataclass(frozen=True, eq=False)
class Moments:
    """Second moments of all numeric attributes that vary, over complete records.

    Attributes
    ----------
    names : tuple of str
    before, after : ndarray of float64, shape (n_names, n_names)
        Correlation matrices; of a column that became constant the correlations are 0,
        its own included.
    """

    names: tuple[str, ...]
    before: Values
    after: Values


def moments(protected: Protected) -> Moments:
    """Return the correlations before and after protection, by the records' weights."""
    points = protected.points
    numeric = np.flatnonzero(points.numeric)
    complete = ~points.missing[:, numeric].any(axis=1)
    values = points.values[np.ix_(complete, numeric)]
    if not values.size:
        return Moments((), np.empty((0, 0)), np.empty((0, 0)))
    varies = np.ptp(values, axis=0) > 0.0
    written = protected.written[np.ix_(complete, numeric[varies])]
    weights = np.ones(len(values))
    if points.weights is not None:
        weights = points.weights[complete]
    return Moments(
        tuple(points.names[j] for j in numeric[varies]),
        _correlations(values[:, varies], weights),
        _correlations(written, weights),
    )


def _correlations(values: Values, weights: Values) -> Values:
    shares = weights / weights.sum()
    centred = values - shares @ values
    constant = np.ptp(values, axis=0) == 0.0
    deviations = np.sqrt(shares @ np.square(centred))
    scaled = centred / np.where(constant, 1.0, deviations)
    scaled[:, constant] = 0.0
    found: Values = scaled.T @ (shares[:, np.newaxis] * scaled)
    return found
