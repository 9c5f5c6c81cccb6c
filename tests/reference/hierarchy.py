"""Common ancestors and leaf counts, by walking up the rows."""

from collections.abc import Sequence

Rows = Sequence[Sequence[str]]


def common_ancestor(rows: Rows, leaves: Sequence[int]) -> tuple[int, str]:
    """Return (level, label) of the lowest label that all leaves share."""
    level = 0
    while len({rows[leaf][level] for leaf in leaves}) > 1:
        level += 1
    return level, rows[leaves[0]][level]


def leaf_count(rows: Rows, level: int, label: str) -> int:
    """Return how many leaves have this label at this level."""
    return sum(row[level] == label for row in rows)
