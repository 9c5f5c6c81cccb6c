"""Tables to measure on: made from a seed, or the field's reference tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

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


def table(n: int) -> pd.DataFrame:
    """Return ten numbers that go together, and an identifier, categories, a date."""
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((n, 1))
    values = np.exp(1.2 * hidden + 0.8 * rng.standard_normal((n, 10))).round(3)
    frame = pd.DataFrame(values).add_prefix("v")
    frame.insert(0, "person_id", np.arange(n) + 1_000_000)
    frame["region"] = rng.choice(["north", "south", "east", "west"], n)
    frame["diagnosis"] = [f"D{i:02d}" for i in rng.integers(0, 30, n)]
    days = pd.to_timedelta(rng.integers(0, 1500, n), unit="D")
    frame["visit"] = pd.Timestamp("2020-01-01") + days
    return frame


def casc_folder() -> Path | None:
    """Return the folder of the CASC reference tables, where there is one."""
    return FOLDER if FOLDER.is_dir() else None
