"""Adaptive FCM: fewer and fuzzier clusters until each has k records."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.parameters import Float
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.fuzzy.clustering import FuzzyModel, fuzzy_cluster
from engine.points.base import Points

FUZZIFIER_GROWTH = 1.25
"""Factor by which m - 1 grows after clusters with too few records."""

MAX_FUZZIFIER = 3.0
"""Beyond this m, two centres are as good as one."""

CONVERGENCE_TOLERANCE = 1e-3
"""Steps of centres at rest: no smaller than it takes to tell records' clusters."""


@methods.register(
    MethodInfo(
        id="fcm-adaptive",
        title="Adaptive FCM",
        family="fuzzy",
        summary="Each record joins the fuzzy cluster with its largest "
        "membership. If a cluster has fewer than k records, the method "
        "takes fewer and fuzzier clusters. Large groups are divided in "
        "the same way.",
        reference=Reference(
            "Domingo-Ferrer J, Torra V (2002). Towards fuzzy c-means based "
            "microaggregation. Soft Methods in Probability, Statistics and Data "
            "Analysis, Physica, 289-294.",
            doi="10.1007/978-3-7908-1773-7_28",
        ),
        parameters=(
            Float(
                "m",
                1.05,
                "Fuzziness at first",
                "The m of fuzzy c-means that the method begins with; near 1, "
                "clusters are small and crisp. m grows while clusters have too few "
                "records.",
                low=1.001,
                high=MAX_FUZZIFIER,
            ),
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                2.1,
                records=1.9,
                attributes=0.5,
                coordinates=0.4,
                size=-1.2,
            ),
            max_group_size="",
            uses_seed=True,
            max_records=10_000,
        ),
    )
)
class AdaptiveFCM(Microaggregator):
    """Adaptive fuzzy c-means.

    Begins with floor(n / k) clusters and m near 1. While a cluster, hardened, has
    fewer than k records, half as many clusters are sought, with an m - 1 a quarter
    larger. Groups of 2k or more records are divided in the same way. Where not even
    two clusters of k records are found, a group stays as it is: k is kept always,
    2k - 1 is not.

    Parameters
    ----------
    k : int
        Minimum group size.
    m : float
        Fuzziness at first.
    seed : int
        Seed of the random numbers that choose the records to begin from.
    """

    m: float

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        n = points.n_records
        labels = np.empty(n, dtype=np.int64)
        group = n_grouped = 0
        share = ctx.subcontext(
            0.0, 0.5
        )  # the first division costs as much as all others
        waiting = [np.arange(n)]
        while waiting:
            members = waiting.pop()
            parts = None
            if members.size >= 2 * k:
                X = np.ascontiguousarray(points.X[members])
                parts = self._divide(X, k, rng, share)
                done = 0.5 + 0.5 * n_grouped / n
                share = ctx.subcontext(done, done)
            if parts is None:
                labels[members] = group
                group += 1
                n_grouped += members.size
                done = 0.5 + 0.5 * n_grouped / n
                share = ctx.subcontext(done, done)
                ctx.tick(done, 1.0, self.info.title)
            else:
                groups = range(int(parts.max()), -1, -1)
                waiting += [members[parts == g] for g in groups]
        return labels

    def _divide(
        self, X: Values, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels | None:
        """Return at least two groups of k or more records, or None."""
        max_clusters = c = len(X) // k
        m = float(self.m)
        while True:
            part = ctx.subcontext(1.0 - c / max_clusters, 1.0 - (c - 1) / max_clusters)
            title = self.info.title
            clustering = fuzzy_cluster(
                X, c, "fcm", m, rng, part, title, still=CONVERGENCE_TOLERANCE
            )
            if not clustering.at_rest:
                self.warnings_ = (
                    Message(
                        "Some fuzzy clusters still moved after {steps} steps, where "
                        "the search for them ends; their groups keep k.",
                        steps=len(clustering.objective),
                    ),
                )
            nearest = FuzzyModel(X, "fcm", m).harden_memberships(clustering.centres)
            labels = np.unique(nearest, return_inverse=True)[1].astype(np.int64)
            sizes = np.bincount(labels)
            if sizes.size > 1 and sizes.min() >= k:
                return labels
            if c == 2 and m >= MAX_FUZZIFIER:
                return None
            c = max(2, c // 2)
            m = min(MAX_FUZZIFIER, 1.0 + (m - 1.0) * FUZZIFIER_GROWTH)
