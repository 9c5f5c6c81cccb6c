"""Independent search lines, improved in turn by integer programmes over regions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.bounds.base import CentredRecords, DualPrices
from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.search.integer_programmes.groups import total_group_sse
from engine.methods.search.integer_programmes.programme import TurnCounter
from engine.methods.search.integer_programmes.regions import (
    FIRST_REGION_RECORDS,
    MAX_REGION_RECORDS,
    MAX_REGION_SHARE,
    REGION_GROWTH,
    improve_by_regions,
)

N_LINES = 2
"""Search lines, each with random numbers of its own: one of them may end where no
region finds more."""


@dataclass(frozen=True)
class SearchLine:
    """One line of a search: its labels, SSE, and the size of its regions.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
    sse : float
    size : int
        Records of a region in the line's last turn; 0 before any.
    before : float
        The SSE when regions last were narrow.
    """

    labels: Labels
    sse: float
    size: int = 0
    before: float = np.inf

    def next_line(self, widest: float) -> SearchLine:
        """Return the line with wider regions, or narrow ones again if SSE fell."""
        size = int(REGION_GROWTH * self.size)
        if not size or (size > widest and self.sse < self.before):
            return replace(self, size=FIRST_REGION_RECORDS, before=self.sse)
        return replace(self, size=size)


def improve_lines(
    lines: Sequence[SearchLine],
    records: CentredRecords,
    k: int,
    proof: DualPrices,
    seeds: Iterable[int],
    worth: float,
    max_rounds: int,
    ctx: RunContext,
) -> list[SearchLine]:
    """Return the search lines after improving groups in regions.

    Parameters
    ----------
    lines : sequence of SearchLine
    records : CentredRecords
    proof : DualPrices
        Regions begin where groups cost most above these.
    seeds : iterable of int
        One for each improvement of a line, the one at the seed modulo their number.
    worth, max_rounds : float, int
        As for
        :func:`engine.methods.search.integer_programmes.regions.improve_by_regions`.
    """
    new_lines = list(lines)
    widest = min(
        max(MAX_REGION_SHARE * records.n, FIRST_REGION_RECORDS), MAX_REGION_RECORDS
    )
    for seed in seeds:
        line = new_lines[seed % len(new_lines)].next_line(widest)
        if line.size <= widest:
            args = records, k, proof, line.labels, line.size, seed
            labels = improve_by_regions(*args, TurnCounter(), ctx, worth, max_rounds)
            line = replace(line, labels=labels, sse=total_group_sse(records.X, labels))
        new_lines[seed % len(new_lines)] = line
    return new_lines
