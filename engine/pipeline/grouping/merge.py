"""Merge groups until p-sensitivity, l-diversity, t-closeness and k-map hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError
from engine.core.message import Message
from engine.core.partition import Partition, members_by_group
from engine.core.typing import Integers, Values
from engine.data.persons import NOBODY, person_value_matching_sizes, person_weights
from engine.measures.privacy.t_closeness import TableDistribution
from engine.points.base import Points

CLOSENESS_TOLERANCE = 1e-12
"""By how much a limit, such as t, may be missed through rounding."""

MERGING_STAGE = Message("Merging groups")


@dataclass(frozen=True, eq=False)
class ConfidentialAttribute:
    """Value codes of one confidential attribute, and their distribution in the table.

    Attributes
    ----------
    name : str
    codes : ndarray of int64, shape (n_records,)
    reference : TableDistribution
        What its values are like in the whole table.
    """

    name: str
    codes: Integers
    reference: TableDistribution


@dataclass(frozen=True, eq=False)
class Requirements:
    """Diversity, closeness and population limits that every group has to meet.

    Attributes
    ----------
    p : int
        Different values, at least.
    t : float
        Distance from the table, at most; 0 where it does not matter.
    secrets : tuple of ConfidentialAttribute
    entropy_l : float
        Equally frequent values that are as hard to guess, at least; 0 where it does
        not matter.
    recursive_c : float
        The most frequent value has fewer than so many times the records of the
        `recursive_l`-th most frequent and all rarer ones; 0 where it does not matter.
    recursive_l : int
    k_map : float
        People that a group stands for, at least; 0 where it does not matter.
    people : ndarray of float64, shape (n_records,), or None
        How many each record stands for; None where `k_map` is 0.
    persons : ndarray of int64, shape (n_records,), or None
        Who each record is about, where persons are counted: each counts once in a
        group, and several values of one person are no different values.
    """

    p: int = 0
    t: float = 0.0
    secrets: tuple[ConfidentialAttribute, ...] = ()
    entropy_l: float = 0.0
    recursive_c: float = 0.0
    recursive_l: int = 2
    k_map: float = 0.0
    people: Values | None = None
    persons: Integers | None = None

    def tally(
        self, secret: ConfidentialAttribute, records: Integers
    ) -> tuple[Integers, Integers | Values, int]:
        """Return a group's values, their counts, and the number of distinct values."""
        values = secret.codes[records]
        if self.persons is None:
            codes, counts = np.unique(values, return_counts=True)
            return codes, counts, codes.size
        group, who = np.zeros_like(values), self.persons[records]
        codes, of = np.unique(values[who != NOBODY], return_inverse=True)
        weights = person_weights(group, who)[who != NOBODY]
        counted = np.bincount(of, weights)
        return (codes, counted, int(person_value_matching_sizes(group, values, who)[0]))

    def shortfall(self, records: Integers) -> tuple[int, float]:
        """Return how many values a group lacks, and by how much it misses other limits.

        Both summed over the confidential attributes; 0 where nothing is lacking.
        """
        values, limit_shortfall = 0, self.population_shortfall(records)
        for secret in self.secrets:
            codes, counts, different = self.tally(secret, records)
            values += max(0, self.p - different)
            if self.t > 0.0:
                excess = secret.reference.class_distance(codes, counts) - self.t
                limit_shortfall += excess if excess > CLOSENESS_TOLERANCE else 0.0
            limit_shortfall += self._undiverse(counts)
        return values, limit_shortfall

    def population_shortfall(self, records: Integers) -> float:
        """Return the missing share of the population that a group must represent."""
        if self.people is None:
            return 0.0
        lacking = 1.0 - self.people_of(records) / self.k_map
        return lacking if lacking > CLOSENESS_TOLERANCE else 0.0

    def people_of(self, records: Integers) -> float:
        """Return the number of people of the population whom records represent."""
        assert self.people is not None
        people = self.people[records]
        if self.persons is not None:
            people = people * person_weights(
                np.zeros_like(records), self.persons[records]
            )
        return float(people.sum())

    def _undiverse(self, counts: Integers | Values) -> float:
        """Return how far values that come so often are from being l-diverse.

        What two groups have, their union has as well (Machanavajjhala et al. 2007).
        """
        shortfall, shares = 0.0, counts / counts.sum()
        if self.entropy_l > 1.0:
            entropy = -float((shares * np.log(shares)).sum())
            lacking = np.log(self.entropy_l) - entropy
            shortfall += lacking if lacking > CLOSENESS_TOLERANCE else 0.0
        if self.recursive_c > 0.0:
            falling = np.sort(shares)[::-1]
            rest = float(falling[self.recursive_l - 1 :].sum())
            above = float(falling[0]) - self.recursive_c * rest
            if above > -CLOSENESS_TOLERANCE:
                shortfall += max(above, 0.0) + CLOSENESS_TOLERANCE
        return shortfall

    def attributes_below_p(self, records: Integers) -> list[ConfidentialAttribute]:
        """Return the attributes in which a group has too few distinct values."""
        return [
            secret for secret in self.secrets if self.tally(secret, records)[2] < self.p
        ]


def merge_until_requirements_met(
    requirements: Requirements,
    points: Points,
    partition: Partition,
    strata: Sequence[Integers],
    ctx: RunContext = SILENT,
) -> Partition:
    """Return groups merged within strata until all meet the requirements.

    Parameters
    ----------
    requirements : Requirements
    partition : Partition
    strata : sequence of ndarray of int64
        Records that may share a group; each group is within one.

    Returns
    -------
    Partition
        A merged group takes the place of the one that was created first.

    Raises
    ------
    InfeasibleError
        If all records of a stratum in one group would not do.

    Notes
    -----
    Each step takes, of all pairs of a group that lacks something and another one, the
    pair whose merge adds least to SSE. Pairs that help come before the others: those
    that add a lacking value, or bring a group that lacks none closer to the table.
    Ties go to the groups created first.
    """
    for records in strata:
        _check_stratum(requirements, records, len(strata) > 1)
    merging = GroupMergingState(requirements, points, partition, strata)
    merging.find_partners(ctx)
    n_failing_at_start = max(1, merging.failing_groups.sum())
    while merging.failing_groups.any():
        ctx.tick(
            n_failing_at_start - min(n_failing_at_start, merging.failing_groups.sum()),
            n_failing_at_start,
            MERGING_STAGE,
        )
        merging.merge_cheapest()
    keep = np.unique(merging.place)
    number = np.full(partition.n_groups, -1, dtype=np.int64)
    number[keep] = np.arange(keep.size)
    return Partition(
        number[merging.place[partition.labels]],
        partition.k,
        partition.guarantees_k,
        seeds=None if partition.seeds is None else partition.seeds[keep],
    )


def _check_stratum(
    requirements: Requirements, records: Integers, several: bool
) -> None:
    """Refuse what not even all records of a stratum together satisfy."""
    where = Message("all {n_records:,} records", n_records=records.size)
    if several:
        where = Message("a stratum of {n_records:,} records", n_records=records.size)
    for secret in requirements.secrets:
        codes, counts, different = requirements.tally(secret, records)
        if different < requirements.p:
            raise InfeasibleError(
                "Column {column!r} has {count} value in {where}, fewer than p = {p}: "
                "choose a smaller p, larger strata, or another role for the column.",
                "Column {column!r} has {count} different values in {where}, fewer "
                "than p = {p}: choose a smaller p, larger strata, or another role for "
                "the column.",
                column=secret.name,
                count=different,
                where=where,
                p=requirements.p,
            )
        distance = secret.reference.class_distance(codes, counts)
        if 0.0 < requirements.t < distance - CLOSENESS_TOLERANCE:
            raise InfeasibleError(
                "The values of column {column!r} in {where} differ from those of the "
                "table by {apart:.3f}, more than t = {t:g}: choose a larger t, larger "
                "strata, or another role for the column.",
                column=secret.name,
                apart=distance,
                where=where,
                t=requirements.t,
            )
    if (
        requirements.people is not None
        and requirements.population_shortfall(records) > 0.0
    ):
        raise InfeasibleError(
            "There are {people:,.0f} people for {where}, fewer than the {k_map:,.0f} "
            "of k-map: choose a smaller one, or larger strata.",
            where=where,
            people=requirements.people_of(records),
            k_map=requirements.k_map,
        )
    if requirements.shortfall(records)[1] > 0.0:
        raise InfeasibleError(
            "The confidential columns are not l-diverse enough in {where}: choose a "
            "smaller l or a larger c, larger strata, or another role for the column "
            "with few values.",
            where=where,
        )


class GroupMergingState:
    """State of merging: groups, centroids, and each failing group's best partner."""

    def __init__(
        self,
        requirements: Requirements,
        points: Points,
        partition: Partition,
        strata: Sequence[Integers],
    ) -> None:
        g = partition.n_groups
        labels = partition.labels
        X, weights = points.X, points.weights
        if weights is None:
            weights = np.ones(points.n_records)
        self.wanted = requirements
        self.mass = np.bincount(labels, weights, g)
        sums = [np.bincount(labels, weights * column, g) for column in X.T]
        self.centre = np.column_stack(sums) / self.mass[:, np.newaxis]
        self.members = members_by_group(labels)
        self.stratum = np.empty(g, dtype=np.int64)
        for number, records in enumerate(strata):
            self.stratum[labels[records]] = number
        self.place = np.arange(g)
        self.group = labels.copy()
        self.alive = np.ones(g, dtype=np.bool_)
        lacks = [requirements.shortfall(each) for each in self.members]
        self.values = np.array([values for values, _ in lacks])
        self.beyond = np.array([shortfall for _, shortfall in lacks])
        # Of open groups: does the partner help, what does it cost, which is it. Where
        # the partner was merged itself, the cost is a bound from below.
        self.helps = np.zeros(g, dtype=np.bool_)
        self.cost = np.full(g, np.inf)
        self.partner = np.full(g, -1)
        self.stale = np.zeros(g, dtype=np.bool_)

    def find_partners(self, ctx: RunContext) -> None:
        """Find a first partner for every group that fails the requirements."""
        for done, a in enumerate(np.flatnonzero(self.failing_groups)):
            if done % 64 == 0:
                ctx.tick(0, 1, MERGING_STAGE)
            self._choose(int(a))

    @property
    def failing_groups(self) -> NDArray[np.bool_]:
        """Bool mask of groups that fail the requirements, shape (n_groups,)."""
        is_failing: NDArray[np.bool_] = self.alive & (
            (self.values > 0) | (self.beyond > 0)
        )
        return is_failing

    def _costs(self, a: int) -> Values:
        """Return what a merge of `a` with each group adds to SSE."""
        squared_distances = np.square(self.centre - self.centre[a]).sum(axis=1)
        cost: Values = (
            self.mass * self.mass[a] / (self.mass + self.mass[a]) * squared_distances
        )
        cost[~self.alive | (self.stratum != self.stratum[a])] = np.inf
        cost[a] = np.inf
        return cost

    def _improves(self, a: int, b: int) -> bool:
        both = np.concatenate([self.members[a], self.members[b]])
        values, shortfall = self.wanted.shortfall(both)
        if self.values[a] > 0:
            return values < int(self.values[a])
        return shortfall < float(self.beyond[a])

    def _may_add(self, a: int) -> NDArray[np.bool_]:
        """Return the groups that may have a value which group `a` lacks.

        Where persons are counted, these need be of somebody, and any group may have a
        person for one of several values that group `a` has of one person alone.
        """
        may_add = np.zeros(self.alive.size, dtype=np.bool_)
        persons = self.wanted.persons
        for secret in self.wanted.attributes_below_p(self.members[a]):
            has_code = np.zeros(secret.reference.shares.size, dtype=np.bool_)
            codes, _, different = self.wanted.tally(secret, self.members[a])
            has_code[codes] = True
            adds = ~has_code[secret.codes] | (different < codes.size)
            if persons is not None:
                adds &= persons != NOBODY
            may_add[self.group[adds]] = True
        return may_add

    def _choose(self, a: int) -> None:
        """Find the cheapest partner of a group, one that helps if there is any."""
        costs = self._costs(a)
        helping = costs
        if self.values[a] > 0:
            helping = np.where(self._may_add(a), costs, np.inf)
        if self.values[a] > 0 and self.wanted.persons is None:
            chosen = int(np.argmin(helping))
            helps = bool(np.isfinite(helping[chosen]))
        else:
            order = np.argsort(helping, kind="stable")[: np.isfinite(helping).sum()]
            chosen = next((int(b) for b in order if self._improves(a, int(b))), -1)
            helps = chosen >= 0
        self.partner[a] = chosen if helps else int(np.argmin(costs))
        self.helps[a], self.stale[a] = helps, False
        self.cost[a] = costs[self.partner[a]]

    def _cheapest(self) -> int:
        """Return the group whose merge comes next."""
        waiting = np.flatnonzero(self.failing_groups)
        while True:
            helping = waiting[self.helps[waiting]]
            among = helping if helping.size else waiting
            a = int(among[np.argmin(self.cost[among])])
            if not self.stale[a]:
                return a
            self._choose(a)

    def merge_cheapest(self) -> None:
        """Carry out the cheapest merge."""
        a = self._cheapest()
        low, high = sorted((a, int(self.partner[a])))
        mass = self.mass[low] + self.mass[high]
        centre = self.mass[low] * self.centre[low] + self.mass[high] * self.centre[high]
        self.centre[low], self.mass[low] = centre / mass, mass
        self.group[self.members[high]] = low
        self.members[low] = np.concatenate([self.members[low], self.members[high]])
        self.alive[high] = False
        self.place[self.place == high] = low
        self.helps[low] = self.stale[low] = False
        self.values[low], self.beyond[low] = self.wanted.shortfall(self.members[low])
        costs, still = self._costs(low), self.failing_groups
        has_lost_partner = still & ((self.partner == low) | (self.partner == high))
        self.stale |= has_lost_partner & self.helps
        bound = still & self.stale
        self.cost[bound] = np.minimum(self.cost[bound], costs[bound])
        has_lost_partner[low] = still[low]
        for x in np.flatnonzero(has_lost_partner & ~self.stale):
            self._choose(int(x))
        # Merged groups are no nearer than their parts were, but may help where the
        # nearer part did not.
        better = still & np.isfinite(costs) & ~(self.helps & (costs > self.cost))
        for x in np.flatnonzero(better & ~self.stale):
            self._consider(int(x), low, float(costs[x]))

    def _consider(self, x: int, new: int, cost: float) -> None:
        """Give a group a merged one as partner, if that is better."""
        helps = self._improves(x, new)
        partner_key = (not self.helps[x], self.cost[x], self.partner[x])
        if (not helps, cost, new) < partner_key:
            self.helps[x], self.cost[x], self.partner[x] = helps, cost, new
