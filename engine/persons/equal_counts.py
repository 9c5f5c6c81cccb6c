"""Leave out records, so that at least k persons have as many as one another."""

from __future__ import annotations

import numpy as np

from engine.core.context import SILENT, RunContext
from engine.core.numerics.statistics import within_group_sse
from engine.core.typing import Booleans, Integers, Values
from engine.data.persons import NOBODY, class_set_per_person, renumber_persons
from engine.methods.base import make_method
from engine.methods.default import DEFAULT_LARGE_METHOD
from engine.persons.group import MAX_COMPARED, group_for_k_persons
from engine.points.base import Points

PERSONS_PER_K = 4
"""Of large tables at least so many times k persons keep as many records."""


def select_records_of_equal_counts(
    points: Points,
    persons: Integers,
    k: int,
    strata: Integers | None = None,
    ctx: RunContext = SILENT,
) -> Integers:
    """Return the records to keep: of each person as many as of k - 1 others or more.

    In each stratum, where there are some. For least groups of k, 2 k, 4 k, ... persons
    who keep as many, as few records as possible are left out; the choice that loses
    least is returned. A record left out loses its squared distance from the mean of
    all, others lose what they lose in classes that are quickly made. Of a person those
    are kept that are nearest to the groups of such classes. Records of nobody are kept.

    Parameters
    ----------
    persons : ndarray of int64, shape (n_records,)
        Persons 0, 1, ..., -1 of nobody.
    strata : ndarray of int64, shape (n_records,), optional
        At least k persons have records in each set of strata that somebody has.

    Returns
    -------
    ndarray of int64
        Ascending.
    """
    cells = _Cells(points.X, persons, strata)
    squared_distances = np.square(points.X - points.X.mean(axis=0)).sum(axis=1)
    is_small = points.n_records <= MAX_COMPARED
    min_persons, tried = k if is_small else PERSONS_PER_K * k, dict[bytes, Booleans]()
    while True:
        targets = cells.targets(min_persons)
        tried[targets.tobytes()] = cells.spread(targets)
        if min_persons >= cells.largest_set or not is_small:
            break
        min_persons *= 2
    if len(tried) == 1 and all(kept_mask.all() for kept_mask in tried.values()):
        return np.arange(points.n_records, dtype=np.int64)
    best, lowest = np.ones(points.n_records, dtype=np.bool_), np.inf
    for number, spread_mask in enumerate(tried.values()):
        share = ctx.subcontext(number / len(tried), (number + 1) / len(tried))
        rows = np.flatnonzero(spread_mask)
        person_groups = group_for_k_persons(
            points.subset(rows),
            renumber_persons(persons[rows]),
            make_method(DEFAULT_LARGE_METHOD, k, {}, 0),
            "counts",
            share,
            strata=None if strata is None else strata[rows],
            is_quick=True,
        )
        labels = np.full(points.n_records, -1, dtype=np.int64)
        labels[rows] = person_groups.partition.labels
        same = np.repeat(person_groups.constant, points.space.widths)
        for kept_mask, groups in (
            (spread_mask, labels),
            cells.nearest(points.X, labels),
        ):
            # What is constant for a person does not depend on the records kept.
            loss = person_groups.sse - within_group_sse(
                points.X[rows], labels[rows], ~same
            )
            loss += within_group_sse(points.X[kept_mask], groups[kept_mask], ~same)
            loss += float(squared_distances[~kept_mask].sum())
            if loss < lowest:
                best, lowest = kept_mask, loss
    return np.flatnonzero(best)


class _Cells:
    """The records of each person in each stratum, in order along the main axis."""

    def __init__(self, X: Values, persons: Integers, strata: Integers | None) -> None:
        person_records = np.flatnonzero(persons != NOBODY)
        if strata is None:
            strata = np.zeros(persons.size, dtype=np.int64)
        whose = (
            persons[person_records] * (int(strata.max()) + 1) + strata[person_records]
        )
        centred = X[person_records] - X[person_records].mean(axis=0)
        score = centred @ np.linalg.eigh(centred.T @ centred)[1][:, -1]
        order = np.lexsort((score, whose))
        self.n_records, self.records = persons.size, person_records[order]
        _, first, self.counts = np.unique(
            whose[order], return_index=True, return_counts=True
        )
        self.start = first.astype(np.int64)
        owner = persons[self.records[self.start]]
        begin = np.searchsorted(owner, np.arange(int(owner.max()) + 1))
        sets = class_set_per_person(strata, persons)
        # Cells of the persons of each set of strata, (n_persons, n_strata).
        self.sets = list[Integers]()
        for code in range(int(sets.max()) + 1):
            members = np.flatnonzero(sets == code)
            width = int(np.count_nonzero(owner == members[0]))
            self.sets.append(begin[members][:, np.newaxis] + np.arange(width))
        self.largest_set = max(len(each) for each in self.sets)

    def targets(self, min_persons: int) -> Integers:
        """Return the number of records that each cell keeps; see `_equal_counts`."""
        kept_counts = np.zeros(self.counts.size, dtype=np.int64)
        for cells in self.sets:
            kept_counts[cells] = _equal_counts(self.counts[cells], min_persons)
        return kept_counts

    def spread(self, targets: Integers) -> Booleans:
        """Return a mask of the kept records: evenly spread in each cell."""
        of = np.repeat(np.arange(self.counts.size), self.counts)
        place, count, target = (
            np.arange(of.size) - self.start[of],
            self.counts[of],
            targets[of],
        )
        kept_mask = np.ones(self.n_records, dtype=np.bool_)
        kept_mask[self.records] = (
            place + 1
        ) * target // count > place * target // count
        return kept_mask

    def nearest(self, X: Values, labels: Integers) -> tuple[Booleans, Integers]:
        """Return a mask of the records nearest to a cell's groups, and their labels.

        Parameters
        ----------
        labels : ndarray of int64, shape (n_records,)
            Groups, -1 of records that are left out.
        """
        from scipy.optimize import linear_sum_assignment

        is_grouped = labels >= 0
        kept_mask, new_labels = is_grouped.copy(), labels.copy()
        size = np.bincount(labels[is_grouped])
        total = np.column_stack(
            [np.bincount(labels[is_grouped], x) for x in X[is_grouped].T]
        )
        for first, count in zip(self.start.tolist(), self.counts.tolist(), strict=True):
            some = self.records[first : first + count]
            grouped_records = some[is_grouped[some]]
            if grouped_records.size in (0, count):
                continue
            groups = labels[grouped_records]
            # Own records may share a group, whose mean is then that of the others.
            whole, times = np.unique(groups, return_inverse=True, return_counts=True)[
                1:
            ]
            own_sums = np.zeros((times.size, X.shape[1]))
            np.add.at(own_sums, whole, X[grouped_records])
            others = (size[groups] - times[whole])[:, np.newaxis]
            centres = (total[groups] - own_sums[whole]) / np.maximum(others, 1)
            costs = np.square(X[some][:, np.newaxis] - centres).sum(axis=2)
            chosen, places = linear_sum_assignment(costs)
            kept_mask[some], new_labels[some] = False, -1
            kept_mask[some[chosen]], new_labels[some[chosen]] = True, groups[places]
        return kept_mask, new_labels


def _equal_counts(counts: Integers, min_persons: int) -> Integers:
    """Return how many records persons keep so that `min_persons` keep as many each.

    With one stratum, or none, as few records as possible are left out. With several,
    only persons who are neighbours in the order of their numbers keep as many.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_persons, n_strata)
        Records of persons in strata, 1 or more.
    min_persons : int
        All persons, if there are fewer.

    Returns
    -------
    ndarray of int64, shape (n_persons, n_strata)
        0 for a person who is left out whole.
    """
    order = np.lexsort(counts.T[::-1])[::-1]
    sorted_counts, n = counts[order], len(counts)
    min_persons = min(min_persons, n)
    before = np.concatenate([[0], np.cumsum(sorted_counts.sum(axis=1))])
    losses = np.zeros(n + 1)
    begin = np.arange(n + 1) - 1  # of the last persons who keep as many, up to each
    for end in range(1, n + 1):
        losses[end] = losses[end - 1] + before[end] - before[end - 1]
        low, high = max(0, end - 2 * min_persons + 1), end - min_persons
        if high < 0:
            continue
        fewest = np.minimum.accumulate(sorted_counts[low:end][::-1])[::-1]
        starts = np.arange(low, high + 1)
        n_kept = (end - starts) * fewest[: starts.size].sum(axis=1)
        prices = losses[starts] + before[end] - before[starts] - n_kept
        place = int(np.argmin(prices))
        if prices[place] <= losses[end]:
            losses[end], begin[end] = prices[place], low + place
    kept_counts, end = np.zeros_like(counts), n
    while end > 0:
        first = int(begin[end])
        if end - first > 1:
            kept_counts[order[first:end]] = sorted_counts[first:end].min(axis=0)
        end = first
    return kept_counts
