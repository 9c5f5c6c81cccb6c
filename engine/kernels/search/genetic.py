"""Genetic algorithm on chromosomes of group labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel

ELITE_COUNT = 2
"""Best chromosomes that live on unchanged."""

MIN_FITNESS_SHARE = 0.05
"""Share of the range of SSE that is added to every fitness, even the worst one's."""

N_EXTRA_DRAWS = 5
"""Random numbers per child beside one for each record: see `breed_generations`."""


class Population(NamedTuple):
    """Two generations of chromosomes with their SSE, and scratch space.

    Attributes
    ----------
    groups : ndarray of int64, shape (2, size, n_records)
        Group of each record in each chromosome; generations take turns.
    sse : ndarray of float64, shape (2, size)
        SSE of each chromosome.
    wheel : ndarray of float64, shape (size,)
        Scratch: running sums of fitness.
    members : ndarray of int64, shape (n_groups,)
        Scratch: how many records each group of a child has.
    sums, middles : ndarray of float64, shape (n_groups, n_attributes)
        Scratch: sum and mean of each group of a child.
    """

    groups: Integers
    sse: Values
    wheel: Values
    members: Integers
    sums: Values
    middles: Values


def make_population(
    size: int, n_records: int, n_attributes: int, n_groups: int
) -> Population:
    """Return an empty population for chromosomes of `n_records` labels.

    Parameters
    ----------
    size : int
        Chromosomes in a generation.
    n_records, n_attributes, n_groups : int
        Records, attributes and the largest number of groups.
    """
    return Population(
        groups=np.zeros((2, size, n_records), dtype=np.int64),
        sse=np.zeros((2, size)),
        wheel=np.zeros(size),
        members=np.zeros(n_groups, dtype=np.int64),
        sums=np.zeros((n_groups, n_attributes)),
        middles=np.zeros((n_groups, n_attributes)),
    )


@kernel
def _place(X: Values, population: Population, i: int, group: int, sign: int) -> None:
    """Add record i to a group (sign 1) or take it away (sign -1)."""
    population.members[group] += sign
    for j in range(X.shape[1]):
        population.sums[group, j] += sign * X[i, j]
        population.middles[group, j] = (
            population.sums[group, j] / population.members[group]
        )


@kernel
def _sq_dist_to_group(X: Values, population: Population, i: int, group: int) -> float:
    total = 0.0
    for j in range(X.shape[1]):
        difference = X[i, j] - population.middles[group, j]
        total += difference * difference
    return total


@kernel
def _fill(X: Values, k: int, child: Integers, population: Population, g: int) -> None:
    """Bring group g to k records: the nearest of groups that have more than k."""
    while population.members[g] < k:
        # The nearest record that its group can spare.
        best, record = np.inf, -1
        for i in range(child.shape[0]):
            if population.members[child[i]] > k:
                d = _sq_dist_to_group(X, population, i, g)
                if d < best:
                    best, record = d, i
        _place(X, population, record, child[record], -1)
        _place(X, population, record, g, 1)
        child[record] = g


@kernel
def _dissolve(X: Values, child: Integers, population: Population, g: int) -> None:
    """Send each record of group g to the group with the nearest mean."""
    for i in range(child.shape[0]):
        if child[i] != g:
            continue
        best, group = np.inf, -1
        for other in range(population.members.shape[0]):
            if other != g and population.members[other] > 0:
                d = _sq_dist_to_group(X, population, i, other)
                if d < best:
                    best, group = d, other
        _place(X, population, i, group, 1)
        child[i] = group
    population.members[g] = 0


@kernel
def repair_chromosome(
    X: Values,
    k: int,
    chromosome: Integers,
    population: Population,
    fill_small_groups: bool,
) -> float:
    """Repair groups of fewer than k records, in place; return the chromosome's SSE.

    The smallest group first: it is filled up from groups that can spare records, or
    dissolved where `fill_small_groups` is False or too few can be spared. Groups are
    then numbered by their first record.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    chromosome : ndarray of int64, shape (n_records,)
        Group of each record; changed in place.
    population : Population
        Its scratch space is used.
    fill_small_groups : bool
    """
    members = population.members
    members[:] = 0
    # Sums from scratch: no rounding is inherited.
    population.sums[:] = 0.0
    for i in range(chromosome.shape[0]):
        members[chromosome[i]] += 1
        for j in range(X.shape[1]):
            population.sums[chromosome[i], j] += X[i, j]
    for g in range(members.shape[0]):
        for j in range(X.shape[1]):
            population.middles[g, j] = population.sums[g, j] / max(1, members[g])
    while True:
        # The smallest group below k, and how many records all others can spare.
        small, spare = -1, 0
        for g in range(members.shape[0]):
            spare += max(0, members[g] - k)
            if 0 < members[g] < k and (small < 0 or members[g] < members[small]):
                small = g
        if small < 0:
            break
        if fill_small_groups and spare >= k - members[small]:
            _fill(X, k, chromosome, population, small)
        else:
            _dissolve(X, chromosome, population, small)
    sse = 0.0
    for i in range(chromosome.shape[0]):
        sse += _sq_dist_to_group(X, population, i, chromosome[i])
    _renumber_groups(chromosome, members)
    return sse


@kernel
def _renumber_groups(child: Integers, number: Integers) -> None:
    """Give groups numbers in the order of their first records."""
    number[:] = -1
    groups = 0
    for i in range(child.shape[0]):
        if number[child[i]] < 0:
            number[child[i]] = groups
            groups += 1
        child[i] = number[child[i]]


@kernel
def _spin_wheel(wheel: Values, draw: float) -> int:
    """Return the chromosome at which the roulette wheel stops."""
    for q in range(wheel.shape[0]):
        if draw * wheel[-1] < wheel[q]:
            return int(q)
    return int(wheel.shape[0] - 1)


@kernel
def _keep_elite(population: Population, old: int) -> None:
    """Copy the best chromosomes to the other generation, and fill the wheel."""
    groups, sse, wheel = population.groups, population.sse, population.wheel
    size = wheel.shape[0]
    worst, best = sse[old].max(), sse[old].min()
    total = 0.0
    for q in range(size):
        # Fitness: how far below the worst SSE, with a floor so that all may be parents.
        total += worst - sse[old, q] + MIN_FITNESS_SHARE * (worst - best)
        wheel[q] = total if worst > best else q + 1.0
    last, its_sse = -1, -1.0
    for place in range(min(ELITE_COUNT, size)):
        chosen = -1
        for q in range(size):
            # Best first, of equals the lower number, without sorting.
            later = sse[old, q] > its_sse or (sse[old, q] == its_sse and q > last)
            if later and (chosen < 0 or sse[old, q] < sse[old, chosen]):
                chosen = q
        last, its_sse = chosen, sse[old, chosen]
        groups[1 - old, place] = groups[old, chosen]
        sse[1 - old, place] = its_sse


@kernel
def repair_population(X: Values, k: int, population: Population) -> None:
    """Repair the first generation and compute its SSE."""
    for q in range(population.sse.shape[1]):
        child = population.groups[0, q]
        population.sse[0, q] = repair_chromosome(X, k, child, population, True)


@kernel
def breed_generations(
    X: Values,
    k: int,
    population: Population,
    live_half: int,
    draws: Values,
    crossover: float,
    mutation: float,
) -> int:
    """Breed generations; return the half (0 or 1) that holds the last one.

    Two parents are chosen by roulette, fitness being the distance to the worst SSE and
    a share of the range. A child has the first parent's groups up to a cut, then the
    second's.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    population : Population
    live_half : int
        Which half of the population lives, 0 or 1.
    draws : ndarray of float64, shape (n_generations, size, N_EXTRA_DRAWS + n_records)
        Uniform random numbers: first and second parent, whether they cross, where,
        whether small groups are filled, and one for each record's mutation.
    crossover : float
        Probability that two parents cross; otherwise the first is copied.
    mutation : float
        Probability that a record goes to a group drawn at random.
    """
    n = X.shape[0]
    n_groups = population.members.shape[0]
    groups, sse = population.groups, population.sse
    for generation in range(draws.shape[0]):
        # Elitism: the best live on unchanged.
        _keep_elite(population, live_half)
        for q in range(min(ELITE_COUNT, sse.shape[1]), sse.shape[1]):
            draw = draws[generation, q]
            child = groups[1 - live_half, q]
            # Roulette selection of two parents.
            first = _spin_wheel(population.wheel, draw[0])
            second = _spin_wheel(population.wheel, draw[1])
            # One-point crossover, or a copy of the first.
            cut = 1 + int(draw[3] * (n - 1)) if draw[2] < crossover else n
            for i in range(n):
                child[i] = groups[live_half, first if i < cut else second, i]
                # Mutation: given that it happens, the same draw is uniform again and
                # says where.
                if draw[N_EXTRA_DRAWS + i] < mutation:
                    group = int(draw[N_EXTRA_DRAWS + i] / mutation * n_groups)
                    child[i] = min(group, n_groups - 1)
            # Repair: no group keeps fewer than k.
            sse[1 - live_half, q] = repair_chromosome(
                X, k, child, population, draw[4] < 0.5
            )
        live_half = 1 - live_half
    return live_half
