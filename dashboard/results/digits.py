"""Rounding of numbers for display: one as short text, and a data frame's floats."""

from __future__ import annotations

import math

import pandas as pd

from dashboard.i18n.language import _
from engine.report.pages import format_number


def format_short(value: float) -> str:
    """Return a number rounded for display, as text; in words if nearly zero.

    Examples
    --------
    >>> [format_short(value) for value in (18.8917, 6.5065, 0.4675, 5.0, 99.96, 0.0)]
    ['18.9', '6.5', '0.47', '5', '100', '0']
    """
    if not math.isfinite(value):
        return str(value)
    if float(value).is_integer() or round(abs(value), 1) >= 100.0:
        return f"{value:,.0f}"
    if abs(value) >= 1.0:
        return f"{value:.1f}"
    return str(_(format_number(float(f"{value:.2g}"))))


def round_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with floats of four significant digits, and whole from 1000.

    Examples
    --------
    >>> round_frame(pd.DataFrame({"mean": [37.3367, 19986.4948]}))["mean"].tolist()
    [37.34, 19986.0]
    """
    figures = frame.select_dtypes("float")
    return frame.assign(
        **{str(name): figures[name].map(_round_to_four_digits) for name in figures}
    )


def _round_to_four_digits(value: float) -> float:
    if not math.isfinite(value):
        return value
    return float(f"{value:.0f}" if abs(value) >= 1000.0 else f"{value:.4g}")
