"""Pairwise systematic microaggregation: groups grown from both ends of one order."""

from __future__ import annotations

import numpy as np

from engine.kernels.fixed_size.systematic import form_groups_from_ends
from engine.methods.base import MethodInfo, Reference, RunCost, Traits, methods
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="pairwise-systematic",
        title="Pairwise systematic",
        family="fixed-size",
        summary="Sorts records by the sum of their attributes. Forms groups of k "
        "around the first and the last record, again and again.",
        reference=Reference(
            "Kabir ME, Wang H, Zhang Y (2010). A pairwise-systematic "
            "microaggregation for statistical disclosure control. IEEE International "
            "Conference on Data Mining, 266-273.",
            doi="10.1109/ICDM.2010.111",
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p", 0.0034, records=1.35, attributes=1.7, coordinates=0.6, size=0.1
            )
        ),
    )
)
class PairwiseSystematic(GroupsAroundRecords):
    """Pairwise systematic (P-S) microaggregation.

    The sort key of a record is the sum over attributes of its value minus the mean
    of the remaining records (equation 4). The means shift all keys alike, so that
    one order by the sum of the values serves throughout. While 3k records remain
    the first and the last seed a group each, and each grows to k by the record that
    adds least SSE, the first group before the last. Of 2k to 3k-1 records the first
    one's group is taken and the rest are one group; fewer are one group.

    The paper's printed figures are presumably on values in their own units, where the
    largest unit decides; they cannot be compared with figures on z-scored values.
    """

    def _form_groups(self, remaining: RemainingRecords) -> None:
        X, k = remaining.points.X, remaining.k
        n, p = X.shape
        key = np.zeros(n)
        for column in X.T:
            key += column
        order = np.argsort(key, kind="stable").astype(np.int64)
        state = (
            order,
            np.array([0, n - 1], dtype=np.int64),
            np.empty(p),
            np.empty(p),
            np.empty(1, dtype=np.int64),
            np.empty(1),
        )
        remaining.form_by_kernel(form_groups_from_ends, 3 * k, k, True, *state)
        remaining.form_by_kernel(form_groups_from_ends, 2 * k, k, False, *state)
        remaining.form_rest()
