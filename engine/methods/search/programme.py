"""Whole groups from the linear programme: dives, and integer programmes over groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.bounds.column_generation import KEEP, Search
from engine.bounds.cuts import Cuts, membership
from engine.bounds.master import Master, Solution, sse_of_groups
from engine.bounds.pricing import NO_CUTS
from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.partition import Labels, members_of
from engine.core.solver import add_columns, add_rows, make_solver, solve
from engine.core.typing import Values
from engine.methods.search.refined import refine

Group = tuple[int, ...]

STAGE = Message("Choosing groups")

OUT = -1e12
"""Price, in units of the mean price, of a record that no group may hold."""

FRESH = 3
"""Rounds of new groups after each step of a dive."""

RISE = 1e-3
"""Share by which the programme's value rises before new groups are looked for."""

BRANCHES = 2000
"""Branches for each anchor in a dive, where groups need not be the best."""


def groups_of(labels: Labels) -> list[Group]:
    """Return the sorted members of each group."""
    return [tuple(members.tolist()) for members in members_of(labels)]


def labels_of(groups: Sequence[Group], n: int) -> Labels:
    """Return the group of each record, groups numbered by their first record.

    A record in no group gets -1.
    """
    labels = np.full(n, -1, dtype=np.int64)
    for number, group in enumerate(sorted(groups)):
        labels[list(group)] = number
    return labels


def costs_of(X: Values, groups: Sequence[Group]) -> Values:
    """Return the SSE of groups of any sizes, shape (n_groups,)."""
    costs = np.empty(len(groups))
    for size in sorted({len(group) for group in groups}):
        some = [g for g, group in enumerate(groups) if len(group) == size]
        costs[some] = sse_of_groups(X, np.array([groups[g] for g in some]))
    return costs


def total_sse(X: Values, labels: Labels) -> float:
    """Return the SSE of all groups."""
    return float(costs_of(X, groups_of(labels)).sum())


def dive(search: Search, threshold: float, ctx: RunContext) -> Labels | None:
    """Return groups that follow the linear programme, refined.

    Again and again, the groups of largest weight are fixed and the programme is
    solved for what remains, with new groups of the records that are still free.

    Parameters
    ----------
    search : Search
    threshold : float
        Groups of at least this weight are fixed together; a lower one takes fewer
        steps.
    ctx : RunContext

    Returns
    -------
    ndarray of int64 or None
        None where `ctx` said that it is enough, or the solver failed.
    """
    n, own = search.records.n, _with_priced_cuts(search)
    master = own.master
    limit = np.full(n, 20.0 * float(np.abs(search.prices).max()))
    master.set_box(-limit, limit)
    free = np.ones(n, dtype=bool)
    chosen: list[int] = []
    value = -np.inf
    while free.sum() >= search.k:
        ctx.tick(n - int(free.sum()), n, STAGE)
        solution = _solve_for(own, free, value, ctx)
        if solution is None:
            return None
        if solution.value > (1.0 + RISE) * value:
            value = solution.value
        some = _heaviest(master.groups, solution.weights, free, threshold)
        if not some:
            break
        master.fix(some)
        chosen += some
    _enter(search.master, master.groups)
    groups = [master.groups[g] for g in chosen]
    if not groups:
        return None
    labels = labels_of(groups, n)
    _join_rest(search, labels)
    return refine(search.records.X, labels, search.k, ctx.part(1.0, 1.0))


def _with_priced_cuts(search: Search) -> Search:
    """Return a search of its own without the cuts that cost nothing.

    A dive solves many programmes, which take half as long without these rows.
    """
    master = Master(search.records.X, search.master.unit)
    _enter(master, search.master.groups)
    cuts = search.cuts.priced
    master.add_cuts(cuts.sets)
    return replace(search, master=master, cut_prices=cuts.prices)


def _enter(master: Master, groups: Sequence[Group]) -> None:
    """Add groups of any sizes to a programme."""
    for size in sorted({len(group) for group in groups}):
        master.add(np.array([group for group in groups if len(group) == size]))


def _solve_for(
    search: Search, free: NDArray[np.bool_], value: float, ctx: RunContext
) -> Solution | None:
    """Solve the programme, with new groups of free records that gain at its prices.

    Where it is worth no more than some value, those known are good enough.
    """
    k, n = search.k, search.records.n
    out = OUT * float(np.abs(search.prices).mean())
    solution = search.master.solve(ctx)
    for _ in range(FRESH):
        if solution is None:
            return None
        if solution.value <= (1.0 + RISE) * value:
            break
        prices = np.where(free, solution.prices, out)
        cuts = Cuts(search.master.cuts, solution.cut_prices)
        fresh = 0
        for s in range(k, min(2 * k, n + 1)):
            found = search.pricer.find(
                prices, s, search.floor, KEEP, BRANCHES, cuts, ctx=_still(ctx)
            )
            fresh += search.master.add(found.groups)
            if fresh > 0:
                break
        if fresh == 0:
            break
        solution = search.master.solve(ctx)
    return solution


def _still(ctx: RunContext) -> RunContext:
    """Return a context that answers as the given one but whose progress stands."""
    return ctx.part(0.0, 0.0)


def _heaviest(
    groups: Sequence[Group], weights: Values, free: NDArray[np.bool_], threshold: float
) -> list[int]:
    """Return the groups of free records with the largest weights, one at least."""
    some: list[int] = []
    for g in np.argsort(-weights, kind="stable").tolist():
        if weights[g] < 1e-6 or (some and weights[g] < threshold):
            break
        if free[list(groups[g])].all():
            some.append(g)
            free[list(groups[g])] = False
    return some


def _join_rest(search: Search, labels: Labels) -> None:
    """Put each record without a group into that of the nearest record with one."""
    squared = search.pricer.near.squared
    having = np.flatnonzero(labels >= 0)
    for i in np.flatnonzero(labels < 0):
        labels[i] = labels[having[squared[i, having].argmin()]]


class Turns:
    """What changes bound or groups, counted: who stops after as many has the same.

    Parameters
    ----------
    most : int
        How many there may be; 0 means any number.

    Attributes
    ----------
    done : int
        Turns so far, the one under way among them.
    nodes : int
        Nodes of all integer programmes.
    """

    def __init__(self, most: int = 0) -> None:
        self.most = most
        self.done = 1
        self.nodes = 0

    @property
    def over(self) -> bool:
        """Whether there may be no more."""
        return 0 < self.most <= self.done

    def add(self) -> None:
        """Count one."""
        self.done += 1

    def counted(self, ctx: RunContext) -> RunContext:
        """Return a context that counts bounds, and says enough after the last turn."""

        def report(share: float, stage: str) -> None:
            ctx.tick(share, 1.0, stage)

        def enough() -> bool:
            return self.over or ctx.enough()

        def hear(name: str, value: float) -> None:
            if name == "bound":
                self.add()
            ctx.note(name, value)

        return RunContext(report, enough=enough, hear=hear)


@dataclass(frozen=True, eq=False)
class Columns:
    """Groups to choose from.

    Attributes
    ----------
    groups : list of tuple of int
        Sorted members.
    costs : ndarray of float64, shape (n_groups,)
        Their SSEs.
    complete : bool
        Whether no other group can be part of a better partition.
    """

    groups: list[Group]
    costs: Values
    complete: bool


def gains_of(search: Search, groups: Sequence[Group], costs: Values) -> Values:
    """Return prices less SSE less cuts of each group, shape (n_groups,)."""
    holds = membership(groups, search.records.n)
    gains = holds @ search.prices - costs
    return np.asarray(gains - search.cuts.charged(holds) @ search.cut_prices)


def all_columns(
    search: Search, gap: float, room: int, branches: int, ctx: RunContext
) -> Columns | None:
    """Return all groups that a partition better than `gap` above the bound may hold.

    Every group of a partition costs it, above the bound, as much as its gain is below
    0; so one that alone costs more than the gap is out.

    Parameters
    ----------
    search : Search
    gap : float
        Of the best groups' SSE above :attr:`Search.bound`.
    room : int
        Groups at most.
    branches : int
        Branches for each anchor at most.
    ctx : RunContext

    Returns
    -------
    Columns or None
        None where there are too many.
    """
    # What the prices prove may be less than the bound, which may be another's.
    gap += max(search.bound - float(search.prices.sum()) + search.cuts.paid, 0.0)
    floor = -gap * (1.0 + 1e-9) - search.floor
    k, n = search.k, search.records.n
    groups: list[Group] = []
    for s in range(k, min(2 * k, n + 1)):
        left = room - len(groups)
        found = search.pricer.find(
            search.prices,
            s,
            floor,
            left + 1,
            branches,
            search.cuts,
            capacity=left + 1,
            ctx=_still(ctx),
        )
        if not found.complete or len(found.groups) > left:
            return None
        groups += map(tuple, np.sort(found.groups, axis=1).tolist())
    return Columns(groups, costs_of(search.records.X, groups), True)


def likely_columns(
    search: Search, gap: float, room: int, branches: int, ctx: RunContext
) -> Columns:
    """Return the groups that cost least above their records' prices, by anchor.

    Each anchor gets as many: records that lie close together have more groups of next
    to no cost than there is room for, and the others are those where much is to gain.

    Parameters
    ----------
    search : Search
    gap : float
        What they cost at most.
    room : int
        Groups at most, but one for each anchor in any case.
    branches : int
        Branches for each anchor at most, and fewer for larger groups, which matter
        less; what they do not reach is left out.
    ctx : RunContext
    """
    k, n = search.k, search.records.n
    each = max(room // n, 1)
    best: list[list[tuple[float, Group]]] = [[] for _ in range(n)]
    for s in range(k, min(2 * k, n + 1)):
        found = search.pricer.find(
            search.prices,
            s,
            -gap - search.floor,
            each,
            -(-branches // (s - k + 1) ** 2),
            search.cuts,
            ctx=_still(ctx),
        )
        gains = found.gains.tolist()
        for group, gain in zip(found.groups.tolist(), gains, strict=True):
            best[group[0]].append((-gain, tuple(sorted(group))))
    groups = [group for some in best for _, group in sorted(some)[:each]]
    return Columns(groups, costs_of(search.records.X, groups), False)


def choose(
    search: Search,
    columns: Columns,
    labels: Labels,
    inside: NDArray[np.bool_],
    nodes: int,
    turns: Turns,
    ctx: RunContext,
) -> tuple[Labels, bool]:
    """Return the best partition by an integer programme over some records.

    Parameters
    ----------
    search : Search
    columns : Columns
    labels : ndarray of int64, shape (n_records,)
        The groups so far; kept where they hold a record that is not inside.
    inside : ndarray of bool, shape (n_records,)
        Records whose groups are chosen anew; whole groups of `labels`.
    nodes : int
        Nodes of the solver's search tree at most.
    turns : Turns
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
    old = groups_of(labels)
    kept = [group for group in old if not inside[group[0]]]
    start = [group for group in old if inside[group[0]]]
    costs = {
        group: cost
        for group, cost in zip(columns.groups, columns.costs.tolist(), strict=True)
        if inside[list(group)].all()
    }
    for group in start:
        costs.setdefault(group, float(sse_of_groups(X, np.array([group]))[0]))
    groups = list(costs)
    outside = total_sse(X, labels) - sum(costs[group] for group in start)
    # Groups outside take part in cuts, too: they hold for all records together.
    cuts = search.cuts.priced if inside.all() else NO_CUTS
    chosen, solved = _solve_integer(
        groups,
        costs,
        start,
        inside,
        cuts,
        search.master.unit,
        nodes,
        outside,
        turns,
        ctx,
    )
    return labels_of(kept + chosen, n), solved


def _solve_integer(
    groups: list[Group],
    costs: dict[Group, float],
    start: list[Group],
    inside: NDArray[np.bool_],
    cuts: Cuts,
    unit: float,
    nodes: int,
    outside: float,
    turns: Turns,
    ctx: RunContext,
) -> tuple[list[Group], bool]:
    """Return the groups of least cost that hold each record once.

    Cuts are rows that no such groups exceed, for a solution that is not far off.
    """
    from highspy import HighsSolution, HighsVarType
    from scipy.sparse import csr_matrix, hstack

    solver, m = make_solver(), len(groups)
    holds = membership(groups, inside.size)
    both = hstack([holds[:, np.flatnonzero(inside)], cuts.charged(holds)], format="csr")
    n = int(inside.sum())
    most = np.concatenate([np.ones(n), cuts.most])
    least = np.concatenate([np.ones(n), np.full(most.size - n, -np.inf)])
    add_rows(solver, least, most, csr_matrix((most.size, 0)))
    paid = np.array([costs[group] for group in groups]) / unit
    add_columns(solver, paid, both, 1.0)
    whole = np.full(m, HighsVarType.kInteger)
    solver.changeColsIntegrality(m, np.arange(m, dtype=np.int32), whole)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 1e-10)
    solver.setOptionValue("mip_max_nodes", nodes)
    solution = HighsSolution()
    begin = set(start)
    solution.col_value = [float(group in begin) for group in groups]
    solver.setSolution(solution)
    heard = [sum(costs[group] for group in start)]
    told = len(heard)
    chosen = start

    def improved(event: object) -> None:
        nonlocal chosen
        values = np.array(event.data_out.mip_solution)  # type: ignore[attr-defined]
        found = [groups[g] for g in np.flatnonzero(values > 0.5).tolist()]
        cost = sum(costs[group] for group in found)
        if not turns.over and _is_partition(found, inside) and cost < heard[-1]:
            turns.add()
            chosen = found
            heard.append(cost)

    def look() -> None:
        nonlocal told
        if len(heard) > told:
            told = len(heard)
            ctx.note("sse", heard[-1] + outside)

    solver.cbMipImprovingSolution.subscribe(improved)
    ended = solve(solver, ctx, 0.0, STAGE, look)
    status = solver.modelStatusToString(solver.getModelStatus())
    turns.nodes += int(max(solver.getInfo().mip_node_count, 0))
    if ended:
        turns.add()
    return chosen, ended and status == "Optimal"


def _is_partition(groups: Sequence[Group], inside: NDArray[np.bool_]) -> bool:
    """Return whether the groups hold each record inside once, and no other."""
    held = np.zeros(inside.size, dtype=np.int64)
    for group in groups:
        held[list(group)] += 1
    return bool((held == inside).all())
