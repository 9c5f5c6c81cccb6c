"""MDAV + GA: a genetic algorithm inside large groups formed by MDAV."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.parameters import Int
from engine.core.partition import Labels, members_by_group
from engine.methods.base import MethodInfo, Reference, RunCost, Traits, methods
from engine.methods.fixed_size.mdav import MDAV
from engine.methods.search.evolution import Evolution, genetic_parameters
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="mdav-genetic",
        title="MDAV + genetic algorithm",
        family="search",
        summary="Divides the file by MDAV into parts of some dozens of records. The "
        "genetic algorithm then forms groups in each part.",
        reference=Reference(
            "Martínez-Ballesté A, Solanas A, Domingo-Ferrer J, Mateo-Sanz JM (2007). A "
            "genetic approach to multivariate microaggregation for database privacy. "
            "ICDE Workshops, 180-185. See also: Mixing genetic algorithms and V-MDAV "
            "to protect microdata (2012), doi:10.1007/978-3-642-25237-2_8."
        ),
        parameters=(
            Int(
                "block",
                30,
                "Records per large group",
                "Size of the groups that MDAV makes first, at least 3k. Larger "
                "groups leave the genetic algorithm more choice than it can use.",
                low=10,
                high=200,
            ),
            *genetic_parameters(population=30, generations=400),
        ),
        traits=Traits(
            cost=RunCost("n p", 26, records=1, coordinates=0.75),
            max_group_size="",
            uses_seed=True,
        ),
    )
)
class MDAVGenetic(Evolution):
    """Two-step microaggregation: MDAV with a large group size, then GA inside.

    Parameters
    ----------
    k : int
        Minimum group size.
    block : int
        Records in the groups of the first step.
    population, generations : int
    crossover : float
        Probability of two parents.
    mutation : float
        Mutated records per child, on average.
    seed : int
        Seed of the random numbers.
    """

    block: int

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        n = points.n_records
        size = max(self.block, 3 * k)
        blocks = np.zeros(n, dtype=np.int64)
        if n >= 2 * size:
            blocks = MDAV(size).partition(points, ctx.subcontext(0.0, 0.05)).labels
        labels = np.empty(n, dtype=np.int64)
        groups, done = 0, 0
        for members in members_by_group(blocks):
            share = ctx.subcontext(
                0.05 + 0.95 * done / n, 0.05 + 0.95 * (done + members.size) / n
            )
            labels[members] = groups + self.evolve_partition(
                points.X[members], k, rng, share
            )
            groups = int(labels[members].max()) + 1
            done += members.size
        return labels
