"""Naive genetic algorithm: every child is a list of groups, every sum is taken anew."""

import numpy as np

from engine.core.typing import Values
from tests.reference.projection import first_component
from tests.reference.steps import Labels

PARAMETERS = {"population": 7, "generations": 5}
"""What the comparison runs with: a whole search would take a loop hours."""

ELITE, FLOOR, GENES = 2, 0.05, 5

Chromosome = list[int]


class Groups:
    """Records in groups, whose sums are kept by adding and taking away."""

    def __init__(self, X: Values, child: Chromosome, n_groups: int) -> None:
        self.X, self.child = X, child
        self.size = [0] * n_groups
        self.total = np.zeros((n_groups, X.shape[1]))
        for i, g in enumerate(child):
            self.size[g] += 1
            self.total[g] += X[i]

    def distance(self, i: int, g: int) -> float:
        squares = (self.X[i] - self.total[g] / self.size[g]) ** 2
        return float(sum(squares.tolist(), 0.0))

    def put(self, i: int, g: int) -> None:
        self.size[g] += 1
        self.total[g] = self.total[g] + self.X[i]
        self.child[i] = g

    def take(self, i: int) -> None:
        self.size[self.child[i]] -= 1
        self.total[self.child[i]] = self.total[self.child[i]] - self.X[i]


def repair(X: Values, k: int, child: Chromosome, n_groups: int, fill: bool) -> float:
    """Fill or dissolve groups of fewer than k, the smallest first; return the SSE."""
    groups = Groups(X, child, n_groups)
    while small := [g for g in range(n_groups) if 0 < groups.size[g] < k]:
        g = min(small, key=lambda g: (groups.size[g], g))
        spare = sum(max(0, size - k) for size in groups.size)
        if fill and spare >= k - groups.size[g]:
            while groups.size[g] < k:
                rich = [i for i in range(len(X)) if groups.size[child[i]] > k]
                i = min(rich, key=lambda i: (groups.distance(i, g), i))
                groups.take(i)
                groups.put(i, g)
        else:
            for i in [i for i in range(len(X)) if child[i] == g]:
                others = [h for h in range(n_groups) if h != g and groups.size[h]]
                groups.put(i, min(others, key=lambda h: (groups.distance(i, h), h)))
            groups.size[g] = 0
    sse = sum((groups.distance(i, g) for i, g in enumerate(child)), 0.0)
    names = list(dict.fromkeys(child))
    child[:] = [names.index(g) for g in child]
    return sse


def evolve(
    X: Values,
    k: int,
    rng: np.random.Generator,
    population: int,
    generations: int,
    crossover: float = 0.9,
    mutation: float = 0.5,
) -> Labels:
    """Best chromosome after some generations, groups numbered by lowest record."""
    order = np.argsort(first_component(X), kind="stable")
    ordered, n, n_groups = X[order], len(X), len(X) // k
    start = np.tile(np.repeat(np.arange(n_groups), k), (population, 1))
    extra_labels = rng.integers(n_groups, size=(population, n - n_groups * k))
    living = rng.permuted(np.hstack([start, extra_labels]), axis=1).tolist()
    sse = [repair(ordered, k, child, n_groups, True) for child in living]
    share = min(1.0, mutation / n)
    for _ in range(generations):
        ranked = sorted(range(population), key=lambda q: (sse[q], q))
        worst, best = max(sse), min(sse)
        fitness = [worst - each + FLOOR * (worst - best) for each in sse]
        wheel = np.cumsum(fitness if worst > best else np.ones(population))
        born = [list(living[q]) for q in ranked[:ELITE]]
        losses = [sse[q] for q in ranked[:ELITE]]
        for draw in rng.random((population, GENES + n))[ELITE:]:
            first, second = (
                min(int(np.searchsorted(wheel, u * wheel[-1], "right")), population - 1)
                for u in draw[:2]
            )
            cut = 1 + int(draw[3] * (n - 1)) if draw[2] < crossover else n
            child = living[first][:cut] + living[second][cut:]
            for i, u in enumerate(draw[GENES:]):
                if u < share:
                    child[i] = min(int(u / share * n_groups), n_groups - 1)
            losses.append(repair(ordered, k, child, n_groups, bool(draw[4] < 0.5)))
            born.append(child)
        living, sse = born, losses
    labels = np.empty(n, dtype=np.int64)
    labels[order] = living[sse.index(min(sse))]
    names = list(dict.fromkeys(labels.tolist()))
    return np.array([names.index(g) for g in labels], dtype=np.int64)


def genetic(X: Values, k: int, seed: int, population: int, generations: int) -> Labels:
    """One population for the whole table."""
    return evolve(X, k, np.random.default_rng(seed), population, generations)
