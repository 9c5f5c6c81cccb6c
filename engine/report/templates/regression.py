"""Linear regression on microaggregated data: estimates and standard errors that hold.

Needs numpy, pandas and scipy. Which function suits a release, its guide says.

* ``plain``: least squares on the records. Right where every column was grouped on its
  own (individual ranking), and where neither response nor regressors were changed.
* ``by_groups``: right where the response did not take part in forming the groups,
  whether it was averaged with them or left as it is: least squares on the groups'
  means, weighted by their sizes.
* ``sorted_by``: right where groups were formed by some columns, the response among
  them, and all others were averaged in these groups: the moments that averaging took
  away are put back (Schmid and Schneeweiss 2005, doi:10.5282/ubm/epub.1831; Schmid
  2006, doi:10.5282/ubm/epub.1840), with jackknife standard errors over groups, which
  are on the safe side: their intervals hold the truth somewhat oftener than they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Estimate:
    """Coefficients, the constant first, their standard errors, degrees of freedom."""

    names: tuple[str, ...]
    coefficients: Array
    errors: Array
    df: int

    def intervals(self, level: float = 0.95) -> Array:
        """Return confidence intervals, shape (n_coefficients, 2)."""
        reach = t.ppf(0.5 + level / 2, self.df) * self.errors
        return np.column_stack([self.coefficients - reach, self.coefficients + reach])

    def table(self, level: float = 0.95) -> pd.DataFrame:
        """Return everything as a table, a line per coefficient."""
        low, high = self.intervals(level).T
        columns = {"estimate": self.coefficients, "error": self.errors}
        return pd.DataFrame(columns | {"low": low, "high": high}, index=self.names)


def plain(frame: pd.DataFrame, response: str, regressors: Sequence[str]) -> Estimate:
    """Ordinary least squares on the records."""
    weights = np.ones(len(frame))
    y, X = frame[response].to_numpy(float), frame[list(regressors)].to_numpy(float)
    return _least_squares(y, X, weights, regressors)


def by_groups(
    frame: pd.DataFrame,
    response: str,
    regressors: Sequence[str],
    grouped: Sequence[str],
) -> Estimate:
    """Least squares on groups' means; `grouped` are the columns that share values."""
    sizes, means = _means(frame, [response, *regressors], grouped)
    return _least_squares(means[:, 0], means[:, 1:], sizes, regressors)


def sorted_by(
    frame: pd.DataFrame,
    response: str,
    regressors: Sequence[str],
    grouped: Sequence[str],
    sorters: Sequence[str],
) -> Estimate:
    """Moments put back; `sorters` are the columns that formed the groups.

    All other columns were averaged in groups that do not depend on them, given the
    sorters: their regression on the sorters comes out right from the means, and what
    is left over varies as much in the groups as between them, times the size.
    """
    names = [response, *regressors]
    others = [name for name in names if name not in sorters]
    sizes, means = _means(frame, [*sorters, *others], grouped)
    order = [[*sorters, *others].index(name) for name in names]

    def fit(sizes: Array, means: Array) -> Array:
        moments = _moments(sizes, means, len(sorters))[np.ix_(order, order)]
        slopes = np.linalg.solve(moments[1:, 1:], moments[1:, 0])
        centre = (sizes @ means / sizes.sum())[order]
        return np.concatenate([[centre[0] - centre[1:] @ slopes], slopes])

    g = len(sizes)
    left_out = np.arange(g) % min(g, 200)  # at most so many parts, to be quick
    parts = np.unique(left_out)
    found = [fit(sizes[left_out != one], means[left_out != one]) for one in parts]
    spread = np.square(found - np.mean(found, axis=0)).sum(axis=0)
    errors = np.sqrt(spread * (len(parts) - 1) / len(parts))
    estimate = fit(sizes, means)
    return Estimate(("constant", *regressors), estimate, errors, len(parts) - 1)


def _moments(sizes: Array, means: Array, n_sorters: int) -> Array:
    """Return the covariance of the records before averaging."""
    n = sizes.sum()
    away = means - sizes @ means / n
    S, A = away[:, :n_sorters], away[:, n_sorters:]
    SS = (S * sizes[:, None]).T @ S / n
    slopes = np.linalg.solve(SS, (S * sizes[:, None]).T @ A / n)
    left = A - S @ slopes
    # The mean of s records varies 1 / s as much as a record: weigh it up again.
    rest = (left * sizes[:, None]).T @ left / (len(sizes) - n_sorters - 1)
    SA = SS @ slopes
    return np.block([[SS, SA], [SA.T, slopes.T @ SS @ slopes + rest]])


def _means(
    frame: pd.DataFrame, columns: Sequence[str], grouped: Sequence[str]
) -> tuple[Array, Array]:
    """Return sizes and means of the records that share all values of `grouped`."""
    groups = frame.groupby(list(grouped), dropna=False, sort=False)
    means = groups[list(dict.fromkeys(columns))].mean()
    sizes = np.asarray(groups.size(), dtype=np.float64)
    return sizes, np.asarray(means[list(columns)], dtype=np.float64)


def _least_squares(
    y: Array, X: Array, weights: Array, regressors: Sequence[str]
) -> Estimate:
    design = np.column_stack([np.ones(len(y)), X])
    inverse = np.linalg.inv((design * weights[:, None]).T @ design)
    found = inverse @ (design.T @ (weights * y))
    df = len(y) - design.shape[1]
    variance = weights @ np.square(y - design @ found) / df
    errors = np.sqrt(variance * np.diag(inverse))
    return Estimate(("constant", *regressors), found, errors, df)
