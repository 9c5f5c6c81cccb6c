"""Convert values to the texts that label them in hierarchies."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def leaf_text_of(value: Any) -> str:
    """Return a value as the text that labels it in a hierarchy.

    Whole numbers come without decimals (4350 for 4350.0), dates as year-month-day,
    with the time only if there is one.

    Examples
    --------
    >>> leaf_text_of(4350.0), leaf_text_of(0.5), leaf_text_of(pd.Timestamp(0))
    ('4350', '0.5', '1970-01-01')
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


def index_and_list_distinct_texts(
    values: pd.Series,
) -> tuple[NDArray[np.int64], list[str]]:
    """Return each record's index into the distinct texts, and the distinct texts.

    Returns
    -------
    records : ndarray of int64, shape (n_records,)
        -1 where the value is missing.
    texts : list of str
        In order of appearance.
    """
    records, distinct_values = pd.factorize(values)
    places: dict[str, int] = {}
    # Two values may have one text: 1 and "1", or 0.0 and -0.0.
    merged = np.array(
        [
            places.setdefault(leaf_text_of(value), len(places))
            for value in distinct_values
        ]
        + [-1],
        dtype=np.int64,
    )
    return merged[records], list(places)
