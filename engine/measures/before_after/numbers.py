"""Numeric attributes before and after protection, for distribution measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine.core.message import Message
from engine.core.numerics.statistics import overflow_exponents, std_of_finite_values
from engine.core.typing import Values
from engine.measures.base import MeasuredRelease, MeasureFamily, MeasureInfo, Score

NO_NUMBERS = Message("No quasi-identifier is a number.")
"""Why there is no figure of numbers."""


@dataclass(frozen=True, kw_only=True)
class NumericChangeInfo(MeasureInfo):
    """Description of a measure of numeric change, with a sampling baseline."""

    family: MeasureFamily = "loss"
    baseline: str = (
        "The standard error of the measure: its typical variation between random "
        "samples with as many records as the table."
    )
    on_demand: bool = True


N_JACKKNIFE_PARTS = 20
"""Random parts of the records that are left out in turn for standard errors."""


@dataclass(frozen=True, eq=False)
class NumericPair:
    """One numeric attribute before and after, for records that have a value.

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
    def effective_size(self) -> float:
        """Effective number of records under weights (Kish 1965, Survey Sampling)."""
        return 1.0 / float(np.square(self.weights).sum())

    @property
    def standard_deviation(self) -> float:
        """Standard deviation before protection (divided by n - 1); 0 for a constant."""
        return std_of_finite_values(self.before, ddof=1)

    def rescaled(self) -> NumericPair:
        """Return both columns times a power of 2, so that squares stay finite."""
        power = -overflow_exponents(self.before)
        before, after = np.ldexp(self.before, power), np.ldexp(self.after, power)
        return replace(self, before=before, after=after)

    def in_deviations(self, difference: float) -> float:
        """Return a difference in standard deviations; 0 for a constant."""
        deviation = self.standard_deviation
        return difference / deviation if deviation > 0.0 else 0.0


def numeric_pairs(protected: MeasuredRelease) -> list[NumericPair]:
    """Return each numeric attribute before and after, without missing cells."""
    points, written = protected.points, protected.as_written
    weights = points.weights
    if weights is None:
        weights = np.ones(points.n_records)
    pairs = []
    for j in np.flatnonzero(points.numeric):
        is_present = ~points.missing[:, j]
        w = weights[is_present]
        before, after = points.values[is_present, j], written[is_present, j]
        pairs.append(NumericPair(points.names[j], before, after, w / w.sum()))
    return pairs


def mean_over_columns(
    measure: str,
    protected: MeasuredRelease,
    figure: Callable[[NumericPair], float],
    baseline: Callable[[NumericPair], float],
) -> Score:
    """Return the score of a figure per numeric attribute, and its mean.

    Parameters
    ----------
    measure : str
        Identifier of the score.
    figure : callable
        Takes a :class:`NumericPair`, whose unit does not matter.
    baseline : callable
        Takes one too, and returns what to compare its figure with.
    """
    columns, beside = {}, {}
    for pair in map(NumericPair.rescaled, numeric_pairs(protected)):
        columns[pair.name] = float(figure(pair))
        beside[pair.name] = float(baseline(pair))
    if not columns:
        return Score(measure, float("nan"), note=NO_NUMBERS)
    return Score(
        measure,
        float(np.mean(list(columns.values()))),
        columns,
        baseline=float(np.mean(list(beside.values()))),
        baseline_per_column=beside,
    )


@dataclass(frozen=True, eq=False)
class CorrelationMoments:
    """Correlations of all varying numeric attributes, over complete records.

    Attributes
    ----------
    names : tuple of str
    before, after : ndarray of float64, shape (n_names, n_names)
        Correlation matrices; of a column that became constant the correlations are 0,
        its own included.
    parts : ndarray of float64, shape (n_parts, n_names, n_names)
        As `before`, without one of :data:`N_JACKKNIFE_PARTS` random parts of the
        records each.
    """

    names: tuple[str, ...]
    before: Values
    after: Values
    parts: Values


def correlation_moments(protected: MeasuredRelease) -> CorrelationMoments:
    """Return the correlations before and after protection, weighted."""
    points = protected.points
    numeric = np.flatnonzero(points.numeric)
    complete = ~points.missing[:, numeric].any(axis=1)
    values = points.values[np.ix_(complete, numeric)]
    if not values.size:
        none = np.empty((0, 0))
        return CorrelationMoments((), none, none, np.empty((0, 0, 0)))
    varies = np.ptp(values, axis=0) > 0.0
    written = protected.as_written[np.ix_(complete, numeric[varies])]
    weights = np.ones(len(values))
    if points.weights is not None:
        weights = points.weights[complete]
    return CorrelationMoments(
        tuple(points.names[j] for j in numeric[varies]),
        _weighted_correlations(values[:, varies], weights),
        _weighted_correlations(written, weights),
        _jackknife_correlations(values[:, varies], weights, protected.seed),
    )


def jackknife_errors(parts: Values, figure: Callable[[Values], Values]) -> Values:
    """Return jackknife standard errors of figures of a correlation matrix.

    By the jackknife that leaves out groups: Kott 2001, Journal of Official Statistics
    17(4), 521-526.

    Parameters
    ----------
    parts : ndarray of float64, shape (n_parts, n_names, n_names)
        :attr:`CorrelationMoments.parts`.
    figure : callable
        Takes one matrix; returns an array of any shape.
    """
    replicates = np.stack([figure(part) for part in parts])
    sq_deviations = np.square(replicates - replicates.mean(axis=0)).sum(axis=0)
    errors: Values = np.sqrt((len(parts) - 1) / len(parts) * sq_deviations)
    return errors


def _jackknife_correlations(values: Values, weights: Values, seed: int) -> Values:
    n, p = values.shape
    count = min(N_JACKKNIFE_PARTS, n)
    order = np.random.default_rng(seed).permutation(n)
    centred = values - values.mean(axis=0)
    centred = np.ldexp(centred, -overflow_exponents(centred))
    totals = np.empty(count)
    sums = np.empty((count, p))
    squares = np.empty((count, p, p))
    for part, rows in enumerate(np.array_split(order, count)):
        lines, w = centred[rows], weights[rows]
        totals[part], sums[part] = w.sum(), w @ lines
        squares[part] = lines.T @ (w[:, np.newaxis] * lines)
    rest = totals.sum() - totals
    rest[rest <= 0.0] = np.inf  # one record has all the weight that a number can hold
    means = (sums.sum(axis=0) - sums) / rest[:, np.newaxis]
    moments = (squares.sum(axis=0) - squares) / rest[:, np.newaxis, np.newaxis]
    covariances = moments - means[:, :, np.newaxis] * means[:, np.newaxis, :]
    variances = np.clip(np.einsum("gjj->gj", covariances), 0.0, None)
    deviations = np.sqrt(variances)
    scale = deviations[:, :, np.newaxis] * deviations[:, np.newaxis, :]
    correlations: Values = np.divide(
        covariances, scale, out=np.zeros_like(covariances), where=scale > 0.0
    )
    return correlations


def _weighted_correlations(values: Values, weights: Values) -> Values:
    shares = weights / weights.sum()
    centred = values - shares @ values
    centred = np.ldexp(centred, -overflow_exponents(centred))
    constant = np.ptp(values, axis=0) == 0.0
    deviations = np.sqrt(shares @ np.square(centred))
    scaled = centred / np.where(constant, 1.0, deviations)
    scaled[:, constant] = 0.0
    correlations: Values = scaled.T @ (shares[:, np.newaxis] * scaled)
    return correlations
