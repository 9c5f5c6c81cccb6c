"""MDAV loop for a single attribute: groups at the ends of sorted records.

Records of equal value form a run, ordered by number. The distance of a run from a
point never falls from there to either end of the line, in rounded numbers too, so the
farthest record is in an end run and the nearest ones are in the runs to either side.
Of runs equally far the lowest record number decides, as everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.box_fitting import add_to_compensated_sum

Places = NDArray[np.int32]

VALUES_PER_TAKE = 16
"""Values read, about, to take a record: its run, the neighbours, and the totals."""


class SortedRuns(NamedTuple):
    """Remaining records in runs of equal value, by rising value.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, 1)
        Read-only.
    order : ndarray of int64, shape (n_records,)
        Records by value, then by number.
    first, stop : ndarray of int32, shape (n_runs,)
        What remains of run g is ``order[first[g] : stop[g]]``.
    before, after : ndarray of int32, shape (n_runs,)
        The nearest runs of which something remains; -1 for none.
    ends : ndarray of int64, shape (2,)
        The first and the last such run.
    count, slot, total
        As in :class:`engine.kernels.index.blocks.BlockIndex`, without blocks: `slot` is
        0 while a record remains.
    """

    X: Values
    order: Integers
    first: Places
    stop: Places
    before: Places
    after: Places
    ends: Integers
    count: Integers  # type: ignore[assignment]  # a tuple's method has that name
    slot: Integers
    total: Values


def make_sorted_runs(X: Values) -> SortedRuns:
    """Return the records of a single attribute as sorted runs, all still remaining.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, 1)
        Finite, of fewer than 2**31 records; kept, not copied.
    """
    X = X.view()
    X.flags.writeable = False  # one array type, so that kernels compile once
    n = X.shape[0]
    order = np.argsort(X[:, 0], kind="stable").astype(np.int64, copy=False)
    ranked = X[order, 0]
    first = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]]).astype(np.int32)
    runs = first.size
    numbers = np.arange(runs, dtype=np.int32)
    line = SortedRuns(
        X=X,
        order=order,
        first=first,
        stop=np.append(first[1:], np.int32(n)),
        before=numbers - np.int32(1),
        after=np.where(numbers < runs - 1, numbers + np.int32(1), np.int32(-1)),
        ends=np.array([0, runs - 1], dtype=np.int64),
        count=np.array([n, 0, 0, 0, 0], dtype=np.int64),
        slot=np.zeros(n, dtype=np.int64),
        total=np.zeros((2, 1)),
    )
    _add_up(line)
    return line


@kernel
def _add_up(line: SortedRuns) -> None:
    total, X = line.total, line.X
    for i in range(X.shape[0]):
        add_to_compensated_sum(total, X, i, 1.0)


@kernel
def form_extreme_groups_on_line(
    line: SortedRuns,
    min_remaining: int,
    max_values: int,
    next_group: int,
    labels: Integers,
    n_ends: int,
    point: Values,
    nearest: Integers,
    sq_dists: Values,
) -> int:
    """Form groups around extreme records, by rounds; return the next group number.

    Parameters
    ----------
    line : SortedRuns
    min_remaining, max_values, next_group, labels, n_ends, point, nearest, sq_dists
        As in :func:`engine.kernels.fixed_size.mdav.form_extreme_groups`; of `nearest`
        only the size counts, and `sq_dists` is not used.
    """
    count, total = line.count, line.total
    limit = count[4] + max_values
    while count[0] >= min_remaining and count[4] < limit:
        # Step 1 of MDAV: the average of what remains.
        point[0] = (total[0, 0] + total[1, 0]) / count[0]
        # Steps 1 to 3: r farthest from it, then s farthest from r, each with its group.
        for _end in range(n_ends):
            point[0] = _take_group(line, point[0], nearest.size, next_group, labels)
            next_group += 1
    return next_group


@kernel
def _take_group(
    line: SortedRuns, point: float, others: int, group: int, labels: Integers
) -> float:
    """Group the record farthest from a point with those nearest to it.

    Returns
    -------
    float
        The value of that record.
    """
    X, order, first, stop = line.X, line.order, line.first, line.stop
    before, after, slot = line.before, line.after, line.slot
    count, total, ends = line.count, line.total, line.ends
    run = _farthest_run(X, order, first, before, after, ends, point)
    i = order[first[run]]
    value = X[i, 0]
    left, right = int(before[run]), int(after[run])
    _take(X, order, first, stop, before, after, slot, count, total, ends, run)
    labels[i] = group
    # The rest of its own run is the next on the left, at distance 0.
    if first[run] < stop[run]:
        left = run
    # Outwards on both sides, one distance at a time.
    while others > 0:
        d = min(
            _sq_dist_to_run(X, order, first, left, value),
            _sq_dist_to_run(X, order, first, right, value),
        )
        next_left, far = left, right
        runs = 0
        # Squares can round to one distance for several runs of a side: all of them tie.
        while (
            next_left >= 0 and _sq_dist_to_run(X, order, first, next_left, value) == d
        ):
            next_left = int(before[next_left])
            runs += 1
        while far >= 0 and _sq_dist_to_run(X, order, first, far, value) == d:
            far = int(after[far])
            runs += 1
        # The lowest record of all these runs, again and again.
        while others > 0 and runs > 0:
            run = _lowest_run(order, first, before, after, left, next_left, right, far)
            i = order[first[run]]
            _take(X, order, first, stop, before, after, slot, count, total, ends, run)
            labels[i] = group
            others -= 1
            if first[run] == stop[run]:
                runs -= 1
                if run == left:
                    left = int(before[run])
                elif run == right:
                    right = int(after[run])
        left, right = next_left, far
    return float(value)


@kernel
def _sq_dist_to_run(
    X: Values, order: Integers, first: Places, run: int, point: float
) -> float:
    """Return the squared distance of a run from a point; infinite for no run."""
    if run < 0:
        return np.inf
    difference = X[order[first[run]], 0] - point
    return float(difference * difference)


@kernel
def _farthest_run(
    X: Values,
    order: Integers,
    first: Places,
    before: Places,
    after: Places,
    ends: Integers,
    point: float,
) -> int:
    """Return the run with the record farthest from a point."""
    head, tail = int(ends[0]), int(ends[1])
    d = max(
        _sq_dist_to_run(X, order, first, head, point),
        _sq_dist_to_run(X, order, first, tail, point),
    )
    best = -1
    # Again, several runs at an end can be equally far in rounded numbers.
    while head >= 0 and _sq_dist_to_run(X, order, first, head, point) == d:
        if best < 0 or order[first[head]] < order[first[best]]:
            best = head
        head = int(after[head])
    while tail >= 0 and _sq_dist_to_run(X, order, first, tail, point) == d:
        if best < 0 or order[first[tail]] < order[first[best]]:
            best = tail
        tail = int(before[tail])
    return best


@kernel
def _lowest_run(
    order: Integers,
    first: Places,
    before: Places,
    after: Places,
    left: int,
    beyond: int,
    right: int,
    far: int,
) -> int:
    """Return the run with the lowest record, of those between two pairs of runs."""
    best = -1
    while left != beyond:
        if best < 0 or order[first[left]] < order[first[best]]:
            best = left
        left = int(before[left])
    while right != far:
        if best < 0 or order[first[right]] < order[first[best]]:
            best = right
        right = int(after[right])
    return best


@kernel
def _take(
    X: Values,
    order: Integers,
    first: Places,
    stop: Places,
    before: Places,
    after: Places,
    slot: Integers,
    count: Integers,
    total: Values,
    ends: Integers,
    run: int,
) -> None:
    """Take the first record of a run out; it remains no longer."""
    i = order[first[run]]
    first[run] += 1
    count[0] -= 1
    count[3] += 1
    count[4] += VALUES_PER_TAKE
    # -1 for the first record that went, -2 for the next: see BlockIndex.
    slot[i] = count[0] - slot.shape[0]
    add_to_compensated_sum(total, X, i, -1.0)
    if first[run] < stop[run]:
        return
    # The run is empty: its neighbours become each other's.
    left, right = before[run], after[run]
    if left >= 0:
        after[left] = right
    else:
        ends[0] = right
    if right >= 0:
        before[right] = left
    else:
        ends[1] = left
