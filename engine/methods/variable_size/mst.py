"""MST: cut long edges of the minimum spanning tree where k records remain."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.kernels.variable_size.spanning_tree import (
    cut_edges,
    grow_spanning_tree,
    label_trees,
    make_prim_state,
    write_subtree_sizes,
)
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.descriptions.sources import LASZLO_MUKHERJEE_2005
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="mst",
        title="MST (M)",
        family="variable-size",
        summary="Connects all records by a minimum spanning tree: links between "
        "records with the least total length. Cuts the longest links if both sides "
        "keep k records.",
        reference=LASZLO_MUKHERJEE_2005,
        traits=Traits(
            cost=RunCost(
                "n^2 p",
                0.00029,
                records=2.05,
                attributes=0.85,
                coordinates=0.95,
                size=-0.05,
            ),
            max_group_size="",
        ),
    )
)
class MST(Microaggregator):
    """Minimum spanning tree partitioning; groups may be large."""

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        return cut_spanning_tree(points.X, k, ctx, self.info.title)


def cut_spanning_tree(X: Values, k: int, ctx: RunContext, stage: str) -> Labels:
    """Return labels of the trees after cutting long edges of the spanning tree.

    Edges are tried longest first, of equally long ones that whose child has the
    lowest number (the tree grows from record 0), and cut where both trees keep at
    least k records. Groups are numbered by their lowest record.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)

    References
    ----------
    Laszlo & Mukherjee (2005), https://doi.org/10.1109/TKDE.2005.112
    """
    n, p = X.shape
    outside = make_prim_state(X)
    joined = 1
    while joined < n:
        stop = min(n, joined + steps_per_look((n - joined) * p))
        grow_spanning_tree(X, outside, joined, stop)
        joined = stop
        ctx.tick(joined * (2 * n - joined), n * n, stage)  # steps get shorter
    parent, order = outside.parent, outside.order
    edges = np.lexsort((np.arange(n), -outside.length))
    edges = edges[parent[edges] >= 0].astype(np.int64)
    below = np.empty(n, dtype=np.int64)
    write_subtree_sizes(parent, order, below)
    tried = 0
    while tried < edges.size:
        tried = cut_edges(parent, below, edges, k, tried, steps_per_look(4))
        ctx.tick(1, 1, stage)
    labels = np.empty(n, dtype=np.int64)
    label_trees(parent, order, labels)
    return labels
