"""Decimals that values have, and rounding of columns without regard to rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.constraints.exact_rounding.grid import MAX_EXACT_INT
from engine.core.typing import Values

MAX_DECIMALS = 9

VALUES_PER_PIECE = 16_384
"""Values looked at together: the first piece mostly says no."""


def min_decimals_for_all_values(values: Values) -> int:
    """Return the fewest decimals, 0 to 9, that write all values; -1 if none do.

    The least d in 0 to 9 for which every value is the floating-point number nearest
    to a multiple of 10**-d; -1 if there is none, as for values that were computed.
    Missing values do not count.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
    """
    for decimals in range(MAX_DECIMALS + 1):
        if is_rounded_to_decimals(values, decimals):
            return decimals
    return -1


def is_rounded_to_decimals(values: NDArray[Any], decimals: int) -> bool:
    """Return whether all values are the floats nearest to multiples of 10**-decimals.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        Missing ones do not count.
    decimals : int
    """
    for start in range(0, values.size, VALUES_PER_PIECE):
        piece = values[start : start + VALUES_PER_PIECE]
        with np.errstate(over="ignore"):  # too large a number has fewer decimals
            rounded = (
                np.rint(piece.astype(np.float64) * 10.0**decimals) / 10.0**decimals
            )
        if not ((rounded.astype(piece.dtype) == piece) | np.isnan(piece)).all():
            return False
    return True


def round_columns(values: Values, decimals: Sequence[int]) -> Values:
    """Return values rounded column by column, ignoring rules.

    Parameters
    ----------
    values : ndarray of float64, shape (n_records, n_columns)
    decimals : sequence of int
        Per column; -1 where it is not rounded.
    """
    if max(decimals, default=-1) < 0:
        return values
    out = values.copy()
    for j, places in enumerate(decimals):
        if places >= 0:
            units = values[:, j] * 10.0**places
            # Beyond that, floating-point numbers have no decimals left to round.
            fits = np.abs(units) < MAX_EXACT_INT
            # Adding 0 turns -0.0, which a file would show, into 0.0.
            out[fits, j] = np.rint(units[fits]) / 10.0**places + 0.0
    return out
