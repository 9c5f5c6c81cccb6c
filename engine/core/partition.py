"""Partitions: group labels of records, with the check of k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.arguments import check_arguments
from engine.core.errors import InfeasibleError, ParameterError

Labels = NDArray[np.int64]


@check_arguments
@dataclass(frozen=True, eq=False)
class Partition:
    """Partition of records into groups, as labels; of at least k records if guaranteed.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
        Group of each record, in the order of the input rows. Groups are numbered
        0..g-1 in the order in which the method created them.
    k : int
        Minimum group size asked for.
    guarantees_k : bool
        False where groups may be smaller than k: for probabilistic methods, and where
        each attribute was grouped on its own.
    attributes : ndarray of int64, shape (n_attributes, n_records), or None
        Group of each record in each attribute, if attributes were grouped apart. Each
        group has at least k records, unless groups were drawn at random. Groups of
        `labels` are then the records that no attribute tells apart.
    seeds : ndarray of int64, shape (n_groups,), or None
        Record that each group was formed around, -1 where there is none; None where
        the method does not form groups around records.
    drawn : bool
        Groups of attributes were drawn at random, so that they have any size.

    Raises
    ------
    InfeasibleError
        If a group has fewer than k records although the method guarantees k.
    ParameterError
        If labels are no whole numbers from 0 without a gap.
    """

    labels: Labels
    k: int
    guarantees_k: bool = True
    attributes: Labels | None = None
    seeds: Labels | None = None
    drawn: bool = False

    def __post_init__(self) -> None:
        min_size = self.k if self.guarantees_k else 1
        object.__setattr__(self, "labels", _check_labels(self.labels, min_size))
        if self.attributes is not None:
            min_size = 1 if self.drawn else self.k
            rows = _freeze_labels(self.attributes)
            for row in rows:
                _check_labels(row, min_size)
            object.__setattr__(self, "attributes", rows)
        if self.seeds is not None:
            seeds = np.array(self.seeds, dtype=np.int64)
            seeds.flags.writeable = False
            object.__setattr__(self, "seeds", seeds)

    @classmethod
    def by_attribute(cls, attributes: Labels, k: int, drawn: bool = False) -> Partition:
        """Return the partition by labels that differ between attributes.

        Parameters
        ----------
        attributes : ndarray of int64, shape (n_attributes, n_records)
        drawn : bool
        """
        labels = np.unique(attributes, axis=1, return_inverse=True)[1]
        first = np.unique(labels, return_index=True)[1]
        number = np.empty(first.size, dtype=np.int64)
        number[np.argsort(first)] = np.arange(first.size)
        return cls(number[labels], k, False, attributes, drawn=drawn)

    @property
    def n_records(self) -> int:
        """Number of records."""
        return int(self.labels.size)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.sizes.size)

    @cached_property
    def sizes(self) -> Labels:
        """Number of records in each group, shape (n_groups,), in order of creation."""
        sizes = np.bincount(self.labels).astype(np.int64)
        sizes.flags.writeable = False
        return sizes

    @check_arguments
    def members(self, group: int) -> Labels:
        """Return the ascending row numbers of one group's records."""
        if not 0 <= group < self.n_groups:
            raise ParameterError(
                "There is no group {group}; groups run from 0 to {last}.",
                group=group,
                last=self.n_groups - 1,
            )
        return np.flatnonzero(self.labels == group).astype(np.int64)


def renumber_groups(labels: Labels) -> Labels:
    """Return labels renumbered 0, 1, ... without gaps, in the same order.

    Parameters
    ----------
    labels : ndarray of int, shape (n_records,)
    """
    is_used = np.zeros(int(labels.max()) + 1, dtype=np.bool_)
    is_used[labels] = True
    return (np.cumsum(is_used, dtype=np.int64) - 1)[labels]


def members_by_group(labels: Labels) -> list[Labels]:
    """Return the ascending record numbers of each group.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_records,)
    """
    order = np.argsort(labels, kind="stable").astype(np.int64)
    return np.split(order, np.cumsum(np.bincount(labels))[:-1])


def group_per_record(members: Sequence[Labels], n_records: int) -> Labels:
    """Return the number of each record's group, -1 of records that are in none.

    Parameters
    ----------
    members : sequence of ndarray of int64
        Record numbers of each group, as :func:`members_by_group` returns them.
    n_records : int
    """
    labels = np.full(n_records, -1, dtype=np.int64)
    for number, records in enumerate(members):
        labels[records] = number
    return labels


def _freeze_labels(labels: Labels) -> Labels:
    """Return read-only labels: a copy, unless nobody can change these."""
    is_array = isinstance(labels, np.ndarray) and labels.dtype == np.int64
    if is_array and labels.base is None and not labels.flags.writeable:
        return labels
    try:
        whole = np.asarray(labels)
    except ValueError:  # rows of several lengths
        whole = np.empty(1, dtype=object)
    if whole.size and whole.dtype.kind not in "iu":
        raise ParameterError(
            "Labels of groups must be whole numbers: give one for each record, from 0."
        )
    labels = np.array(whole, dtype=np.int64)
    labels.flags.writeable = False
    return labels


def _check_labels(labels: Labels, min_size: int) -> Labels:
    """Return read-only labels; raise if one is wrong or a group is too small."""
    labels = _freeze_labels(labels)
    if labels.ndim != 1 or labels.size == 0:
        raise InfeasibleError(
            "A partition needs at least one record, and one label for each."
        )
    if labels.min() < 0:
        raise ParameterError(
            "The label {label} of record {record} is negative: number the groups "
            "from 0, without a gap.",
            label=labels.min(),
            record=labels.argmin(),
        )
    # More groups than records leave a number unused, and might not fit into memory.
    sizes = np.bincount(np.minimum(labels, labels.size))
    if sizes.min() == 0 or sizes.size > labels.size:
        raise ParameterError(
            "No record has the label {group}: number the groups from 0, without a gap.",
            group=int(np.flatnonzero(np.append(sizes, 0) == 0)[0]),
        )
    if sizes.min() < min_size:
        raise small_group_error(int(sizes.argmin()), int(sizes.min()), min_size)
    return labels


def small_group_error(group: int, size: int, k: int) -> InfeasibleError:
    """Return the error for a group of fewer than k records."""
    return InfeasibleError(
        "Group {group} is too small, with {size} of at least k = {k} records: join it "
        "to another group, or choose a smaller k.",
        group=group,
        size=size,
        k=k,
    )


def concatenate_partitions(
    rows_and_partitions: Sequence[tuple[Labels, Partition]],
) -> Partition:
    """Return the partition of a table from the partitions of its parts.

    Parameters
    ----------
    rows_and_partitions : sequence of (ndarray of int64, Partition)
        Records of each part, and how they were grouped. Groups keep their order, a
        later part's follow an earlier one's.
    """
    records = np.concatenate([rows for rows, _ in rows_and_partitions])
    labels = np.empty(records.size, dtype=np.int64)
    labels[records] = _concatenate_labels(
        [part.labels for _, part in rows_and_partitions]
    )
    first = rows_and_partitions[0][1]
    if first.attributes is None:
        return Partition(
            labels,
            first.k,
            first.guarantees_k,
            seeds=_concatenate_seeds(rows_and_partitions),
        )
    attributes = np.empty((len(first.attributes), records.size), dtype=np.int64)
    for j in range(len(attributes)):
        rows = [np.asarray(part.attributes)[j] for _, part in rows_and_partitions]
        attributes[j, records] = _concatenate_labels(rows)
    return Partition(labels, first.k, first.guarantees_k, attributes)


def _concatenate_seeds(parts: Sequence[tuple[Labels, Partition]]) -> Labels | None:
    """Return the seeds of all parts, as records of the whole table."""
    if all(partition.seeds is None for _, partition in parts):
        return None
    moved = []
    for rows, partition in parts:
        if partition.seeds is None:  # so few records that all are one group
            moved.append(np.full(partition.n_groups, -1, dtype=np.int64))
        else:
            moved.append(np.where(partition.seeds < 0, -1, rows[partition.seeds]))
    return np.concatenate(moved)


def _concatenate_labels(parts: Sequence[Labels]) -> Labels:
    """Return the labels of all parts, those of later parts shifted."""
    sizes = [int(labels.max()) + 1 for labels in parts]
    starts = np.cumsum([0, *sizes[:-1]])
    moved = [labels + start for labels, start in zip(parts, starts, strict=True)]
    return np.concatenate(moved)


def check_k(k: int, n_records: int) -> None:
    """Raise if k is no whole number of at least 2, or exceeds the number of records.

    Raises
    ------
    ParameterError
        If k is not a whole number of at least 2.
    InfeasibleError
        If there are fewer than k records.
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 2:
        raise ParameterError(
            "k is {k!r}, but must be a whole number of at least 2: "
            "a group of one record protects nobody.",
            k=k,
        )
    if n_records < k:
        # scikit-learn's checks look for n_samples.
        raise InfeasibleError(
            "There is {count} record (n_samples = {count}), fewer than k = {k}: "
            "choose a smaller k or add records.",
            "There are {count} records (n_samples = {count}), fewer than k = {k}: "
            "choose a smaller k or add records.",
            count=n_records,
            k=k,
        )
