"""Sums of squares, loss, means, medians and modes, of all records or by group."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Booleans, Integers, Values

S = TypeVar("S", bound=np.generic)


def weighted_mean(X: Values, weights: Values) -> Values:
    """Return the weighted mean of records, shape (n_attributes,)."""
    return np.asarray(weights @ X / weights.sum())


def overflow_exponents(values: Values) -> NDArray[np.int32]:
    """Return exponents e per column such that squares of values / 2**e cannot overflow.

    Parameters
    ----------
    values : ndarray of float64, shape (n_records,) or (n_records, n_attributes)

    Returns
    -------
    ndarray of int32, shape () or (n_attributes,)
        ``np.ldexp(values, -exponents)`` has a largest magnitude from 1/2 to below 1,
        or of 0.
    """
    return np.asarray(np.frexp(np.abs(values).max(axis=0, initial=0.0))[1])


def std_of_finite_values(values: Values, ddof: int = 0) -> float:
    """Return the standard deviation of the finite values; 0 if constant or empty.

    Parameters
    ----------
    values : ndarray of float64, shape (n_records,)
    ddof : int
        What is subtracted from the number of values before dividing by it.
    """
    finite_values = values[np.isfinite(values)]
    if finite_values.size < 2 or (finite_values == finite_values[0]).all():
        return 0.0
    power = overflow_exponents(finite_values)
    return float(np.ldexp(np.ldexp(finite_values, -power).std(ddof=ddof), power))


def mean_by_group(X: Values, labels: Integers) -> Values:
    """Return the mean of each group, shape (n_groups, n_attributes).

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    labels : ndarray of int64, shape (n_records,)
    """
    sizes = np.bincount(labels)
    columns = [np.bincount(labels, weights=column) / sizes for column in X.T]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def mode_by_group(values: NDArray[S], labels: Integers) -> NDArray[S]:
    """Return each group's most frequent value; the smallest if tied.

    Parameters
    ----------
    values : ndarray, shape (n_records,)
    labels : ndarray of int64, shape (n_records,)
        Group of each record, 0 to n_groups - 1, none without a record.

    Returns
    -------
    ndarray, shape (n_groups,)
    """
    order = np.lexsort((values, labels))
    column, group = values[order], labels[order]
    new = (column[1:] != column[:-1]) | (group[1:] != group[:-1])
    first = np.flatnonzero(np.concatenate([[True], new]))
    count = np.diff(np.append(first, column.size))
    most_frequent = np.lexsort((column[first], -count, group[first]))
    group = group[first][most_frequent]
    best = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    return column[first[most_frequent[best]]]


def median_by_group(values: Values, labels: Integers) -> Values:
    """Return each group's median; for even sizes the mean of the two middle values.

    Parameters
    ----------
    values : ndarray of float64, shape (n_records,)
    labels : ndarray of int64, shape (n_records,)
        Group of each record, 0 to n_groups - 1, none without a record.

    Returns
    -------
    ndarray of float64, shape (n_groups,)
    """
    sizes = np.bincount(labels)
    starts = np.cumsum(sizes) - sizes
    low, high = starts + (sizes - 1) // 2, starts + sizes // 2
    column = values[np.lexsort((values, labels))]
    return np.asarray(column[low] + (column[high] - column[low]) / 2)


def low_median_by_group(values: Values, labels: Integers) -> Values:
    """Return each group's lower median: the smaller of two middle values.

    Parameters and shapes are those of :func:`median_by_group`.
    """
    sizes = np.bincount(labels)
    starts = np.cumsum(sizes) - sizes
    column = values[np.lexsort((values, labels))]
    return np.asarray(column[starts + (sizes - 1) // 2])


def within_group_sse(
    X: Values, labels: Integers, is_counted_attribute: Booleans | None = None
) -> float:
    """Return the SSE, the sum of squared distances of records to group means.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    labels : ndarray of int64, shape (n_records,)
    is_counted_attribute : ndarray of bool, shape (n_attributes,), optional
        The attributes that count; all unless given.
    """
    sizes = np.bincount(labels)
    every = range(X.shape[1])
    sse = 0.0
    for j in (
        every
        if is_counted_attribute is None
        else np.flatnonzero(is_counted_attribute).tolist()
    ):
        column = X[:, j] - X[:, j].min()  # an offset must not cost digits
        means = np.bincount(labels, weights=column) / sizes
        column -= means[labels]
        sse += float(np.square(column, out=column).sum())
    return sse


def total_sum_of_squares(X: Values) -> float:
    """Return SST, the sum of squared distances of all records to their mean."""
    return float(np.square(X - X.mean(axis=0)).sum())


def sse_and_sst_per_attribute(
    X: Values, released: Values, weights: Values | None = None
) -> tuple[Values, Values]:
    """Return (SSE, SST) per attribute, each of shape (n_attributes,).

    Parameters
    ----------
    X, released : ndarray of float64, shape (n_records, n_attributes)
        On the same scale.
    weights : ndarray of float64, shape (n_records,), optional
        How many units each record stands for.
    """
    if weights is None:
        sse = np.square(X - released).sum(axis=0)
        sst = np.square(X - X.mean(axis=0)).sum(axis=0)
    else:
        sse = weights @ np.square(X - released)
        sst = weights @ np.square(X - weighted_mean(X, weights))
    return sse, sst


def loss_percent(sse: float, sst: float) -> float:
    """Return ``100 * sse / sst``; 0 if the table has no variation."""
    return 100.0 * sse / sst if sst > 0.0 else 0.0
