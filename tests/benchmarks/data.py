"""Tables to measure on: made from a seed, or the field's reference tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.core.typing import Values
from tests.casc import FOLDER


def normal(n: int, p: int = 10, seed: int = 0) -> Values:
    """Independent standard normal attributes: the hardest shape for any index."""
    return np.random.default_rng(seed).standard_normal((n, p))


def heavy(n: int, p: int = 10, seed: int = 0) -> Values:
    """Correlated attributes with heavy tails, as in business surveys; z-scored."""
    rng = np.random.default_rng(seed)
    size = rng.standard_normal((n, 1))
    X = np.exp(1.2 * size + 0.8 * rng.standard_normal((n, p)))
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))


def clustered(n: int, p: int = 10, seed: int = 0) -> Values:
    """Two hundred clusters of equal width, as among kinds of people; z-scored."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((200, p))
    X = 0.15 * rng.standard_normal((n, p))
    X += centres[rng.integers(200, size=n)]
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    return X


def casc_folder() -> Path | None:
    """Return the folder of the CASC reference tables, where there is one."""
    return FOLDER if FOLDER.is_dir() else None
