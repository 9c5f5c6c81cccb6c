"""What every aggregation shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.registry import Registry

Values = NDArray[np.float64]

Aggregation = Callable[[Values, NDArray[np.int64], int], Values]
"""``aggregate(values, labels, n_groups)`` gives one row per group.

`values` has shape (n_records, n_attributes), `labels` (n_records,), the result
(n_groups, n_attributes). But for the last digits it must not depend on the order of
the records, and a group of equal values must keep them.
"""


@dataclass(frozen=True)
class AggregationInfo:
    """An aggregation's name and meaning."""

    id: str
    title: str
    summary: str
    aliases: tuple[str, ...] = ()


aggregations: Registry[AggregationInfo, Aggregation] = Registry("aggregation")
"""All aggregations, by identifier."""
