"""Integer programmes over groups, and counted turns for reproducible stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.bounds.linear_programme.column_search import ColumnGeneration
from engine.bounds.linear_programme.cuts import (
    Group,
    PricedCuts,
    group_incidence_matrix,
)
from engine.bounds.linear_programme.master import sse_per_group
from engine.bounds.linear_programme.pricing import NO_CUTS
from engine.core.context import RunContext
from engine.core.numerics.solver import (
    add_columns,
    add_rows,
    make_highs_solver,
    solve_unless_stopped,
)
from engine.core.partition import Labels
from engine.core.typing import Booleans
from engine.methods.search.integer_programmes.columns import GroupColumns
from engine.methods.search.integer_programmes.groups import (
    CHOOSING_STAGE,
    groups_from_labels,
    labels_from_groups,
    total_group_sse,
)

if TYPE_CHECKING:
    from highspy import Highs

MAX_SOLVER_LIMIT = 2**31 - 1
"""Nodes, steps or rounds where the clock decides: the most that the solver takes."""


class TurnCounter:
    """Counter of changes of bound or groups, for reproducible early stops.

    Parameters
    ----------
    max_turns : int
        How many there may be; 0 means any number.

    Attributes
    ----------
    done : int
        Turns so far, the one under way among them.
    nodes : int
        Nodes of all integer programmes.
    """

    def __init__(self, max_turns: int = 0) -> None:
        self.most = max_turns
        self.done = 1
        self.nodes = 0

    @property
    def is_over(self) -> bool:
        """Whether the maximum number of turns is reached."""
        return 0 < self.most <= self.done

    def count_turn(self) -> None:
        """Count one turn."""
        self.done += 1

    def counting_context(self, ctx: RunContext) -> RunContext:
        """Return a context that counts bounds, and asks to stop after the last turn."""

        def enough() -> bool:
            return self.is_over or ctx.enough()

        def hear(name: str, value: float) -> None:
            if name == "bound":
                self.count_turn()
            ctx.note(name, value)

        return RunContext(ctx.report_share, enough=enough, hear=hear)


def choose_partition(
    search: ColumnGeneration,
    columns: GroupColumns,
    labels: Labels,
    inside: Booleans,
    nodes: int,
    turns: TurnCounter,
    ctx: RunContext,
) -> tuple[Labels, bool]:
    """Return the best labels by an integer programme, and whether it was solved.

    Parameters
    ----------
    columns : GroupColumns
    labels : ndarray of int64, shape (n_records,)
        The groups so far; kept where they hold a record that is not inside.
    inside : ndarray of bool, shape (n_records,)
        Records whose groups are chosen anew; whole groups of `labels`.
    nodes : int
        Nodes of the solver's search tree at most.
    turns : TurnCounter
        Counts each better partition that is found, and the end.
    ctx : RunContext
        Told each lower SSE, as the figure ``"sse"``.

    Returns
    -------
    labels : ndarray of int64, shape (n_records,)
    solved : bool
        Whether the programme was solved to its end.
    """
    X, n = search.records.X, search.records.n
    old = groups_from_labels(labels)
    outside_groups = [group for group in old if not inside[group[0]]]
    start = [group for group in old if inside[group[0]]]
    costs = {
        group: cost
        for group, cost in zip(columns.groups, columns.costs.tolist(), strict=True)
        if inside[list(group)].all()
    }
    for group in start:
        costs.setdefault(group, float(sse_per_group(X, np.array([group]))[0]))
    outside = total_group_sse(X, labels) - sum(costs[group] for group in start)
    # Groups outside take part in cuts, too: they hold for all records together.
    cuts = search.cuts.with_positive_price if inside.all() else NO_CUTS
    solver = _set_partitioning_model(costs, inside, cuts, search.master.unit)
    solver.setOptionValue("mip_max_nodes", nodes)
    best = _Best(costs, start, inside, turns)
    solved = _solve(solver, best, outside, ctx)
    return labels_from_groups(outside_groups + best.chosen, n), solved


def _set_partitioning_model(
    costs: Mapping[Group, float], inside: Booleans, cuts: PricedCuts, unit: float
) -> Highs:
    """Return the programme whose solutions hold each record inside once.

    Cuts are rows that no such groups exceed, for a solution that is not far off.
    """
    from highspy import HighsVarType
    from scipy.sparse import csr_matrix, hstack

    solver, m, n = make_highs_solver(), len(costs), int(inside.sum())
    holds = group_incidence_matrix(list(costs), inside.size)
    both = hstack(
        [holds[:, np.flatnonzero(inside)], cuts.coefficients(holds)], format="csr"
    )
    upper_bounds = np.concatenate([np.ones(n), cuts.right_hand_sides])
    lower_bounds = np.concatenate([np.ones(n), np.full(upper_bounds.size - n, -np.inf)])
    add_rows(solver, lower_bounds, upper_bounds, csr_matrix((upper_bounds.size, 0)))
    add_columns(solver, np.array(list(costs.values())) / unit, both, 1.0)
    whole = np.full(m, HighsVarType.kInteger)
    solver.changeColsIntegrality(m, np.arange(m, dtype=np.int32), whole)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 1e-10)
    return solver


class _Best:
    """The best partition of the records inside that the solver's thread has found.

    Parameters
    ----------
    costs : dict of tuple of int to float
        SSEs of all groups, in the order of the programme's columns.
    start : list of tuple of int
        The groups so far.
    inside : ndarray of bool, shape (n_records,)
    turns : TurnCounter
        Counts each better one; what comes after the last turn is not heard.
    """

    def __init__(
        self,
        costs: Mapping[Group, float],
        start: list[Group],
        inside: Booleans,
        turns: TurnCounter,
    ) -> None:
        self.groups, self.chosen, self.turns = list(costs), start, turns
        self._costs, self._inside = costs, inside
        self.sse = sum(costs[group] for group in start)

    def on_solver_event(self, event: Any) -> None:
        """Take over what the solver has found, if it is better."""
        values = np.array(event.data_out.mip_solution)
        new_groups = [self.groups[g] for g in np.flatnonzero(values > 0.5).tolist()]
        sse = sum(self._costs[group] for group in new_groups)
        better = _is_partition(new_groups, self._inside) and sse < self.sse
        if not self.turns.is_over and better:
            self.turns.count_turn()
            self.chosen, self.sse = new_groups, sse


def _solve(solver: Highs, best: _Best, outside: float, ctx: RunContext) -> bool:
    """Solve from the groups so far; return whether the programme came to its end."""
    from highspy import HighsSolution

    solution = HighsSolution()
    begin = set(best.chosen)
    solution.col_value = [float(group in begin) for group in best.groups]
    solver.setSolution(solution)
    noted_sse = best.sse

    def look() -> None:
        nonlocal noted_sse
        if best.sse < noted_sse:
            noted_sse = best.sse
            ctx.note("sse", noted_sse + outside)

    solver.cbMipImprovingSolution.subscribe(best.on_solver_event)
    is_finished = solve_unless_stopped(solver, ctx, CHOOSING_STAGE, look)
    status = solver.modelStatusToString(solver.getModelStatus())
    best.turns.nodes += int(max(solver.getInfo().mip_node_count, 0))
    if is_finished:
        best.turns.count_turn()
    return is_finished and status == "Optimal"


def _is_partition(groups: Sequence[Group], inside: Booleans) -> bool:
    """Return whether the groups hold each record inside once, and no other."""
    counts = np.zeros(inside.size, dtype=np.int64)
    for group in groups:
        counts[list(group)] += 1
    return bool((counts == inside).all())
