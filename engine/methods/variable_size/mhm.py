"""What the MHM orders share that go through another method's groups."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import Microaggregator, Reference
from engine.methods.path import best_cut, order_by_groups
from engine.points.encode import Encoded

REFERENCE = Reference(
    "Domingo-Ferrer J, Martínez-Ballesté A, Mateo-Sanz JM, Sebé F (2006). Efficient "
    "multivariate data-oriented microaggregation. The VLDB Journal 15(4), 355-369.",
    doi="10.1007/s00778-006-0007-0",
)


class GroupOrder(Microaggregator):
    """Build a method's groups, go through them along their centroids, cut that path.

    Attributes
    ----------
    groups : type of Microaggregator
        The method whose groups give the order.
    """

    groups: ClassVar[type[Microaggregator]]

    def _partition(
        self, encoded: Encoded, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, stage = encoded.X, self.info.title
        method = self.groups(k, seed=self.seed)
        labels = method.partition(encoded, ctx.part(0.0, 0.8)).labels
        order = order_by_groups(X, labels, ctx.part(0.8, 0.95), stage)
        return best_cut(X, order, k, ctx.part(0.95, 1.0), stage)[0]
