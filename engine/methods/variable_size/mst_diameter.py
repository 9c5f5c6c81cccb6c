"""MST with DBFS: trees too large for one group are split between far ends."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import Cost, MethodInfo, Microaggregator, Traits, methods
from engine.methods.fixed_size.dbfs import DBFS
from engine.methods.trees import REFERENCE, cut_spanning_tree, split_large
from engine.points.encode import Encoded


@methods.register(
    MethodInfo(
        id="mst-diameter",
        title="MST + DBFS (M-d)",
        family="variable-size",
        summary="Cuts the longest edges of the minimum spanning tree, then splits "
        "trees of 2k records or more by DBFS.",
        reference=REFERENCE,
        traits=Traits(cost=Cost("n^2 p", 0.3)),
    )
)
class MSTDiameter(Microaggregator):
    """Minimum spanning tree partitioning, then DBFS inside large trees."""

    def _partition(
        self, encoded: Encoded, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        trees = cut_spanning_tree(encoded.X, k, ctx.part(0.0, 0.8), self.info.title)
        return split_large(encoded, trees, DBFS(k), ctx.part(0.8, 1.0))
