"""MDAV for mixed attributes: centroids of means, medians and modes."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.partition import Labels
from engine.kernels.mixed.mdav_mixed import (
    assign_to_nearest_centroid,
    form_mixed_pair_groups,
)
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.mixed.tuples import MixedRecords
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="mdav-mixed",
        title="MDAV, mixed",
        family="mixed",
        summary="Works like MDAV, with a distance for mixed records. The centre has "
        "the mean of numbers, the median of ordered categories and the mode of "
        "unordered categories.",
        reference=Reference(
            "Torra V (2004). Microaggregation for categorical variables: a median "
            "based approach. Privacy in Statistical Databases, LNCS 3050, 162-174.",
            doi="10.1007/978-3-540-25955-8_13",
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                0.0035,
                records=1.8,
                attributes=0.65,
                coordinates=0.1,
                size=-0.8,
            ),
            release="kind",
        ),
    )
)
class MDAVMixed(Microaggregator):
    """Maximum distance to average vector, with a distance for every kind.

    Steps as in MDAV: r farthest from the centroid and s farthest from r, each with
    its k-1 nearest, while 2k records remain; then k or more form a group, fewer join
    the groups with the nearest centroids.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        table = MixedRecords.from_points(points)
        n, p = table.n_records, table.n_attributes
        records, query = table.singleton_tuples(), table.make_query()
        nearest = np.empty(k - 1, dtype=np.int64)
        labels = np.full(n, -1, dtype=np.int64)
        n_groups = 0
        while records.used[1] >= 2 * k:
            max_rounds = steps_per_look(4 * records.used[0] * p + table.n_nodes)
            n_groups = form_mixed_pair_groups(
                records,
                query,
                table.ranked,
                table.make_count_scratch(),
                nearest,
                max_rounds,
                n_groups,
                labels,
            )
            ctx.tick(n - int(records.used[1]), n, self.info.title)
        if records.used[1] >= k:
            labels[labels < 0] = n_groups
        else:
            assign_to_nearest_centroid(
                records, table.centroid_tuples(labels), query, labels
            )
        return labels
