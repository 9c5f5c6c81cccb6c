"""Naive twin of every measure: its formula, on the records as people see them.

A measure is conformant where it equals its twin, and both give the figure that was
worked out by hand for :data:`EXAMPLE`; see :mod:`tests.engine.measures.conformance`.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from tests.reference import diversity, risks

Numbers = NDArray[np.float64]

EXAMPLE = {
    "a": [0.0, 2.0, 10.0, 12.0],
    "b": [0.0, 4.0, 8.0, 8.0],
    "ill": ["x", "y", "x", "x"],
    "job": ["u", "v", "u", "v"],
}
"""Records of the figures by hand: two groups of two, of which each takes its mean."""


@dataclass(frozen=True)
class Records:
    """Numbers before and after protection, and who shares a group.

    Attributes
    ----------
    before, after : ndarray of float64, shape (n_records, n_attributes)
        NaN where a cell is missing.
    groups : list of int
    k : int
    weights : list of float
        Units that each record stands for.
    secrets : list of list of int
        Categories of each confidential column.
    """

    before: Numbers
    after: Numbers
    groups: list[int]
    k: int
    weights: list[float]
    secrets: list[list[int]]

    @property
    def n(self) -> int:
        return len(self.groups)

    @property
    def classes(self) -> list[tuple[float | None, ...]]:
        """The released values that each record shares with others."""
        return [
            tuple(None if math.isnan(x) else x for x in row)
            for row in self.after.tolist()
        ]

    def columns(self) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
        """Yield before, after and weights of the records that have each attribute."""
        for before, after in zip(self.before.T, self.after.T, strict=True):
            present_mask = ~np.isnan(before)
            weights = np.array(self.weights)[present_mask]
            yield before[present_mask], after[present_mask], weights / weights.sum()


Twin = Callable[[Records], float]

TWINS: dict[str, tuple[Twin, float | None, bool]] = {}
"""By measure: its twin, its figure of :data:`EXAMPLE`, whether it knows of gaps."""


def twin_of(
    measure: str, by_hand: float | None, gaps: bool = True
) -> Callable[[Twin], Twin]:
    """Name a function as the twin of a measure.

    Parameters
    ----------
    measure : str
    by_hand : float or None
        Figure of :data:`EXAMPLE`; None where nobody works it out by hand.
    gaps : bool
        False where cells that stay missing would make the twin as long as the measure.
    """

    def name(twin: Twin) -> Twin:
        TWINS[measure] = twin, by_hand, gaps
        return twin

    return name


# What it costs


@twin_of("average-class-size", 1.0)
def average_class_size(of: Records) -> float:
    return of.n / len(set(of.groups)) / of.k


@twin_of("discernibility", 8.0)
def discernibility(of: Records) -> float:
    return sum(size**2 for size in Counter(of.groups).values())


@twin_of("certainty-penalty", 100 * (1 / 6 + 1 / 4) / 2)
def certainty_penalty(of: Records) -> float:
    penalties = []
    for column in of.before.T:
        for group in of.groups:
            group_values = column[np.array(of.groups) == group]
            width = 0.0 if np.isnan(group_values).any() else np.ptp(group_values)
            penalties.append(width / (np.nanmax(column) - np.nanmin(column)))
    return 100 * fmean(penalties)


def squares(values: Numbers, weights: Numbers, middle: Numbers | float) -> float:
    return float(weights @ (values - middle) ** 2)


@twin_of("information-loss", 100 * (4 / 104 + 8 / 44) / 2)
@twin_of("released-loss", 100 * (4 / 104 + 8 / 44) / 2)
def information_loss(of: Records) -> float:
    loss = whole = 0.0
    for (x, y, w), column in zip(of.columns(), of.before.T, strict=True):
        present_weight = np.array(of.weights)[~np.isnan(column)].sum()
        loss += present_weight * squares(x, w, y) / x.var()
        whole += present_weight * squares(x, w, w @ x) / x.var()
    return 100 * loss / whole


@twin_of("il1s", (1 / math.sqrt(104 / 3) + 1 / math.sqrt(44 / 3)) / math.sqrt(8))
def il1s(of: Records) -> float:
    return fmean(
        np.abs(x - y).mean() / math.sqrt(2) / x.std(ddof=1) for x, y, _ in of.columns()
    )


@twin_of("means", 0.0)
def means(of: Records) -> float:
    return fmean(100 * abs(w @ y - w @ x) / x.std(ddof=1) for x, y, w in of.columns())


@twin_of("variances", 100 * (1 / 26 + 2 / 11) / 2)
def variances(of: Records) -> float:
    return fmean(
        100 * abs(squares(y, w, w @ y) / squares(x, w, w @ x) - 1)
        for x, y, w in of.columns()
    )


def quantile(values: Numbers, weights: Numbers, share: float) -> float:
    total = 0.0
    for value, weight in sorted(zip(values, weights, strict=True)):
        total += weight
        if total >= share - 1e-12:
            return float(value)
    raise AssertionError("shares sum to less than one")


@twin_of("quantiles", 50 * (1 / math.sqrt(104 / 3) + 10 / 9 / math.sqrt(44 / 3)))
def quantiles(of: Records) -> float:
    return fmean(
        100 * abs(quantile(y, w, d / 10) - quantile(x, w, d / 10)) / x.std(ddof=1)
        for x, y, w in of.columns()
        for d in range(1, 10)
    )


def gaps(x: Numbers, y: Numbers, w: Numbers) -> list[tuple[float, float]]:
    """Return all values, and how far the distribution functions are apart there."""
    points = sorted({*x.tolist(), *y.tolist()})
    return [(t, abs(w[x <= t].sum() - w[y <= t].sum())) for t in points]


@twin_of("kolmogorov-smirnov", 0.25)
def kolmogorov_smirnov(of: Records) -> float:
    return fmean(max(gap for _, gap in gaps(*each)) for each in of.columns())


@twin_of("wasserstein", (1 / math.sqrt(104 / 3) + 1 / math.sqrt(44 / 3)) / 2)
def wasserstein(of: Records) -> float:
    carried = []
    for x, y, w in of.columns():
        steps = gaps(x, y, w)
        areas = [gap * (until - t) for (t, gap), (until, _) in pairwise(steps)]
        carried.append(sum(areas) / x.std(ddof=1))
    return fmean(carried)


def correlation_matrix(values: Numbers, of: Records) -> Numbers:
    whole = ~np.isnan(of.before).any(axis=1)
    weights = np.array(of.weights)[whole]
    covariances = np.cov(values[whole].T, aweights=weights, bias=True)
    deviations = np.sqrt(np.diag(covariances))
    return np.asarray(covariances / np.outer(deviations, deviations))


@twin_of("correlations", 1 - 64 / math.sqrt(104 * 44))
def correlations(of: Records) -> float:
    moved = correlation_matrix(of.after, of) - correlation_matrix(of.before, of)
    pairs = combinations(range(len(moved)), 2)
    return fmean(abs(float(moved[i, j])) for i, j in pairs)


R = 64 / math.sqrt(104 * 44)


@twin_of("eigenvalues", (2 - (1 + R)) / (1 + R) + 1)
def eigenvalues(of: Records) -> float:
    before, after = (
        np.linalg.eigvalsh(correlation_matrix(values, of))
        for values in (of.before, of.after)
    )
    return float((np.abs(before - after) / before).sum())


def both_sides(of: Records) -> Numbers:
    deviations = np.vstack([of.before, of.after]) - of.before.mean(axis=0)
    return np.asarray(deviations / of.before.std(axis=0))


@twin_of("propensity-logistic", None, gaps=False)
def propensity_logistic(of: Records) -> float:
    from sklearn.linear_model import LogisticRegression

    sides = both_sides(of)
    pairs = combinations(range(sides.shape[1]), 2)
    terms = [*sides.T, *sides.T**2, *(sides[:, i] * sides[:, j] for i, j in pairs)]
    X = np.column_stack([(t - t.mean()) / t.std() for t in terms])
    origin = [0] * of.n + [1] * of.n
    model = LogisticRegression(C=1e6, solver="newton-cholesky").fit(X, origin)
    expected = len(terms) / (8 * len(X))
    return fmean((p - 0.5) ** 2 for p in model.predict_proba(X)[:, 1]) / expected


@twin_of("propensity-boosting", None, gaps=False)
def propensity_boosting(of: Records) -> float:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    X, origin = both_sides(of), np.repeat([False, True], of.n)

    def error(origin: NDArray[np.bool_]) -> float:
        trees = HistGradientBoostingClassifier(
            max_iter=50, max_leaf_nodes=15, early_stopping=False, random_state=0
        )
        with threadpool_limits(1):
            probabilities = trees.fit(X, origin).predict_proba(X)[:, 1]
        return fmean((p - 0.5) ** 2 for p in probabilities)

    rng = np.random.default_rng(0)
    return error(origin) / fmean(error(rng.permutation(origin)) for _ in range(10))


# How risky it is


def people(of: Records) -> list[float]:
    """Return one by how many people are of each record's kind."""
    return risks.shares(of.classes, of.weights)


@twin_of("prosecutor-risk", 50.0)
def prosecutor_risk(of: Records) -> float:
    return 100 / min(Counter(of.classes).values())


@twin_of("journalist-risk", 50.0)
def journalist_risk(of: Records) -> float:
    return 100 * max(people(of))


@twin_of("marketer-risk", 50.0)
def marketer_risk(of: Records) -> float:
    return 100 * fmean(people(of))


def alone(keys: Sequence[Hashable]) -> list[bool]:
    sizes = Counter(keys)
    return [sizes[key] == 1 for key in keys]


@twin_of("population-uniqueness", 0.0)
def population_uniqueness(of: Records) -> float:
    each = zip(alone(of.classes), of.weights, strict=True)
    return 100 * fmean(1 / weight if unique else 0.0 for unique, weight in each)


@twin_of("uniqueness", 0.0)
def uniqueness(of: Records) -> float:
    # Weights leave, too.
    return 100 * fmean(alone(list(zip(of.classes, of.weights, strict=True))))


@twin_of("attribute-disclosure", 75.0)
def attribute_disclosure(of: Records) -> float:
    right = (risks.guessed(of.classes, secret, 0.0) for secret in of.secrets)
    return 100 * max(right) / of.n


@twin_of("interval-disclosure", 50.0)
def interval_disclosure(of: Records) -> float:
    p, half = of.before.shape[1], 0.05 * np.nanstd(of.after, axis=0, ddof=1)
    # A cell that is missing lies outside of nothing.
    outside = (np.abs(of.before - of.after) > half).sum(axis=1)
    return 100 * fmean(outside <= (1 if p > 1 else 0))


@twin_of("rank-interval-disclosure", 25.0)
def rank_interval_disclosure(of: Records) -> float:
    return 100 * fmean(
        risks.rank_interval(x.tolist(), y.tolist(), r / 100)
        for x, y, _ in of.columns()
        for r in range(1, 11)
    )


def apart(of: Records, i: int, c: int) -> Numbers:
    return np.asarray(np.abs(of.before[i] - of.after[c]) / of.before.std(axis=0))


def nearest(of: Records) -> tuple[list[float], list[float]]:
    return risks.best(
        of.n, lambda i, c: -float(apart(of, i, c) @ apart(of, i, c)), of.classes
    )


@twin_of("record-linkage", 50.0, gaps=False)
def record_linkage(of: Records) -> float:
    return 100 * fmean(nearest(of)[0])


@twin_of("group-linkage", 100.0, gaps=False)
def group_linkage(of: Records) -> float:
    return 100 * fmean(nearest(of)[1])


@twin_of("probabilistic-linkage", 50.0, gaps=False)
def probabilistic_linkage(of: Records) -> float:
    def levels(i: int, c: int) -> list[int]:
        return [sum(d > limit for limit in (0.01, 0.1, 0.5)) for d in apart(of, i, c)]

    weights = risks.weights(of.n, of.before.shape[1], levels)

    def fit(i: int, c: int) -> float:
        return sum(weights[j][level] for j, level in enumerate(levels(i, c)))

    return 100 * fmean(risks.best(of.n, fit, of.classes)[0])


# What it protects


@twin_of("k-anonymity", 2.0)
def k_anonymity(of: Records) -> float:
    return min(Counter(of.classes).values())


@twin_of("l-diversity", 1.0)
@twin_of("p-sensitive", 1.0)
def l_diversity(of: Records) -> float:
    return min(diversity.distinct(of.classes, secret) for secret in of.secrets)


@twin_of("entropy-l-diversity", 1.0)
def entropy_l_diversity(of: Records) -> float:
    return min(diversity.entropy(of.classes, secret) for secret in of.secrets)


@twin_of("recursive-l-diversity", math.inf)
def recursive_l_diversity(of: Records) -> float:
    return max(diversity.recursive(of.classes, secret, 2) for secret in of.secrets)


@twin_of("t-closeness", 0.25)
def t_closeness(of: Records) -> float:
    return max(
        far
        for secret in of.secrets
        for far in diversity.closeness(of.classes, secret, ordered=False)
    )
