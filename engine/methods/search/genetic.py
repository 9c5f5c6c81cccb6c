"""GA: evolve a population of partitions by crossover, mutation and selection."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Reference, RunCost, Traits, methods
from engine.methods.search.evolution import Evolution, genetic_parameters
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="genetic",
        title="Genetic algorithm",
        family="search",
        summary="Combines many partitions, changes them at random, and keeps the best "
        "partitions, again and again. For a few dozen records, the loss is close "
        "to the smallest possible loss. For more than a hundred records, MDAV "
        "often loses less.",
        reference=Reference(
            "Solanas A, Martínez-Ballesté A, Mateo-Sanz JM, Domingo-Ferrer J (2006). "
            "Multivariate microaggregation based genetic algorithms. 3rd "
            "International IEEE Conference on Intelligent Systems, 65-70."
        ),
        parameters=genetic_parameters(population=100, generations=500),
        traits=Traits(
            cost=RunCost("n^2 p", 8.2, records=1.55, coordinates=0.8),
            max_group_size="",
            uses_seed=True,
            max_records=500,
        ),
    )
)
class Genetic(Evolution):
    """Genetic algorithm for microaggregation.

    Parameters
    ----------
    k : int
        Minimum group size.
    population, generations : int
    crossover : float
        Probability of two parents.
    mutation : float
        Mutated records per child, on average.
    seed : int
        Seed of the random numbers.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        return self.evolve_partition(points.X, k, rng, ctx)
