"""Groups that no method has made."""

import numpy as np

from engine.core.partition import Labels


def random_labels(rng: np.random.Generator, n: int, k: int) -> Labels:
    """Any groups of at least k, also of more than 2k - 1 records."""
    n_groups = int(rng.integers(1, n // k + 1))
    rest = rng.integers(n_groups, size=n - k * n_groups)
    return rng.permutation(np.concatenate([np.repeat(np.arange(n_groups), k), rest]))
