"""Facts that are found out once about a frame, whatever roles its columns have."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True, eq=False)
class FrameFacts:
    """What has been found out about a frame so far.

    Attributes
    ----------
    n_distinct : dict of str to int
        Distinct values of columns.
    values : dict of str to frozenset
        The distinct values of some columns that have few.
    order_breaches : dict of pair of str to float or None
        Records in which independent columns would break the order that a pair of
        columns keeps; None of a pair that keeps none.
    """

    n_distinct: dict[str, int] = field(default_factory=dict)
    values: dict[str, frozenset[object]] = field(default_factory=dict)
    order_breaches: dict[tuple[str, str], float | None] = field(default_factory=dict)


_FACTS_BY_ID: dict[int, tuple[weakref.ref[pd.DataFrame], FrameFacts]] = {}


def facts_of_frame(frame: pd.DataFrame) -> FrameFacts:
    """Return the facts about a frame, which are kept as long as the frame is."""
    key = id(frame)
    known = _FACTS_BY_ID.get(key)
    if known is None or known[0]() is not frame:
        weak = weakref.ref(frame, lambda _: _FACTS_BY_ID.pop(key, None))
        known = _FACTS_BY_ID[key] = weak, FrameFacts()
    return known[1]
