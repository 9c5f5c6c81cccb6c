"""V-MDAV: MDAV whose groups are extended by near records."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.numerics.statistics import within_group_sse
from engine.core.parameters import Choice, Float
from engine.core.partition import Labels
from engine.kernels.variable_size.vmdav import form_extended_groups
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.steps.remaining import RemainingRecords
from engine.points.base import Points

GAMMA_GRID = tuple(round(0.1 * step, 1) for step in range(21))
"""Gains that ``gamma="auto"`` tries: 0, 0.1, ..., 2."""


@methods.register(
    MethodInfo(
        id="vmdav",
        title="V-MDAV",
        family="variable-size",
        summary="Groups the record farthest from the file's centroid (mean) with its "
        "k-1 nearest records. Then records close to the group may join the group.",
        reference=Reference(
            "Solanas A, Martínez-Ballesté A (2006). V-MDAV: a multivariate "
            "microaggregation with variable group size. COMPSTAT 2006, Rome, 917-925."
        ),
        parameters=(
            Float(
                "gamma",
                0.2,
                "Gain",
                "A record joins a group if d1 < gamma * d2. d1 is the distance "
                "from the record to the group; d2 is the distance to the nearest "
                "other ungrouped record. Take 0.2 for scattered records, 1.1 for "
                "clusters, 0 for groups of k. auto tries 0, 0.1, ..., 2 and keeps "
                "the lowest information loss.",
                low=0.0,
                high=10.0,
                words=("auto",),
                also=("lambda",),
            ),
            Choice(
                "rest",
                "centroid",
                "Last records",
                "Fewer than k records at the end join the group with the nearest "
                "centroid, or the group of the nearest record.",
                options=("centroid", "record"),
            ),
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p",
                0.0028,
                records=1.45,
                attributes=1.75,
                coordinates=0.6,
                size=-0.1,
            ),
            max_group_size="3k-2",
        ),
    )
)
class VMDAV(Microaggregator):
    """V-MDAV, variable-size maximum distance to average vector.

    While at least k records remain: r, the one farthest from the centroid of the
    whole file, and its k-1 nearest form a group. While it has fewer than 2k-1
    records, x, the remaining record nearest to any member (at distance d_in), joins
    if d_in < gamma * d_out; d_out is its distance to the nearest other remaining
    record, infinite where there is none. Records left over join the group with the
    nearest centroid, or with the nearest record.

    Parameters
    ----------
    k : int
    gamma : float or "auto"
        ``"auto"`` tries every gain in :data:`GAMMA_GRID` and keeps the lowest SSE; of
        equal ones the smallest gain.
    rest : str
    seed : int

    Attributes
    ----------
    gamma_ : float
        The gain that was used.

    Notes
    -----
    What the source prints comes out where the gain multiplies squared distances, so
    with the root of its gain here, and records left over join the nearest record.
    """

    gamma: float | str
    rest: str

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X = points.X
        if self.gamma != "auto":
            self.gamma_ = float(self.gamma)
            partition = _group(points, k, self.gamma_, self.rest, ctx, self.info.title)
            self.seeds_ = partition.seeds
            return partition.labels
        lowest = np.inf
        for step, gain in enumerate(GAMMA_GRID):
            part = ctx.subcontext(step / len(GAMMA_GRID), (step + 1) / len(GAMMA_GRID))
            partition = _group(
                points, k, gain, self.rest, part, f"{self.info.title}, gamma = {gain}"
            )
            sse = within_group_sse(X, partition.labels)
            if sse < lowest:
                lowest, best, self.gamma_ = sse, partition, gain
        self.seeds_ = best.seeds
        return best.labels


def _group(
    points: Points, k: int, gain: float, rest: str, ctx: RunContext, stage: str
) -> RemainingRecords:
    X = points.X
    squared = np.zeros(X.shape[0])
    for column, middle in zip(X.T, X.mean(axis=0), strict=True):
        squared += np.square(column - middle)
    remaining = RemainingRecords(points, k, ctx, stage)
    remaining.form_by_kernel(
        form_extended_groups,
        k,
        np.argsort(-squared, kind="stable").astype(np.int64),
        np.zeros(1, dtype=np.int64),
        gain,
        np.empty(2 * k, dtype=np.int64),
        np.empty(2 * k, dtype=np.int64),
        np.empty(2 * k),
        np.empty(max(2, k - 1), dtype=np.int64),
        np.empty(max(2, k - 1)),
    )
    if rest == "record":
        remaining.join_nearest_record()
    else:
        remaining.join_nearest_centroid()
    return remaining
