"""Naive CLARA (Kaufman and Rousseeuw 1990, chapter 3), and the sorting of clusters."""

from engine.core.typing import Values
from tests.reference.simple import runs
from tests.reference.steps import Labels, squared_distances


def draws(n: int):
    """Records in 0..n-1, from the authors' congruential generator."""
    state = 0
    while True:
        state = (5761 * state + 999) % 2**16
        yield int(n * state / 2**16)


def pam(D: list[list[float]], n_clusters: int) -> list[int]:
    """Medoids of a table of distances, by build and swap."""
    n = len(D)
    far = max(map(max, D)) * 1.1 + 1
    chosen: list[int] = []
    for _ in range(n_clusters):
        near = [min([far, *(D[m][j] for m in chosen)]) for j in range(n)]
        gain = {
            i: sum(max(near[j] - D[i][j], 0) for j in range(n))
            for i in range(n)
            if i not in chosen
        }
        highest_gain = max(gain.values()) - 1e-12 * n * far
        chosen.append(max(i for i in gain if gain[i] >= highest_gain))
    while True:
        first = [min(D[m][j] for m in chosen) for j in range(n)]
        second = [sorted([*(D[m][j] for m in chosen), far])[1] for j in range(n)]
        changes: dict[tuple[int, int], float] = {}
        for new in (i for i in range(n) if i not in chosen):
            for old in sorted(chosen):
                change = 0.0
                for j in range(n):
                    if D[old][j] == first[j]:
                        tie = second[j] <= D[old][j]
                        change += (second[j] if tie else D[new][j]) - first[j]
                    elif D[new][j] < first[j]:
                        change += D[new][j] - first[j]
                changes[old, new] = change
        lowest_change = min(changes.values(), default=0.0)
        if lowest_change >= -1e-12 * n * far:
            return sorted(chosen)
        best = (
            pair for pair in changes if changes[pair] <= lowest_change + 1e-12 * n * far
        )
        old, new = next(best)
        chosen.remove(old)
        chosen.append(new)


def clara(X: Values, n_clusters: int) -> list[tuple[int, list[int]]]:
    """Clusters as (medoid, members), in order of their first member."""
    n = len(X)
    size, generator = min(n, 40 + 2 * n_clusters), draws(n)
    best, lowest_total = [], float("inf")
    for _ in range(5 if size < n else 1):
        if size == n:
            sample = list(range(n))
        elif n < 2 * size:
            outsiders: set[int] = set()
            while len(outsiders) < n - size:
                record = next(generator)
                if record not in [medoid for medoid, _ in best]:
                    outsiders.add(record)
            sample = [i for i in range(n) if i not in outsiders]
        else:
            some = {medoid for medoid, _ in best}
            while len(some) < size:
                some.add(next(generator))
            sample = sorted(some)
        D = [[d**0.5 for d in squared_distances(X[sample], X[i])] for i in sample]
        medoids = [sample[m] for m in pam(D, n_clusters)]
        sq_distances = [squared_distances(X, X[m]) for m in medoids]
        clusters: dict[int, list[int]] = {}
        total = 0.0
        for i in range(n):
            nearest_medoid = min(
                medoids, key=lambda m: (m != i, sq_distances[medoids.index(m)][i])
            )
            clusters.setdefault(nearest_medoid, []).append(i)
            total += sq_distances[medoids.index(nearest_medoid)][i] ** 0.5
        if total < lowest_total:
            best, lowest_total = list(clusters.items()), total
    return best


def influence(X: Values, k: int) -> Labels:
    """Each cluster by the attribute that is largest in its medoid, then runs of k."""
    order: list[int] = []
    for medoid, members in clara(X, min(8, len(X) - 1)):
        column = max(range(X.shape[1]), key=lambda j: (X[medoid, j], -j))
        order += sorted(members, key=lambda i: (X[i, column], i))
    return runs(order, k)
