"""Mixed records as arrays of numbers, ranks and hierarchy nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.aggregate.generalise import common_ancestors
from engine.core.numerics.statistics import mode_by_group
from engine.core.partition import Labels
from engine.core.typing import Integers, Values
from engine.hierarchy import Hierarchy
from engine.kernels.mixed.tuples import FlatTrees, QueryTuple, TupleSlots
from engine.points.base import Points


@dataclass(frozen=True, eq=False)
class MixedRecords:
    """Numbers and categories of records, one row per attribute.

    Attributes
    ----------
    numbers : ndarray of float64, shape (n_numbers, n_records)
        Continuous attributes in their own units, ordinal ones as ranks 0, 1, ...
        among the values that the table has.
    ranges : ndarray of float64, shape (n_numbers,)
        Largest less smallest value in the table; 1 for a constant attribute.
    ranked : ndarray of bool, shape (n_numbers,)
        Which numbers are ranks.
    codes : ndarray of int64, shape (n_categories, n_records)
        Leaf numbers of nominal attributes.
    hierarchies : tuple of Hierarchy
        One per nominal attribute.
    columns : tuple of int
        Attribute of the prepared table that each row of `numbers`, then each row of
        `codes`, comes from.
    """

    numbers: Values
    ranges: Values
    ranked: NDArray[np.bool_]
    codes: Integers
    hierarchies: tuple[Hierarchy, ...]
    columns: tuple[int, ...]

    @classmethod
    def from_points(cls, points: Points) -> MixedRecords:
        """Return the mixed records of points, in unscaled units."""
        numbered_attributes = list(enumerate(points.attributes))
        numeric = [
            (j, attribute)
            for j, attribute in numbered_attributes
            if not attribute.is_nominal
        ]
        nominal = [
            (j, attribute)
            for j, attribute in numbered_attributes
            if attribute.is_nominal
        ]
        numbers = np.empty((len(numeric), points.n_records))
        ranges = np.ones(len(numeric))
        ranked = np.zeros(len(numeric), dtype=np.bool_)
        for row, (j, attribute) in enumerate(numeric):
            numbers[row], width = points.values[:, j], attribute.range
            if attribute.levels is not None:
                ranked[row], width = True, attribute.levels.size - 1
                numbers[row] = np.searchsorted(attribute.levels, numbers[row])
            ranges[row] = width or 1.0
        columns = [j for j, _ in nominal]
        return cls(
            numbers,
            ranges,
            ranked,
            np.ascontiguousarray(points.values[:, columns].T.astype(np.int64)),
            tuple(
                attribute.tree for _, attribute in nominal if attribute.tree is not None
            ),
            tuple(j for j, _ in numeric + nominal),
        )

    @property
    def n_records(self) -> int:
        """Number of records."""
        return int(self.numbers.shape[1])

    @property
    def n_attributes(self) -> int:
        """Number of attributes."""
        return len(self.columns)

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all hierarchies."""
        return int(self.trees.start[-1])

    @cached_property
    def trees(self) -> FlatTrees:
        """Hierarchies in the arrays that kernels use."""
        parents, sizes = [], [0]
        for tree in self.hierarchies:
            parent = np.arange(tree.levels.size, dtype=np.int64)
            parent[tree.ancestors[:, :-1]] = tree.ancestors[:, 1:]
            parents.append(parent)
            sizes.append(parent.size)
        levels = [tree.levels for tree in self.hierarchies]
        return FlatTrees(
            start=np.cumsum(sizes, dtype=np.int64),
            parent=_concatenate(parents),
            level=_concatenate(levels),
            height=np.array([tree.height for tree in self.hierarchies], np.int64),
        )

    def make_query(self) -> QueryTuple:
        """Return scratch space for the tuple that distances are measured from."""
        nodes = self.n_nodes
        return QueryTuple(
            low=np.zeros(len(self.numbers)),
            high=np.zeros(len(self.numbers)),
            node=np.zeros(len(self.codes), np.int64),
            near=np.zeros(nodes),
            meeting=np.zeros(nodes, np.int64),
        )

    def make_count_scratch(self) -> Integers:
        """Return scratch space for counts of an attribute's values."""
        ranks = [int(max_rank) + 1 for max_rank in self.ranges[self.ranked]]
        nodes = [tree.levels.size for tree in self.hierarchies]
        return np.zeros(max([1, *ranks, *nodes]), np.int64)

    def equal_record_classes(self) -> Labels:
        """Return the class labels of equal records, by rising first record."""
        rows = np.vstack([self.numbers, self.codes])
        _, first, of = np.unique(rows, axis=1, return_index=True, return_inverse=True)
        number = np.empty(first.size, np.int64)
        number[np.argsort(first)] = np.arange(first.size)
        return number[of]

    def singleton_tuples(self) -> TupleSlots:
        """Return each record as a tuple, in a new copy."""
        numbers, n = self.numbers.copy(), self.n_records
        return self._tuples(
            numbers, numbers, self.codes.copy(), np.ones(n), np.arange(n)
        )

    def class_tuples(self, labels: Labels) -> TupleSlots:
        """Return the equivalence tuple of each class.

        Parameters
        ----------
        labels : ndarray of int64, shape (n_records,)
            Class of each record, 0, 1, ... without a gap; negative where it has none.
        """
        grouped = np.flatnonzero(labels >= 0)
        of = labels[grouped]
        sizes = np.bincount(of)
        shape = len(self.numbers), sizes.size
        low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
        for row, values in enumerate(self.numbers):
            np.minimum.at(low[row], of, values[grouped])
            np.maximum.at(high[row], of, values[grouped])
        node = np.zeros((len(self.codes), sizes.size), np.int64)
        for row, tree in enumerate(self.hierarchies):
            node[row] = common_ancestors(tree, self.codes[row, grouped], of, sizes.size)
        first = grouped[np.unique(of, return_index=True)[1]]
        return self._tuples(low, high, node, sizes, first)

    def centroid_tuples(self, labels: Labels) -> TupleSlots:
        """Return each group's means, lower medians of ranks, and modes.

        Of several categories as frequent, the lowest leaf. Takes the same as
        :meth:`class_tuples`.
        """
        grouped = np.flatnonzero(labels >= 0)
        of = labels[grouped]
        sizes = np.bincount(of)
        middle = np.cumsum(sizes) - sizes + (sizes - 1) // 2
        centre = np.empty((len(self.numbers), sizes.size))
        for row, values in enumerate(self.numbers[:, grouped]):
            if self.ranked[row]:
                centre[row] = values[np.lexsort((values, of))][middle]
            else:
                centre[row] = np.bincount(of, weights=values) / sizes
        node = np.zeros((len(self.codes), sizes.size), np.int64)
        for row, codes in enumerate(self.codes):
            node[row] = mode_by_group(codes[grouped], of)
        return self._tuples(centre, centre, node, sizes, np.arange(sizes.size))

    def _tuples(
        self,
        low: Values,
        high: Values,
        node: Integers,
        size: NDArray[np.number],
        first: Integers,
    ) -> TupleSlots:
        n = int(first.size)
        return TupleSlots(
            low=low,
            high=high,
            node=node,
            ranges=self.ranges,
            trees=self.trees,
            size=size.astype(np.int64),
            first=first.astype(np.int64),
            used=np.array([n, n], np.int64),
            distance=np.zeros(n),
        )


def _concatenate(parts: list[Integers]) -> Integers:
    return np.concatenate([np.zeros(0, np.int64), *parts])
