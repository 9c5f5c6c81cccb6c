"""DBFS: MD, whose last few records join the nearest groups one by one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.partition import Labels
from engine.methods.base import MethodInfo, methods
from engine.methods.descriptions.sources import LASZLO_MUKHERJEE_2005
from engine.methods.fixed_size.md import MD, form_farthest_pairs
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="dbfs",
        title="DBFS",
        family="fixed-size",
        summary="Takes the two records that are farthest apart, and groups each of the "
        "two with its k-1 nearest records, as MD does. This differs from MD only at "
        "the end: the last few records join the nearest group one after the other.",
        reference=LASZLO_MUKHERJEE_2005,
        traits=MD.info.traits,
    )
)
class DBFS(GroupsAroundRecords):
    """Diameter-based fixed-size microaggregation."""

    def _form_groups(self, remaining: RemainingRecords) -> None:
        form_farthest_pairs(remaining)
        if remaining.n_remaining >= remaining.k:
            remaining.form_rest()
        else:
            join_in_turn(remaining.points.X, remaining.labels)


def join_in_turn(X: NDArray[np.float64], labels: Labels) -> None:
    """Let each record without a group join the nearest centroid, then move that.

    Records come in rising order; of equally near groups the one formed first takes
    the record. Changes `labels`, shape (n_records,), -1 where there is no group.
    """
    ungrouped_records = np.flatnonzero(labels < 0)
    if ungrouped_records.size == 0:
        return
    grouped = np.flatnonzero(labels >= 0)
    sizes = np.bincount(labels[grouped])
    sums = [np.bincount(labels[grouped], weights=column) for column in X[grouped].T]
    centroids = np.stack(sums, axis=1) / sizes[:, None]
    for i in ungrouped_records:
        squared = np.zeros(sizes.size)
        for j in range(X.shape[1]):
            squared += (X[i, j] - centroids[:, j]) ** 2
        g = int(squared.argmin())
        labels[i] = g
        centroids[g] = _group_centroid(X[labels == g])


def _group_centroid(members: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean, records added one by one: equal groups have equal centroids."""
    return np.asarray(members.cumsum(axis=0)[-1] / members.shape[0])
