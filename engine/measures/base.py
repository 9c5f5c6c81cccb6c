"""Types shared by all measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field

from engine.core.context import SILENT, RunContext
from engine.core.message import NO_MESSAGE, Message
from engine.core.partition import Partition
from engine.core.registry import Registry, list_module_names
from engine.core.text.json_types import ReadOnlyMapping
from engine.data.persons import k_of_persons, person_weights, persons_per_class
from engine.data.schema import Column
from engine.measures.classes import ClassCache
from engine.measures.judge import CHANCE_JUDGE, PERCENT_RISK_JUDGE, BaselineJudge
from engine.points.base import Points

MeasureFamily = Literal["loss", "risk", "privacy"]

FAMILIES: dict[MeasureFamily, str] = {
    "loss": "what a release costs",
    "risk": "what somebody could find out with a release",
    "privacy": "what a release protects",
}
"""What each family of measures is about."""


@dataclass(frozen=True)
class MeasureCost:
    """Cost model of a measure: seconds + microseconds * records * attributes.

    On the machine of reference; see
    :func:`engine.pipeline.planning.cost.expected_measuring_seconds`.

    Attributes
    ----------
    seconds : float
        Whatever the table.
    microseconds : float
        For each value.
    records : int or None
        From how many records on it takes no longer, because a sample is measured.
    """

    seconds: float = 0.0
    microseconds: float = 0.1
    records: int | None = None

    def expected_seconds(self, n: int, p: int) -> float:
        """Return the seconds for n records of p attributes."""
        looked_at = n if self.records is None else min(n, self.records)
        return self.seconds + 1e-6 * self.microseconds * looked_at * p


@dataclass(frozen=True, kw_only=True)
class MeasureInfo:
    """Identifier, formula and direction of a measure.

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
        ``"%"``, ``"records"``, ``"values"`` or empty.
    reference : str
        Source, with DOI.
    limits : tuple of float
        Lowest and highest value that the figure can take.
    baseline : str
        What :attr:`Score.baseline` is, as a plain sentence.
    judge : BaselineJudge
        How a figure is judged beside it.
    bounded : bool
        Whether a run's lower bound is the better baseline, where it is known.
    on_demand : bool
        Not worked out in every run, but when
        :func:`engine.pipeline.evaluate.evaluate` is asked.
    effort : MeasureCost
        How long it takes.
    judged_with : str
        Another measure without which this one cannot be good: the worse of both
        verdicts counts. Empty if none.
    """

    id: str
    title: str
    family: MeasureFamily
    summary: str
    formula: str
    direction: Literal["lower is better", "higher is better"] = "lower is better"
    unit: str = ""
    reference: str
    aliases: tuple[str, ...] = ()
    limits: tuple[float, float] = (0.0, math.inf)
    baseline: str = ""
    judge: BaselineJudge = CHANCE_JUDGE
    bounded: bool = False
    on_demand: bool = False
    effort: MeasureCost = MeasureCost()
    judged_with: str = ""


UNPROTECTED_BASELINE = "The measure of the table before protection."
"""What the baseline of measures is that are compared with the original."""


@dataclass(frozen=True, kw_only=True)
class RiskInfo(MeasureInfo):
    """Description of a risk measure: a figure in per cent, computed on demand."""

    family: MeasureFamily = "risk"
    unit: str = "%"
    limits: tuple[float, float] = (0.0, 100.0)
    on_demand: bool = True


@dataclass(frozen=True, kw_only=True)
class RiskAgainstOriginalInfo(RiskInfo):
    """Description of a risk measure; its baseline is the original."""

    baseline: str = UNPROTECTED_BASELINE
    judge: BaselineJudge = PERCENT_RISK_JUDGE


@dataclass(frozen=True, eq=False)
class MeasuredRelease:
    """Original, release and groups of a run, as measures use them.

    Attributes
    ----------
    points : Points
        The quasi-identifiers before protection.
    released : ndarray of float64, shape (n_records, n_attributes)
        The same records and columns after protection, in their own units and before
        rounding. An interval counts as its midpoint, a category as its node of the
        hierarchy.
    partition : Partition
    frame : pandas.DataFrame, n_records rows
        The release as it will be written.
    rounded : ndarray of float64, shape (n_records, n_attributes), or None
        As `released`, after rounding; None where nothing was rounded.
    attributes : ndarray of int64, shape (n_attributes, n_records), or None
        Group of each record in each attribute, where each was grouped on its own.
    original : pandas.DataFrame, n_records rows, or None
        All columns of the same records before protection; only measures on demand
        have it, and what follows.
    confidential : tuple of Column
        Released columns that somebody might want to learn.
    sampling_fraction : float
        Share of the population that the records are; 0 where it is not known.
    recursive_l : int
        The l of recursive (c, l)-diversity.
    persons : ndarray of int64, shape (n_records,), or None
        Person of each record, if k counts persons, see
        :mod:`engine.data.persons`.
    intruder_knows : {"one", "all", "counts"}
        How many records of a person, and whether also how often each is there.
    seed : int
        Seed of every sample.
    ctx : RunContext
        Progress and cancel.
    seen : ClassCache
        Equivalence classes that several measures use.
    """

    points: Points
    released: NDArray[np.float64]
    partition: Partition
    frame: pd.DataFrame
    rounded: NDArray[np.float64] | None = None
    attributes: NDArray[np.int64] | None = None
    original: pd.DataFrame | None = None
    confidential: tuple[Column, ...] = ()
    sampling_fraction: float = 0.0
    recursive_l: int = 2
    persons: NDArray[np.int64] | None = None
    intruder_knows: str = "one"
    seed: int = 0
    ctx: RunContext = SILENT
    seen: ClassCache = field(default_factory=ClassCache, repr=False, compare=False)

    def classes(self) -> NDArray[np.int64]:
        """Return the class of each record in the release, (n_records,), read-only."""
        return self.seen.get_classes(self.frame, self.points.names)

    def classes_before(self) -> NDArray[np.int64] | None:
        """Return each original record's class, or None without an original."""
        if self.original is None:
            return None
        return self.seen.get_classes(self.original, self.points.names)

    def min_class_size(self, classes: NDArray[np.int64]) -> int:
        """Return the smallest number of persons, or records, in a class.

        Parameters
        ----------
        classes : ndarray of int64, shape (n_records,)
            Of the release, or of the table before protection.
        """
        return k_of_persons(classes, self.persons, self.intruder_knows)

    def class_sizes(self, classes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of records, or persons, in each class, (n_classes,)."""
        return persons_per_class(classes, self.persons)

    def mean(self, values: NDArray[np.float64]) -> float:
        """Return the mean of a figure per record; each person counts once if known.

        Records of nobody count for nothing where persons are counted.
        """
        if self.persons is None:
            return float(values.mean())
        everybody = np.zeros(values.size, dtype=np.int64)
        return float(
            np.average(values, weights=person_weights(everybody, self.persons))
        )

    @property
    def as_written(self) -> NDArray[np.float64]:
        """Released values as numbers after rounding, shape as `released`."""
        return self.released if self.rounded is None else self.rounded


@dataclass(frozen=True)
class Score:
    """Value of one measure, with figures by column and a note.

    Attributes
    ----------
    measure : str
        Identifier in :data:`measures`.
    value : float
        NaN where there is nothing to measure; `note` says why.
    per_column : mapping of str to float
        The same figure for each quasi-identifier, or each confidential attribute,
        where that means something.
    interval : tuple of float or None
        95 % confidence interval of an estimate, or the range that is possible where
        the figure is not known; None if it is exact.
    baseline : float or None
        What to compare the figure with, as :attr:`MeasureInfo.baseline` says.
    baseline_per_column : mapping of str to float
        The same for each column.
    sample : int or None
        Number of records in the sample; None if all records were used.
    note : Message
        A remark on this figure, in one sentence.
    """

    measure: str
    value: float
    per_column: Annotated[Mapping[str, float], ReadOnlyMapping()] = field(
        default_factory=lambda: MappingProxyType({})
    )
    interval: tuple[float, float] | None = None
    baseline: float | None = None
    baseline_per_column: Annotated[Mapping[str, float], ReadOnlyMapping()] = field(
        default_factory=lambda: MappingProxyType({})
    )
    sample: Annotated[int, Field(ge=0)] | None = None
    note: Message = NO_MESSAGE


Measure = Callable[[MeasuredRelease], Score]

measures: Registry[MeasureInfo, Measure] = Registry(
    Message("measure"), modules=partial(list_module_names, "engine.measures")
)
"""All measures, by identifier."""
