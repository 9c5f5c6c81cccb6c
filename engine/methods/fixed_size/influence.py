"""Influence: sort each cluster by the attribute in which its centre is largest."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.parameters import Int
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.steps.medoids import cluster_by_clara
from engine.methods.steps.runs import SDCMICRO_REFERENCE, label_fixed_runs
from engine.points.base import Points

N_CLUSTERS = 8
"""As many clusters as sdcMicro makes."""


@methods.register(
    MethodInfo(
        id="influence",
        title="Influence",
        family="fixed-size",
        summary="Divides records into a few clusters. Each cluster has a medoid, its "
        "most central record. Sorts each cluster by one attribute: the attribute with "
        "the medoid's largest value. Cuts this order into groups of k records. A "
        "baseline.",
        reference=SDCMICRO_REFERENCE,
        parameters=(
            Int(
                "clusters",
                N_CLUSTERS,
                "Clusters",
                "Number of clusters that the method CLARA finds. Very small "
                "tables have fewer clusters.",
                low=2,
                high=100,
            ),
        ),
        traits=Traits(
            cost=RunCost(
                "n p", 26, records=0.6, attributes=0.6, coordinates=0.75, size=-0.15
            ),
            separates=False,
        ),
    )
)
class Influence(Microaggregator):
    """Sorting by the most influential attribute of each cluster.

    Runs of k go on from one cluster into the next, as they do in sdcMicro, which
    clusters values as they are: with scaling "none" the groups are the same.

    Parameters
    ----------
    k : int
        Minimum group size.
    clusters : int
        Number of clusters.
    seed : int
        Not used: the samples of CLARA are always the same.
    """

    clusters: int

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X = points.X
        clusters = cluster_by_clara(X, min(int(self.clusters), points.n_records - 1))
        ctx.tick(1, 2, self.info.title)
        order = []
        for number, medoid in enumerate(clusters.medoids):
            members = np.flatnonzero(clusters.labels == number)
            column = X[members, int(np.argmax(X[medoid]))]
            order.append(members[np.argsort(column, kind="stable")])
        return label_fixed_runs(np.concatenate(order).astype(np.int64), k)
