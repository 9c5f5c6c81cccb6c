"""RIMHM: IMHM whose first groups are cut from a semi-random permutation."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.parameters import Float
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.steps.path import Order, optimal_cut
from engine.methods.steps.projection import zscore_sum
from engine.methods.variable_size.imhm import (
    BLOCK_RECORDS,
    IMHM_REFERENCE,
    optimise_in_blocks,
)
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="rimhm",
        title="RIMHM",
        family="variable-size",
        summary="IMHM from other first groups: sorts records by the sum of their "
        "z-scores, shuffles each run of them at random, and cuts this order "
        "optimally. Another seed gives other groups.",
        reference=IMHM_REFERENCE,
        parameters=(
            Float(
                "share",
                0.1,
                "Share of records in a run",
                "The records of a run are shuffled. A larger share hides the first "
                "groups better, but may lose more. 0 shuffles nothing.",
                low=0.0,
                high=1.0,
            ),
            BLOCK_RECORDS,
        ),
        traits=Traits(
            cost=RunCost(
                "n^3 p / k", 0.11, records=2.1, attributes=0.0, coordinates=1.1
            ),
            max_records=5_000,
            separates=False,
            uses_seed=True,
        ),
    )
)
class RIMHM(Microaggregator):
    """Randomised iterative optimisation with multivariate Hansen-Mukherjee.

    Parameters
    ----------
    k : int
        Minimum group size.
    share : float
        Share of all records that a run has; the last run has what is left over too.
    block_records : int
    seed : int
        Shuffles the runs.

    Notes
    -----
    Section 5.4 of the source, which sorts records "based on z-score": here by the sum
    of their z-scores, as univariate microaggregation does.
    """

    share: float
    block_records: int

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, stage = points.X, self.info.title
        order = shuffle_runs(X, self.share, rng)
        first = optimal_cut(X, order, k, ctx.subcontext(0.0, 0.1), stage)[0]
        return optimise_in_blocks(
            X, first, k, self.block_records, ctx.subcontext(0.1, 1.0), stage
        )


def shuffle_runs(X: Values, share: float, rng: np.random.Generator) -> Order:
    """Return the records by their sum of z-scores, shuffled run by run.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    share : float
        Share of all records that a run has; below one record nothing is shuffled.
    """
    order = np.argsort(zscore_sum(X), kind="stable").astype(np.int64)
    size = max(1, int(order.size * share))
    starts = np.arange(1, order.size // size) * size
    return np.concatenate([rng.permutation(run) for run in np.split(order, starts)])
