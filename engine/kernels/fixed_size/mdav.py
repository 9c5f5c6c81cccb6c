"""The loop that MDAV, its variants and CBFS share: groups around extreme records."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.index.blocks import Blocks
from engine.kernels.index.queries import find_farthest, find_nearest
from engine.kernels.index.removal import remove_record


@kernel
def take_group(
    blocks: Blocks,
    seed: int,
    group: int,
    labels: Integers,
    found: Integers,
    squared: Values,
) -> None:
    """Make a group of a record and the records nearest to it.

    Parameters
    ----------
    blocks : Blocks
    seed : int
        The record; it must remain.
    group : int
        Number of the group.
    labels : ndarray of int64, shape (n_records,)
        Receives `group` for the members.
    found, squared : ndarray of int64 and float64, shape (k - 1,)
        Scratch.
    """
    # One by one: handing the tuple on costs more than what is done with it.
    X, values, records, slot = blocks.X, blocks.values, blocks.records, blocks.slot
    own, codes, spans = blocks.own, blocks.codes, blocks.spans
    corners, table = blocks.corners, blocks.table
    live, count, total = blocks.live, blocks.count, blocks.total
    low, high, bound, apart = blocks.low, blocks.high, blocks.bound, blocks.squared
    _take(
        X,
        values,
        own,
        codes,
        spans,
        corners,
        table,
        records,
        slot,
        live,
        count,
        total,
        low,
        high,
        bound,
        apart,
        seed,
        group,
        labels,
        found,
        squared,
    )


@kernel
def extreme_groups(
    blocks: Blocks,
    while_at_least: int,
    most: int,
    group: int,
    labels: Integers,
    ends: int,
    point: Values,
    found: Integers,
    squared: Values,
) -> int:
    """Form groups of an extreme record and those nearest to it, at one end or both.

    r is the record farthest from the centroid; with two ends, s is the record farthest
    from r. s is sought once r's group is gone: if it had been found before and not been
    taken, it would still be the farthest; if taken, this is the one that stands in.

    Parameters
    ----------
    blocks : Blocks
    while_at_least : int
        Go on while so many records remain.
    most : int
        Stop after so many rounds, so that the caller can report progress.
    group : int
        Number of the next group.
    labels : ndarray of int64, shape (n_records,)
        Receives the number of the group for its members.
    ends : int
        1: a round forms a group around r. 2: then one around s.
    point : ndarray of float64, shape (n_attributes,)
        Scratch.
    found, squared : ndarray of int64 and float64, shape (k - 1,)
        Scratch.

    Returns
    -------
    int
        Number of the next group.
    """
    X, values, records, slot = blocks.X, blocks.values, blocks.records, blocks.slot
    own, codes, spans = blocks.own, blocks.codes, blocks.spans
    corners, table = blocks.corners, blocks.table
    live, count, total = blocks.live, blocks.count, blocks.total
    low, high, bound, apart = blocks.low, blocks.high, blocks.bound, blocks.squared
    origin, reach = blocks.origin, blocks.reach
    for _ in range(most):
        if count[0] < while_at_least:
            break
        # Step 1 of MDAV: the average of what remains, its sum being kept up to date.
        for j in range(point.shape[0]):
            point[j] = (total[0, j] + total[1, j]) / count[0]
        for end in range(ends):
            # Steps 1 and 2: r farthest from the average, then s farthest from r.
            extreme = find_farthest(
                X,
                values,
                own,
                codes,
                spans,
                corners,
                table,
                records,
                live,
                count,
                low,
                high,
                origin,
                reach,
                bound,
                apart,
                point,
                X.shape[0],
                end == 0,
            )
            # Step 3: a group of it and the k-1 nearest of what remains.
            _take(
                X,
                values,
                own,
                codes,
                spans,
                corners,
                table,
                records,
                slot,
                live,
                count,
                total,
                low,
                high,
                bound,
                apart,
                extreme,
                group,
                labels,
                found,
                squared,
            )
            for j in range(point.shape[0]):
                point[j] = X[extreme, j]
            group += 1
    return group


@kernel
def _take(
    X: Values,
    values: Values,
    own: Integers,
    codes: Integers,
    spans: Integers,
    corners: Values,
    table: Values,
    records: Integers,
    slot: Integers,
    live: Integers,
    count: Integers,
    total: Values,
    low: Values,
    high: Values,
    bound: Values,
    apart: Values,
    seed: int,
    group: int,
    labels: Integers,
    found: Integers,
    squared: Values,
) -> None:
    """Do what :func:`take_group` says."""
    remove_record(
        X,
        values,
        own,
        codes,
        spans,
        corners,
        records,
        slot,
        live,
        count,
        total,
        low,
        high,
        seed,
    )
    labels[seed] = group
    find_nearest(
        X,
        values,
        own,
        codes,
        spans,
        corners,
        table,
        records,
        live,
        count,
        low,
        high,
        bound,
        apart,
        X[seed],
        X.shape[0],
        found,
        squared,
    )
    for place in range(found.size):
        i = found[place]
        remove_record(
            X,
            values,
            own,
            codes,
            spans,
            corners,
            records,
            slot,
            live,
            count,
            total,
            low,
            high,
            i,
        )
        labels[i] = group
