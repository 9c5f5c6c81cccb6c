"""Attribute disclosure: how well confidential values are guessed from classes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.core.numerics.statistics import std_of_finite_values
from engine.core.typing import Integers, Values
from engine.data.kinds import Kind
from engine.data.schema import Column
from engine.measures.base import MeasuredRelease, RiskInfo, Score, measures
from engine.measures.confidential import NOTHING_CONFIDENTIAL, encode_values

GUESS_TOLERANCE_DEVIATIONS = 0.1
"""Standard deviations by which a right guess of a number may be off."""


MAX_EXACT_OPERATIONS = 2e7
"""Values times sizes cubed up to which the guesses by chance are exact."""

N_DRAWS = 20
"""Draws of all classes whose mean right guesses by chance are otherwise."""


def values_and_tolerance(values: pd.Series, column: Column) -> tuple[Values, float]:
    """Return values as numbers, and the largest error of a right guess.

    Categories, ranks and missing values have to be guessed exactly.
    """
    date = pd.api.types.is_datetime64_any_dtype(values.dtype)
    number = pd.api.types.is_numeric_dtype(values.dtype)
    if column.kind is not Kind.CONTINUOUS or not (number or date):
        return encode_values(values, column)[0].astype(np.float64), 0.0
    if date:
        values = (values - values.min()) / pd.Timedelta(days=1)
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    near = GUESS_TOLERANCE_DEVIATIONS * std_of_finite_values(numbers, ddof=1)
    # What is missing or infinite lies together, out of reach of all others.
    step, present = 4.0 * near + 1.0, numbers[np.isfinite(numbers)]
    low_fill, high_fill = (
        present.min(initial=0.0) - step,
        present.max(initial=0.0) + step,
    )
    return np.nan_to_num(
        numbers, nan=high_fill, posinf=high_fill + step, neginf=low_fill
    ), near


def count_right_guesses(classes: Integers, values: Values, max_gap: float) -> Values:
    """Return for each class how many records its best guess is right for.

    Parameters
    ----------
    classes : ndarray of int64, shape (n_records,)
        Numbered 0, 1, ... without gaps.
    values : ndarray of float64, shape (n_records,)
    max_gap : float
        A guess is right for values at most so far away.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
    """
    order = np.lexsort((values, classes))
    line, groups = values[order], classes[order]
    # Each class in a stretch of its own, further from the next than a guess reaches.
    gap = float(np.ptp(line)) + 2.0 * max_gap + 1.0
    stretched = (line - line.min()) + gap * groups
    tolerance = 2.0 * max_gap + 1e-12 * gap * (groups[-1] + 1)
    reach = np.searchsorted(stretched, stretched + tolerance, side="right")
    counts = np.zeros(int(groups[-1]) + 1)
    np.maximum.at(counts, groups, (reach - np.arange(line.size)).astype(np.float64))
    return counts


def per_cent_of_right_guesses(
    classes: Integers, values: pd.Series, column: Column
) -> float:
    """Return how many in 100 records have the best guess for their class as value.

    Parameters
    ----------
    classes : ndarray of int64, shape (n_records,)
        Numbered 0, 1, ... without gaps.
    values : Series, n_records rows
    column : Column
    """
    numbers, near = values_and_tolerance(values, column)
    right = count_right_guesses(classes, numbers, near).sum()
    return 100.0 * float(right) / classes.size


def expected_right_guesses(
    sizes: Integers, values: Values, max_gap: float, seed: int
) -> float:
    """Return the expected number of right guesses in classes of random records.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
    values : ndarray of float64, shape (n_records,)
    max_gap : float
        As in :func:`count_right_guesses`.
    seed : int
        Of the draws, where the mean is not exact: of numbers, and of many values or
        large classes.

    Notes
    -----
    Counts of values in a class drawn at random are multivariate hypergeometric: that
    is, independent binomial numbers, given their sum. P(largest count <= t) is
    therefore a convolution of truncated binomials over that of the sum.
    """
    different, n_classes = np.unique(sizes, return_counts=True)
    counts = np.unique(values, return_counts=True)[1]
    work = counts.size * float(np.power(different.astype(np.float64), 3).sum())
    if max_gap == 0.0 and work <= MAX_EXACT_OPERATIONS:
        means = [_expected_largest(int(size), counts) for size in different]
        return float(n_classes @ np.array(means))
    rng = np.random.default_rng(seed)
    classes = np.repeat(np.arange(sizes.size), sizes)
    draws = (rng.permutation(values)[: classes.size] for _ in range(N_DRAWS))
    return float(
        np.mean([count_right_guesses(classes, each, max_gap).sum() for each in draws])
    )


def _expected_largest(size: int, counts: Integers) -> float:
    """Return the mean of the largest count of a value among records drawn at random."""
    from scipy.stats import binom

    n = int(counts.sum())
    if size >= n:
        return float(counts.max())
    drawn, counted = np.arange(size + 1), counts[:, None]
    chances = np.asarray(binom.pmf(drawn, counted, size / n))
    total = float(binom.pmf(size, n, size / n))
    largest = float(size)
    for limit in range(size):  # E max = sum over t of P(max > t)
        sums = np.zeros(size + 1)
        sums[0] = 1.0
        for row in chances[:, : limit + 1]:
            sums = np.convolve(sums, row)[: size + 1]
        largest -= float(sums[size]) / total
    return largest


@measures.register(
    RiskInfo(
        id="attribute-disclosure",
        title="Attribute disclosure",
        summary=(
            "An intruder guesses one confidential value for all records of a "
            "class. The measure is the share of records for which the best guess "
            "is right. A guessed number counts as right if it differs from the "
            "true number by at most 0.1 standard deviations. Of several "
            "attributes, the measure takes the attribute with the largest share."
        ),
        formula=(
            "100 * max over attributes of sum over classes of |{records that the best "
            "guess fits}| / n; a number fits within 0.1 s_j"
        ),
        reference="Hundepool et al. 2012, https://doi.org/10.1002/9781118348239",
        baseline=(
            "The best guess for random classes of the same sizes. Small classes make "
            "the guess easier, even if they are random."
        ),
    )
)
def attribute_disclosure(protected: MeasuredRelease) -> Score:
    """Return the share of right guesses in per cent, by attribute and the largest.

    The value is that of the attribute with the largest share. Who is in a small class
    is part of what the guess goes by: with k records no less than one in k is guessed.
    The baseline has that, too.
    """
    if not protected.confidential:
        return Score("attribute-disclosure", float("nan"), note=NOTHING_CONFIDENTIAL)
    classes = protected.classes()
    n = classes.size
    columns, overall = {}, {}
    for column in protected.confidential:
        released = protected.frame[column.name]
        values, near = values_and_tolerance(released, column)
        columns[column.name] = per_cent_of_right_guesses(classes, released, column)
        sizes = np.bincount(classes).astype(np.int64)
        expected_guesses = expected_right_guesses(sizes, values, near, protected.seed)
        overall[column.name] = 100.0 * expected_guesses / n
    worst = max(columns, key=columns.__getitem__)
    return Score(
        "attribute-disclosure",
        columns[worst],
        columns,
        baseline=overall[worst],
        baseline_per_column=overall,
    )
