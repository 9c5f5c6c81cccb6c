"""CAAT: grow classes one by one around their equivalence tuple."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.parameters import Choice
from engine.core.partition import Labels
from engine.kernels.mixed.caat import (
    assign_to_and_widen_nearest_class,
    move_records_into_classes,
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
        id="caat",
        title="CAAT",
        family="mixed",
        summary="Starts a class with a random record. Adds the record that is nearest "
        "to the intervals and common ancestors that the class would release. Starts "
        "the next class with the farthest record.",
        reference=Reference(
            "Jiang H. Clustering-anonymity method for data-publishing privacy "
            "preservation."
        ),
        parameters=(
            Choice(
                "ties",
                "first",
                "Equally near records",
                "Which of several equally near records joins. first: the first "
                "record of the table; classes have k to 2k-1 records. all: all "
                "of them, as in step 2 of the source; a class may become larger.",
                options=("first", "all"),
            ),
        ),
        traits=Traits(
            cost=RunCost("n^2 p", 0.00034, records=2, attributes=0.8, size=-0.1),
            max_group_size="",
            uses_seed=True,
            release="generalised",
        ),
    )
)
class CAAT(Microaggregator):
    """Clustering-anonymity approach for tables.

    A class grows to k records by the record nearest to its equivalence tuple; the
    record farthest from that tuple begins the next class. Fewer than k records left
    over join, in the order of the table, the class whose tuple is nearest at that
    moment.

    Parameters
    ----------
    ties : {"first", "all"}
        Whether one or all of equally near records join. With ``"first"`` no class has
        more than 2k-1 records.
    """

    ties: str

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        table = MixedRecords.from_points(points)
        n, p = table.n_records, table.n_attributes
        records, query = table.singleton_tuples(), table.make_query()
        labels = np.full(n, -1, dtype=np.int64)
        seed = rng.integers(n, size=1)  # step 1
        n_groups = 0
        while records.used[1] >= k:  # steps 2 to 4
            max_classes = steps_per_look(k * (records.used[0] * p + table.n_nodes))
            n_groups = move_records_into_classes(
                records,
                query,
                seed,
                k,
                self.ties == "all",
                max_classes,
                n_groups,
                labels,
            )
            ctx.tick(n - int(records.used[1]), n, self.info.title)
        assign_to_and_widen_nearest_class(
            records, table.class_tuples(labels), query, labels
        )  # step 5
        return labels
