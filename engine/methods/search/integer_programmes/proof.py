"""Prove groups optimal by alternating bounds, dives and integer programmes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter

import numpy as np

from engine.bounds.linear_programme.branching import BranchAndBound
from engine.bounds.linear_programme.column_search import (
    CUT_PHASE_GAP_SHARE,
    MAX_UNPROVEN_CUT_ROUNDS,
    ColumnGeneration,
    add_cut_rounds_without_proof,
    generate_columns_in_place,
)
from engine.bounds.linear_programme.cuts import EFFORTS
from engine.bounds.linear_programme.explicit_groups import GroupList
from engine.core.context import RunContext
from engine.core.parallel import open_background_task
from engine.core.partition import Labels
from engine.core.platform.memory import total_memory_bytes
from engine.methods.search.integer_programmes.columns import (
    GroupColumns,
    all_relevant_columns,
    cheapest_columns,
)
from engine.methods.search.integer_programmes.dive import (
    DIVE_THRESHOLDS,
    copy_search,
    dive_for_groups,
)
from engine.methods.search.integer_programmes.groups import (
    CHOOSING_STAGE,
    labels_from_groups,
    total_group_sse,
)
from engine.methods.search.integer_programmes.lines import (
    N_LINES,
    SearchLine,
    improve_lines,
)
from engine.methods.search.integer_programmes.programme import (
    MAX_SOLVER_LIMIT,
    TurnCounter,
    choose_partition,
)
from engine.methods.search.integer_programmes.regions import (
    FIRST_REGION_GROUPS,
    MAX_REGION_SHARE,
    improve_from_listed,
)
from engine.methods.search.refined import min_improvement

MAX_REGION_GROUPS = 20_000
"""Groups that regions may choose from: their integer programmes are over in good time.
"""

MAX_FIRST_LISTED_GROUPS = 100_000
"""Groups that are listed first, where they are all that matter; `LIST_GROWTH` times as
many later."""

LIST_GROWTH = 4
"""Factor by which room and branches grow, as long as time and memory last."""

BYTES_PER_GROUP = 4_000
"""Bytes that a group takes in lists and in the solver: what memory has room for."""

GROUPS_PER_OPEN_BRANCH = 500
"""Groups whose entries in an open branch take as much memory as one listed group."""

MAX_FIRST_BRANCHES = 20_000
"""Branches for each anchor where groups are first listed; they grow as the room."""

FIRST_PROGRAMME_NODES = 100
"""Nodes of the first integer programme over all records; later ones get twice as
many."""

MAX_IDLE_CUT_ROUNDS, MIN_CUT_ROUND_GAP_SHARE = 3, 0.02
"""Rounds of cuts in a row that each close less than a share of the gap, after which
better groups are looked for; then cuts go on."""

CUT_ROUNDS_PER_SYNC = 10
"""Times that cuts are added beside regions, after which these know of the new prices:
both take about as long."""

EARLY_CUT_GAP_SHARE = 0.05
"""Share of the gap that each round of cuts is to close ahead of the first dive: with
some cuts it finds groups that close more than later rounds do."""

MAX_REMAINING_SHARE = 0.9
"""Share of what was open that is left where cuts go on ahead of more groups."""

MIN_REGION_GAIN = 0.05
"""Share of what is open that regions have to gain, after a dive or ahead of the tree,
where wider ones are tried."""

MIN_ANNEALED_REGION_GAIN = 0.01
"""Share of what is open that a round of regions has to gain which make groups of their
own."""

MAX_LISTED_GAP = 0.001
"""Gap that is closed by listing groups rather than by dives, in shares of the loss."""


class OptimalityProof:
    """Incumbent (best groups so far), best bound, and the search that closes their gap.

    Parameters
    ----------
    search : ColumnGeneration
        Receives the bound.
    labels : ndarray of int64, shape (n_records,)
        Groups to begin with.
    gap : float
        Share of the SSE that may stay open.
    nodes : int
        Steps, rounds and nodes at most, of every stage; :data:`MAX_SOLVER_LIMIT` where
        the clock decides.
    turns : TurnCounter
    ctx : RunContext

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
    sse : float
    listed : int
        Groups that were listed because they were all that matter.
    """

    def __init__(
        self,
        search: ColumnGeneration,
        labels: Labels,
        gap: float,
        nodes: int,
        turns: TurnCounter,
        ctx: RunContext,
    ) -> None:
        self._search, self._turns = search, turns
        self._ctx = turns.counting_context(ctx)
        self._gap, self._nodes = gap, nodes
        # Where steps are counted, neither the clock nor memory may decide.
        # Listed groups may take an eighth of all memory.
        self._most = (
            100 * nodes
            if nodes < MAX_SOLVER_LIMIT
            else total_memory_bytes() // 8 // BYTES_PER_GROUP
        )
        self._room = min(MAX_FIRST_LISTED_GROUPS, self._most)
        self.listed = 0
        self.labels = labels
        self.sse = total_group_sse(search.records.X, labels)
        self._lines: list[SearchLine] = []
        self._renewals = 0
        self._noise = min_improvement(search.records.X, self.sse)
        self._idle = 0  # rounds of cuts that closed little

    @property
    def open_sse(self) -> float:
        """Difference of SSE between groups and lower bound."""
        return self.sse - self._search.bound

    @property
    def _proven(self) -> bool:
        return self.open_sse <= max(self._gap * self.sse, self._noise)

    def run_search(self) -> None:
        """Alternate bound, dive and programme until the gap is closed or time is up."""
        search, ctx = self._search, self._ctx
        search.least = CUT_PHASE_GAP_SHARE * self.open_sse
        generate_columns_in_place(search, ctx.subcontext(0.2, 0.35), self._nodes)
        self._tighten(1, 1, EARLY_CUT_GAP_SHARE, haste=1)
        if self.open_sse <= self._noise or ctx.enough():
            return
        for turn, threshold in enumerate(DIVE_THRESHOLDS[: self._nodes]):
            if (
                ctx.enough()
                or self.open_sse <= 0.1 * max(self._gap, MAX_LISTED_GAP) * self.sse
            ):
                break
            before, efforts = self.sse, min(turn + 1, len(EFFORTS))
            part = ctx.subcontext(0.5 + turn / 20, 0.55 + turn / 20)
            diving = partial(dive_for_groups, copy_search(search), threshold)
            with open_background_task(diving, part, CHOOSING_STAGE) as result:
                self._tighten(efforts, max_rounds=CUT_ROUNDS_PER_SYNC)
                dive_labels = result()
            if dive_labels is not None and not ctx.enough():
                self._turns.count_turn()
                if self._take(dive_labels):
                    self._improve(self._likely(MAX_FIRST_BRANCHES), MIN_REGION_GAIN)
            dived = self.sse
            self._tighten_and_renew(efforts)
            if before - dived < dived - self.sse:
                break  # regions find more, and sooner
        self._go_on()
        nodes = min(FIRST_PROGRAMME_NODES, self._nodes)
        for columns in self._columns():
            # Where there are too many groups for a tree, fewer matter to better groups.
            self._improve(columns, MIN_REGION_GAIN if columns.complete else 0.0)
            if ctx.enough():
                return
            # Of many groups, regions have tried what there is to gain.
            if self.labels.max() < FIRST_REGION_GROUPS / MAX_REGION_SHARE:
                solved = self._choose(columns, nodes)
                if solved and columns.complete:
                    # No other group can be part of a better partition, and of these
                    # there is none better: the loss is the bound.
                    search.bound = max(search.bound, self.sse - self._noise)
                    ctx.note("bound", search.bound)
                    return
                if not solved and nodes >= self._nodes:
                    return
                nodes = min(2 * nodes, self._nodes)
            if columns.complete:
                self._branch(columns)
                return
            self._go_on()
            if ctx.enough() or self._proven:
                return

    def _tighten(
        self,
        efforts: int = len(EFFORTS),
        patience: int = MAX_IDLE_CUT_ROUNDS,
        min_gap_share: float = MIN_CUT_ROUND_GAP_SHARE,
        max_rounds: int = MAX_SOLVER_LIMIT,
        haste: int = MAX_UNPROVEN_CUT_ROUNDS,
    ) -> bool:
        """Add cuts, round after round, until some have closed little of the gap.

        Parameters
        ----------
        efforts : int
            How many of the ways to look for cuts may be tried: the first are short.
        patience : int
            Rounds in a row that may close little.
        min_gap_share : float
            Share of the gap that is not little.
        max_rounds : int
            Times that cuts are added, about.
        haste : int
            Of these, how many there may be between two proofs.

        Returns
        -------
        bool
            Whether more cuts may well close more.
        """
        search, added = self._search, 0
        while added < min(max_rounds, MAX_UNPROVEN_CUT_ROUNDS * self._nodes):
            before, open_sse = search.bound, self.open_sse
            search.least = CUT_PHASE_GAP_SHARE * open_sse
            if open_sse <= self._noise or self._ctx.enough():
                return False
            part = self._ctx.subcontext(0.35, 0.5)
            n_rounds = add_cut_rounds_without_proof(
                search, open_sse, part, efforts, haste
            )
            if not n_rounds:
                return False
            added += n_rounds
            generate_columns_in_place(search, part, self._nodes)
            if search.bound - before > min_gap_share * open_sse:
                self._idle = 0
            elif search.effort + 1 < efforts:
                search.effort += 1
            else:
                self._idle += 1
            if self._idle >= patience:
                self._idle = 0
                return False
        return True

    def _columns(self) -> Iterator[GroupColumns]:
        """Give groups to choose from: all that matter, or more and more of them.

        They grow as long as cuts meanwhile do not make fewer of them matter.
        """
        search, branches = self._search, MAX_FIRST_BRANCHES
        while True:
            ctx = self._ctx.subcontext(0.8, 0.8)
            columns = all_relevant_columns(
                search, self.open_sse, self._room, branches, ctx
            )
            previous_open_sse = self.open_sse
            if columns is not None:
                self.listed = len(columns.groups)
                yield columns
                continue
            yield self._likely(branches)
            if self.open_sse < MAX_REMAINING_SHARE * previous_open_sse:
                continue
            if self._room == self._most and branches >= 1_000 * self._nodes:
                return
            self._room = min(LIST_GROWTH * self._room, self._most)
            branches *= LIST_GROWTH

    def _branch(self, columns: GroupColumns) -> None:
        """Divide what groups leave open, until the gap is proven or it is enough."""
        search, ctx = self._search, self._ctx
        unit, n = search.master.unit, search.records.n
        listed = GroupList(columns.groups, columns.costs / unit, n, search.k, unit)
        tree = BranchAndBound(
            listed, search.cuts.with_positive_price.sets, search.proof, self.sse / unit
        )
        for turn in range(self._nodes):
            if tree.n_open * len(columns.groups) > GROUPS_PER_OPEN_BRANCH * self._most:
                break  # they would take more memory than there is
            if not tree.n_open or (turn and self._proven) or not tree.expand(ctx):
                break
            if tree.best is not None:
                groups = [listed.groups[g] for g in tree.best.tolist()]
                self._take(labels_from_groups(groups, n))
            search.bound = max(search.bound, tree.lower_bound * unit - self._noise)
            ctx.note("bound", search.bound)
        self._turns.nodes += tree.nodes

    def _likely(self, branches: int) -> GroupColumns:
        room = min(MAX_REGION_GROUPS, self._room)
        ctx = self._ctx.subcontext(0.8, 0.8)
        return cheapest_columns(self._search, self.open_sse, room, branches, ctx)

    def _improve(self, columns: GroupColumns, worth: float) -> None:
        search, turns = self._search, self._turns
        self._take(
            improve_from_listed(search, columns, self.labels, turns, self._ctx, worth)
        )

    def _go_on(self) -> None:
        """Add cuts and make better groups, as long as that may well close more."""
        for _ in range(self._nodes):
            if not self._tighten_and_renew():
                return

    def _tighten_and_renew(self, efforts: int = len(EFFORTS)) -> bool:
        """Let wider regions make groups of their own, and add cuts meanwhile.

        Linear programmes keep one core busy, and regions the others.

        Returns whether more cuts may well close more.
        """
        with open_background_task(self._renewed(), self._ctx, CHOOSING_STAGE) as result:
            more = self._tighten(efforts, max_rounds=CUT_ROUNDS_PER_SYNC)
            lines = result()
        if self._ctx.enough():
            return False
        self._turns.count_turn()
        self._lines = lines
        self._take(min(lines, key=attrgetter("sse")).labels)
        return more

    def _renewed(self) -> Callable[[RunContext], list[SearchLine]]:
        """Return what makes better groups, whatever becomes of the bound meanwhile.

        The longer one looks for cuts, the more of it.
        """
        search, first = self._search, self._renewals
        if all(self.sse < line.sse - self._noise for line in self._lines):
            self._lines = [SearchLine(self.labels, self.sse)] * N_LINES
        self._renewals += 1 + search.effort
        seeds = range(first, self._renewals)
        arguments = self._lines, search.records, search.k, search.proof
        return partial(
            improve_lines,
            *arguments,
            seeds,
            MIN_ANNEALED_REGION_GAIN * self.open_sse,
            self._nodes,
        )

    def _choose(self, columns: GroupColumns, nodes: int) -> bool:
        everything = np.ones(self.labels.size, dtype=bool)
        labels, solved = choose_partition(
            self._search,
            columns,
            self.labels,
            everything,
            nodes,
            self._turns,
            self._ctx,
        )
        self._take(labels)
        return solved

    def _take(self, labels: Labels) -> bool:
        """Keep groups that are better than the best so far; return whether they are."""
        sse = total_group_sse(self._search.records.X, labels)
        if sse >= self.sse - self._noise:
            return False
        self.labels, self.sse = labels, sse
        self._ctx.note("sse", sse)
        return True
