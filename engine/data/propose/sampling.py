"""Records and values that stand for all: evenly from the beginning to the end."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.core.typing import Integers


def spread_records(frame: pd.DataFrame, max_records: int) -> pd.DataFrame:
    """Return at most so many records, evenly from the whole table."""
    if len(frame) <= max_records:
        return frame
    return frame.iloc[spread_places(len(frame), max_records)]


def spread_places(n_records: int, max_places: int) -> Integers:
    """Return at most so many places of records, evenly from all of them."""
    n_places = min(n_records, max_places)
    return np.linspace(0, n_records - 1, n_places).astype(np.int64)
