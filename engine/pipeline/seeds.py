"""Seeds: the same plan with several of them, to say how far its figures are luck."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.methods import methods
from engine.pipeline.plan import Plan


@dataclass(frozen=True)
class SeedFigures:
    """What a run with one seed gave.

    Attributes
    ----------
    seed : int
    information_loss : float
        IL in per cent; NaN without numbers.
    certainty_penalty : float
        NCP in per cent.
    n_groups, k_released : int
    seconds : float
        Time of the method alone.
    """

    seed: int
    information_loss: float
    certainty_penalty: float
    n_groups: int
    k_released: int
    seconds: float


@dataclass(frozen=True)
class Spread:
    """How a figure varies over seeds.

    Attributes
    ----------
    mean, deviation : float
        The deviation is that of a sample: its divisor is one less than the number of
        seeds.
    least, most : float
    """

    mean: float
    deviation: float
    least: float
    most: float


FIGURES = ("information_loss", "certainty_penalty", "n_groups", "seconds")
"""Figures of which the spread is told."""


def draws(plan: Plan) -> bool:
    """Return whether a plan's groups depend on its seed.

    A search draws lots itself, or begins with the groups of a method that does.
    """
    if methods.info(plan.method).traits.uses_seed:
        return True
    start = plan.parameters.get("start")
    return start is not None and methods.info(start).traits.uses_seed


def seeds_of(plan: Plan) -> range:
    """Return the seeds that a plan is run with, its own first."""
    return range(plan.seed, plan.seed + (plan.seeds if draws(plan) else 1))


def spread(values: Sequence[float]) -> Spread:
    """Return how a figure varies.

    Parameters
    ----------
    values : sequence of float
        At least two.
    """
    mean = math.fsum(values) / len(values)
    squared = math.fsum((value - mean) ** 2 for value in values)
    deviation = math.sqrt(squared / (len(values) - 1))
    return Spread(mean, deviation, min(values), max(values))
