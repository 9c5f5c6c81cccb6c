"""Propensity features: original and released records in one design matrix."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.core.numerics.statistics import std_of_finite_values
from engine.core.typing import Values
from engine.measures.base import MeasuredRelease

MAX_PRODUCT_NUMBERS = 12
"""Numbers up to which the products of two of them are terms as well."""

MAX_INDICATORS = 20
"""Categories of a column that may have an indicator; rarer ones have none."""


@dataclass(frozen=True, eq=False)
class PropensityData:
    """Features of original records, followed by those of released records.

    Attributes
    ----------
    features : ndarray of float64, shape (2 * n_records, n_features)
        Numbers in standard deviations of the original, then indicators: of categories
        (rarer ones as one) but one per column, and of missing cells.
    n_numbers : int
        How many of the features are numbers.
    """

    features: Values
    n_numbers: int

    @property
    def released(self) -> NDArray[np.bool_]:
        """Bool mask of the released rows, shape (2 * n_records,)."""
        return np.repeat([False, True], len(self.features) // 2)

    def design_matrix(self) -> Values:
        """Return the regression terms, without the constant.

        Main effects, squares of numbers and, up to :data:`MAX_PRODUCT_NUMBERS` numbers,
        their products; all in standard deviations, constant ones left out.
        """
        numbers = self.features[:, : self.n_numbers]
        columns = [*self.features.T, *np.square(numbers).T]
        if self.n_numbers <= MAX_PRODUCT_NUMBERS:
            pairs = itertools.combinations(range(self.n_numbers), 2)
            columns += [numbers[:, a] * numbers[:, b] for a, b in pairs]
        terms = [
            (column - column.mean()) / unit
            for column in columns
            if (unit := std_of_finite_values(column))
        ]
        return np.column_stack(terms) if terms else np.empty((len(self.features), 0))


def propensity_data(
    protected: MeasuredRelease, records: NDArray[np.int64]
) -> PropensityData:
    """Return the features of some records before and after protection."""
    points = protected.points
    columns: list[Values] = []
    for j in np.flatnonzero(points.numeric):
        before, after = points.values[records, j], protected.as_written[records, j]
        deviations = np.concatenate([before, after]) - before.mean()
        columns.append(deviations / (std_of_finite_values(before) or 1.0))
    n_numbers = len(columns)
    for j in np.flatnonzero(~points.numeric):
        columns += _category_indicators(protected, int(j), records)
    for j in np.flatnonzero(points.missing.any(axis=0)):
        missing_indicator = points.missing[records, j].astype(np.float64)
        columns.append(np.concatenate([missing_indicator, missing_indicator]))
    nothing = np.zeros(2 * records.size)  # where all have the same category
    return PropensityData(np.column_stack(columns or [nothing]), n_numbers)


def _category_indicators(
    protected: MeasuredRelease, j: int, records: NDArray[np.int64]
) -> list[Values]:
    """Return one column per frequent category, before and after, but one."""
    name = protected.points.names[j]
    assert protected.original is not None
    before = protected.original[name].iloc[records].astype("str")
    after = protected.frame[name].iloc[records].astype("str")
    both = pd.concat([before, after])
    frequent = both.value_counts(sort=True).index[:MAX_INDICATORS].sort_values()
    codes = frequent.get_indexer(pd.Index(both))
    levels = np.unique(codes)[1:]
    return [(codes == level).astype(np.float64) for level in levels]


def propensity_mse(scores: Values) -> float:
    """Return the mean squared difference of propensity scores from 1/2.

    Parameters
    ----------
    scores : ndarray of float64
        Probability of each row to be a released record.
    """
    return float(np.square(scores - 0.5).mean())
