"""Groups that change, for the naive twins of the searches: every sum is taken anew."""

from collections import deque

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import Labels, squared_distances


class Groups:
    """Records in numbered groups; members rise, an unused number has none."""

    def __init__(self, X: Values, labels: Labels, k: int, n_near: int) -> None:
        X = X - np.rint(X.mean(axis=0))
        n, p = X.shape
        self.k, self.most = k, 2 * k - 1
        self.apart = np.array([squared_distances(X, x) for x in X])
        self.near = [
            sorted(set(range(n)) - {i}, key=lambda j: (self.apart[i, j], j))[:n_near]
            for i in range(n)
        ]
        self.members: list[list[int]] = [[] for _ in range(n // k)]
        for i, g in enumerate(labels.tolist()):
            self.members[g].append(i)
        self.unused = [g for g in reversed(range(n // k)) if not self.members[g]]
        eps = float(np.finfo(np.float64).eps)
        self.noise = 1e-9 * self.total() / n + 16 * eps * p * np.abs(X).max() ** 2

    def sse(self, members: list[int]) -> float:
        """SSE(G) = (1/s) * sum over pairs of d2."""
        pairs = self.apart[np.ix_(members, members)].sum() / 2
        return float(pairs / len(members)) if members else 0.0

    def total(self, records: list[int] | None = None) -> float:
        """SSE of all groups, or of those of some records."""
        return sum(
            self.sse(members)
            for members in self.members
            if records is None or not set(records).isdisjoint(members)
        )

    def label(self, i: int) -> int:
        return next(g for g, members in enumerate(self.members) if i in members)

    def labels(self) -> Labels:
        record_labels = [self.label(i) for i in range(len(self.near))]
        return np.unique(record_labels, return_inverse=True)[1].astype(np.int64)

    def grown(self, g: int, i: int) -> float:
        """By how much the SSE of g grows with record i."""
        return self.sse([*self.members[g], i]) - self.sse(self.members[g])

    def move(self, i: int, a: int, b: int) -> None:
        self.members[a].remove(i)
        self.members[b] = sorted([*self.members[b], i])

    def around(self, a: int) -> list[int]:
        """Groups of the records nearest to a's, the nearest ranks first."""
        neighbours = {
            self.label(self.near[i][rank]): None
            for rank in range(len(self.near[0]))
            for i in self.members[a]
        }
        return [b for b in neighbours if b != a]

    def adopt(self, taken: list[int], parts: list[list[int]]) -> list[int]:
        """Put parts in the place of groups; return their numbers."""
        taken = list(taken)
        for g in taken:
            self.members[g] = []
        while len(taken) < len(parts):
            taken.append(self.unused.pop())
        while len(taken) > len(parts):
            self.unused.append(taken.pop())
        for g, part in zip(taken, parts, strict=True):
            self.members[g] = sorted(part)
        return taken


class Best:
    """The first of the least changes below zero, where noise makes no difference."""

    def __init__(self, noise: float, least: float = 0.0) -> None:
        self.noise, self.least = noise, least
        self.what: object = None

    def offer(self, change: float, what: object) -> None:
        if change < self.least - self.noise:
            self.least, self.what = change, what


def start_part(groups: Groups, left: list[int], seed: int) -> list[int]:
    """A record and the k-1 left that are nearest to it, in the order of `left`."""
    others = [i for i in left if i != seed]
    nearest = sorted(others, key=lambda i: groups.apart[seed, i])[: groups.k - 1]
    left[:] = [i for i in others if i not in nearest]
    return [seed, *nearest]


def join_rest(groups: Groups, parts: list[list[int]], left: list[int]) -> None:
    """Each record left joins the part whose SSE grows least."""
    for i in left:
        best = Best(groups.noise, np.inf)
        for part in parts:
            if len(part) < groups.most:
                grown = groups.sse([*part, i]) - groups.sse(part)
                best.offer(grown, part)
        assert isinstance(best.what, list)
        best.what.append(i)


def settle(groups: Groups, parts: list[list[int]], union: list[int]) -> float:
    """Best move or swap of each record in turn, until none of them has one."""
    turns, idle = deque(union), 0
    while idle < len(union):
        i = turns[0]
        turns.rotate(-1)
        a = next(part for part in parts if i in part)
        idle = 0 if _make_best_move(groups, parts, union, a, i) else idle + 1
    return sum(map(groups.sse, parts))


def _make_best_move(
    groups: Groups, parts: list[list[int]], union: list[int], a: list[int], i: int
) -> bool:
    best = Best(groups.noise)
    without = groups.sse([j for j in a if j != i]) - groups.sse(a)
    if len(a) > groups.k:
        for part in parts:
            if part is not a and len(part) < groups.most:
                grown = groups.sse([*part, i]) - groups.sse(part)
                best.offer(without + grown, (part, None))
    home = groups.apart[:, a].sum(axis=1)
    sums = [groups.apart[:, part].sum(axis=1) for part in parts]
    where = {j: t for t, part in enumerate(parts) for j in part}
    for other in union:
        part = parts[where[other]]
        if part is a:
            continue
        part_sums, distance = sums[where[other]], groups.apart[i, other]
        change = (home[other] - home[i] - distance) / len(a)
        change += (part_sums[i] - part_sums[other] - distance) / len(part)
        best.offer(change, (part, other))
    if best.what is None:
        return False
    part, other = best.what  # type: ignore[misc]
    a.remove(i)
    part.append(i)
    if other is not None:
        part.remove(other)
        a.append(other)
    return True
