"""MDAV loop of small tables in NumPy, for processes that have not loaded the kernel."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values


class SmallTable:
    """Remaining records of a table, one per column, without an index.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)

    Attributes
    ----------
    columns : ndarray of float64, shape (n_attributes, n_records)
        The remaining records come first, in no order.
    numbers : ndarray of int64, shape (n_records,)
        Their record numbers.
    count, slot, total
        As in :class:`engine.kernels.index.blocks.BlockIndex`; `slot` is 0 while a
        record remains.
    """

    def __init__(self, X: Values) -> None:
        n, p = X.shape
        self.columns = X.T.copy()
        self.numbers: Integers = np.arange(n, dtype=np.int64)
        self.count: Integers = np.array([n, n, 0, 0, 0], dtype=np.int64)
        self.slot: Integers = np.zeros(n, dtype=np.int64)
        self.total: Values = np.zeros((2, p))
        with np.errstate(over="ignore", invalid="ignore"):
            for row in X:
                self._add_to_total(row)
        self._differences = np.empty_like(self.columns)

    def sq_dists(self, point: Values) -> Values:
        """Return the remaining records' squared distances, summed in fixed order."""
        n = int(self.count[0])
        self.count[3] += n
        self.count[4] += n * len(self.columns)
        differences = self._differences[:, :n]
        np.subtract(self.columns[:, :n], point[:, np.newaxis], out=differences)
        np.square(differences, out=differences)
        total = np.zeros(n)
        for row in differences:
            total += row
        return total

    def remove(self, place: int, sq_dists: Values) -> None:
        """Remove the record in a place, for which the last one moves, in place."""
        self.count[0] -= 1
        last = int(self.count[0])
        self.slot[self.numbers[place]] = last - self.slot.size
        self._add_to_total(-self.columns[:, place])
        self.columns[:, place] = self.columns[:, last]
        self.numbers[place] = self.numbers[last]
        sq_dists[place] = sq_dists[last]

    def _add_to_total(self, row: Values) -> None:
        """Add to the total as `engine.kernels.index.box_fitting` does (TwoSum)."""
        before = self.total[0].copy()
        self.total[0] += row
        taken = self.total[0] - before
        self.total[1] += (before - (self.total[0] - taken)) + (row - taken)


@np.errstate(over="ignore", invalid="ignore")  # as kernels do
def form_extreme_groups_of_few(
    table: SmallTable,
    min_remaining: int,
    max_values: int,
    next_group: int,
    labels: Integers,
    n_ends: int,
    point: Values,
    nearest: Integers,
    _sq_dists: Values,
) -> int:
    """Form groups around extreme records, by rounds; return the next group number.

    The groups and the parameters of
    :func:`engine.kernels.fixed_size.mdav.form_extreme_groups`.
    """
    limit = table.count[4] + max_values
    while table.count[0] >= min_remaining and table.count[4] < limit:
        point = (table.total[0] + table.total[1]) / table.count[0]
        sq_dists = table.sq_dists(point)
        for _end in range(n_ends):
            numbers = table.numbers
            n = int(table.count[0])
            equals = np.flatnonzero(sq_dists[:n] == sq_dists[:n].max())
            place = int(equals[numbers[equals].argmin()])
            labels[numbers[place]] = next_group
            point = table.columns[:, place].copy()
            table.remove(place, sq_dists)
            # From here distances are those from the extreme record.
            sq_dists = table.sq_dists(point)
            members = _nearest_places(sq_dists, numbers, nearest.size)
            labels[numbers[members]] = next_group
            for place in sorted(members.tolist(), reverse=True):
                table.remove(place, sq_dists)
            next_group += 1
    return next_group


def _nearest_places(sq_dists: Values, numbers: Integers, m: int) -> Integers:
    """Return the places of the m nearest; of equally near ones the lowest numbers."""
    limit = np.partition(sq_dists, m - 1)[m - 1]
    places = np.flatnonzero(sq_dists <= limit)
    if places.size > m:
        places = places[np.lexsort((numbers[places], sq_dists[places]))[:m]]
    return places
