"""Naive trades by the loss of what is written: every group is written anew."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median

from tests.reference.steps import Labels, labels_of

Column = tuple[str, Sequence[float] | Sequence[Sequence[str]]]
"""A rule, and numbers or rows of a hierarchy, leaves first."""


def number(rule: str, values: list[float]) -> float:
    if rule == "mean":
        return fmean(values)
    if rule == "median":
        return median(values)
    if rule == "mode":
        return most_frequent(values)
    return (min(values) + max(values)) / 2


def most_frequent(values: list[float]) -> float:
    count = Counter(values)
    return min(count, key=lambda value: (-count[value], value))


def edges(rule: str, rows: list[Sequence[str]], all_rows: list[Sequence[str]]) -> int:
    """Edges between categories and what is written of them."""

    def meet(a: Sequence[str], b: Sequence[str]) -> int:
        return next(level for level in range(len(a)) if a[level] == b[level])

    level = next(s for s in range(len(rows[0])) if len({row[s] for row in rows}) == 1)
    star = all(row[level] == rows[0][level] for row in all_rows)
    if rule == "generalise" or (rule == "ancestor" and not star):
        return level * len(rows)
    order = list(dict.fromkeys(row[0] for row in all_rows))
    mode = most_frequent([order.index(row[0]) for row in rows])
    chosen = next(row for row in rows if row[0] == order[int(mode)])
    return sum(2 * meet(row, chosen) for row in rows)


class Trades:
    """Groups that trade; `columns` as above, `trees` all rows of each hierarchy."""

    def __init__(
        self,
        columns: list[Column],
        trees: list[list[Sequence[str]]],
        near: list[list[int]],
        labels: Labels,
        k: int,
    ) -> None:
        self.columns, self.trees, self.near, self.k = columns, trees, near, k
        self.groups = [
            [i for i, label in enumerate(labels) if label == g]
            for g in range(max(labels) + 1)
        ]

    def loss(self, members: list[int]) -> float:
        total = 0.0
        for (rule, values), rows in zip(self.columns, self.trees, strict=True):
            member_values = [values[i] for i in members]
            if rows:
                total += edges(rule, member_values, rows)  # type: ignore[arg-type]
            else:
                centre = number(rule, member_values)  # type: ignore[arg-type]
                total += sum((x - centre) ** 2 for x in member_values)  # type: ignore[operator]
        return total

    def total(self) -> float:
        return sum(map(self.loss, self.groups))

    def turn(self, i: int) -> bool:
        """Make a record's best trade."""
        where = {j: g for g, members in enumerate(self.groups) for j in members}
        a, best, trade = where[i], 0.0, None
        for b in dict.fromkeys(where[j] for j in self.near[i]):
            source_group, target_group = self.groups[a], self.groups[b]
            if a == b:
                continue
            ways = []
            if len(source_group) > self.k and len(target_group) < 2 * self.k - 1:
                ways.append(([j for j in source_group if j != i], [*target_group, i]))
            ways += [
                (
                    [j for j in source_group if j != i] + [j],
                    [x for x in target_group if x != j] + [i],
                )
                for j in target_group
            ]
            before = self.loss(source_group) + self.loss(target_group)
            for changed_source, joined in ways:
                change = self.loss(changed_source) + self.loss(joined) - before
                if change < best - 1e-9:
                    best, trade = change, (b, sorted(changed_source), sorted(joined))
        if trade:
            b, self.groups[a], self.groups[b] = trade
        return trade is not None

    def run(self) -> Labels:
        while sum([self.turn(i) for i in range(len(self.near))]):
            pass
        return labels_of(self.groups, len(self.near))
