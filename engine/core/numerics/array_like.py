"""Numbers of array-likes: lists, arrays, data frames and tables of Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from engine.core.errors import InputError
from engine.core.typing import Values


def copy_as_floats(X: ArrayLike) -> Values:
    """Return a copy of an array-like as float64, NaN where a cell is missing.

    Raises
    ------
    InputError
        If a cell is no number.
    """
    try:
        cells = replace_missing(X)
        if np.iscomplexobj(cells):
            raise TypeError
        return np.array(cells, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError("X must be a table of numbers.") from None


def replace_missing(X: Any) -> Any:
    """Return an array-like with NaN for masked cells, None, NaT and ``pd.NA``.

    Raises
    ------
    InputError
        If there are dates or lengths of time: as numbers they would depend on the unit
        in which they are stored.
    """
    if np.ma.isMaskedArray(X):  # what is masked is missing, and not its value
        return np.ma.filled(X.astype(np.float64), np.nan)
    try:
        cells = np.asarray(X)
    except TypeError:  # numbers beside NaT, which share no type
        cells = np.asarray(X, dtype=object)
    if cells.dtype.kind == "O" and cells.ndim:
        import pandas as pd

        known = ~pd.isna(cells)
        if any(isinstance(x, np.datetime64 | np.timedelta64) for x in cells[known]):
            raise InputError("X must be a table of numbers.")
        if isinstance(X, pd.DataFrame):  # whose names an estimator keeps
            return X.astype(object).where(known, np.nan)
        return np.where(known, cells, np.nan)
    if cells.dtype.kind in "mM":
        raise InputError("X must be a table of numbers.")
    return X
