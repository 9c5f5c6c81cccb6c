"""Scaling: the shift and the divisor of each attribute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from engine.core.message import Message
from engine.core.registry import Registry
from engine.core.typing import Values


@dataclass(frozen=True)
class ScalingInfo:
    """Identifier, title and meaning of a scaling."""

    id: str
    title: str
    summary: str
    aliases: tuple[str, ...] = ()


class SpreadStatistics(Protocol):
    """Interface to statistics of all records for scaling, each (n_attributes,)."""

    @property
    def mean(self) -> Values:
        """Mean of each attribute."""

    @property
    def deviation(self) -> Values:
        """Standard deviation of each attribute."""

    @property
    def low(self) -> Values:
        """Smallest value of each attribute."""

    @property
    def high(self) -> Values:
        """Largest value of each attribute."""


@dataclass(frozen=True, eq=False)
class ArraySpread:
    """Scaling statistics computed from records in memory.

    Attributes
    ----------
    values : ndarray of float64, shape (n_records, n_attributes)
    """

    values: Values

    @property
    def mean(self) -> Values:
        """Mean of each attribute."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def deviation(self) -> Values:
        """Standard deviation of each attribute."""
        return np.asarray(self.values.std(axis=0))

    @cached_property
    def low(self) -> Values:
        """Smallest value of each attribute."""
        return np.asarray(self.values.min(axis=0))

    @cached_property
    def high(self) -> Values:
        """Largest value of each attribute."""
        return np.asarray(self.values.max(axis=0))


class GivenSpread(NamedTuple):
    """Scaling statistics given as numbers, each (n_attributes,)."""

    mean: Values
    deviation: Values
    low: Values
    high: Values


Scaling = Callable[[SpreadStatistics], tuple[Values, Values]]
"""``scaling(spread)`` gives (centre, scale), each (n_attributes,)."""

scalings: Registry[ScalingInfo, Scaling] = Registry(Message("scaling"))
"""All scalings, by identifier."""


@scalings.register(
    ScalingInfo(
        "zscore", "Z-score", "Each column gets the mean 0 and the standard deviation 1."
    )
)
def _zscore_statistics(spread: SpreadStatistics) -> tuple[Values, Values]:
    return spread.mean, spread.deviation


@scalings.register(
    ScalingInfo(
        "range",
        "Range",
        "In each column, the smallest value becomes 0, and the largest value "
        "becomes 1.",
    )
)
def _range_statistics(spread: SpreadStatistics) -> tuple[Values, Values]:
    return spread.low, spread.high - spread.low


@scalings.register(
    ScalingInfo(
        "none",
        "None",
        "Coterie does not scale the columns. So the column with the largest numbers "
        "counts most.",
    )
)
def _unscaled_statistics(spread: SpreadStatistics) -> tuple[Values, Values]:
    return np.zeros_like(spread.low), np.ones_like(spread.low)


def centre_and_scale(scaling: str, spread: SpreadStatistics) -> tuple[Values, Values]:
    """Return centre and scale, both (n_attributes,); the scale is 1 if constant.

    Parameters
    ----------
    scaling : str
        Identifier in :data:`scalings`.
    spread : SpreadStatistics

    Raises
    ------
    ParameterError
        If there is no such scaling.
    """
    centre, scale = scalings.get(scaling)(spread)
    # The scale of a constant column is 0 or rounding noise.
    varies = (spread.high > spread.low) & (scale > 0)
    return centre, np.where(varies, scale, 1.0)
