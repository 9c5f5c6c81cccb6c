"""Single: fixed runs of records sorted by one of several attributes."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.errors import ParameterError
from engine.core.parameters import Int
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.steps.runs import SDCMICRO_REFERENCE, label_fixed_runs
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="single",
        title="Sorted by one attribute",
        family="univariate",
        summary="Sorts records by one attribute, and cuts the order into groups of k "
        "records. All other attributes are ignored, so they lose much.",
        reference=SDCMICRO_REFERENCE,
        parameters=(
            Int(
                "varsort",
                1,
                "Attribute to sort by",
                "Place of the sorted attribute among the quasi-identifiers, from 1 on.",
                low=1,
            ),
        ),
        traits=Traits(cost=RunCost("n log n", 0.05, records=1, attributes=0)),
    )
)
class Single(Microaggregator):
    """Single-axis microaggregation by one attribute; sdcMicro's ``single``.

    Categories are sorted by their places in the hierarchy.

    Parameters
    ----------
    k : int
        Minimum group size.
    varsort : int
        Which attribute sorts the records, from 1 on.
    seed : int
        Not used.
    """

    varsort: int

    def check_size(self, n_records: int, n_attributes: int) -> None:
        """Raise also if the sorting attribute does not exist.

        Raises
        ------
        ParameterError, InfeasibleError
        """
        super().check_size(n_records, n_attributes)
        if int(self.varsort) > n_attributes:
            raise ParameterError(
                "{method} is to sort by attribute {place}, but there are "
                "{number}: choose varsort from 1 to {number}.",
                method=self.info.id,
                place=int(self.varsort),
                number=n_attributes,
            )

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        column = points.scaled_values[:, int(self.varsort) - 1]
        ctx.tick(1, 2, self.info.title)
        return label_fixed_runs(np.argsort(column, kind="stable").astype(np.int64), k)
