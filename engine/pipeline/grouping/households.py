"""Households as units of grouping: points, codes, strata by size, k of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.constraints.governing import governing_columns
from engine.core.errors import InfeasibleError, InputError
from engine.core.message import Message, Topic, others_message
from engine.core.partition import Partition
from engine.core.typing import Integers, Values
from engine.data.persons import code_identifiers, is_blank
from engine.data.table import Table
from engine.measures.classes import record_classes
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.points.base import Points


@dataclass(frozen=True, eq=False)
class HouseholdUnits:
    """Households as points for a method, and the mapping back to records.

    Attributes
    ----------
    points : Points
        One for each household. Where all have as many members: all their coordinates,
        so that what groups lose is what the members lose who stand at the same place;
        otherwise the members' mean, and how many they are.
    code : ndarray of int64, shape (n_records,)
        Household of each record.
    place : ndarray of int64, shape (n_records,)
        Each record's place in its household, from 0: by the first attribute, then by
        the others.
    """

    points: Points
    code: Integers
    place: Integers

    @classmethod
    def from_records(cls, X: Values, codes: Integers) -> HouseholdUnits:
        """Return the households of some records.

        Parameters
        ----------
        X : ndarray of float64, shape (n_records, n_coordinates)
        codes : ndarray of int64, shape (n_records,)
        """
        code = np.unique(codes, return_inverse=True)[1].astype(np.int64)
        order = np.lexsort((*X.T[::-1], code))
        sizes = np.bincount(code)
        place = np.empty(code.size, dtype=np.int64)
        place[order] = np.arange(code.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        if (sizes == sizes[0]).all():
            units = X[order].reshape(sizes.size, -1)
        else:
            sums = [np.bincount(code, column) for column in X.T]
            spread = (sizes - sizes.mean()) / sizes.std()
            units = np.column_stack([*(total / sizes for total in sums), spread])
        return cls(Points.from_array(units), code, place)

    def to_record_groups(self, partition: Partition) -> Partition:
        """Return the record groups that a partition of the households stands for.

        Households of one size share values place by place; where sizes differ in a
        group, all of its records share one, so that what was equal inside a household
        stays equal.
        """
        group = partition.labels[self.code]
        sizes = np.bincount(self.code)
        min_sizes = np.full(partition.n_groups, sizes.max())
        max_sizes = np.zeros(partition.n_groups, dtype=np.int64)
        np.minimum.at(min_sizes, partition.labels, sizes)
        np.maximum.at(max_sizes, partition.labels, sizes)
        place = np.where(min_sizes[group] == max_sizes[group], self.place, 0)
        keys = group * (int(sizes.max()) + 1) + place
        labels = np.unique(keys, return_inverse=True)[1]
        return Partition(labels.astype(np.int64), partition.k)


def household_codes(plan: ResolvedPlan, table: Table, rows: Integers) -> Integers:
    """Return the household code of each record, shape (n_records,).

    Parameters
    ----------
    plan : ResolvedPlan
        Names the column.
    rows : ndarray of int64, shape (n_records,)
        Rows of the table that the records are.

    Raises
    ------
    InputError
        If a record has no household, or one several strata, weights or rule values.
    """
    name = plan.household
    assert name is not None
    frame = table.frame.iloc[rows]
    refuse_missing_household(frame[name])
    codes = code_identifiers(frame[name])
    names = table.schema.names
    same = [*plan.strata_columns(names), *filter(None, [plan.weights])]
    same += governing_columns(plan.governing_conditions(names))
    for other in same:
        values = pd.factorize(frame[other], use_na_sentinel=False)[0]
        first = np.unique(codes, return_index=True)[1]
        if (values != values[first][codes]).any():
            raise InputError(
                "Column {column!r} has several values in one household of {household!r}"
                ": it must be the same for all of its records.",
                column=other,
                household=name,
            )
    return codes


def refuse_missing_household(households: pd.Series) -> None:
    """Raise if a record has no household.

    Raises
    ------
    InputError
    """
    lacking = int((households.isna() | households.map(is_blank)).sum())
    if lacking:
        raise InputError(
            "Column {column!r} does not say of {count:,} record which household it "
            "is of: fill it in, or leave the record out.",
            "Column {column!r} does not say of {count:,} records which household they "
            "are of: fill them in, or leave the records out.",
            count=lacking,
            column=str(households.name),
        )


def strata_by_household_size_and_notes(
    plan: ResolvedPlan, household_codes: Integers, strata: Sequence[Integers]
) -> tuple[tuple[Integers, ...], tuple[Message, ...]]:
    """Return strata divided by household size, rare sizes pooled, and notes about that.

    Parameters
    ----------
    plan : ResolvedPlan
        Says whether sizes that are too rare are refused or grouped together.
    household_codes : ndarray of int64, shape (n_records,)
    strata : sequence of ndarray of int64

    Raises
    ------
    InfeasibleError
        If a stratum has fewer than k households, or fewer than k of a size where
        that is refused.
    """
    parts, pooled = [], 0
    for records in strata:
        codes = household_codes[records]
        size = np.bincount(codes)[codes]
        first = np.unique(codes, return_index=True)[1]
        count = np.bincount(size[first])
        if first.size < plan.k:
            raise _too_few_message(plan, first.size)
        rare = np.flatnonzero((count > 0) & (count < plan.k))
        if rare.size and plan.small_strata == "refuse":
            raise InfeasibleError(
                "Only {count} household of column {column!r} has {members} records, "
                "fewer than k = {k}: choose a smaller k, or let sizes that are rare be "
                "grouped together (small strata: merge).",
                "Only {count} households of column {column!r} have {members} records, "
                "fewer than k = {k}: choose a smaller k, or let sizes that are rare be "
                "grouped together (small strata: merge).",
                count=int(count[rare[0]]),
                column=plan.household,
                members=int(rare[0]),
                k=plan.k,
            )
        pooled_sizes = rare
        if rare.size and count[rare].sum() < plan.k:
            # Too few even together: the nearest common size takes them in.
            common = np.flatnonzero(count >= plan.k)
            distance = np.abs(common - np.average(rare, weights=count[rare]))
            pooled_sizes = np.append(rare, common[np.argmin(distance)])
        pooled += int(count[pooled_sizes].sum())
        mixed = np.isin(size, pooled_sizes)
        if mixed.any():
            parts.append(records[mixed])
        for household_size in np.flatnonzero(count):
            if household_size not in pooled_sizes:
                parts.append(records[size == household_size])
    return tuple(parts), _household_notes(plan, household_codes, pooled)


def _too_few_message(plan: ResolvedPlan, count: int) -> InfeasibleError:
    return InfeasibleError(
        "There is {count} household of column {column!r} that may share a group, fewer "
        "than k = {k}: choose a smaller k.",
        "There are {count} households of column {column!r} that may share a group, "
        "fewer than k = {k}: choose a smaller k.",
        count=count,
        column=plan.household,
        k=plan.k,
    )


def _household_notes(
    plan: ResolvedPlan, codes: Integers, pooled: int
) -> tuple[Message, ...]:
    """Return notes on what is grouped, and how members are matched."""
    whole = Message(
        "{count:,} households of column {column!r} are grouped whole, those of one "
        "size together: each shares all values with at least {others}, its "
        "members place by place in the order of {first!r}.",
        count=int(codes.max()) + 1,
        column=plan.household,
        others=others_message(plan.k - 1),
        first=plan.quasi_identifiers[0],
    )
    if not pooled:
        return (whole,)
    return (
        whole,
        Message(
            "{count:,} households are of sizes that are rare, and grouped together: "
            "where sizes differ in a group, all of its records have the same values, "
            "and the number of members still tells such households apart.",
            count=pooled,
        ).with_topic(Topic.STRATA),
    )


def min_households_per_combination(
    frame: pd.DataFrame, columns: Sequence[str], households: pd.Series
) -> int:
    """Return the fewest households that share a combination of their members' values.

    Parameters
    ----------
    frame : pandas.DataFrame
        Released records.
    columns : sequence of str
        Quasi-identifiers.
    households : pandas.Series, shape (n_records,)
        As they came in; what leaves need not have them.
    """
    classes = record_classes(frame, tuple(columns))
    codes = code_identifiers(households)
    classes_by_household: dict[int, list[int]] = {}
    for code, record_class in zip(codes.tolist(), classes.tolist(), strict=True):
        classes_by_household.setdefault(code, []).append(record_class)
    household_counts: dict[tuple[int, ...], int] = {}
    for members in classes_by_household.values():
        # Members who are all alike tell nothing but their number.
        key = (members[0],) if len(set(members)) == 1 else tuple(sorted(members))
        household_counts[key] = household_counts.get(key, 0) + 1
    return min(household_counts.values())
