"""Polish for the release: trades between groups by the loss of what is written."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.core.context import SILENT, RunContext
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.partition import Partition
from engine.core.typing import Integers, Values
from engine.kernels.search.written import (
    ANCESTOR,
    GENERALISE,
    MEAN,
    MEDIAN,
    MIDDLE,
    MODE,
    Written,
    trade,
    written_loss,
)
from engine.methods.search.refined import NEAR, rounding_noise
from engine.neighbours.near import near_records
from engine.points.base import Points

NUMBERS = {
    "mean": MEAN,
    "median": MEDIAN,
    "mode": MODE,
    "interval": MIDDLE,
    "generalise": MIDDLE,
}
"""What each aggregation writes of numbers; of intervals their middle counts."""

CATEGORIES = {"mode": MODE, "ancestor": ANCESTOR, "generalise": GENERALISE}

LARGEST_K = 50
"""Above this k a trade is weighed against too many others to be found in good time."""

WORK = 20_000_000
"""Values that one kernel call may look at: some 0.05 s between ticks."""

STAGE = Message("Trading for the release")


def trade_as_written(
    points: Points,
    partition: Partition,
    rules: Mapping[str, str],
    ctx: RunContext = SILENT,
) -> Partition:
    """Return groups whose written values lose no more than before, mostly less.

    Grouping lowers the loss of groups' means. Of categories no mean is written but a
    mode or an ancestor, which loses all that one odd record adds: here records move
    and swap between neighbouring groups while that lowers the sum of squared distances
    from what the rules write, before rounding, of records that count alike; a
    transformed number's mean is that of its transformed values. Sizes stay from k to
    2k - 1.

    Parameters
    ----------
    points : Points
        Of one stratum.
    partition : Partition
        Polished: groups of k to 2k - 1 records. Others, and groups of k above
        :data:`LARGEST_K`, come back as they are.
    rules : mapping of str to str
        Aggregation of each attribute.
    ctx : RunContext
    """
    k, labels = partition.k, partition.labels.copy()
    size = np.bincount(labels)
    if k > LARGEST_K or size.size < 2 or size.max() > 2 * k - 1:
        return partition
    written, view, n = written_as(points, rules), points.view, labels.size
    near = near_records(
        view.sketch, NEAR, ctx.part(0.0, 0.2), view.seen, places=view.places
    )
    members = np.zeros((size.size, 2 * k - 1), dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    starts = np.cumsum(size) - size
    members[labels[order], np.arange(n) - starts[labels[order]]] = order
    mine, theirs = np.zeros((2, 2 * k), dtype=np.int64)
    line = np.zeros(2 * k)
    loss = np.array(
        [written_loss(written, members[g], size[g], line) for g in range(size.size)]
    )
    noise = rounding_noise(view.coded.numbers, float(loss.sum()))
    noise += 1e-12 * float(written.units.max(initial=0.0))
    step = max(1, WORK // (NEAR * k * 4 * k * (points.n_attributes + k)))
    share, found = ctx.part(0.2, 1.0), 1
    while found:
        found = 0
        for first in range(0, n, step):
            share.tick(first, n, STAGE)
            found += trade(
                written,
                near,
                labels,
                members,
                size,
                loss,
                k,
                noise,
                first,
                min(first + step, n),
                mine,
                theirs,
                line,
            )
    ctx.tick(1, 1, STAGE)
    return Partition(labels, k)


def check_rules(rules: Mapping[str, str], households: bool) -> None:
    """Refuse aggregations whose loss trades do not know, and households.

    Raises
    ------
    ParameterError
    """
    if households:
        raise ParameterError(
            "Households stay together as wholes, and are polished for their groups "
            "only: polish for the groups, or group persons."
        )
    for name, rule in rules.items():
        if rule not in NUMBERS and rule not in CATEGORIES:
            raise ParameterError(
                "Column {column!r} becomes its {rule}, whose loss cannot be polished "
                "for the release: polish for the groups, or choose one of {known} for "
                "it.",
                column=name,
                rule=rule,
                known=sorted(NUMBERS),
            )


def written_as(points: Points, rules: Mapping[str, str]) -> Written:
    """Return records as the kernels take them; see :func:`trade_as_written`.

    Columns that some records lack are left out: all of a group lack the same, so what
    is there is the same whoever trades.
    """
    n, space = points.n_records, points.space
    lines = points.lines if not space.plain else points.X
    numbers: list[Values] = []
    number_rules, leaves, category_rules, units = [], [], [], []
    tables: list[tuple[Integers, Integers]] = []
    before = 0
    for j, attribute in enumerate(points.attributes):
        if points.missing[:, j].any():
            continue
        branches, rule = space.branches[j], rules[attribute.name]
        if branches is None:
            weight = 1.0 if space.plain else space.weights[j] ** 0.5
            numbers.append(lines[:, j] * weight)
            number_rules.append(NUMBERS[rule])
            continue
        tree = branches.tree
        leaves.append(points.codes(j) + before)
        category_rules.append(CATEGORIES[rule])
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
    return Written(
        numbers=np.ascontiguousarray(np.array(numbers).reshape(-1, n).T),
        number_rules=np.array(number_rules, dtype=np.int64),
        leaves=np.ascontiguousarray(np.array(leaves, dtype=np.int64).reshape(-1, n).T),
        rules=np.array(category_rules, dtype=np.int64),
        units=np.array(units, dtype=np.float64),
        above=above,
        whole=whole,
    )
