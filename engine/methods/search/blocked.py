"""Blocked: run a method inside small blocks, and refine across their borders."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.parallel import map_in_threads
from engine.core.parameters import Choice, Int
from engine.core.partition import Labels
from engine.core.typing import Integers, Values
from engine.kernels.index.layout import concatenate_groups, write_group_means
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.search.refined import MAX_REASSIGNED_RECORDS, refine_labels
from engine.methods.search.starts import start_groups, start_parameter
from engine.neighbours.neighbour_lists import rotate_attribute_pairs
from engine.neighbours.splitting import kd_tree_order, kd_tree_order_parallel
from engine.points.base import Points

MIN_BLOCK_GROUPS = 4
"""Groups of k that a block has room for at least."""

FIRST_PASS_SHARE = 0.7
"""Share of all passes that the first takes, which has the groups to make."""

SPLITTING_SHARE = 0.03
"""Share of a pass that the split takes."""

STARTING_SHARE = 0.2
"""Share of the first pass until there are groups to refine."""

BLOCKS_STAGE = Message("Blocks")


class GroupLayout(NamedTuple):
    """Groups as one list of records with start positions.

    Attributes
    ----------
    order : ndarray of int64, shape (n_records,)
        Group g is ``order[starts[g] : starts[g + 1]]``, rising.
    starts : ndarray of int64, shape (n_groups + 1,)
    """

    order: Integers
    starts: Integers

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return self.starts.size - 1

    def group_means(self, X: Values) -> Values:
        """Return the mean of each group, shape (n_groups, n_attributes)."""
        means = np.empty((self.n_groups, X.shape[1]))
        write_group_means(X, self.order, self.starts, means)
        return means

    def to_labels(self) -> Labels:
        """Return the group label of each record."""
        labels = np.empty_like(self.order)
        numbers = np.arange(self.n_groups, dtype=np.int64)
        labels[self.order] = np.repeat(numbers, np.diff(self.starts))
        return labels


class _Passes:
    """The passes over one table; each region is a task that works for itself.

    Parameters
    ----------
    points : Points
    k : int
    method : Blocked
        With its parameters.
    """

    def __init__(self, points: Points, k: int, method: Blocked) -> None:
        self._points, self._X, self._k, self._method = points, points.X, k, method
        self._view = points.view
        self._block = max(method.block_size, MIN_BLOCK_GROUPS * k)
        self._deal = method.deal
        if self._deal == "auto":
            mixed = (
                not points.numeric.all() and points.n_records <= MAX_REASSIGNED_RECORDS
            )
            self._deal = "always" if mixed else "never"
        self.regions = max(1, points.n_records // (self._block * method.together))

    def first_pass(self, ctx: RunContext) -> GroupLayout:
        """Group the records of each block and refine the groups of each region."""
        order, borders = kd_tree_order_parallel(
            self._X, self.regions, ctx.subcontext(0.0, SPLITTING_SHARE)
        )

        def start(region: int, inner: RunContext) -> Labels:
            return self._start(order[borders[region] : borders[region + 1]], inner)

        share = ctx.subcontext(SPLITTING_SHARE, STARTING_SHARE)
        starts = map_in_threads(start, self.regions, share, BLOCKS_STAGE)
        ctx.offer(_offset_labels(order, starts))

        def group(region: int, inner: RunContext) -> Integers:
            records = order[borders[region] : borders[region + 1]]
            labels = self._refined(records, starts[region], inner)
            return _sort_by_group(records, labels)

        return self._side_by_side(
            order, group, self.regions, ctx.subcontext(STARTING_SHARE, 1.0)
        )

    def further_pass(
        self, layout: GroupLayout, turn: int, ctx: RunContext
    ) -> GroupLayout:
        """Refine the groups in regions whose borders run along other directions."""
        # Another number of regions, so that borders differ with one attribute too.
        regions = min(self.regions + turn, layout.n_groups)
        groups, borders = kd_tree_order_parallel(
            rotate_attribute_pairs(layout.group_means(self._X), turn),
            regions,
            ctx.subcontext(0.0, SPLITTING_SHARE),
        )
        share = ctx.subcontext(SPLITTING_SHARE, 1.0)
        sizes = np.diff(layout.starts)[groups]
        order = np.empty_like(layout.order)
        concatenate_groups(layout.order, layout.starts, groups, order)
        stops = np.concatenate([[0], np.cumsum(sizes)])[borders]

        def group(region: int, inner: RunContext) -> Integers:
            records = order[stops[region] : stops[region + 1]]
            inside = sizes[borders[region] : borders[region + 1]]
            labels = np.repeat(np.arange(inside.size), inside)
            rising = np.argsort(records)
            records[:] = records[rising]
            if inside.size > 1:
                labels = self._refined(records, labels[rising], inner)
            return _sort_by_group(records, labels)

        return self._side_by_side(order, group, regions, share)

    def _refined(self, records: Integers, labels: Labels, ctx: RunContext) -> Labels:
        """Return the groups of some records, refined."""
        return refine_labels(
            self._view.select(records), labels, self._k, ctx, self._deal
        )

    def _start(self, region: Integers, ctx: RunContext) -> Labels:
        """Return the groups that the start method makes in each block of a region."""
        method, n = self._method, region.size
        parts = max(1, n // self._block)
        order, borders = kd_tree_order(self._X[region], parts)
        labels = np.empty(n, dtype=np.int64)
        n_groups = 0
        for block in range(parts):
            records = order[borders[block] : borders[block + 1]]
            points = self._points.subset(region[records])
            share = ctx.subcontext(block / parts, (block + 1) / parts)
            block_labels = start_groups(
                method.start, points, self._k, method.seed, share
            )
            labels[records] = n_groups + block_labels
            n_groups += int(block_labels.max()) + 1
        return labels

    def _side_by_side(
        self,
        order: Integers,
        group: Callable[[int, RunContext], Integers],
        regions: int,
        ctx: RunContext,
    ) -> GroupLayout:
        sizes = np.concatenate(map_in_threads(group, regions, ctx, BLOCKS_STAGE))
        return GroupLayout(order, np.concatenate([[0], np.cumsum(sizes)]))


def _offset_labels(order: Integers, labels: list[Labels]) -> Labels:
    """Return the group of each record, of labels from 0 in each part of an order."""
    counts = [int(part_labels.max()) + 1 for part_labels in labels]
    before = np.concatenate([[0], np.cumsum(counts)])
    record_labels = np.empty_like(order)
    record_labels[order] = np.concatenate(
        [
            first + part_labels
            for first, part_labels in zip(before[:-1], labels, strict=True)
        ]
    )
    return record_labels


def _sort_by_group(records: Integers, labels: Labels) -> Integers:
    """Put records in the order of their groups, in place; return the groups' sizes."""
    records[:] = records[np.argsort(labels, kind="stable")]
    return np.bincount(labels)


@methods.register(
    MethodInfo(
        id="blocked",
        title="Blocked",
        family="search",
        summary="Splits the file into small blocks, forms groups by MDAV or another "
        "method in each block, and refines the groups across the borders. A million "
        "records take seconds, and the loss is lower than with MDAV.",
        reference=Reference(
            "Bentley JL (1975). Multidimensional binary search trees used for "
            "associative searching. Communications of the ACM 18(9), 509-517.",
            doi="10.1145/361002.361007",
        ),
        parameters=(
            start_parameter(),
            Int(
                "block_size",
                1500,
                "Records per block",
                "Smallest number of records in a block. Blocks always have at "
                "least 4k records. In larger blocks the start method loses less "
                "and takes longer.",
                low=4,
                high=1_000_000,
            ),
            Int(
                "together",
                16,
                "Blocks refined together",
                "Number of neighbouring blocks in a region; groups are refined "
                "inside a region. Larger regions lose a little less and take "
                "more memory.",
                low=1,
                high=10_000,
            ),
            Int(
                "passes",
                2,
                "Passes",
                "How often the groups are refined. Each pass has other regions, "
                "so each pass improves groups at the earlier borders. More "
                "passes take longer and lose a little less.",
                low=1,
                high=10,
            ),
            Choice(
                "deal",
                "auto",
                "Deal groups anew",
                "Whether the groups around each record are formed anew. The loss "
                "is then 1 to 4 % smaller (with categories: 10 %), but the run "
                "takes two to three times as long. auto does so for tables with "
                "categories, up to 50,000 records.",
                options=("auto", "never", "always"),
            ),
        ),
        traits=Traits(
            cost=RunCost(
                "n p",
                0.15,
                records=1.1,
                attributes=0.95,
                coordinates=0.45,
                size=1.05,
                side_by_side=24_000,
            )
        ),
    )
)
class Blocked(Microaggregator):
    """A method inside blocks, then local search, in time linear in the records.

    The table is split into regions, and these into blocks, by medians of the widest
    attribute. The start method groups the records of each block; the groups of each
    region are refined. Each later pass splits the groups by their means, with pairs
    of attributes turned by 45 degrees, into other regions and refines them there.
    Regions are worked on side by side; what comes out does not depend on how many
    threads do so. The source has the split; the rest is Coterie's own.

    Parameters
    ----------
    k : int
        Minimum group size.
    start : str
        Identifier of the method that groups the records of each block.
    block_size : int
        Records per block, at least.
    together : int
        Blocks per region, at least.
    passes : int
        How often groups are refined.
    deal : {"auto", "never", "always"}
        Whether groups are dealt anew; see
        :func:`engine.methods.search.refined.refine_labels`.
    seed : int
        Seed of the start method's random numbers, where it draws any.
    """

    start: str
    block_size: int
    together: int
    passes: int
    deal: str

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        passes = _Passes(points, k, self)
        # One region has no borders to heal.
        count = self.passes if passes.regions > 1 else 1
        first = FIRST_PASS_SHARE if count > 1 else 1.0
        layout = passes.first_pass(ctx.subcontext(0.0, first))
        for turn in range(1, count):
            begin = first + (1.0 - first) * (turn - 1) / (count - 1)
            end = first + (1.0 - first) * turn / (count - 1)
            layout = passes.further_pass(layout, turn, ctx.subcontext(begin, end))
        return layout.to_labels()
