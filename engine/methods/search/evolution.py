"""Genetic algorithm on partitions, with its parameters."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.parameters import Float, Int, Parameter
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.kernels.search.genetic import (
    N_EXTRA_DRAWS,
    breed_generations,
    make_population,
    repair_population,
)
from engine.methods.base import Microaggregator
from engine.methods.steps.projection import first_component_scores

READS_PER_VALUE = 50
"""Times that a generation reads a value of a record, about."""


def genetic_parameters(population: int, generations: int) -> tuple[Parameter, ...]:
    """Return the parameters of the genetic algorithm, with the given defaults."""
    return (
        Int(
            "population",
            population,
            "Population",
            "Number of chromosomes in a generation. More chromosomes search more "
            "widely, and take longer.",
            low=4,
            high=1000,
        ),
        Int(
            "generations",
            generations,
            "Generations",
            "Number of generations. With more generations, the loss never rises, "
            "but the run takes longer.",
            low=1,
            high=100_000,
        ),
        Float(
            "crossover",
            0.9,
            "Crossover",
            "Probability that a child has two parents. A child with one parent "
            "starts as a copy of this parent.",
            low=0.0,
            high=1.0,
        ),
        Float(
            "mutation",
            0.5,
            "Mutation",
            "How many records of a child, on average, go to a group drawn at random.",
            low=0.0,
            high=100.0,
        ),
    )


class Evolution(Microaggregator):
    """A method that evolves partitions by a genetic algorithm.

    Attributes
    ----------
    population, generations : int
    crossover : float
        Probability of two parents.
    mutation : float
        Mutated records per child, on average.
    """

    population: int
    generations: int
    crossover: float
    mutation: float

    def evolve_partition(
        self, X: Values, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        """Return the best partition's labels after some generations.

        A chromosome holds a group number per record, from as many numbers as there can
        be groups of k. Records stand in the order of their first principal component,
        so that one-point crossover parts the data in space.

        Parameters
        ----------
        X : ndarray of float64, shape (n_records, n_attributes)
            At least 2k records.
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of int64, shape (n_records,)
            Groups are numbered by their lowest record.
        """
        n, p = X.shape
        n_groups = n // k
        order = np.argsort(first_component_scores(X), kind="stable")
        ordered = np.ascontiguousarray(X[order])
        state = make_population(self.population, n, p, n_groups)
        # Every number k times, the records beyond that anywhere, all of it shuffled.
        start = np.tile(np.repeat(np.arange(n_groups), k), (self.population, 1))
        surplus_labels = rng.integers(
            n_groups, size=(self.population, n - n_groups * k)
        )
        state.groups[0] = rng.permuted(np.hstack([start, surplus_labels]), axis=1)
        repair_population(ordered, k, state)
        share = min(1.0, self.mutation / n)
        half, done = 0, 0
        step = steps_per_look(READS_PER_VALUE * self.population * n * p)
        while done < self.generations:
            some = min(step, self.generations - done)
            draws = rng.random((some, self.population, N_EXTRA_DRAWS + n))
            half = breed_generations(
                ordered, k, state, half, draws, self.crossover, share
            )
            done += some
            ctx.tick(done, self.generations, self.info.title)
        best_labels = np.empty(n, dtype=np.int64)
        best_labels[order] = state.groups[half, state.sse[half].argmin()]
        first, numbers = (
            np.unique(best_labels, return_index=True)[1],
            np.arange(n_groups),
        )
        number = np.empty(first.size, dtype=np.int64)
        number[np.argsort(first)] = numbers[: first.size]
        return number[best_labels]
