"""Naive ECBO: the same rounds, with a table of places filled cell by cell."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from engine.core.typing import Values
from tests.reference.steps import Labels, centroid, squared_distances


def first_centres(X: Values, count: int, rng: np.random.Generator) -> list[int]:
    """Records drawn by their squared distance from the nearest one drawn before."""
    drawn = [int(rng.integers(len(X)))]
    while len(drawn) < count:
        distances = [
            min(float(squared_distances(X[c : c + 1], x)[0]) for c in drawn) for x in X
        ]
        if sum(distances) == 0:
            drawn.append(int(rng.integers(len(X))))
            continue
        total, target, place = 0.0, 0.0, 0
        sums = []
        for distance in distances:
            total += distance
            sums.append(total)
        target = rng.random() * total
        while place < len(X) - 1 and sums[place] <= target:
            place += 1
        drawn.append(place)
    return drawn


def fill_places(X: Values, centres: list[Values]) -> list[int]:
    """The centre of each record: floor(n/c) records each, or one more."""
    n, c = len(X), len(centres)
    size, larger = divmod(n, c)
    places = [(centre, True) for centre in range(c) for _ in range(size)]
    if larger:
        places += [(centre, False) for centre in range(c)]
    cost = [
        [float(squared_distances(X[i : i + 1], v)[0]) for v in centres]
        for i in range(n)
    ]
    never = 1.0 + max(map(max, cost)) * n
    table = np.zeros((len(places), len(places)))
    for row in range(len(places)):
        for column, (centre, must_be_filled) in enumerate(places):
            if row < n:
                table[row, column] = cost[row][centre]
            elif must_be_filled:
                table[row, column] = never
    return [places[column][0] for column in linear_sum_assignment(table)[1][:n]]


def even_sized(X: Values, k: int, seed: int) -> Labels:
    """Rounds of k-means with equal sizes, until the SSE falls no further."""
    rng = np.random.default_rng(seed)
    centres = [X[i] for i in first_centres(X, len(X) // k, rng)]
    best, lowest_sse = [0] * len(X), np.inf
    while True:
        owner = fill_places(X, centres)
        groups = [
            [i for i in range(len(X)) if owner[i] == g] for g in range(len(centres))
        ]
        centres = [centroid(X, group) for group in groups]
        sse = sum(
            float(squared_distances(X[i : i + 1], centres[owner[i]])[0])
            for i in range(len(X))
        )
        if not sse < lowest_sse:
            return np.array(best)
        best, lowest_sse = owner, sse
