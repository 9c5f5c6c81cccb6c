"""Link original records to released ones, by distance or agreement.

Classes of records that share all released values stand for their members: nobody can
tell these apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.numerics.statistics import std_of_finite_values
from engine.core.parallel import map_in_threads
from engine.core.typing import Integers, Values
from engine.hierarchy import Hierarchy
from engine.hierarchy.words import index_and_list_distinct_texts
from engine.kernels.measures.linkage import count_nearest_released
from engine.measures.base import MeasuredRelease, Score
from engine.measures.reidentification.sampling import (
    sample_indices,
    sampling_note,
    share_interval,
)

MAX_COMPARED_CELLS = 2_000_000_000
"""Cells that are compared, at most: pairs of a record and a class, times attributes."""

CELLS_PER_CALL = 20_000_000
"""Cells that one kernel call compares."""

LINKING_STAGE = Message("Linking records by distance")

MIN_LINKED_RECORDS = 1_000
"""Records that are linked at least, unless there are fewer."""


GUESSED_BASELINE = (
    "An intruder links every record to its own class, and guesses "
    "one of its members. The figure is the number of classes divided "
    "by the number of records: at most 1 / k if k holds."
)
"""What the baseline of attacks on records is."""


@dataclass(frozen=True, eq=False)
class LinkageProblem:
    """Original and released records of a linkage attack, as arrays.

    Attributes
    ----------
    known : ndarray of float64, shape (n_records, n_numbers)
        The original numbers, in standard deviations.
    seen : ndarray of float64, shape (n_numbers, n_classes)
        The released ones on the same scale.
    places : ndarray of int64, shape (n_records, n_categories)
        The original category of each record, numbered so that the categories below a
        node of the hierarchy are neighbours.
    low, high : ndarray of int64, shape (n_categories, n_classes)
        First and last category that the released one stands for.
    chance : ndarray of float64, shape (n_categories,)
        Share of pairs of original records that differ in the category.
    classes : ndarray of int64, shape (n_records,)
    sizes : ndarray of int64, shape (n_classes,)
        Records, or persons, of each class.

    Notes
    -----
    A quasi-identifier with cells that stay missing has a category more: whether the
    cell is there.
    """

    known: Values
    seen: Values
    places: Integers
    low: Integers
    high: Integers
    chance: Values
    classes: Integers
    sizes: Integers

    @property
    def n_attributes(self) -> int:
        """Number of compared attributes: numbers and categories."""
        return int(self.known.shape[1] + self.places.shape[1])

    @property
    def cells_per_record(self) -> int:
        """Number of cells that are compared for each record."""
        return max(1, self.sizes.size * self.n_attributes)

    def sample_records(self, seed: int) -> Integers:
        """Return the records to link: all, or a sample if there are too many."""
        return sample_indices(
            self.classes.size,
            max(MIN_LINKED_RECORDS, MAX_COMPARED_CELLS // self.cells_per_record),
            seed,
        )

    def link_records(
        self,
        kernel: Callable[..., None],
        kernel_arguments: Sequence[Values],
        seed: int,
        ctx: RunContext,
        stage: Message,
    ) -> LinkageResult:
        """Return counts of the best-fitting released records of all or sampled records.

        Parameters
        ----------
        kernel : callable
            Of :mod:`engine.kernels.measures.linkage`.
        kernel_arguments : sequence of ndarray
            What it takes between both sides of the attack and the classes.
        seed : int
            Of the sample.
        stage : Message
        """
        records = self.sample_records(seed)
        candidates, own_candidates = np.zeros((2, records.size), dtype=np.int64)
        step = max(1, CELLS_PER_CALL // self.cells_per_record)

        def link(number: int, ctx: RunContext) -> None:
            first = number * step
            kernel(
                records,
                first,
                min(first + step, records.size),
                self.known,
                self.seen,
                self.places,
                self.low,
                self.high,
                *kernel_arguments,
                self.classes,
                self.sizes,
                np.empty(self.sizes.size),
                candidates,
                own_candidates,
            )

        parts = -(-records.size // step)
        ctx.tick(0, parts, stage)
        if parts == 1:
            link(0, ctx)
        else:
            map_in_threads(link, parts, ctx, stage)
        n_shown = int(self.sizes.sum())
        return LinkageResult(
            candidates, own_candidates, self.classes.size, self.sizes.size, n_shown
        )


def linkage_problem(protected: MeasuredRelease) -> LinkageProblem:
    """Return the linkage problem of a release."""
    points = protected.points
    classes = protected.classes()
    first = np.unique(classes, return_index=True)[1]
    numbers = np.flatnonzero(points.numeric)
    known_values = points.values[:, numbers]
    centre = known_values.mean(axis=0)
    units = np.array([std_of_finite_values(column) or 1.0 for column in known_values.T])
    released_values = protected.as_written[np.ix_(first, numbers)]
    categories = []
    for j in np.flatnonzero(~points.numeric):
        attribute, missing = points.attributes[j], points.missing[:, j]
        assert attribute.tree is not None
        ranges = _leaf_ranges(attribute.tree)
        leaves = points.values[:, j].astype(np.int64)
        column = protected.frame[attribute.name].iloc[first]
        nodes = released_nodes(*index_and_list_distinct_texts(column), attribute.tree)
        low, high = ranges[nodes].T
        low = np.where(missing[first], 0, low)
        high = np.where(missing[first], len(attribute.tree.leaves) - 1, high)
        categories.append((ranges[leaves, 0], low, high))
    for j in np.flatnonzero(points.missing.any(axis=0)):
        missing_flags = points.missing[:, j].astype(np.int64)
        categories.append((missing_flags, missing_flags[first], missing_flags[first]))
    return LinkageProblem(
        known=np.ascontiguousarray((known_values - centre) / units),
        seen=np.ascontiguousarray(((released_values - centre) / units).T),
        places=np.ascontiguousarray(
            _stack_rows([places for places, _, _ in categories], points.n_records).T
        ),
        low=_stack_rows([low for _, low, _ in categories], first.size),
        high=_stack_rows([high for _, _, high in categories], first.size),
        chance=np.array(
            [_category_difference_share(places) for places, _, _ in categories]
        ),
        classes=classes,
        sizes=np.maximum(protected.class_sizes(classes), 1),
    )


def _stack_rows(columns: list[Integers], length: int) -> Integers:
    """Return columns as the rows of an array, also if there is none."""
    return np.array(columns, dtype=np.int64).reshape(len(columns), length)


@dataclass(frozen=True, eq=False)
class LinkageResult:
    """Counts of best-fitting released records for each linked record.

    Attributes
    ----------
    candidates : ndarray of int64, shape (n_linked,)
        Released records, or persons, that fit best, all alike to the attacker.
    own : ndarray of int64, shape (n_linked,)
        How many of them are in the record's own class: none or all of it.
    n_records, n_classes : int
        Of the release.
    n_shown : int
        Records of all classes, or persons, who count in each that has them.
    """

    candidates: Integers
    own: Integers
    n_records: int
    n_classes: int
    n_shown: int

    def mean_score(self, measure: str, right: Values, baseline: float) -> Score:
        """Return the mean chance of success per linked record, in per cent."""
        share, size = float(right.mean()), right.size
        sampled = size < self.n_records
        low, high = share_interval(share, size)
        return Score(
            measure,
            100.0 * share,
            interval=(100.0 * low, 100.0 * high) if sampled else None,
            baseline=100.0 * baseline,
            sample=size if sampled else None,
            note=sampling_note(size, self.n_records),
        )

    def found_share_score(self, measure: str) -> Score:
        """Return the share of records found by guessing one of the best fits."""
        right = (self.own > 0) / self.candidates
        return self.mean_score(measure, right, self.n_classes / self.n_shown)


def link_nearest(protected: MeasuredRelease) -> LinkageResult:
    """Return counts of the nearest released records of all or sampled records."""
    sides = linkage_problem(protected)
    cost = 2.0 / sides.chance
    return sides.link_records(
        count_nearest_released, (cost,), protected.seed, protected.ctx, LINKING_STAGE
    )


def _category_difference_share(places: Integers) -> float:
    """Return the share of pairs of records whose category differs; 1 if none does."""
    shares = np.bincount(places) / places.size
    return float(1.0 - shares @ shares) or 1.0


def _leaf_ranges(tree: Hierarchy) -> Integers:
    """Return the first and last leaf below each node, neighbours first, (n_nodes, 2).

    Leaves are numbered anew, from the root downwards, so that each node's are a run.
    """
    order = np.lexsort(tree.ancestors.T)
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    n_nodes = tree.levels.size
    ranges = np.column_stack([np.full(n_nodes, order.size), np.full(n_nodes, -1)])
    for level in range(tree.height + 1):
        np.minimum.at(ranges[:, 0], tree.ancestors[:, level], place)
        np.maximum.at(ranges[:, 1], tree.ancestors[:, level], place)
    return ranges.astype(np.int64)


def released_nodes(records: Integers, texts: list[str], tree: Hierarchy) -> Integers:
    """Return the hierarchy node of each released text; the root for missing ones.

    Of two nodes with one name it is the higher, unless all texts are leaves.
    """
    leaves = {leaf: place for place, leaf in enumerate(tree.leaves)}
    if all(text in leaves for text in texts):
        numbers = leaves
    else:
        numbers = {label: place for place, label in enumerate(tree.nodes)}
    root = tree.levels.size - 1
    text_nodes = np.array([numbers[text] for text in texts] + [root], dtype=np.int64)
    return text_nodes[records]
