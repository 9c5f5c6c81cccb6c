"""Explanations of a result's groups and records: members, losses, cheapest moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.core.errors import ParameterError
from engine.core.numerics.statistics import (
    loss_percent,
    mean_by_group,
    total_sum_of_squares,
)
from engine.core.typing import Integers, Values
from engine.data.schema import unknown_column_error
from engine.methods import methods
from engine.pipeline.grouping.prepare import PreparedTable
from engine.pipeline.outcome import Outcome


@dataclass(frozen=True, eq=False)
class NeighbourGroup:
    """A neighbouring group, and the change of loss if records moved there.

    Attributes
    ----------
    group : int
    distance : float
        From centroid to centroid, or from the record to its centroid, on the scale
        that records were grouped on.
    cost : float
        What it would add to the information loss, in percentage points; negative where
        it would be saved.
    possible : bool
        Whether k still held in the group that is left.
    """

    group: int
    distance: float
    cost: float
    possible: bool


@dataclass(frozen=True, eq=False)
class GroupExplanation:
    """A group's members, spread, loss by attribute and cheapest group to join.

    Attributes
    ----------
    group : int
        Its number; groups are numbered in the order in which they were formed.
    n_groups, size : int
    seed : int or None
        Record of the release that it was formed around, counted from 0; None where
        there was none.
    members : ndarray of int64, shape (size,)
        Records of the release, counted from 0.
    radius : float
        Distance of the member farthest from the centroid, on the grouping's scale.
    wider : int
        How many groups have a larger radius.
    loss : float
        What the group adds to the information loss, in percentage points.
    share : float
        The same, in per cent of the information loss of all groups.
    attributes : mapping of str to float
        Each attribute's share of the group's loss, in per cent, largest first.
    nearest : NeighbourGroup or None
        The group that would be cheapest to merge with; None if there is no other.
    """

    group: int
    n_groups: int
    size: int
    seed: int | None
    members: Integers
    radius: float
    wider: int
    loss: float
    share: float
    attributes: Mapping[str, float]
    nearest: NeighbourGroup | None


@dataclass(frozen=True, eq=False)
class RecordExplanation:
    """A record's distance, loss by attribute, moves and best alternative group.

    Attributes
    ----------
    record : int
        Record of the release, counted from 0.
    group : int
    distance : float
        From its group's centroid, on the grouping's scale.
    farther : int
        How many records lie farther from their groups' centroids.
    loss : float
        What it adds to the information loss, in percentage points.
    attributes : mapping of str to float
        Each attribute's share of the record's loss, in per cent, largest first.
    moves : mapping of str to float
        How far each number moves to its group's mean, in its own unit; positive is up.
    alternative : NeighbourGroup or None
        The group that would be best for it, next to its own; None if there is no other.
    """

    record: int
    group: int
    distance: float
    farther: int
    loss: float
    attributes: Mapping[str, float]
    moves: Mapping[str, float]
    alternative: NeighbourGroup | None


class Explainer:
    """Explainer of the groups and records of one outcome.

    Parameters
    ----------
    outcome : Outcome
    prepared : PreparedTable
        The table that was protected, prepared for the outcome's plan.

    Attributes
    ----------
    names : list of str
        Quasi-identifiers.

    Raises
    ------
    ParameterError
        If attributes were not all grouped together, so that records have no group of
        their own.

    Notes
    -----
    Distances and losses are those of points, on the scale that records were grouped
    on, around the groups' means; so they add up to the information loss.
    Adding a record to a group of s costs s/(s+1) |x - c|^2, taking it out saves
    s/(s-1) |x - c|^2, and merging two groups costs sA sB/(sA+sB) |cA - cB|^2.
    """

    def __init__(self, outcome: Outcome, prepared: PreparedTable) -> None:
        plan = outcome.plan
        if plan.blocks or methods.info(plan.method).traits.per_attribute:
            raise ParameterError(
                "Attributes were grouped apart here, so a record is in one group for "
                "each of them: choose a result whose attributes were grouped together."
            )
        points = prepared.points
        self.names = list(points.names)
        self._X, self._starts = points.X, points.space.offsets
        means = mean_by_group(points.values, outcome.partition.labels)
        moves = means[outcome.partition.labels] - points.values
        self._moves = {
            name: moves[:, j] for j, name in enumerate(self.names) if points.numeric[j]
        }
        self._partition = outcome.partition
        self._k = plan.k
        labels, sizes = outcome.partition.labels, outcome.partition.sizes
        self._sizes = sizes.astype(np.float64)
        self._centres = mean_by_group(self._X, labels)
        self._away = self._X - self._centres[labels]
        self._squared = np.square(self._away).sum(axis=1)
        self._radius = np.zeros(sizes.size)
        np.maximum.at(self._radius, labels, np.sqrt(self._squared))
        self._sst = total_sum_of_squares(self._X)
        # Groups of different strata cannot exchange records.
        self._stratum = np.empty(sizes.size, dtype=np.int64)
        for number, records in enumerate(prepared.blocks[0].strata):
            self._stratum[labels[records]] = number

    def explain_group(self, group: int) -> GroupExplanation:
        """Return a group's members, spread, loss and nearest neighbouring group.

        Raises
        ------
        ParameterError
            If there is no such group.
        """
        members = self._partition.members(group)
        seeds = self._partition.seeds
        seed = None if seeds is None or seeds[group] < 0 else int(seeds[group])
        by_attribute = self._by_attribute(members)
        sse = float(by_attribute.sum())
        total = float(self._squared.sum())
        return GroupExplanation(
            group=group,
            n_groups=self._partition.n_groups,
            size=members.size,
            seed=seed,
            members=members,
            radius=float(self._radius[group]),
            wider=int((self._radius > self._radius[group]).sum()),
            loss=self._points(sse),
            share=loss_percent(sse, total),
            attributes=self._shares(by_attribute),
            nearest=self._nearest(group, self._centres[group], self._sizes[group]),
        )

    def explain_record(self, record: int) -> RecordExplanation:
        """Return a record's distance, loss, moves and best alternative group.

        Raises
        ------
        ParameterError
            If there is no such record.
        """
        n = self._partition.n_records
        if not 0 <= record < n:
            raise ParameterError(
                "There is no record {record}; the release has {n_records:,} records.",
                record=record + 1,
                n_records=n,
            )
        squared = float(self._squared[record])
        group = int(self._partition.labels[record])
        return RecordExplanation(
            record=record,
            group=group,
            distance=float(np.sqrt(squared)),
            farther=int((self._squared > squared).sum()),
            loss=self._points(squared),
            attributes=self._shares(self._by_attribute(np.array([record]))),
            moves={name: float(move[record]) for name, move in self._moves.items()},
            alternative=self._alternative(record, group),
        )

    def costliest_groups(
        self, attribute: str | None = None, max_groups: int = 5
    ) -> list[int]:
        """Return the groups with the largest loss, in all attributes or in one.

        Parameters
        ----------
        attribute : str, optional
        max_groups : int
            How many groups.

        Raises
        ------
        ParameterError
            If the attribute was not protected.
        """
        squared = self._squared
        if attribute is not None:
            if attribute not in self.names:
                raise unknown_column_error(attribute, tuple(self.names))
            j = self.names.index(attribute)
            bounds = [*self._starts, self._X.shape[1]]
            squared = np.square(self._away[:, bounds[j] : bounds[j + 1]]).sum(axis=1)
        sse = np.bincount(self._partition.labels, weights=squared)
        order = np.argsort(-sse, kind="stable")[:max_groups]
        return [int(group) for group in order if sse[group] > 0.0]

    def _by_attribute(self, records: Integers) -> Values:
        """Return what some records lose together in each attribute."""
        losses = np.square(self._away[records]).sum(axis=0)
        return np.asarray(np.add.reduceat(losses, self._starts))

    def _points(self, sse: float) -> float:
        return loss_percent(sse, self._sst)

    def _shares(self, squared: Values) -> dict[str, float]:
        total = float(squared.sum())
        share = 100.0 * squared / total if total > 0.0 else np.zeros_like(squared)
        order = np.argsort(-share, kind="stable")
        return {self.names[j]: float(share[j]) for j in order}

    def _nearest(
        self,
        group: int,
        point: Values,
        size: float,
        saved: float = 0.0,
        possible: bool = True,
    ) -> NeighbourGroup | None:
        """Return the other group of the stratum that some records join at least cost.

        Parameters
        ----------
        group : int
            Group that the records are in.
        point : ndarray of float64, shape (n_coordinates,)
            Their mean.
        size : float
            Their number.
        saved : float
            What their own group loses less without them.
        possible : bool
            Whether they may leave it.
        """
        same = self._stratum == self._stratum[group]
        same[group] = False
        others = np.flatnonzero(same)
        if others.size == 0:
            return None
        squared = np.square(self._centres[others] - point).sum(axis=1)
        sizes = self._sizes[others]
        cost = size * sizes / (size + sizes) * squared
        best = int(np.argmin(cost))
        return NeighbourGroup(
            group=int(others[best]),
            distance=float(np.sqrt(squared[best])),
            cost=self._points(float(cost[best] - saved)),
            possible=possible,
        )

    def _alternative(self, record: int, group: int) -> NeighbourGroup | None:
        size = self._sizes[group]
        saved = size / (size - 1.0) * float(self._squared[record]) if size > 1 else 0.0
        return self._nearest(group, self._X[record], 1.0, saved, bool(size > self._k))
