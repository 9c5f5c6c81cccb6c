"""Mixed records in plain Python: what a class has in common, and how far apart.

A class is a list of record numbers, a record a list of one. Numbers come before
categories: sums that tie in one order of addition need not tie in another.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core.typing import Values


@dataclass
class Number:
    """A column of numbers; its range is that of all records."""

    values: list[float]

    @property
    def range(self) -> float:
        return max(self.values) - min(self.values) or 1.0

    def width(self, members: list[int]) -> float:
        numbers = [self.values[i] for i in members]
        return max(numbers) - min(numbers)

    def distance(self, a: list[int], b: list[int]) -> float:
        both = self.width(a + b)
        grown = (both - self.width(a)) + (both - self.width(b))
        return grown / (2 * self.range)

    def middle(self, members: list[int]) -> float:
        total = 0.0
        for i in sorted(members):
            total += self.values[i]
        return total / len(members)

    def from_middle(self, middle: float, i: int) -> float:
        return abs(self.values[i] - middle) / self.range


class Rank(Number):
    """A column of ordered categories, as ranks."""

    def __init__(self, values: list[float]) -> None:
        levels = sorted(set(values))
        super().__init__([float(levels.index(value)) for value in values])

    def middle(self, members: list[int]) -> float:
        return sorted(self.values[i] for i in members)[(len(members) - 1) // 2]


@dataclass
class Category:
    """A column of unordered categories: each record's row of the hierarchy."""

    rows: list[Sequence[str]]
    leaves: list[str]

    @property
    def height(self) -> int:
        return len(self.rows[0]) - 1

    def level(self, members: list[int]) -> int:
        """The lowest level at which all members have one ancestor."""
        for level in range(self.height + 1):
            if len({tuple(self.rows[i][level:]) for i in members}) == 1:
                return level
        raise AssertionError("two roots")

    def distance(self, a: list[int], b: list[int]) -> float:
        top = self.level(a + b)
        climbed = 0.0
        for level in (self.level(a), self.level(b)):
            if level < self.height:
                climbed += (top - level) / (self.height - level)
        return 0.5 * climbed

    def middle(self, members: list[int]) -> int:
        """A record that has the most frequent category, of several the first leaf."""
        member_leaves = [self.rows[i][0] for i in members]
        mode = min(
            member_leaves,
            key=lambda leaf: (-member_leaves.count(leaf), self.leaves.index(leaf)),
        )
        return members[member_leaves.index(mode)]

    def from_middle(self, middle: int, i: int) -> float:
        return self.distance([middle], [i])


AttributeInfo = Number | Category


def distance(attributes: list[AttributeInfo], a: list[int], b: list[int]) -> float:
    """Mean over the attributes of the distance of two classes."""
    total = 0.0
    for attribute in attributes:
        total += attribute.distance(a, b)
    return total / len(attributes)


def middles(attributes: list[AttributeInfo], members: list[int]) -> list[float]:
    """The centroid of some records."""
    return [attribute.middle(members) for attribute in attributes]


def from_middles(attributes: list[AttributeInfo], middle: list[float], i: int) -> float:
    """Mean over the attributes of a record's distance from a centroid."""
    total = 0.0
    for attribute, value in zip(attributes, middle, strict=True):
        total += attribute.from_middle(value, i)  # type: ignore[arg-type]
    return total / len(attributes)


def count(attributes: list[AttributeInfo]) -> int:
    """Number of records."""
    first = attributes[0]
    return len(first.values if isinstance(first, Number) else first.rows)


def numbers_of(X: Values) -> list[AttributeInfo]:
    """The columns of a matrix."""
    return [Number(column) for column in X.T.tolist()]
