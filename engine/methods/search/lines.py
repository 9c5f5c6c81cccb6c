"""Lines of groups that regions of their own make better in turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.bounds.base import Prices, Records
from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.search.groups import total_sse
from engine.methods.search.programme import Turns
from engine.methods.search.regions import GROWTH, LARGEST, RECORDS, WIDEST, renew

LINES = 2
"""How many there are, each with other chances: one of them may end where no region
finds more."""


@dataclass(frozen=True)
class Line:
    """Groups that regions make better, wider ones each time.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
    sse : float
    size : int
        Records of the regions that were last; 0 before any.
    before : float
        The SSE when regions last were narrow.
    """

    labels: Labels
    sse: float
    size: int = 0
    before: float = np.inf

    def next(self, widest: float) -> Line:
        """Return the line with the regions to come: wider ones, or of other groups."""
        size = int(GROWTH * self.size)
        if not size or (size > widest and self.sse < self.before):
            return replace(self, size=RECORDS, before=self.sse)
        return replace(self, size=size)


def go_on(
    lines: Sequence[Line],
    records: Records,
    k: int,
    proof: Prices,
    seeds: Iterable[int],
    worth: float,
    most: int,
    ctx: RunContext,
) -> list[Line]:
    """Return the lines with better groups, as far as their regions find any.

    Parameters
    ----------
    lines : sequence of Line
    records : Records
    k : int
    proof : Prices
        Regions begin where groups cost most above these.
    seeds : iterable of int
        One for each time that a line is made better; it says which.
    worth, most : float, int
        As for :func:`engine.methods.search.regions.renew`.
    ctx : RunContext
    """
    found = list(lines)
    widest = min(max(LARGEST * records.n, RECORDS), WIDEST)
    for seed in seeds:
        line = found[seed % len(found)].next(widest)
        if line.size <= widest:
            args = records, k, proof, line.labels, line.size, seed
            labels = renew(*args, Turns(), ctx, worth, most)
            line = replace(line, labels=labels, sse=total_sse(records.X, labels))
        found[seed % len(found)] = line
    return found
