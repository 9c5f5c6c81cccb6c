"""Naive order of the file, and runs of k along any order."""

from engine.core.typing import Values
from tests.reference.steps import Labels, labels_of


def runs(order: list[int], k: int) -> Labels:
    """Cut k records off again and again; what is less than 2k is the last group."""
    tail, groups = list(order), []
    while len(tail) >= 2 * k:
        groups.append(tail[:k])
        tail = tail[k:]
    return labels_of([*groups, tail], len(order))


def simple(X: Values, k: int) -> Labels:
    """Records as they stand."""
    return runs(list(range(len(X))), k)
