"""MST: the long edges of the minimum spanning tree cut, where k records stay."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import Cost, MethodInfo, Microaggregator, Traits, methods
from engine.methods.trees import REFERENCE, cut_spanning_tree
from engine.points.encode import Encoded


@methods.register(
    MethodInfo(
        id="mst",
        title="MST (M)",
        family="variable-size",
        summary="Links all records by their minimum spanning tree and cuts its "
        "longest edges, wherever both sides keep k records.",
        reference=REFERENCE,
        traits=Traits(cost=Cost("n^2 p", 0.3), max_group_size=""),
    )
)
class MST(Microaggregator):
    """Minimum spanning tree partitioning; groups may be large."""

    def _partition(
        self, encoded: Encoded, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        return cut_spanning_tree(encoded.X, k, ctx, self.info.title)
