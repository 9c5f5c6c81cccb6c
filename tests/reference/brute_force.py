"""The least SSE there is: every partition into groups of at least k is looked at."""

from __future__ import annotations

from collections.abc import Iterator

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


def sse_of_groups(X: Values, groups: list[list[int]]) -> float:
    """SSE from its definition."""
    return float(sum(((X[g] - X[g].mean(axis=0)) ** 2).sum() for g in groups))


def least_sse(X: Values, k: int) -> float:
    """The least SSE of all partitions; for n up to about 9."""
    return min(sse_of_groups(X, groups) for groups in partitions([*range(len(X))], k))
