"""The least SSE of many small tables at once, by dynamic programming over subsets."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from engine.core.typing import Values


def least_sse_of_many(tables: Values, k: int) -> Values:
    """The least SSE of each table; for some nine records.

    Parameters
    ----------
    tables : ndarray of float64, shape (n_tables, n_records, n_attributes)
    k : int

    Returns
    -------
    ndarray of float64, shape (n_tables,)
    """
    n_tables, n, _ = tables.shape
    lowest_sse = {0: np.zeros(n_tables)}
    for subset in range(1, 2**n):
        members = [i for i in range(n) if subset >> i & 1]
        first, rest = members[0], members[1:]
        subset_sse = np.full(n_tables, np.inf)
        for size in range(k, len(members) + 1):
            for others in combinations(rest, size - 1):
                group = [first, *others]
                remaining = subset - sum(1 << i for i in group)
                subset_sse = np.minimum(
                    subset_sse, _sse(tables, group) + lowest_sse[remaining]
                )
        lowest_sse[subset] = subset_sse
    return lowest_sse[2**n - 1]


def _sse(tables: Values, group: list[int]) -> Values:
    members = tables[:, group]
    return np.square(members - members.mean(axis=1, keepdims=True)).sum(axis=(1, 2))


def partitions(n: int, k: int) -> Iterator[list[tuple[int, ...]]]:
    """All partitions of 0 to n - 1 into groups of at least k; for some nine records."""

    def rest(left: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
        if not left:
            yield []
            return
        for size in range(k, len(left) + 1):
            for others in combinations(left[1:], size - 1):
                group = (left[0], *others)
                remaining = tuple(i for i in left if i not in group)
                for groups in rest(remaining):
                    yield [group, *groups]

    yield from rest(tuple(range(n)))
