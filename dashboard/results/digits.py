"""Digits: as many as mean something on screen; tooltips and files have them all."""

from __future__ import annotations

import math

from dashboard.i18n.language import _
from engine.report.pages import number


def shown(value: float) -> str:
    """Return a figure with the digits that mean something; files have them all.

    Examples
    --------
    >>> [shown(value) for value in (18.8917, 6.5065, 0.4675, 5.0, 12345.67, 0.0)]
    ['18.9', '6.5', '0.47', '5', '12,346', '0']
    """
    if not math.isfinite(value):
        return str(value)
    if float(value).is_integer() or abs(value) >= 100.0:
        return f"{value:,.0f}"
    if abs(value) >= 1.0:
        return f"{value:.1f}"
    return str(_(number(float(f"{value:.2g}"))))
