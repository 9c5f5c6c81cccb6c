"""Count confidential values by equivalence class.

A class is the records that share all released quasi-identifiers. A missing value is a
value like any other; of ordered ones it is the last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.core.message import Message
from engine.core.typing import Integers, Values
from engine.data.kinds import Kind
from engine.data.persons import (
    NOBODY,
    person_value_matching_sizes,
    person_weights,
    persons_per_class,
)
from engine.data.schema import Column
from engine.measures.base import (
    UNPROTECTED_BASELINE,
    MeasuredRelease,
    MeasureFamily,
    MeasureInfo,
    Score,
)
from engine.measures.judge import UNPROTECTED_JUDGE, BaselineJudge

NOTHING_CONFIDENTIAL = Message("No column has the role confidential.")
"""Why there is no figure."""


@dataclass(frozen=True, kw_only=True)
class ConfidentialInfo(MeasureInfo):
    """Description of a measure of confidential values; its baseline is the original."""

    family: MeasureFamily = "privacy"
    baseline: str = UNPROTECTED_BASELINE
    judge: BaselineJudge = UNPROTECTED_JUDGE
    on_demand: bool = True


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Counts of each value of an attribute in each class, as pairs.

    Attributes
    ----------
    classes, codes : ndarray of int64, shape (n_pairs,)
        Pairs that come at all, by class and then by value.
    counts : ndarray of int64 or float64, shape (n_pairs,)
        Records, or persons; one with several values counts as a part for each.
    sizes : ndarray of int64, shape (n_classes,)
        Records, or persons, in each class.
    n_codes : int
        Different values in the table.
    ordered : bool
        Whether the values' order means something.
    table_shares : ndarray of float64, shape (n_codes,)
        Share of each value in the table.
    distinct : ndarray of int64, shape (n_classes,)
        Different values of each class; where persons are counted, those that as many
        different persons can have.
    """

    classes: Integers
    codes: Integers
    counts: Integers | Values
    sizes: Integers
    n_codes: int
    ordered: bool
    table_shares: Values
    distinct: Integers

    @property
    def class_shares(self) -> Values:
        """Share of each pair's value in its class, 0 to 1, shape (n_pairs,)."""
        return self.counts / self.sizes[self.classes]

    def sum_per_class(self, values: Values) -> Values:
        """Return the sums per class of a number per pair, shape (n_classes,)."""
        sums = np.bincount(self.classes, values, self.sizes.size)
        return sums.astype(np.float64)


def count_by_class(
    classes: Integers,
    codes: Integers,
    ordered: bool = False,
    persons: Integers | None = None,
) -> ClassCounts:
    """Return the counts of values in each class.

    Parameters
    ----------
    classes, codes : ndarray of int64, shape (n_records,)
        Numbered 0, 1, ... without gaps.
    ordered : bool
    persons : ndarray of int64, shape (n_records,), optional
        Who each record is about, where persons are counted: every person counts once
        in each class, spread over the values of their records there.
    """
    n_codes = int(codes.max()) + 1
    if persons is not None:
        return _count_persons(classes, codes, ordered, persons)
    pairs, counts = np.unique(classes * n_codes + codes, return_counts=True)
    sizes = np.bincount(classes).astype(np.int64)
    pair_classes = pairs // n_codes
    return ClassCounts(
        classes=pair_classes,
        codes=pairs % n_codes,
        counts=counts.astype(np.int64),
        sizes=sizes,
        n_codes=n_codes,
        ordered=ordered,
        table_shares=np.bincount(codes, minlength=n_codes) / codes.size,
        distinct=np.bincount(pair_classes, minlength=sizes.size),
    )


def _count_persons(
    classes: Integers, codes: Integers, ordered: bool, persons: Integers
) -> ClassCounts:
    """Count values of persons; a class of records of nobody is none."""
    has_person, n_codes = persons != NOBODY, int(codes.max()) + 1
    classes = np.unique(classes[has_person], return_inverse=True)[1]
    codes, persons = codes[has_person], persons[has_person]
    pairs, of = np.unique(classes * n_codes + codes, return_inverse=True)
    sizes = persons_per_class(classes.astype(np.int64), persons)
    weights = person_weights(np.zeros_like(persons), persons)
    return ClassCounts(
        classes=pairs // n_codes,
        codes=pairs % n_codes,
        counts=np.bincount(of, person_weights(classes, persons)),
        sizes=sizes,
        n_codes=n_codes,
        ordered=ordered,
        table_shares=np.bincount(codes, weights, n_codes) / weights.sum(),
        distinct=person_value_matching_sizes(classes, codes, persons),
    )


def encode_values(values: pd.Series, column: Column) -> tuple[Integers, bool]:
    """Return a column's values as codes 0, 1, ..., and whether they are ordered.

    Unless the column is nominal, numbers and dates are ordered, and words whose order
    is known: ordered categories, or those of a hierarchy. Missing values are the last.
    """
    ordered = column.kind is not Kind.NOMINAL
    number = pd.api.types.is_numeric_dtype(values.dtype)
    date = pd.api.types.is_datetime64_any_dtype(values.dtype)
    if ordered and not (number or date):
        if column.hierarchy is not None:
            ranks = column.hierarchy.codes(values, column.name)
            values = pd.Series(ranks).where(ranks >= 0)
        elif isinstance(values.dtype, pd.CategoricalDtype) and values.cat.ordered:
            ranks = values.cat.codes.to_numpy().astype(np.int64)
            values = pd.Series(ranks).where(ranks >= 0)
        else:
            ordered = False
    value_codes, _ = pd.factorize(values, sort=ordered)
    codes = np.where(value_codes < 0, value_codes.max() + 1, value_codes)
    return codes.astype(np.int64), ordered


def score_per_attribute(
    measure: str,
    protected: MeasuredRelease,
    figure: Callable[[ClassCounts], float],
    worst: Callable[[list[float]], float],
) -> Score:
    """Return the score of a figure per confidential attribute, and its worst value.

    Parameters
    ----------
    measure : str
        Identifier of the score.
    protected : MeasuredRelease
        With its columns before protection, for the baseline.
    figure : callable
        Takes :class:`ClassCounts`.
    worst : callable
        ``min`` or ``max``.
    """
    if not protected.confidential:
        return Score(measure, float("nan"), note=NOTHING_CONFIDENTIAL)
    after, before = protected.classes(), protected.classes_before()
    columns, unprotected = {}, {}
    for column in protected.confidential:
        codes, ordered = encode_values(protected.frame[column.name], column)
        people = protected.persons
        columns[column.name] = float(
            figure(count_by_class(after, codes, ordered, people))
        )
        if before is not None:
            counts = count_by_class(before, codes, ordered, people)
            unprotected[column.name] = float(figure(counts))
    return Score(
        measure,
        worst(list(columns.values())),
        columns,
        baseline=worst(list(unprotected.values())) if unprotected else None,
        baseline_per_column=unprotected,
    )
