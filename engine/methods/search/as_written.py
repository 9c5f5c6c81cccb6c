"""Refine groups for their released values: exchange records by released loss."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.core.context import SILENT, RunContext, steps_per_look
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.partition import Partition
from engine.core.typing import Integers, Values
from engine.kernels.search.released_loss import (
    ANCESTOR,
    GENERALISE,
    MEAN,
    MEDIAN,
    MIDDLE,
    MODE,
    RecordsAndReleaseRules,
    exchange_by_released_loss,
    released_group_loss,
)
from engine.methods.search.refined import N_NEAR_RECORDS, min_improvement
from engine.neighbours.neighbour_lists import nearest_neighbours
from engine.points.base import Points

NUMBER_RULES = {
    "mean": MEAN,
    "median": MEDIAN,
    "mode": MODE,
    "interval": MIDDLE,
    "generalise": MIDDLE,
}
"""What each aggregation writes of numbers; of intervals their middle counts."""

CATEGORY_RULES = {"mode": MODE, "ancestor": ANCESTOR, "generalise": GENERALISE}

MAX_TRADE_K = 50
"""Above this k a trade is weighed against too many others to be found in good time."""

TRADING_STAGE = Message("Trading for the release")


def refine_for_release(
    points: Points,
    partition: Partition,
    rules: Mapping[str, str],
    ctx: RunContext = SILENT,
) -> Partition:
    """Return groups whose released values lose no more than before, mostly less.

    Grouping lowers the loss of groups' means. Of categories no mean is written but a
    mode or an ancestor, which loses all that one odd record adds: here records move
    and swap between neighbouring groups while that lowers the sum of squared distances
    from what the rules write, before rounding, of records that count alike; a
    transformed number's mean is that of its transformed values. Sizes stay from k to
    2k - 1.

    Parameters
    ----------
    points : Points
        Records of one stratum.
    partition : Partition
        Polished: groups of k to 2k - 1 records. Others, and groups of k above
        :data:`MAX_TRADE_K`, come back as they are.
    rules : mapping of str to str
        Aggregation of each attribute.
    """
    k, labels = partition.k, partition.labels.copy()
    size = np.bincount(labels)
    if k > MAX_TRADE_K or size.size < 2 or size.max() > 2 * k - 1:
        return partition
    written, view, n = released_loss_inputs(points, rules), points.view, labels.size
    near = nearest_neighbours(
        view.sketch,
        N_NEAR_RECORDS,
        ctx.subcontext(0.0, 0.2),
        view.seen,
        n_category_columns=view.places,
    )
    members = np.zeros((size.size, 2 * k - 1), dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    starts = np.cumsum(size) - size
    members[labels[order], np.arange(n) - starts[labels[order]]] = order
    own_members, other_members = np.zeros((2, 2 * k), dtype=np.int64)
    line = np.zeros(2 * k)
    loss = np.array(
        [
            released_group_loss(written, members[g], size[g], line)
            for g in range(size.size)
        ]
    )
    noise = min_improvement(view.coded.numbers, float(loss.sum()))
    noise += 1e-12 * float(written.units.max(initial=0.0))
    step = steps_per_look(N_NEAR_RECORDS * k * 4 * k * (points.n_attributes + k))
    share, n_trades = ctx.subcontext(0.2, 1.0), 1
    while n_trades:
        n_trades = 0
        for first, last in share.iterate_ranges(n, step, TRADING_STAGE):
            n_trades += exchange_by_released_loss(
                written,
                near,
                labels,
                members,
                size,
                loss,
                k,
                noise,
                first,
                last,
                own_members,
                other_members,
                line,
            )
    ctx.tick(1, 1, TRADING_STAGE)
    return Partition(labels, k)


def check_trade_rules(rules: Mapping[str, str]) -> None:
    """Raise for aggregations whose released loss the kernels cannot compute.

    Raises
    ------
    ParameterError
    """
    for name, rule in rules.items():
        if rule not in NUMBER_RULES and rule not in CATEGORY_RULES:
            raise ParameterError(
                "Column {column!r} becomes its {rule}, whose loss cannot be polished "
                "for the release: polish for the groups, or choose one of {known} for "
                "it.",
                column=name,
                rule=rule,
                known=sorted(NUMBER_RULES),
            )


def released_loss_inputs(
    points: Points, rules: Mapping[str, str]
) -> RecordsAndReleaseRules:
    """Return records and aggregation rules as kernels use them.

    Columns that some records lack are left out: all of a group lack the same, so what
    is there is the same whoever trades.
    """
    n, space = points.n_records, points.space
    lines = points.scaled_values if not space.is_plain else points.X
    numbers: list[Values] = []
    number_rules, leaves, category_rules, units = [], [], [], []
    tables: list[tuple[Integers, Integers]] = []
    before = 0
    for j, attribute in enumerate(points.attributes):
        if points.missing[:, j].any():
            continue
        branches, rule = space.branches[j], rules[attribute.name]
        if branches is None:
            weight = 1.0 if space.is_plain else space.weights[j] ** 0.5
            numbers.append(lines[:, j] * weight)
            number_rules.append(NUMBER_RULES[rule])
            continue
        tree = branches.tree
        leaves.append(points.leaf_codes(j) + before)
        category_rules.append(CATEGORY_RULES[rule])
        units.append(space.weights[j] / branches.scale**2)
        nodes = tree.ancestors
        tables.append((nodes, tree.leaf_counts[nodes] == len(tree.leaves)))
        before += len(tree.leaves)
    levels = max((nodes.shape[1] for nodes, _ in tables), default=1)
    above = np.zeros((before, levels), dtype=np.int64)
    whole = np.zeros((before, levels), dtype=np.bool_)
    start = 0
    for nodes, all_below in tables:
        stop = start + nodes.shape[0]
        width = np.minimum(np.arange(levels), nodes.shape[1] - 1)
        above[start:stop], whole[start:stop] = nodes[:, width], all_below[:, width]
        start = stop
    return RecordsAndReleaseRules(
        numbers=np.ascontiguousarray(np.array(numbers).reshape(-1, n).T),
        number_rules=np.array(number_rules, dtype=np.int64),
        leaves=np.ascontiguousarray(np.array(leaves, dtype=np.int64).reshape(-1, n).T),
        rules=np.array(category_rules, dtype=np.int64),
        units=np.array(units, dtype=np.float64),
        above=above,
        whole=whole,
    )
