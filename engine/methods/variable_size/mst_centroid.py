"""MST with CBFS: trees too large for one group are split from the outside in."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import Cost, MethodInfo, Microaggregator, Traits, methods
from engine.methods.fixed_size.cbfs import CBFS
from engine.methods.trees import REFERENCE, cut_spanning_tree, split_large
from engine.points.encode import Encoded


@methods.register(
    MethodInfo(
        id="mst-centroid",
        title="MST + CBFS (M-c)",
        family="variable-size",
        summary="Cuts the longest edges of the minimum spanning tree, then splits "
        "trees of 2k records or more by CBFS.",
        reference=REFERENCE,
        traits=Traits(cost=Cost("n^2 p", 0.3)),
    )
)
class MSTCentroid(Microaggregator):
    """Minimum spanning tree partitioning, then CBFS inside large trees."""

    def _partition(
        self, encoded: Encoded, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        trees = cut_spanning_tree(encoded.X, k, ctx.part(0.0, 0.8), self.info.title)
        return split_large(encoded, trees, CBFS(k), ctx.part(0.8, 1.0))
