"""What the best groups of few records lose, whatever the certificate says."""

import numpy as np

from engine.core.typing import Values
from engine.pipeline.grouping.prepare import PreparedTable
from tests.reference.subsets import least_sse_of_many, partitions


def least_loss(prepared: PreparedTable, k: int) -> float:
    """Return what the best groups lose, by brute force, in per cent."""
    points, least_sse = prepared.points, 0.0
    for some in prepared.blocks[0].strata:
        X = points.X[some]
        if points.weights is None:
            least_sse += float(least_sse_of_many(X[np.newaxis], k)[0])
            continue
        w = points.weights[some]
        least_sse += min(
            sum(_weighted_sse(X[list(g)], w[list(g)]) for g in partition)
            for partition in partitions(some.size, k)
        )
    return 100.0 * least_sse / points.sst


def _weighted_sse(X: Values, w: Values) -> float:
    centre = w @ X / w.sum()
    return float(w @ np.square(X - centre).sum(axis=1))
