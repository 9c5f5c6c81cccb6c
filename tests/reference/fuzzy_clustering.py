"""Naive fuzzy c-means: one record after the other, as the formulas have it."""

import math

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import Labels, squared_distances

ITERATIONS, FAINTEST = 500, 1e-18


def added(values: Values) -> float:
    """Sum from the first value to the last."""
    return float(np.cumsum(values)[-1])


def memberships(x: Values, V: Values, algorithm: str, fuzziness: float) -> Values:
    """Memberships of one record in every cluster."""
    distance = squared_distances(V, x)
    nearest = min(distance)
    if algorithm == "efcm":
        logs = -fuzziness * (distance - nearest)
    elif fuzziness == 1.0 or nearest == 0.0:
        return np.asarray((distance == nearest) / np.count_nonzero(distance == nearest))
    else:
        power = 1.0 / (fuzziness - 1.0)
        logs = np.array([power * math.log(nearest / d) for d in distance])
    u = np.array([math.exp(x) if x > math.log(FAINTEST) else 0.0 for x in logs])
    return u / added(u)


def starts(X: Values, draws: Values) -> Labels:
    """Records that k-means++ chooses."""
    chosen: list[int] = []
    for draw in draws:
        far = np.array([min(squared_distances(X[chosen], x), default=0.0) for x in X])
        if added(far) > 0.0:
            below = np.cumsum(far)
            reached = [i for i in range(len(X)) if below[i] > draw * below[-1]]
            distant_records = [i for i in range(len(X)) if far[i] > 0.0]
            chosen.append(reached[0] if reached else distant_records[-1])
        else:
            chosen.append(min(int(draw * len(X)), len(X) - 1))
    return np.array(chosen)


def settle(
    X: Values, V: Values, algorithm: str, fuzziness: float, still: float
) -> Values:
    """Centres at rest, or after the last step."""
    shift = X.mean(axis=0)
    X, V = X - shift, V - shift
    tolerance = still**2 * np.square(X).sum() / len(X)
    for _ in range(ITERATIONS):
        total, weight = np.zeros_like(V), np.zeros(len(V))
        for x in X:
            u = memberships(x, V, algorithm, fuzziness)
            w = u if algorithm == "efcm" else u**fuzziness
            weight += w
            total += w[:, None] * x
        for i in np.flatnonzero(weight == 0.0):  # nobody's centre stays
            total[i], weight[i] = V[i], 1.0
        moved = total / weight[:, None]
        moved = np.clip(moved, X.min(axis=0), X.max(axis=0))
        rest = np.square(moved - V).sum(axis=1).max() <= tolerance
        V = moved
        if rest:
            break
    return V + shift


def cluster(
    X: Values,
    c: int,
    algorithm: str,
    fuzziness: float,
    rng: np.random.Generator,
    still: float = 1e-4,
) -> Values:
    """Centres of c fuzzy clusters."""
    V = X[starts(X, rng.random(c))]
    if algorithm == "fcm":
        V = V + 0.1 * (1.0 - 1.0 / fuzziness) * (X.mean(axis=0) - V)
    return settle(X, V, algorithm, fuzziness, still)


def nearest_centre(X: Values, V: Values) -> list[int]:
    """The centre each record belongs to most."""
    return [int(np.argmin(squared_distances(V, x))) for x in X]
