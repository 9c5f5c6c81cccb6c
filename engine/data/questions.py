"""Grouping of doubts by topics, so that few questions remain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

MAX_QUESTIONS = 8
"""Questions that are asked about a table, however many columns it has."""

Doubt = TypeVar("Doubt", bound=Hashable)


def topic_groups_and_level(
    topics_by_doubt: Mapping[Doubt, Sequence[Hashable]],
    max_groups: int = MAX_QUESTIONS,
    min_level: int = 0,
) -> tuple[tuple[tuple[Doubt, ...], ...], int]:
    """Return doubts grouped by the finest topics that give few groups, and their level.

    Parameters
    ----------
    topics_by_doubt : mapping of doubt to sequence
        Topics of each doubt, the finest first; as many for all. Doubts that share one
        share all that follow.
    max_groups : int
        Groups beyond which coarser topics are taken, as long as there are any.
    min_level : int
        Place of the finest topics that are allowed.
    """
    n_levels = len(next(iter(topics_by_doubt.values()), ()))
    groups: Mapping[Hashable, list[Doubt]] = {}
    for level in range(min(min_level, max(0, n_levels - 1)), n_levels):
        groups = defaultdict(list)
        for doubt, topics in topics_by_doubt.items():
            groups[topics[level]].append(doubt)
        if len(groups) <= max_groups:
            return tuple(map(tuple, groups.values())), level
    return tuple(map(tuple, groups.values())), max(0, n_levels - 1)
