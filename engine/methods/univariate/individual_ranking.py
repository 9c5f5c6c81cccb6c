"""Individual ranking: sort and cut each attribute separately."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.parameters import Choice
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.descriptions.sources import DOMINGO_MATEO_2002
from engine.methods.steps.runs import label_fixed_runs
from engine.methods.univariate.hansen_mukherjee import HansenMukherjee
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="individual-ranking",
        title="Individual ranking",
        family="univariate",
        summary="Groups each attribute on its own. Little is lost, but k-anonymity "
        "does not hold for the records as a whole.",
        reference=DOMINGO_MATEO_2002,
        parameters=(
            Choice(
                "runs",
                "fixed",
                "Groups of each attribute",
                "fixed: runs of k sorted values, of which the last has up to 2k-1. "
                "optimal: the runs of k to 2k-1 values that lose least.",
                options=("fixed", "optimal"),
            ),
        ),
        traits=Traits(
            cost=RunCost("n p", 0.49, records=1),
            max_group_size="",
            guarantees_k=False,
            per_attribute=True,
        ),
        aliases=("onedims",),
    )
)
class IndividualRanking(Microaggregator):
    """Individual ranking.

    Categories are ranked by their places in the hierarchy.
    Every released value is shared by at least k records; the combination of a
    record's values need not be. `labels_` are the records that share all groups.

    Parameters
    ----------
    k : int
        Minimum group size in each attribute.
    runs : {"fixed", "optimal"}
        Runs of k values, or Hansen and Mukherjee's.
    seed : int
        Not used.
    """

    runs: str

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        """Return the groups of the only attribute there is; see `Traits`."""
        if self.runs == "optimal":
            return HansenMukherjee(k).partition(points, ctx).labels
        order = np.argsort(points.sort_keys, kind="stable").astype(np.int64)
        ctx.tick(1, 2, self.info.title)
        return label_fixed_runs(order, k)
