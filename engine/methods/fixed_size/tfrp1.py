"""TFRP-1: groups around the records farthest from two fixed reference points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.methods.base import MethodInfo, Reference, RunCost, Traits, methods
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="tfrp1",
        title="TFRP-1",
        family="fixed-size",
        summary="Makes two artificial points: the low point has the smallest value of "
        "every scaled attribute, and the high point the largest. Groups the record "
        "farthest from the low point with its k-1 nearest records. Does the same "
        "for the high point, and begins again.",
        reference=Reference(
            "Chang CC, Li YC, Huang WH (2007). TFRP: An efficient microaggregation "
            "algorithm for statistical disclosure control. Journal of Systems and "
            "Software 80(11), 1866-1878."
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                0.03,
                records=1.25,
                attributes=1.25,
                coordinates=0.65,
                size=-0.55,
            )
        ),
    )
)
class TFRP1(GroupsAroundRecords):
    """First stage of the two fixed reference points method.

    Every coordinate of the first point is the smallest value of the whole matrix,
    every coordinate of the second the largest.
    """

    def _form_groups(self, remaining: RemainingRecords) -> None:
        X = remaining.points.X
        orders = np.stack(
            [_farthest_first_order(X, point) for point in (X.min(), X.max())]
        )
        remaining.form_along_orders(orders, while_at_least=remaining.k)
        remaining.join_nearest_centroid()


def _farthest_first_order(
    X: NDArray[np.float64], coordinate: float
) -> NDArray[np.int64]:
    """Order the records by falling distance from a point with equal coordinates.

    Squares are added attribute by attribute, as in every other distance: equal
    distances must be equal to the last bit, for then the lowest record comes first.
    """
    squared = np.zeros(X.shape[0])
    for j in range(X.shape[1]):
        squared += (X[:, j] - coordinate) ** 2
    return np.argsort(-squared, kind="stable").astype(np.int64)
