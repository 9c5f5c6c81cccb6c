"""The mean of a group, weighted or not, which minimises its squared error."""

from __future__ import annotations

import numpy as np

from engine.aggregate.base import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)


@aggregations.register(
    AggregationInfo(
        "mean",
        "Mean",
        "The group's average. Except for rounding, column means stay the same.",
        became="the group's mean",
        shared="the mean of {columns}",
        ranks=False,
    )
)
def group_means(grouped_column: GroupedAttribute) -> CommonValues:
    """Return the mean of each group, weighted where records have weights.

    Values are taken relative to the smallest one, so that a large offset costs no
    digits. Rounding does not take a mean out of its group's range.
    """
    values = grouped_column.values
    labels = grouped_column.labels
    n_groups = grouped_column.n_groups
    weights = (
        np.ones_like(values)
        if grouped_column.weights is None
        else grouped_column.weights
    )
    base = values.min()
    sums = np.bincount(labels, weights=(values - base) * weights, minlength=n_groups)
    sizes = np.bincount(labels, weights=weights, minlength=n_groups)
    low, high = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    np.minimum.at(low, labels, values)
    np.maximum.at(high, labels, values)
    return CommonValues(np.clip(base + sums / sizes, low, high))
