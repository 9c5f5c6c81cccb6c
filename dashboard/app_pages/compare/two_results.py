"""Comparison of two results: distributions, correlations and groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.charts.inputs import Correlations, Spread
from dashboard.i18n.language import _
from engine.core.typing import Values
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.measures.base import Protected
from engine.measures.numbers import Moments, moments
from engine.measures.numbers import Pair as Numbers
from engine.measures.numbers import pairs as numbers_of
from engine.pipeline.evaluate import protected_by
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

BINS = 24
"""Intervals that numbers are counted in."""

OUTER = 0.005
"""Share of the records on each side that lie in the outermost interval."""

CATEGORIES = 10
"""Categories that are drawn one by one; the others are counted together."""


@dataclass(frozen=True)
class Companions:
    """How alike two groupings are, over the records that both have.

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
class TwoResults:
    """All that is shown of two results beside each other.

    Attributes
    ----------
    spreads : tuple of Spread
        The attributes that both protect.
    correlations : Correlations
        Of the numbers among them.
    companions : Companions
    """

    spreads: tuple[Spread, ...]
    correlations: Correlations
    companions: Companions


def compare_two(one: Outcome, other: Outcome, table: Table) -> TwoResults:
    """Work out what two results of one table have and have not in common."""
    both = protected_by(one, table), protected_by(other, table)
    return TwoResults(
        tuple(_spreads((one, other), both)),
        _correlations(*map(moments, both)),
        companions(one, other),
    )


def _spreads(
    outcomes: tuple[Outcome, Outcome], both: tuple[Protected, Protected]
) -> list[Spread]:
    numbers = [{one.name: one for one in numbers_of(each)} for each in both]
    found = []
    for name in outcomes[0].plan.quasi_identifiers:
        if name not in outcomes[1].plan.quasi_identifiers:
            continue
        if name in numbers[0] and name in numbers[1]:
            found.append(spread_of_numbers(numbers[0][name], numbers[1][name]))
        elif both[0].original is not None:
            found.append(
                spread_of_categories(
                    name,
                    both[0].original[name],
                    _released(outcomes[0], name),
                    _released(outcomes[1], name),
                )
            )
    return found


def _released(outcome: Outcome, name: str) -> pd.Series:
    frame = outcome.release.frame
    return frame[name] if name in frame else frame[f"{name}_from"]


def spread_of_numbers(one: Numbers, other: Numbers) -> Spread:
    """Count an attribute of two results in the same intervals.

    The outermost intervals hold what lies farther out as well, so that a few far
    records do not press all others together.
    """
    before = one if one.before.size >= other.before.size else other
    low, high = np.quantile(before.before, [OUTER, 1.0 - OUTER])
    distinct = np.unique(before.before)
    if distinct.size <= BINS and np.all(distinct == np.round(distinct)):
        middles = np.arange(distinct[0], distinct[-1] + 1.0)
    else:
        middles = np.empty(0)
    if not 0 < middles.size <= BINS:
        width = (high - low) / BINS if high > low else 1.0
        middles = low + width * (np.arange(BINS) + 0.5)
    width = middles[1] - middles[0] if middles.size > 1 else 1.0
    edges = np.append(middles - width / 2, middles[-1] + width / 2)

    def shares(values: Values, weights: Values) -> Values:
        inside = np.clip(values, edges[0], np.nextafter(edges[-1], edges[0]))
        counted: Values = np.histogram(inside, edges, weights=100.0 * weights)[0]
        return counted

    words = [f"{a:.4g} – {b:.4g}" for a, b in pairwise(edges)]
    words[0], words[-1] = f"≤ {edges[1]:.4g}", f"≥ {edges[-2]:.4g}"
    return Spread(
        one.name,
        middles,
        tuple(words),
        (
            shares(before.before, before.weights),
            shares(one.after, one.weights),
            shares(other.after, other.weights),
        ),
    )


def spread_of_categories(
    name: str, before: pd.Series, one: pd.Series, other: pd.Series
) -> Spread:
    """Count the categories of an attribute, those beyond the most frequent together."""
    missing, rest = _("missing"), _("all others")
    counts = [
        column.astype(object).where(column.notna(), missing).astype(str).value_counts()
        for column in (before, one, other)
    ]
    total = pd.concat(counts, axis=1).fillna(0.0)
    total.columns = pd.RangeIndex(3)
    largest = (total / total.sum()).max(axis=1)
    ordered = total.loc[largest.sort_values(ascending=False, kind="stable").index]
    shown = ordered.iloc[:CATEGORIES]
    if len(ordered) > CATEGORIES:
        rest_row = ordered.iloc[CATEGORIES:].sum().to_frame(rest).T
        shown = pd.concat([shown, rest_row])
    shares = 100.0 * shown / total.sum()
    return Spread(
        name,
        None,
        tuple(map(str, shares.index)),
        (shares[0].to_numpy(), shares[1].to_numpy(), shares[2].to_numpy()),
    )


def _correlations(one: Moments, other: Moments) -> Correlations:
    names = tuple(name for name in one.names if name in other.names)

    def of(found: Moments, matrix: Values) -> Values:
        at = [found.names.index(name) for name in names]
        picked: Values = matrix[np.ix_(at, at)]
        return picked

    before = of(one, one.before)
    changes = (
        of(one, one.after) - before,
        of(other, other.after) - of(other, other.before),
    )
    # Of a column that became constant, not even the correlation with itself is left.
    for change in changes:
        np.fill_diagonal(change, 0.0)
    return Correlations(names, before, changes)


def companions(one: Outcome, other: Outcome) -> Companions:
    """Compare two groupings record by record, and pair by pair."""
    rows, first, second = np.intersect1d(
        one.release.rows, other.release.rows, return_indices=True
    )
    a, b = one.partition.labels[first], other.partition.labels[second]
    if rows.size == 0:
        return Companions(0, 0, (math.nan, math.nan))
    sizes_a, sizes_b = np.bincount(a), np.bincount(b)
    _pairs, cell, shared = np.unique(
        a * (b.max() + 1) + b, return_inverse=True, return_counts=True
    )
    alike = (shared[cell] == sizes_a[a]) & (shared[cell] == sizes_b[b])
    in_both = _two_of(shared)
    kept = tuple(
        in_both / _two_of(sizes) if _two_of(sizes) else math.nan
        for sizes in (sizes_a, sizes_b)
    )
    return Companions(int(rows.size), int(alike.sum()), (kept[0], kept[1]))


def _two_of(sizes: NDArray[np.int64]) -> float:
    """Return how many pairs there are within groups of these sizes."""
    return float((sizes * (sizes - 1) // 2).sum())


def has_categories(spreads: Sequence[Spread], plan: Plan) -> bool:
    """Return whether some attributes are left out where only numbers count."""
    return any(plan.kinds.get(one.name) is Kind.NOMINAL for one in spreads)
