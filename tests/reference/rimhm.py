"""Naive RIMHM, from section 5.4 of the paper: IMHM from a semi-random permutation."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Values
from tests.reference.imhm import in_blocks
from tests.reference.path import best_cut
from tests.reference.projection import zscore_sum
from tests.reference.steps import Labels


def semi_random(X: Values, share: float, rng: np.random.Generator) -> list[int]:
    """Records by their sum of z-scores, shuffled within runs of n * share of them.

    What is left after the last whole run is in it too.
    """
    score = zscore_sum(X)
    ranking = sorted(range(len(X)), key=lambda i: (score[i], i))
    size = max(1, int(len(X) * share))
    runs = [ranking[size * b : size * (b + 1)] for b in range(len(X) // size)]
    runs[-1] += ranking[size * len(runs) :]
    return [int(i) for run in runs for i in rng.permutation(run)]


def rimhm(
    X: Values, k: int, seed: int = 0, share: float = 0.1, block_records: int = 1100
) -> Labels:
    """The best cut of the permutation, refined as IMHM refines MDAV's groups."""
    path = semi_random(X, share, np.random.default_rng(seed))
    return in_blocks(X, best_cut(X, path, k)[0], k, block_records)
