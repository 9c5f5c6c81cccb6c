"""What every measure shares: what it looks at, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.encode import Encoded
from engine.partition import Partition
from engine.registry import Registry

MeasureFamily = Literal["loss", "risk", "privacy"]


@dataclass(frozen=True)
class MeasureInfo:
    """A measure's name, formula and direction.

    Attributes
    ----------
    id : str
    title : str
    family : {"loss", "risk", "privacy"}
    summary : str
        One plain sentence that says what the figure means.
    formula : str
        As the literature writes it.
    direction : {"lower is better", "higher is better"}
    unit : str
        ``"%"``, ``"records"`` or empty.
    reference : str
        Source, with DOI.
    """

    id: str
    title: str
    family: MeasureFamily
    summary: str
    formula: str
    direction: Literal["lower is better", "higher is better"]
    unit: str
    reference: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Protected:
    """What a measure may look at.

    Attributes
    ----------
    encoded : Encoded
        The quasi-identifiers before protection.
    released : ndarray of float64, shape (n_records, n_attributes)
        The same records and columns after protection, in their own units and before
        rounding; midpoints of intervals. Columns of categories mean nothing here.
    partition : Partition
    frame : pandas.DataFrame, n_records rows
        The release as it will be written.
    rounded : ndarray of float64, shape (n_records, n_attributes), or None
        As `released`, after rounding; None where nothing was rounded.
    attributes : ndarray of int64, shape (n_attributes, n_records), or None
        Group of each record in each attribute, where each was grouped on its own.
    """

    encoded: Encoded
    released: NDArray[np.float64]
    partition: Partition
    frame: pd.DataFrame
    rounded: NDArray[np.float64] | None = None
    attributes: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Score:
    """One measure's figure.

    Attributes
    ----------
    measure : str
        Identifier in :data:`measures`.
    value : float
    per_column : mapping of str to float
        The same figure for each quasi-identifier, where that means something.
    interval : tuple of float or None
        Confidence interval, where the figure was estimated from a sample.
    """

    measure: str
    value: float
    per_column: Mapping[str, float] = field(
        default_factory=lambda: MappingProxyType({})
    )
    interval: tuple[float, float] | None = None


Measure = Callable[[Protected], Score]

measures: Registry[MeasureInfo, Measure] = Registry("measure")
"""All measures, by identifier."""
