"""Naive z-score projection: records by one score, cut by plain recursion."""

from engine.core.typing import Values
from tests.reference.path import best_cut
from tests.reference.projection import zscore_sum
from tests.reference.steps import Labels, labels_of


def zscore_projection(X: Values, k: int) -> Labels:
    """Optimal runs of the sum of z-scores."""
    score = zscore_sum(X)[:, None]
    ranking = sorted(range(len(X)), key=lambda i: (score[i, 0], i))
    return labels_of(best_cut(score, ranking, k)[0], len(X))
