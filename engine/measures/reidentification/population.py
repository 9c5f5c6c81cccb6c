"""Risks in the population that a table samples: E[1 / F | f] of each class.

f people of a kind are in the table, F of them in the population. Each is drawn with the
class's sampling fraction, independently; F is not known but through f.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.core.message import NO_MESSAGE, Message
from engine.core.typing import Integers, Values
from engine.data.persons import NOBODY, person_weights
from engine.measures.base import MeasuredRelease, Score
from engine.measures.reidentification.sampling import Z_95_PERCENT

POPULATION_RISK_REFERENCE = (
    "Bethlehem, Keller & Pannekoek 1990, "
    "https://doi.org/10.1080/01621459.1990.10475304; Engen 1974, "
    "https://doi.org/10.1093/biomet/61.2.263; Franconi & Polettini 2004, "
    "https://doi.org/10.1007/978-3-540-25955-8_20"
)

N_NODES = 96
"""Nodes of the quadrature: five digits or more for classes of any size."""

MAX_LOG_SIZE = 64
"""People of a class up to which the quadrature's nodes are spaced by logarithms."""

PARAMETER_BOUNDS = ((math.log(0.02), math.log(51.0)), (-12.0, 25.0))
"""Bounds of log(1 + shape) and log(spread)."""

DERIVATIVE_STEP = 1e-3
"""Step of numerical derivatives by both parameters."""

MAX_KINDS_AT_ONCE = 20_000
"""Kinds of classes that are integrated at a time, for memory."""


def population_weights(
    weights: Values | None, n_records: int, fraction: float = 0.0
) -> Values:
    """Return the number of people each record represents, shape (n_records,).

    Parameters
    ----------
    weights : ndarray of float64, shape (n_records,), or None
    n_records : int
    fraction : float
        Share of the population that the records are; 0 where it is not known.
    """
    if weights is not None:
        return weights
    return np.full(n_records, 1.0 / fraction if fraction > 0.0 else 1.0)


@dataclass(frozen=True, eq=False)
class SampledClasses:
    """Sizes of a table's classes, as a sample of the population's classes.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_kinds,)
        People of a class; classes that are alike in both figures are one kind.
    fractions : ndarray of float64, shape (n_kinds,)
        Share of such people that is in the table, to six digits, of many classes to
        three.
    n_classes : ndarray of float64, shape (n_kinds,)
        Classes of the kind.
    kinds : ndarray of int64, shape (n_classes,)
        The kind of each class.
    """

    sizes: Integers
    fractions: Values
    n_classes: Values
    kinds: Integers

    @classmethod
    def count(cls, protected: MeasuredRelease, classes: Integers) -> SampledClasses:
        """Return the class sizes, with each person counted once if k counts persons.

        Parameters
        ----------
        classes : ndarray of int64, shape (n_records,)
            Of the release, or of the table before protection.
        """
        sizes = np.maximum(protected.class_sizes(classes), 1)
        stand_for = population_weights(
            protected.points.weights, classes.size, protected.sampling_fraction
        )
        if protected.persons is not None:
            stand_for = stand_for * person_weights(classes, protected.persons)
        people = np.maximum(np.bincount(classes, stand_for), sizes)
        digits = 6 if sizes.size <= MAX_KINDS_AT_ONCE else 3
        fractions = np.exp(np.round(np.log(sizes / people), digits))
        pairs, kinds, counts = np.unique(
            np.column_stack([sizes, fractions]),
            axis=0,
            return_inverse=True,
            return_counts=True,
        )
        return cls(
            pairs[:, 0].astype(np.int64),
            pairs[:, 1],
            counts.astype(np.float64),
            kinds.astype(np.int64),
        )


@dataclass(frozen=True, eq=False)
class PopulationModel:
    """Negative binomial model of the number of people per combination of values.

    Poisson with means that are gamma distributed over the kinds. Then F - f is negative
    binomial, given f, with f + shape successes of the probability
    (1 + fraction * spread) / (1 + spread).

    Attributes
    ----------
    shape : float
        Of the gamma distribution. Below 0, down to -1, there are more and more kinds
        the rarer they are.
    spread : float
        Its scale, in people. Shape 0 and an infinite spread say nothing beforehand:
        the model of Benedetti and Franconi.
    covariance : ndarray of float64, shape (2, 2), or None
        Of log(1 + shape) and log(spread); None where these are not estimated.
    """

    shape: float = 0.0
    spread: float = math.inf
    covariance: Values | None = None

    @classmethod
    def fit(cls, sampled: SampledClasses) -> PopulationModel:
        """Return the maximum-likelihood model, given that each class has f >= 1.

        Where no class has a single person, they were formed by their sizes, which then
        say nothing of the population: nothing is known beforehand.
        """
        if not ((sampled.sizes == 1) & (sampled.fractions < 1.0)).any():
            return cls()
        from scipy.optimize import minimize

        def loss(parameters: Values) -> float:
            return -_log_likelihood(parameters, sampled)

        optimum = minimize(
            loss,
            np.array([math.log(0.9), 3.0]),
            method="Nelder-Mead",
            bounds=PARAMETER_BOUNDS,
            options={"xatol": 1e-5, "fatol": 1e-7, "maxiter": 500},
        )
        best = np.asarray(optimum.x, dtype=np.float64)
        # Away from the bounds, so that derivatives exist there.
        low, high = np.array(PARAMETER_BOUNDS).T
        best = np.clip(best, low + 0.01, high - 0.01)
        return cls(
            math.expm1(best[0]), math.exp(best[1]), _inverse_information(loss, best)
        )

    def posterior(self, sampled: SampledClasses) -> tuple[Values, Values]:
        """Return size and probability parameters of F - f given f, (n_kinds,) each."""
        fractions = sampled.fractions
        if math.isinf(self.spread):
            return sampled.sizes.astype(np.float64) + self.shape, fractions
        chance = (1.0 + fractions * self.spread) / (1.0 + self.spread)
        return sampled.sizes.astype(np.float64) + self.shape, chance

    def neighbours(self) -> list[tuple[PopulationModel, PopulationModel]]:
        """Return the models one step above and below in each parameter."""
        pairs = []
        for step in np.eye(2) * DERIVATIVE_STEP:
            above, below = (
                PopulationModel(
                    math.expm1(math.log1p(self.shape) + side * step[0]),
                    self.spread * math.exp(side * step[1]),
                )
                for side in (1.0, -1.0)
            )
            pairs.append((above, below))
        return pairs


def _log_likelihood(parameters: Values, sampled: SampledClasses) -> float:
    """Return the log likelihood of truncated negative binomial class sizes."""
    from scipy.special import gammaln

    shape, spread = math.expm1(parameters[0]), math.exp(parameters[1])
    f, mean = sampled.sizes, sampled.fractions * spread
    tail = shape * np.log1p(mean)  # - log P(f = 0)
    if abs(shape) < 1e-9:
        truncated = np.log(np.log1p(mean))
    elif shape > 0.0:
        truncated = tail + np.log(-np.expm1(-tail)) - math.log(shape)
    else:
        truncated = np.log(-np.expm1(tail)) - math.log(-shape)
    each = gammaln(f + shape) - gammaln(1.0 + shape) - gammaln(f + 1.0)
    each += f * (np.log(mean) - np.log1p(mean)) - truncated
    return float(sampled.n_classes @ each)


def _inverse_information(loss: Callable[[Values], float], best: Values) -> Values:
    """Return the covariance of two estimates; large where nothing tells of one."""
    steps = np.eye(2) * 0.01
    information = np.empty((2, 2))
    for i, step in enumerate(steps):
        for j, other in enumerate(steps):
            corners = (
                a * b * loss(best + a * step + b * other)
                for a in (1.0, -1.0)
                for b in (1.0, -1.0)
            )
            information[i, j] = sum(corners) / 4e-4
    sizes, axes = np.linalg.eigh(information)
    covariance: Values = (axes / np.maximum(sizes, 0.01)) @ axes.T
    return covariance


def inverse_size_moments(
    sizes: Integers, chance: Values, shape: float
) -> tuple[Values, Values]:
    """Return E[1 / F] and E[1 / F^2] for F = f + a negative binomial variable.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_kinds,)
        f, at least 1.
    chance : ndarray of float64, shape (n_kinds,)
        Probability of the negative binomial, above 0 and at most 1.
    shape : float
        It has f + shape successes.

    Notes
    -----
    1 / F is the integral of s^(F-1) over 0 < s < 1, so that with the generating
    function and s = u / (p + q u), q = 1 - p, ::

        E[1 / F] = p * integral over 0 < u < 1 of u^(f-1) (p + q u)^(shape-1)

    and for 1 / F^2 the same of -log(s) more; with shape 0 it is
    (p / f) 2F1(1, 1; f + 1; q), as Franconi and Polettini (2004) have it.
    """
    if sizes.size > MAX_KINDS_AT_ONCE:
        halves = zip(np.array_split(sizes, 2), np.array_split(chance, 2), strict=True)
        moments = [inverse_size_moments(*half, shape) for half in halves]
        return np.concatenate([m[0] for m in moments]), np.concatenate(
            [m[1] for m in moments]
        )
    nodes, shares = np.polynomial.legendre.leggauss(N_NODES)
    v, shares = (nodes + 1.0) / 2.0, shares / 2.0
    first, second = 1.0 / sizes, 1.0 / np.square(sizes.astype(np.float64))
    drawn = chance < 1.0 - 1e-9  # else F is f
    small = drawn & (sizes <= MAX_LOG_SIZE)
    for where in (small, drawn & ~small):
        f, p = sizes[where][:, None].astype(np.float64), chance[where][:, None]
        q = 1.0 - p
        if where is small:  # nodes where log(p + q u) is spread evenly
            base = p ** (1.0 - v)
            u = (base - p) / q
            density = -np.log(p) * p / q * base**shape * u ** (f - 1.0)
        else:  # and where u^f is
            u = v ** (1.0 / f)
            base = p + q * u
            density = p / f * base ** (shape - 1.0)
        density = density * shares
        first[where] = density.sum(axis=1)
        second[where] = (density * np.log(base / u)).sum(axis=1)
    return first, second


def _named_chances(model: PopulationModel, sampled: SampledClasses) -> Values:
    """Return mean and variance of 1 / F of each kind, shape (2, n_kinds)."""
    chance = model.posterior(sampled)[1]
    mean, square = inverse_size_moments(sampled.sizes, chance, model.shape)
    return np.stack([mean, np.maximum(square - mean * mean, 0.0)])


def _unique_chances(model: PopulationModel, sampled: SampledClasses) -> Values:
    """Return mean and variance of whether F is 1, shape (2, n_kinds)."""
    successes, chance = model.posterior(sampled)
    mean = np.where(sampled.sizes == 1, chance**successes, 0.0)
    return np.stack([mean, mean * (1.0 - mean)])


def average_risk(
    measure: str, protected: MeasuredRelease, of_uniques: bool = False
) -> Score:
    """Return the expected mean of 1 / F, or share with F = 1, of records in per cent.

    Parameters
    ----------
    measure : str
        Identifier of the score.
    of_uniques : bool
        Whether the share with F = 1 is returned.
    """
    chances = _unique_chances if of_uniques else _named_chances

    def estimate(classes: Integers) -> Estimate:
        sampled = SampledClasses.count(protected, classes)
        model = PopulationModel.fit(sampled)
        records = _record_shares(protected)
        per_class = np.bincount(classes, records, sampled.kinds.size)
        weight = np.bincount(sampled.kinds, per_class, sampled.sizes.size)
        squares = np.bincount(sampled.kinds, per_class**2, sampled.sizes.size)
        mean, variance = chances(model, sampled)
        spread = float(squares @ variance)
        if model.covariance is not None:
            slopes = np.array(
                [
                    weight @ (chances(above, sampled) - chances(below, sampled))[0]
                    for above, below in model.neighbours()
                ]
            ) / (2.0 * DERIVATIVE_STEP)
            spread += float(slopes @ model.covariance @ slopes)
        share = float(weight @ mean)
        return share, _share_interval(share, math.sqrt(spread)), model

    return _score(measure, protected, estimate)


def highest_risk(measure: str, protected: MeasuredRelease) -> Score:
    """Return the highest expected 1 / F of a class, in per cent.

    The interval is that of 1 / F of this class, from quantiles of F.
    """
    from scipy.stats import nbinom

    def estimate(classes: Integers) -> Estimate:
        sampled = SampledClasses.count(protected, classes)
        model = PopulationModel.fit(sampled)
        mean = _named_chances(model, sampled)[0]
        if protected.persons is not None:
            somebody = sampled.kinds[classes[protected.persons != NOBODY]]
            mean[np.setdiff1d(np.arange(mean.size), somebody)] = 0.0
        worst = int(mean.argmax())
        if sampled.fractions[worst] == 1.0:
            return float(mean[worst]), None, model
        drawn = [each[worst] for each in model.posterior(sampled)]
        min_size, max_size = sampled.sizes[worst] + nbinom.ppf([0.025, 0.975], *drawn)
        return float(mean[worst]), (1.0 / float(max_size), 1.0 / float(min_size)), model

    return _score(measure, protected, estimate)


def _record_shares(protected: MeasuredRelease) -> Values:
    """Return what each record counts in a mean, (n_records,), adding up to 1."""
    n = protected.points.n_records
    if protected.persons is None:
        return np.full(n, 1.0 / n)
    weights = person_weights(np.zeros(n, dtype=np.int64), protected.persons)
    shares: Values = weights / weights.sum()
    return shares


Estimate = tuple[float, tuple[float, float] | None, PopulationModel]
"""A share, its 95 % interval unless it is exact, and what it was estimated by."""


def _score(
    measure: str, protected: MeasuredRelease, estimate: Callable[[Integers], Estimate]
) -> Score:
    """Return the share of a release as a score, beside that of the original."""
    after, before = protected.classes(), protected.classes_before()
    share, interval, model = estimate(after)
    if protected.points.weights is None and protected.sampling_fraction == 0.0:
        note = Message(
            "Unknown: neither a column of weights nor a sampling fraction says how "
            "many people a record stands for. It is {risk:.1f} % at most: that of a "
            "table which is the whole population.",
            risk=100.0 * share,
        )
        return Score(measure, math.nan, interval=(0.0, 100.0 * share), note=note)
    return Score(
        measure,
        100.0 * share,
        interval=interval and (100.0 * interval[0], 100.0 * interval[1]),
        baseline=None if before is None else 100.0 * estimate(before)[0],
        note=_assumption(protected, model),
    )


def _share_interval(share: float, error: float) -> tuple[float, float] | None:
    """Return a 95 % interval, normal in the log odds; None if the share is exact."""
    from scipy.special import expit

    if error <= 1e-12 or not 0.0 < share < 1.0:
        return None
    odds = math.log(share / (1.0 - share))
    reach = Z_95_PERCENT * error / (share * (1.0 - share))
    return float(expit(odds - reach)), float(expit(odds + reach))


def _assumption(protected: MeasuredRelease, model: PopulationModel) -> Message:
    """Say what an estimate assumes."""
    if protected.points.weights is None and protected.sampling_fraction == 1.0:
        return NO_MESSAGE
    if model.covariance is None:
        return Message(
            "Expected where people are in the file independently of each other, and "
            "nothing else is known of how many there are of a kind."
        )
    return Message(
        "Expected where people are in the file independently of each other, and the "
        "numbers of people of a kind are Poisson with gamma distributed means, fitted "
        "to the file (shape {shape:.2f}).",
        shape=model.shape,
    )
