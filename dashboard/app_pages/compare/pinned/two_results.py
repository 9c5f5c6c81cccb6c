"""Comparison of two results: distributions, correlations and groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.charts.inputs import AttributeDistribution, CorrelationChanges
from dashboard.i18n.language import _
from engine.core.typing import Values
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.measures.base import MeasuredRelease
from engine.measures.before_after.numbers import CorrelationMoments, correlation_moments
from engine.measures.before_after.numbers import NumericPair as Numbers
from engine.measures.before_after.numbers import numeric_pairs as numbers_of
from engine.pipeline.evaluate import make_measured_release
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

N_BINS = 24
"""Intervals that numbers are counted in."""

OUTER_BIN_SHARE = 0.005
"""Share of the records beyond the intervals on each side, counted in the outermost."""

MAX_CATEGORIES = 10
"""Categories that are drawn one by one; the others are counted together."""


@dataclass(frozen=True)
class GroupAgreement:
    """Numbers of records that two results share and group alike, and shares of pairs.

    Attributes
    ----------
    records : int
    same : int
        Records whose group has the same members in both.
    kept : tuple of float
        Share of the pairs that the first result puts together and the second one
        too, 0 to 1; and the other way round.
    """

    records: int
    same: int
    kept: tuple[float, float]


@dataclass(frozen=True, eq=False)
class ResultComparison:
    """Distributions, correlation changes and agreement of groups of two results.

    Attributes
    ----------
    spreads : tuple of AttributeDistribution
        The attributes that both protect.
    correlations : CorrelationChanges
        Of the numbers among them.
    companions : GroupAgreement
    """

    spreads: tuple[AttributeDistribution, ...]
    correlations: CorrelationChanges
    companions: GroupAgreement


def compare_two_outcomes(
    first_outcome: Outcome, second_outcome: Outcome, table: Table
) -> ResultComparison:
    """Return distributions, correlation changes and group agreement of two outcomes."""
    both = (
        make_measured_release(first_outcome, table),
        make_measured_release(second_outcome, table),
    )
    return ResultComparison(
        tuple(_distributions((first_outcome, second_outcome), both)),
        _correlation_changes(*map(correlation_moments, both)),
        count_records_grouped_alike(first_outcome, second_outcome),
    )


def _distributions(
    outcomes: tuple[Outcome, Outcome], both: tuple[MeasuredRelease, MeasuredRelease]
) -> list[AttributeDistribution]:
    numbers = [{column.name: column for column in numbers_of(each)} for each in both]
    spreads = []
    for name in outcomes[0].plan.quasi_identifiers:
        if name not in outcomes[1].plan.quasi_identifiers:
            continue
        if name in numbers[0] and name in numbers[1]:
            spreads.append(numeric_distribution(numbers[0][name], numbers[1][name]))
        elif both[0].original is not None:
            spreads.append(
                category_distribution(
                    name,
                    both[0].original[name],
                    _released_column(outcomes[0], name),
                    _released_column(outcomes[1], name),
                )
            )
    return spreads


def _released_column(outcome: Outcome, name: str) -> pd.Series:
    frame = outcome.release.frame
    return frame[name] if name in frame else frame[f"{name}_from"]


def numeric_distribution(
    first_pair: Numbers, second_pair: Numbers
) -> AttributeDistribution:
    """Return a numeric attribute's shares (%) per interval: original and two results.

    The outermost intervals hold what lies farther out as well, so that a few far
    records do not press all others together.
    """
    before = (
        first_pair if first_pair.before.size >= second_pair.before.size else second_pair
    )
    low, high = np.quantile(before.before, [OUTER_BIN_SHARE, 1.0 - OUTER_BIN_SHARE])
    distinct = np.unique(before.before)
    if distinct.size <= N_BINS and np.all(distinct == np.round(distinct)):
        middles = np.arange(distinct[0], distinct[-1] + 1.0)
    else:
        middles = np.empty(0)
    if not 0 < middles.size <= N_BINS:
        width = (high - low) / N_BINS if high > low else 1.0
        middles = low + width * (np.arange(N_BINS) + 0.5)
    width = middles[1] - middles[0] if middles.size > 1 else 1.0
    edges = np.append(middles - width / 2, middles[-1] + width / 2)

    def shares(values: Values, weights: Values) -> Values:
        inside = np.clip(values, edges[0], np.nextafter(edges[-1], edges[0]))
        counted: Values = np.histogram(inside, edges, weights=100.0 * weights)[0]
        return counted

    words = [f"{a:.4g} – {b:.4g}" for a, b in pairwise(edges)]
    words[0], words[-1] = f"≤ {edges[1]:.4g}", f"≥ {edges[-2]:.4g}"
    return AttributeDistribution(
        first_pair.name,
        middles,
        tuple(words),
        (
            shares(before.before, before.weights),
            shares(first_pair.after, first_pair.weights),
            shares(second_pair.after, second_pair.weights),
        ),
    )


def category_distribution(
    name: str, original: pd.Series, first: pd.Series, second: pd.Series
) -> AttributeDistribution:
    """Return shares (%) per category, original and two results, rare ones merged."""
    missing, rest = _("missing"), _("all others")
    counts = [
        column.astype(object).where(column.notna(), missing).astype(str).value_counts()
        for column in (original, first, second)
    ]
    total = pd.concat(counts, axis=1).fillna(0.0)
    total.columns = pd.RangeIndex(3)
    largest = (total / total.sum()).max(axis=1)
    ordered = total.loc[largest.sort_values(ascending=False, kind="stable").index]
    drawn_counts = ordered.iloc[:MAX_CATEGORIES]
    if len(ordered) > MAX_CATEGORIES:
        rest_row = ordered.iloc[MAX_CATEGORIES:].sum().to_frame(rest).T
        drawn_counts = pd.concat([drawn_counts, rest_row])
    shares = 100.0 * drawn_counts / total.sum()
    return AttributeDistribution(
        name,
        None,
        tuple(map(str, shares.index)),
        (shares[0].to_numpy(), shares[1].to_numpy(), shares[2].to_numpy()),
    )


def _correlation_changes(
    first: CorrelationMoments, second: CorrelationMoments
) -> CorrelationChanges:
    names = tuple(name for name in first.names if name in second.names)

    def of(moments: CorrelationMoments, matrix: Values) -> Values:
        at = [moments.names.index(name) for name in names]
        picked: Values = matrix[np.ix_(at, at)]
        return picked

    before = of(first, first.before)
    changes = (
        of(first, first.after) - before,
        of(second, second.after) - of(second, second.before),
    )
    # Of a column that became constant, not even the correlation with itself is left.
    for change in changes:
        np.fill_diagonal(change, 0.0)
    return CorrelationChanges(names, before, changes)


def count_records_grouped_alike(
    outcome: Outcome, compared_outcome: Outcome
) -> GroupAgreement:
    """Return how many shared records two results group alike, and shares of pairs."""
    rows, first, second = np.intersect1d(
        outcome.release.rows, compared_outcome.release.rows, return_indices=True
    )
    a, b = outcome.partition.labels[first], compared_outcome.partition.labels[second]
    if rows.size == 0:
        return GroupAgreement(0, 0, (math.nan, math.nan))
    sizes_a, sizes_b = np.bincount(a), np.bincount(b)
    _pairs, cell, shared = np.unique(
        a * (b.max() + 1) + b, return_inverse=True, return_counts=True
    )
    alike = (shared[cell] == sizes_a[a]) & (shared[cell] == sizes_b[b])
    in_both = _count_pairs(shared)
    shares = tuple(
        in_both / _count_pairs(sizes) if _count_pairs(sizes) else math.nan
        for sizes in (sizes_a, sizes_b)
    )
    return GroupAgreement(int(rows.size), int(alike.sum()), (shares[0], shares[1]))


def _count_pairs(sizes: NDArray[np.int64]) -> float:
    """Return how many pairs there are within groups of these sizes."""
    return float((sizes * (sizes - 1) // 2).sum())


def has_nominal_attributes(
    distributions: Sequence[AttributeDistribution], plan: Plan
) -> bool:
    """Return whether at least one of the distributions is of a nominal attribute."""
    return any(plan.kinds.get(spread.name) is Kind.NOMINAL for spread in distributions)
