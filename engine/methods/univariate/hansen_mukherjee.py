"""Hansen-Mukherjee: the optimal groups for one attribute."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.partition import Labels
from engine.kernels.univariate.runs import (
    extend_run_table,
    make_run_table,
    order_ties_by_record,
    write_run_labels,
)
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.steps.path import optimal_cut
from engine.points.base import Points

READS_PER_ROW = 80
"""Values that are read for a sorted one, about."""


@methods.register(
    MethodInfo(
        id="hansen-mukherjee",
        title="Hansen-Mukherjee",
        family="univariate",
        summary="Sorts one attribute, and cuts the order so that the information loss "
        "is least. No other groups lose less.",
        reference=Reference(
            "Hansen SL, Mukherjee S (2003). A polynomial algorithm for optimal "
            "univariate microaggregation. IEEE Transactions on Knowledge and Data "
            "Engineering 15(4), 1043-1044.",
            doi="10.1109/TKDE.2003.1209020",
        ),
        traits=Traits(
            cost=RunCost("n log n", 0.06, records=1, attributes=0),
            exact=True,
            univariate=True,
        ),
    )
)
class HansenMukherjee(Microaggregator):
    """Optimal univariate microaggregation.

    The shortest path over the sorted values, with an arc from i to j where
    k <= j - i <= 2k-1 that costs the SSE of this run. Equal values keep the order of
    their records; groups are numbered from low to high values. Time grows as
    n log n + n log k.

    Categories come in the order of their hierarchy: the cut is the best one of that
    order, which need not be the best of all.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        if not points.numeric[0]:
            order = np.argsort(points.sort_keys, kind="stable").astype(np.int64)
            return optimal_cut(points.X, order, k, ctx, self.info.title)[0]
        values = points.sort_keys
        n = points.n_records
        order = np.argsort(values)
        runs = make_run_table(values[order], k)
        order = order_ties_by_record(runs.values, order)
        rows = max(1, steps_per_look(READS_PER_ROW) // k) * k
        for start, stop in ctx.iterate_ranges(n + 1 - k, rows, self.info.title):
            extend_run_table(runs, k, k + start, k + stop)
        labels = np.empty(n, dtype=np.int64)
        write_run_labels(runs, order, labels)
        return labels
