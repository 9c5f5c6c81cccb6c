"""The mode: a value that really occurs, and occurs most often."""

from __future__ import annotations

import numpy as np

from engine.aggregate.base import AggregationInfo, Common, Members, aggregations
from engine.data.kinds import Kind


@aggregations.register(
    AggregationInfo(
        "mode",
        "Mode",
        "The group's most frequent value; of several, the smallest.",
        kinds=frozenset(Kind),
    )
)
def mode(members: Members) -> Common:
    """Return the mode of each group; of several categories, the first in its tree.

    Weights do not count.
    """
    order = np.lexsort((members.values, members.labels))
    column, group = members.values[order], members.labels[order]
    new = (column[1:] != column[:-1]) | (group[1:] != group[:-1])
    first = np.flatnonzero(np.concatenate([[True], new]))
    count = np.diff(np.append(first, column.size))
    most_frequent = np.lexsort((column[first], -count, group[first]))
    group = group[first][most_frequent]
    best = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    return Common(column[first[most_frequent[best]]])
