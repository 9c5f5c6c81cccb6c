"""Convert values to the texts that label them in hierarchies."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def value_text(value: Any) -> str:
    """Return a value as the text that labels it in a hierarchy.

    Whole numbers come without decimals (4350 for 4350.0), dates as year-month-day,
    with the time only if there is one.

    Examples
    --------
    >>> value_text(4350.0), value_text(0.5), value_text(pd.Timestamp("2023-01-05"))
    ('4350', '0.5', '2023-01-05')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float | np.floating):
        # Beyond 2^53 neighbouring whole numbers are one and the same float.
        whole = float(value).is_integer() and abs(float(value)) < 2.0**53
        return str(int(value)) if whole else str(value)
    if isinstance(value, datetime.datetime):
        if value.time() == datetime.time():
            return value.date().isoformat()
        return value.isoformat(sep=" ")
    return str(value)


def index_distinct_texts(values: pd.Series) -> tuple[NDArray[np.int64], list[str]]:
    """Return each record's index into the distinct texts, and the distinct texts.

    Returns
    -------
    records : ndarray of int64, shape (n_records,)
        -1 where the value is missing.
    texts : list of str
        In order of appearance.
    """
    records, found = pd.factorize(values)
    places: dict[str, int] = {}
    # Two values may have one text: 1 and "1", or 0.0 and -0.0.
    merged = np.array(
        [places.setdefault(value_text(value), len(places)) for value in found] + [-1],
        dtype=np.int64,
    )
    return merged[records], list(places)
