"""State of fixed-size methods: remaining records, and steps that form groups."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.partition import Labels
from engine.core.typing import Integers
from engine.kernels.compilation.small_tables import should_use_numpy
from engine.kernels.fixed_size.line import (
    SortedRuns,
    form_extreme_groups_on_line,
    make_sorted_runs,
)
from engine.kernels.fixed_size.mdav import form_extreme_groups
from engine.kernels.fixed_size.tfrp import form_groups_along_orders
from engine.kernels.index.blocks import (
    COMPACTION_FACTOR,
    BlockIndex,
    compact_blocks,
    make_block_index,
)
from engine.methods.base import Microaggregator
from engine.methods.steps.small_tables import SmallTable, form_extreme_groups_of_few
from engine.points.base import Points


class RemainingRecords:
    """Records without a group, and the groups formed so far.

    Parameters
    ----------
    points : Points
    k : int
        Group size.
    ctx : RunContext
        Told about progress; may stop the run.
    stage : str
        What is being done, for `ctx`.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
        Group of each record in order of creation, -1 while it has none.
    n_groups : int
        Groups formed so far.
    nearest_scratch : tuple of ndarray
        Scratch for a record's k-1 nearest and their squared distances.
    """

    def __init__(self, points: Points, k: int, ctx: RunContext, stage: str) -> None:
        self.points, self.k, self.ctx, self.stage = points, k, ctx, stage
        self.labels: Labels = np.full(points.n_records, -1, dtype=np.int64)
        self.n_groups = 0
        self.nearest_scratch = np.empty(k - 1, np.int64), np.empty(k - 1)
        self._X = points.X
        self._held: BlockIndex | SortedRuns | SmallTable | None = None

    @property
    def n_remaining(self) -> int:
        """Number of records without a group."""
        return self._X.shape[0] if self._held is None else int(self._held.count[0])

    @property
    def seeds(self) -> Labels:
        """The seed record of each group, shape (n_groups,).

        Every kernel removes it before the others; -1 for a group of what was left.
        """
        seeds = np.full(self.n_groups, -1, dtype=np.int64)
        if self._held is None:
            return seeds
        removed = np.flatnonzero(self._held.slot < 0)
        order = np.empty_like(removed)
        order[-1 - self._held.slot[removed]] = removed  # the first one has slot -1
        # Of equal groups the last one assigned stays: go from the last to the first.
        seeds[self.labels[order[::-1]]] = order[::-1]
        return seeds

    def form_by_kernel(
        self,
        groups: Callable[..., int],
        while_at_least: int,
        *state: object,
        make_held: Callable[[], SortedRuns | SmallTable] | None = None,
    ) -> None:
        """Form groups with a kernel while `while_at_least` records remain.

        Parameters
        ----------
        groups : callable
            Kernel called as ``groups(blocks, while_at_least, max_values, n_groups,
            labels, *state)``: forms groups until the blocks have counted so many
            values read, removes their records from the blocks, and returns the new
            number of groups.
        while_at_least : int
        *state : object
            What the kernel keeps between calls, and its scratch space.
        make_held : callable, optional
            Makes what the kernel takes instead of blocks; all kernels of one method
            take the same.
        """
        if self._held is None:
            self._held = (
                make_block_index(self._X, self.points.shared_coordinates, self._look)
                if make_held is None
                else make_held()
            )
        index = self._held
        before = int(index.count[3])
        while self.n_remaining >= while_at_least:
            if (
                isinstance(index, BlockIndex)
                and COMPACTION_FACTOR * self.n_remaining <= index.count[1]
            ):
                compact_blocks(index, self._look)
            self.n_groups = groups(
                index,
                while_at_least,
                steps_per_look(),
                self.n_groups,
                self.labels,
                *state,
            )
            self._look()
        self.ctx.note("distances", int(index.count[3]) - before)

    def _look(self) -> None:
        """Look at progress, which is how many records have a group, and at cancel."""
        n = self._X.shape[0]
        self.ctx.tick(n - self.n_remaining, n, self.stage)

    def form_pairs(self, while_at_least: int) -> None:
        """Form pairs of groups at opposite ends while enough records remain.

        r is farthest from the centroid of the remaining, s farthest from r; r takes
        its k-1 nearest, then s. If r's group took s, the remaining record farthest
        from r stands in.
        """
        self._form_extreme(while_at_least, 2)

    def form_singles(self, while_at_least: int) -> None:
        """Form single groups around the farthest record while enough remain.

        r is the record farthest from the centroid of the remaining.
        """
        self._form_extreme(while_at_least, 1)

    def _form_extreme(self, while_at_least: int, ends: int) -> None:
        groups: Callable[..., int] = form_extreme_groups
        make_held: Callable[[], SortedRuns | SmallTable] | None = None
        if self._X.shape[1] == 1:
            groups = form_extreme_groups_on_line
            make_held = partial(make_sorted_runs, self._X)
        elif isinstance(self._held, SmallTable) or (
            self._held is None and should_use_numpy(groups, *self._X.shape)
        ):
            groups, make_held = form_extreme_groups_of_few, partial(SmallTable, self._X)
        scratch = np.empty(self._X.shape[1]), *self.nearest_scratch
        self.form_by_kernel(groups, while_at_least, ends, *scratch, make_held=make_held)

    def form_along_orders(self, orders: Integers, while_at_least: int) -> None:
        """Form groups around the next record of each order in turn.

        Parameters
        ----------
        orders : ndarray of int64, shape (n_orders, n_records)
            Each row names every record once.
        while_at_least : int
        """
        next_positions = np.zeros(len(orders), dtype=np.int64)
        self.form_by_kernel(
            form_groups_along_orders,
            while_at_least,
            orders,
            next_positions,
            *self.nearest_scratch,
        )

    def form_rest_or_join(self) -> None:
        """Make a group of what remains, or let fewer than k join the nearest groups."""
        if self.n_remaining >= self.k:
            self.form_rest()
        else:
            self.join_nearest_centroid()

    def form_rest(self) -> None:
        """Make one group of all remaining records."""
        self.labels[self.labels < 0] = self.n_groups
        self.n_groups += 1

    def join_nearest_centroid(self) -> None:
        """Add each remaining record to the group with the nearest centroid.

        The centroids are those before any record joined; of equally near groups the
        one formed first takes the record.
        """
        grouped, ungrouped_records = self.labels >= 0, np.flatnonzero(self.labels < 0)
        if ungrouped_records.size == 0:
            return
        labels, p = self.labels[grouped], self._X.shape[1]
        sizes = np.bincount(labels)
        distances = np.zeros((ungrouped_records.size, self.n_groups))
        for j in range(p):
            sums = np.bincount(labels, weights=self._X[grouped, j])
            distances += (self._X[ungrouped_records, j][:, None] - sums / sizes) ** 2
        self.labels[ungrouped_records] = distances.argmin(axis=1)

    def join_nearest_record(self) -> None:
        """Add each remaining record to the group of the nearest record that has one.

        Of equally near records that with the lowest number counts.
        """
        grouped, left = (
            np.flatnonzero(self.labels >= 0),
            np.flatnonzero(self.labels < 0),
        )
        for i in left:
            distances = np.zeros(grouped.size)
            for column in self._X.T:
                distances += (column[grouped] - column[i]) ** 2
            self.labels[i] = self.labels[grouped[distances.argmin()]]


class GroupsAroundRecords(Microaggregator):
    """A method that forms one group after the other, from the records that remain."""

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        remaining = RemainingRecords(points, k, ctx, self.info.title)
        self._form_groups(remaining)
        self.seeds_ = remaining.seeds
        return remaining.labels

    def _form_groups(self, remaining: RemainingRecords) -> None:
        """Put every record into a group."""
        raise NotImplementedError
