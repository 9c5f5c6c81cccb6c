"""Partition: the groups of one run, and the one place that checks k."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.errors import InfeasibleError, ParameterError

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Partition:
    """Records in groups of at least k.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
        Group of each record, in the order of the input rows. Groups are numbered
        0..g-1 in the order in which the method created them.
    k : int
        Minimum group size asked for.
    guarantees_k : bool
        False for probabilistic methods, whose groups may be smaller than k.

    Raises
    ------
    InfeasibleError
        If a group has fewer than k records although the method guarantees k.
    """

    labels: Labels
    k: int
    guarantees_k: bool = True

    def __post_init__(self) -> None:
        labels = np.array(self.labels, dtype=np.int64)
        if labels.ndim != 1 or labels.size == 0:
            raise InfeasibleError("A partition needs at least one record.")
        if labels.min() < 0:
            raise InfeasibleError("The method left a record without a group.")
        sizes = np.bincount(labels)
        if sizes.min() == 0:
            raise InfeasibleError("The method left a group number unused.")
        if self.guarantees_k and sizes.min() < self.k:
            raise InfeasibleError(
                f"The method made a group of {sizes.min()} records, fewer than "
                f"k = {self.k}; please report this."
            )
        labels.flags.writeable = False
        object.__setattr__(self, "labels", labels)

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
        """Records in each group, shape (n_groups,), in order of creation."""
        sizes = np.bincount(self.labels).astype(np.int64)
        sizes.flags.writeable = False
        return sizes

    def members(self, group: int) -> Labels:
        """Return the row numbers of one group's records, rising."""
        if not 0 <= group < self.n_groups:
            raise ParameterError(
                f"There is no group {group}; groups run from 0 to {self.n_groups - 1}."
            )
        return np.flatnonzero(self.labels == group).astype(np.int64)


def check_k(k: int, n_records: int, where: str = "") -> None:
    """Refuse a k that is no group size, or that the records cannot meet.

    Raises
    ------
    ParameterError
        If k is not a whole number of at least 2.
    InfeasibleError
        If there are fewer than k records.
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 2:
        raise ParameterError(
            f"k is {k!r}, but must be a whole number of at least 2: "
            "a group of one record protects nobody."
        )
    if n_records < k:
        records = "is 1 record" if n_records == 1 else f"are {n_records} records"
        raise InfeasibleError(
            f"There {records}{where} (n_samples = {n_records}), fewer "
            f"than k = {k}: choose a smaller k or add records."
        )
