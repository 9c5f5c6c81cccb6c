"""Naive local search: every change of SSE is that of whole groups, taken anew."""

from collections import deque

import numpy as np

from engine.core.typing import Values
from tests.reference.mdav import mdav
from tests.reference.regroup import Best, Groups, join_rest, settle, start_part
from tests.reference.steps import Labels

NEAR, GAIN, PATIENCE, HOPS, LARGEST_K = 8, 0.001, 0.5, 250, 20


class Search:
    """The steps of a round."""

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        self.queue = deque(g for g, members in enumerate(groups.members) if members)
        self.clock = 0
        self.changed = [0] * len(groups.members)
        self.seen = [-1] * len(groups.near)

    def change(self, g: int, queue: bool = True) -> None:
        self.clock += 1
        self.changed[g] = self.clock
        if queue and g not in self.queue:
            self.queue.append(g)

    def dissolve(self, a: int) -> None:
        groups = self.groups
        sse, members = groups.sse(groups.members[a]), list(groups.members[a])
        if not members or sse <= groups.noise:
            return
        change, targets = -sse, list[int]()
        limit = PATIENCE * sse - groups.noise
        for i in members:
            if not change < limit:
                return
            best = Best(groups.noise, np.inf)
            for b in map(groups.label, groups.near[i]):
                room = len(groups.members[b]) < groups.most
                if room and b != a and b not in targets:
                    best.offer(groups.grown(b, i), b)
            if best.what is None:
                return
            change += best.least
            targets.append(best.what)  # type: ignore[arg-type]
        if not change < limit:
            return
        before = [list(group) for group in groups.members]
        for i, b in zip(members, targets, strict=True):
            groups.move(i, a, b)
        moves = [(a, b) for b in targets]
        change += self.pass_on(moves)
        if not change < -groups.noise:
            groups.members = before
            return
        groups.unused.append(a)
        for move in moves:
            for g in move:
                if g != a:
                    self.change(g)

    def pass_on(self, moves: list[tuple[int, int]]) -> float:
        groups, total = self.groups, 0.0
        waiting = deque(b for _, b in moves)
        while waiting and len(moves) < HOPS + groups.most:
            b = waiting.popleft()
            if len(groups.members[b]) <= groups.k:
                continue
            best = Best(groups.noise)
            for c in groups.around(b):
                if len(groups.members[c]) < groups.most:
                    for i in groups.members[b]:
                        rest = [j for j in groups.members[b] if j != i]
                        shrunk = groups.sse(rest) - groups.sse(groups.members[b])
                        best.offer(groups.grown(c, i) + shrunk, (i, c))
            if best.what is not None:
                i, c = best.what  # type: ignore[misc]
                groups.move(i, b, c)
                moves.append((b, c))
                waiting += (b, c)
                total += best.least
        return total

    def exchange(self) -> None:
        while self.queue:
            a = self.queue.popleft()
            before = self.changed[a]
            for b in self.groups.around(a):
                while self.exchange_between(a, b):
                    if b not in self.queue:
                        self.queue.append(b)
            if self.changed[a] != before and a not in self.queue:
                self.queue.append(a)

    def exchange_between(self, a: int, b: int) -> bool:
        groups = self.groups
        A, B = groups.members[a], groups.members[b]
        now = groups.sse(A) + groups.sse(B)
        ways: list[tuple[list[int], list[int]]] = []
        if len(A) > groups.k and len(B) < groups.most:
            ways += [([i], []) for i in A]
        if len(B) > groups.k and len(A) < groups.most:
            ways += [([], [j]) for j in B]
        ways += [([i], [j]) for i in A for j in B]
        best = Best(groups.noise)
        for go, come in ways:
            new_a = sorted(set(A) - set(go) | set(come))
            new_b = sorted(set(B) - set(come) | set(go))
            best.offer(groups.sse(new_a) + groups.sse(new_b) - now, (new_a, new_b))
        if best.what is None:
            return False
        groups.members[a], groups.members[b] = best.what  # type: ignore[misc]
        self.change(a, queue=False)
        self.change(b, queue=False)
        return True

    def deal(self, i: int) -> None:
        groups = self.groups
        nearby_groups = list(dict.fromkeys(map(groups.label, [i, *groups.near[i]])))
        nearby_groups = nearby_groups[: 4 if groups.k <= 10 else 3]
        if (
            len(nearby_groups) < 2
            or max(self.changed[g] for g in nearby_groups) <= self.seen[i]
        ):
            return
        union = [j for g in nearby_groups for j in groups.members[g]]
        best = Best(
            groups.noise, sum(groups.sse(groups.members[g]) for g in nearby_groups)
        )
        for m in (len(nearby_groups), len(nearby_groups) + 1):
            if m <= len(union) // groups.k:
                parts = deal_from(groups, union, m, i)
                best.offer(settle(groups, parts, union), parts)
        self.seen[i] = self.clock
        if best.what is not None:
            for g in groups.adopt(nearby_groups, best.what):  # type: ignore[arg-type]
                self.change(g)


def deal_from(groups: Groups, union: list[int], m: int, seed: int) -> list[list[int]]:
    pool, parts = list(union), list[list[int]]()
    for _ in range(m):
        if parts:
            seed = max(pool, key=lambda j: groups.apart[seed, j])
        parts.append(start_part(groups, pool, seed))
    join_rest(groups, parts, pool)
    return parts


def refine(X: Values, labels: Labels, k: int, deal: bool = True) -> Labels:
    """Rounds of dissolving, exchanging and dealing until one gains next to nothing."""
    groups = Groups(X, labels, k, NEAR)
    search = Search(groups)
    before, sse = np.inf, groups.total()
    while sse > groups.noise and before - sse > GAIN * sse:
        for g in range(len(groups.members)):
            search.dissolve(g)
        search.exchange()
        if deal and k <= LARGEST_K:
            for i in range(len(X)):
                search.deal(i)
            search.exchange()
        before, sse = sse, groups.total()
    return groups.labels()


def refined(X: Values, k: int) -> Labels:
    """Local search from MDAV's groups."""
    return refine(X, mdav(X, k), k)
