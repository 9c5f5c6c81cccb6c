"""The least SSE there is: every partition into groups of at least k is looked at."""

from collections.abc import Iterator, Sequence
from functools import cache, partial

import numpy as np

from engine.core.partition import Labels
from engine.core.typing import Values


def partitions(records: list[int], k: int) -> Iterator[list[list[int]]]:
    """Every way to split the records into groups of at least k, each way once."""

    def place(rest: list[int], groups: list[list[int]]) -> Iterator[list[list[int]]]:
        if sum(max(0, k - len(group)) for group in groups) > len(rest):
            return
        if not rest:
            yield [list(group) for group in groups]
            return
        for group in groups:
            group.append(rest[0])
            yield from place(rest[1:], groups)
            group.pop()
        groups.append([rest[0]])
        yield from place(rest[1:], groups)
        groups.pop()

    yield from place(records, [])


def labellings(n: int, k: int) -> Iterator[Labels]:
    """Every way to put n records into groups of at least k, as the group of each."""
    for groups in partitions([*range(n)], k):
        labels = np.empty(n, dtype=np.int64)
        for number, group in enumerate(groups):
            labels[group] = number
        yield labels


@cache
def _all_partitions(n: int, k: int) -> list[list[tuple[int, ...]]]:
    return [[*map(tuple, groups)] for groups in partitions([*range(n)], k)]


def _sse(X: Values, group: Sequence[int]) -> float:
    members = X[list(group)]
    return float(((members - members.mean(axis=0)) ** 2).sum())


def least_sse(X: Values, k: int) -> float:
    """The least SSE of all partitions; for n up to about 9."""
    sse = cache(partial(_sse, X))  # a group is in many partitions
    return min(sum(map(sse, groups)) for groups in _all_partitions(len(X), k))
