"""Partition records into unions of the groups of an earlier release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.core.errors import InfeasibleError
from engine.core.numerics.statistics import mean_by_group
from engine.core.partition import Partition, group_per_record, members_by_group
from engine.core.typing import Integers, Values
from engine.data.persons import count_persons
from engine.persons.group import check_person_count
from engine.pipeline.grouping.merge import (
    ConfidentialAttribute,
    Requirements,
    merge_until_requirements_met,
)
from engine.points.base import Points

MAX_PASSES = 50
"""Times that all earlier groups are moved or swapped, at most."""

MAX_SWAPPED_GROUPS = 5_000
"""Earlier groups up to which pairs of them are swapped."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _OfSize(Requirements):
    """Groups of at least k records or persons; nothing else is wanted."""

    k: int

    def shortfall(self, records: Integers) -> tuple[int, float]:
        """Return how many records, or persons, a group lacks."""
        count = records.size
        if self.persons is not None:
            count = count_persons(self.persons[records])
        return 0, float(max(0, self.k - count))

    def attributes_below_p(self, records: Integers) -> list[ConfidentialAttribute]:
        """Return nothing: no value is lacking."""
        return []


def partition_into_group_unions(
    points: Points,
    earlier_labels: Integers,
    k: int,
    strata: Sequence[Integers],
    persons: Integers | None = None,
) -> Partition:
    """Return a partition into unions of groups, of at least k records or persons each.

    Parameters
    ----------
    earlier_labels : ndarray of int64, shape (n_records,)
        Groups that were released before.
    strata : sequence of ndarray of int64
        Records that may share a group; each earlier group is within one.
    persons : ndarray of int64, shape (n_records,), optional
        Person of each record, -1 of nobody, where k counts persons.

    Raises
    ------
    InfeasibleError
        If an earlier group is in two strata, or a stratum has fewer than k records or
        persons.

    Notes
    -----
    Groups that are too small are merged with those that cost least; then earlier
    groups move to another union or change places, and unions of at least 2k records
    are split, until nothing is gained, in at most :data:`MAX_PASSES` passes. All go by
    centroids: what earlier groups lost stays lost.
    """
    parts = np.unique(earlier_labels, return_inverse=True)[1].astype(np.int64)
    stratum = group_per_record(strata, parts.size)
    for records in strata:
        if records.size < k:
            raise InfeasibleError(
                "A stratum has {count:,} record, fewer than k = {k}: choose a smaller "
                "k or a coarser column, or let small strata be merged.",
                "A stratum has {count:,} records, fewer than k = {k}: choose a "
                "smaller k or a coarser column, or let small strata be merged.",
                count=records.size,
                k=k,
            )
        if persons is not None:
            check_person_count(persons[records], k)
    low = np.full(int(parts.max()) + 1, len(strata))
    high = np.full(low.size, -1)
    np.minimum.at(low, parts, stratum)
    np.maximum.at(high, parts, stratum)
    if (low < high).any():
        raise InfeasibleError(
            "An earlier group has records of several strata: leave the strata out, or "
            "release the same groups again."
        )
    start = Partition(parts, k, guarantees_k=False)
    merged = merge_until_requirements_met(
        _OfSize(k=k, persons=persons), points, start, strata
    )
    first = np.unique(parts, return_index=True)[1]
    units = _Units(points, parts, merged.labels[first], low, k, persons)
    for _ in range(MAX_PASSES):
        if not units.move_or_swap():
            break
    labels = np.unique(units.union, return_inverse=True)[1]
    return Partition(labels[parts].astype(np.int64), k)


class _Units:
    """Earlier groups, and the union that each is in."""

    def __init__(
        self,
        points: Points,
        parts: Integers,
        union: Integers,
        home: Integers,
        k: int,
        persons: Integers | None,
    ) -> None:
        self.persons = None
        if persons is not None:
            groups = members_by_group(parts)
            self.persons = [np.unique(persons[some]) for some in groups]
        self.size = np.bincount(parts).astype(np.float64)
        self.centre = mean_by_group(points.X - points.X.mean(axis=0), parts)
        self.union, self.home, self.k = union.copy(), home, k
        n = int(union.max()) + 1
        self.mass = np.bincount(union, self.size, n)
        sums = [np.bincount(union, self.size * x, n) for x in self.centre.T]
        self.total: Values = np.column_stack(sums)
        self.stratum = np.full(n, -1)
        self.stratum[union] = home
        self.least = 1e-9 * float(self.size @ np.square(self.centre).sum(axis=1))

    def move_or_swap(self) -> bool:
        """Move or swap groups, and split unions, where SSE falls; return if it fell."""
        any_moved = False
        for unit in range(self.size.size):
            gain, new_union = self._best_move(unit)
            other = -1
            if self.size.size <= MAX_SWAPPED_GROUPS and self.persons is None:
                swapped, partner = self._best_swap(unit)
                if swapped > gain:
                    gain, other, new_union = swapped, partner, int(self.union[partner])
            old_union = int(self.union[unit])
            if gain > self.least:
                self._put(unit, old_union, new_union)
                if other >= 0:
                    self._put(other, new_union, old_union)
                any_moved = True
        for union in np.flatnonzero(self.mass >= 2 * self.k).tolist():
            any_moved |= self._split(union)
        return any_moved

    def _split(self, union: int) -> bool:
        """Take a group and those nearest to it out of a union, where that saves."""
        units = np.flatnonzero(self.union == union)
        best, chosen = self.least, units[:0]
        whole = self.total[union] @ self.total[union] / self.mass[union]
        for unit in units.tolist():
            squared_distances = np.square(self.centre[units] - self.centre[unit]).sum(
                axis=1
            )
            near = units[np.argsort(squared_distances, kind="stable")]
            count = int(np.searchsorted(np.cumsum(self.size[near]), self.k)) + 1
            some = near[:count]
            mass, total = self.size[some].sum(), self.size[some] @ self.centre[some]
            rest_mass, rest = self.mass[union] - mass, self.total[union] - total
            others = np.setdiff1d(units, some)
            if rest_mass < self.k or not (
                self._holds_k(some) and self._holds_k(others)
            ):
                continue
            gain = float(total @ total / mass + rest @ rest / rest_mass - whole)
            if gain > best:
                best, chosen = gain, some
        if chosen.size == 0:
            return False
        self.mass = np.append(self.mass, 0.0)
        self.total = np.vstack([self.total, np.zeros(self.total.shape[1])])
        self.stratum = np.append(self.stratum, self.stratum[union])
        for unit in chosen.tolist():
            self._put(unit, union, self.mass.size - 1)
        return True

    def _holds_k(self, units: Integers) -> bool:
        """Return whether given groups together have k persons, where they count."""
        if self.persons is None:
            return True
        some = [self.persons[unit] for unit in units.tolist()]
        return bool(some) and count_persons(np.concatenate(some)) >= self.k

    def _put(self, unit: int, here: int, there: int) -> None:
        for union, sign in ((here, -1.0), (there, 1.0)):
            self.mass[union] += sign * self.size[unit]
            self.total[union] += sign * self.size[unit] * self.centre[unit]
        self.union[unit] = there

    def _best_move(self, unit: int) -> tuple[float, int]:
        """Return what a move to the best other union saves, and that union."""
        old_union, size = int(self.union[unit]), self.size[unit]
        rest_mass = self.mass[old_union] - size
        others = np.setdiff1d(np.flatnonzero(self.union == old_union), [unit])
        if rest_mass < self.k or not self._holds_k(others):
            return 0.0, old_union
        centres = self.total / np.maximum(self.mass, 1.0)[:, np.newaxis]
        squared_distances = np.square(centres - self.centre[unit]).sum(axis=1)
        cost = self.mass * size / (self.mass + size) * squared_distances
        cost[old_union] = np.inf
        cost[self.stratum != self.home[unit]] = np.inf
        new_union = int(np.argmin(cost))
        return float(
            self.mass[old_union] * size / rest_mass * squared_distances[old_union]
            - cost[new_union]
        ), new_union

    def _best_swap(self, unit: int) -> tuple[float, int]:
        """Return what changing places with the best other group saves, and that group.

        A union's loss between its groups is sum of s |c|^2, less |sum of s c|^2 / n.
        """
        old_union, size = int(self.union[unit]), self.size[unit]
        own_total, other_totals = self.total[old_union], self.total[self.union]
        moved = self.size[:, np.newaxis] * self.centre - size * self.centre[unit]
        n_here = self.mass[old_union] + self.size - size
        n_there = self.mass[self.union] + size - self.size
        before = own_total @ own_total / self.mass[old_union]
        before = before + np.square(other_totals).sum(axis=1) / self.mass[self.union]
        after = np.square(own_total + moved).sum(axis=1) / n_here
        after += np.square(other_totals - moved).sum(axis=1) / n_there
        gain = after - before
        gain[(self.union == old_union) | (self.home != self.home[unit])] = -np.inf
        gain[(n_here < self.k) | (n_there < self.k)] = -np.inf
        best = int(np.argmax(gain))
        return float(gain[best]), best
