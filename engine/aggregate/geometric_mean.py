"""The geometric mean of a group: for positive values, such as incomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.aggregate.base import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)
from engine.aggregate.mean import group_means
from engine.core.errors import ParameterError


@aggregations.register(
    AggregationInfo(
        "geometric-mean",
        "Geometric mean",
        "The nth root of the product of the group's n values, which must all be "
        "above 0. A large value counts for less than in the mean.",
        became="the group's geometric mean",
        shared="the geometric mean of {columns}",
        ranks=False,
        dates=False,
        aliases=("geometric",),
    )
)
def group_geometric_means(grouped_column: GroupedAttribute) -> CommonValues:
    """Return the geometric mean of each group, weighted where records have weights.

    Raises
    ------
    ParameterError
        If a value is not above 0.
    """
    values, labels = grouped_column.values, grouped_column.labels
    if (values <= 0.0).any():
        raise ParameterError(
            "Column {column!r} has values of 0 or below, of which there is no "
            "geometric mean: choose the mean or the median for it.",
            column=grouped_column.name,
        )
    logs = group_means(replace(grouped_column, values=np.log(values))).values
    low = np.full(grouped_column.n_groups, np.inf)
    high = np.zeros(grouped_column.n_groups)
    np.minimum.at(low, labels, values)
    np.maximum.at(high, labels, values)
    return CommonValues(np.clip(np.exp(logs), low, high))
