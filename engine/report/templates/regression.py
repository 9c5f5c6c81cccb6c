"""Linear regression on microaggregated data, with valid standard errors.

Needs numpy, pandas and scipy. Which function suits a release, its guide says, and how
often the intervals hold. Errors need not be normal, nor of the same variance.

* ``plain``: least squares on the records. Where every column was grouped on its own
  (individual ranking), and where neither response nor regressors were changed.
* ``by_groups``: where the response did not take part in forming the groups, whether it
  was averaged with them or left as it is, and every column that formed them is a
  regressor: least squares on the groups' means, weighted by their sizes.
* ``sorted_by``: where groups were formed by some columns, the response among them, and
  all others were averaged in these groups: the moments that averaging took away are put
  back. The idea is that of Schmid and Schneeweiss (2005, doi:10.5282/ubm/epub.1831) and
  Schmid (2006, doi:10.5282/ubm/epub.1840), who take all columns for normal. Here what a
  group's mean owes to chance is its distance from a line through the nearest groups
  (Gasser et al. 1986, doi:10.1093/biomet/73.3.625), and errors are those of one group
  after the other drawn anew (Efron & Stein 1981, doi:10.1214/aos/1176345462), so that
  no distribution is assumed.

Columns must be means of their groups: no mode, no median, no square or product or
logarithm taken from the release. Text among the regressors becomes indicators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree
from scipy.stats import t

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Estimate:
    """Coefficients (constant first), standard errors and degrees of freedom."""

    names: tuple[str, ...]
    coefficients: Array
    errors: Array
    df: int

    def intervals(self, level: float = 0.95) -> Array:
        """Return confidence intervals, shape (n_coefficients, 2)."""
        reach = t.ppf(0.5 + level / 2, self.df) * self.errors
        return np.column_stack([self.coefficients - reach, self.coefficients + reach])

    def table(self, level: float = 0.95) -> pd.DataFrame:
        """Return coefficients, errors and intervals, a row per coefficient."""
        low, high = self.intervals(level).T
        columns = {"estimate": self.coefficients, "error": self.errors}
        return pd.DataFrame(columns | {"low": low, "high": high}, index=self.names)


def plain(frame: pd.DataFrame, response: str, regressors: Sequence[str]) -> Estimate:
    """Return the ordinary least squares estimate on the records."""
    X = pd.get_dummies(frame[list(regressors)], drop_first=True, dtype=float)
    return _least_squares(frame[response].to_numpy(float), X, np.ones(len(frame)))


def by_groups(
    frame: pd.DataFrame,
    response: str,
    regressors: Sequence[str],
    grouped_columns: Sequence[str],
    group_forming_columns: Sequence[str] | None = None,
) -> Estimate:
    """Return the least squares estimate on group means, weighted by group sizes.

    `grouped_columns` are the columns that share values in a group;
    `group_forming_columns` those that formed the groups, all of `grouped_columns` but
    the response if left out.
    """
    formed = [name for name in grouped_columns if name != response]
    formed = formed if group_forming_columns is None else list(group_forming_columns)
    absent = [name for name in formed if name not in regressors]
    if absent:
        raise ValueError(
            f"{', '.join(absent)} formed the groups: without it among the regressors "
            "the slopes are not those of the records."
        )
    X = pd.get_dummies(frame[list(regressors)], drop_first=True, dtype=float)
    sizes, means = _means(
        pd.concat([frame[[response]], X], axis=1), frame, grouped_columns
    )
    X = pd.DataFrame(means[:, 1:], columns=X.columns)
    return _least_squares(means[:, 0], X, sizes)


def sorted_by(
    frame: pd.DataFrame,
    response: str,
    regressors: Sequence[str],
    grouped_columns: Sequence[str],
    group_forming_columns: Sequence[str],
) -> Estimate:
    """Return the estimate from moments corrected for grouping by some columns."""
    names = [
        *group_forming_columns,
        *(n for n in (response, *regressors) if n not in group_forming_columns),
    ]
    sizes, means = _means(frame[names], frame, grouped_columns)
    n, q = sizes.sum(), len(group_forming_columns)
    centre = sizes @ means / n
    deviations = np.column_stack([np.ones(len(sizes)), means - centre])
    order = [0, *(1 + names.index(name) for name in regressors)]
    noise = _NeighbourNoise(means[:, :q], sizes)
    others = slice(1 + q, None)
    chance = noise.residuals(deviations[:, others])
    moments = deviations[:, :, None] * deviations[:, None, :]
    # A mean of s records has 1 / s of a record's variance: put the rest back.
    rest = (sizes - 1)[:, None, None] * chance[:, :, None] * chance[:, None, :]
    moments[:, others, others] += rest
    y = 1 + names.index(response)
    whole = np.einsum("g,gij->ij", sizes, moments)
    inverse = np.linalg.inv(whole[np.ix_(order, order)])
    slopes = inverse @ whole[order, y]

    def influence(moments: Array) -> Array:
        each = moments[:, order]
        scores = each[:, :, y] - each[:, :, order] @ slopes
        return np.asarray(scores @ inverse, dtype=np.float64)

    smooth = noise.smooth(influence(moments))
    covariance = np.einsum("g,gi,gj->ij", sizes, smooth, smooth)
    for change in noise.redraw(deviations, chance, q):
        moved = influence(change)
        covariance += moved.T @ moved / (2 * N_REDRAWN)
    # From the centre back to where the columns are 0.
    back = np.eye(len(order))
    back[0, 1:] = -(np.append(0.0, centre))[order[1:]]
    coefficients = back @ slopes
    coefficients[0] += centre[y - 1]
    errors = np.sqrt(np.diag(back @ covariance @ back.T))
    return Estimate(
        ("constant", *regressors), coefficients, errors, len(sizes) - len(order)
    )


N_REDRAWN = 3
"""Neighbours whose chance a group is given in turn."""


class _NeighbourNoise:
    """What groups' means owe to chance, from lines through the nearest groups."""

    def __init__(self, sorters: Array, sizes: Array) -> None:
        g, q = sorters.shape
        n_near = min(g, 4 * q + 5)
        scaled = sorters / sorters.std(axis=0)
        self.sizes = sizes
        self.near = np.asarray(cKDTree(scaled).query(scaled, n_near)[1])
        design = np.ones((g, n_near, q + 1))
        design[:, :, 1:] = scaled[self.near] - scaled[:, None]
        weighted = design * sizes[self.near][:, :, None]
        products = np.swapaxes(weighted, 1, 2) @ design
        products += 1e-9 * sizes.mean() * np.eye(q + 1)  # where neighbours are equal
        self.line = np.einsum("gi,gmi->gm", np.linalg.inv(products)[:, 0, :], weighted)
        residual = (self.near == np.arange(g)[:, None]) - self.line
        unit = sizes * (residual**2 / sizes[self.near]).sum(axis=1)
        self.residual = residual / np.sqrt(unit)[:, None]

    def smooth(self, values: Array) -> Array:
        """Return the lines' values, (n_groups, n_columns)."""
        lines = np.einsum("gm,gmj->gj", self.line, values[self.near])
        return np.asarray(lines, dtype=np.float64)

    def residuals(self, values: Array) -> Array:
        """Return distances from the lines with the variance of the groups' means."""
        distances = np.einsum("gm,gmj->gj", self.residual, values[self.near])
        return np.asarray(distances, dtype=np.float64)

    def redraw(self, away: Array, chance: Array, q: int) -> Any:
        """Yield how the moments change with each group's chance, times records."""
        sizes, put = self.sizes, self.sizes * (self.sizes - 1)
        rows = put[:, None] * self.residual
        linear, square = np.zeros_like(chance), np.zeros(len(sizes))
        np.add.at(linear, self.near, rows[:, :, None] * chance[:, None, :])
        np.add.at(square, self.near, rows * self.residual)
        linear += sizes[:, None] * away[:, 1 + q :]
        for turn in range(1, 1 + N_REDRAWN):
            other = self.near[:, turn % self.near.shape[1]]
            moved = chance[other] * np.sqrt(sizes[other] / sizes)[:, None] - chance
            change = np.zeros((len(sizes), away.shape[1], away.shape[1]))
            fixed, free = slice(0, 1 + q), slice(1 + q, None)
            cross = sizes[:, None, None] * away[:, fixed, None] * moved[:, None, :]
            change[:, fixed, free] = cross
            change[:, free, fixed] = np.swapaxes(cross, 1, 2)
            both = linear[:, :, None] * moved[:, None, :]
            moved_products = moved[:, :, None] * moved[:, None, :]
            moved_products *= (sizes + square)[:, None, None]
            change[:, free, free] = both + np.swapaxes(both, 1, 2) + moved_products
            yield change


def _means(
    values: pd.DataFrame, frame: pd.DataFrame, grouped: Sequence[str]
) -> tuple[Array, Array]:
    """Return sizes and means of the records that share all values of `grouped`."""
    labels = frame.groupby(list(grouped), dropna=False, sort=False).ngroup()
    groups = values.astype(float).groupby(labels.to_numpy())
    sizes = np.asarray(groups.size(), dtype=np.float64)
    return sizes, np.asarray(groups.mean(), dtype=np.float64)


def _least_squares(y: Array, X: pd.DataFrame, weights: Array) -> Estimate:
    """Weighted least squares; errors hold for errors of any variance (HC3)."""
    design = np.column_stack([np.ones(len(y)), X.to_numpy(float)])
    weighted = design * weights[:, None]
    inverse = np.linalg.inv(weighted.T @ design)
    coefficients = inverse @ (weighted.T @ y)
    leverage = np.einsum("ij,jk,ik->i", weighted, inverse, design)
    scores = weighted * ((y - design @ coefficients) / (1.0 - leverage))[:, None]
    errors = np.sqrt(np.diag(inverse @ (scores.T @ scores) @ inverse))
    names = ("constant", *map(str, X.columns))
    return Estimate(names, coefficients, errors, len(y) - design.shape[1])
