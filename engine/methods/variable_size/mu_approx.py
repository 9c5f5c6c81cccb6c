"""mu-Approx: forest of near records, its trees broken into groups."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.partition import Labels, members_by_group
from engine.kernels.variable_size.forest import (
    break_up_trees,
    link_small_trees,
    make_forest,
)
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.steps.near import nearest_records
from engine.methods.steps.path import mean_record, row_sq_dists
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="mu-approx",
        title="μ-Approx",
        family="variable-size",
        summary="Links each record to a near record until every tree has k "
        "records. Then divides trees that are too large.",
        reference=Reference(
            "Domingo-Ferrer J, Sebé F, Solanas A (2008). A polynomial-time "
            "approximation to optimal multivariate microaggregation. Computers and "
            "Mathematics with Applications 55(4), 714-732.",
            doi="10.1016/j.camwa.2007.04.034",
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p",
                0.0035,
                records=1.45,
                attributes=1.3,
                coordinates=0.7,
                size=0.25,
            )
        ),
    )
)
class MuApprox(Microaggregator):
    """Forest of near records, decomposed.

    The source leaves open which tree links first and which edge is cut, and draws both
    at random in its experiments. Here roots are asked in passes, the most isolated
    record (farthest from its k-1 nearest) first, and the longest edge that leaves k
    records on both sides is cut.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, stage = points.X, self.info.title
        n = points.n_records
        near, squared = nearest_records(points, k, ctx.subcontext(0.0, 0.9), stage)
        order = np.argsort(-squared[:, 0], kind="stable").astype(np.int64)
        target = np.full(n, -1, dtype=np.int64)
        tree, size = np.arange(n, dtype=np.int64), np.ones(n, dtype=np.int64)
        n_links = 1
        while n_links:
            n_links = 0
            passing = ctx.subcontext(0.92, 0.92)
            for first, last in passing.iterate_ranges(n, steps_per_look(8 * k), stage):
                n_links += link_small_trees(
                    order[first:last], near, squared, target, tree, size
                )
        # A root has no link; what stands in its place is not used.
        forest = make_forest(target, row_sq_dists(X, X[target]))
        labels = np.empty(n, dtype=np.int64)
        while forest.counts[0] > 0:
            break_up_trees(forest, k, steps_per_look(10), labels)
            ctx.tick(0.95, 1, stage)
        return _split_in_two(points, labels, k)


def _split_in_two(points: Points, labels: Labels, k: int) -> Labels:
    """Return groups numbered by their lowest record, none of 2k records or more.

    In a larger group the record farthest from the centroid and its k-1 nearest are
    one part, the rest is the other.
    """
    X = points.X
    new_labels = np.empty_like(labels)
    groups = 0
    for records in sorted(
        members_by_group(labels), key=lambda records: int(records[0])
    ):
        rest = records
        while rest.size >= 2 * k:
            far = row_sq_dists(X[rest], mean_record(X[rest])).argmax()
            squared = row_sq_dists(X[rest], X[rest[far]])
            squared[far] = -1.0  # it leads, whatever lies in the same place
            order = np.argsort(squared, kind="stable")
            new_labels[rest[order[:k]]] = groups
            groups += 1
            rest = np.sort(rest[order[k:]])
        new_labels[rest] = groups
        groups += 1
    return new_labels
