"""Seeds with which a plan is repeated, and how its figures vary over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.methods import methods
from engine.pipeline.plan import Plan


@dataclass(frozen=True)
class SeedFigures:
    """Figures of a run with one seed.

    Attributes
    ----------
    seed : int
    information_loss : float
        IL in per cent.
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
class SeedSpread:
    """Mean, deviation and range of a figure over seeds.

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


SEED_FIGURES = ("information_loss", "certainty_penalty", "n_groups", "seconds")
"""Figures of which the spread is told."""


def is_randomised(plan: Plan) -> bool:
    """Return whether a plan's groups depend on its seed.

    A search draws lots itself, or begins with the groups of a method that does.
    """
    if methods.info(plan.method).traits.uses_seed:
        return True
    start = plan.parameters.get("start")
    return start is not None and methods.info(start).traits.uses_seed


def seeds_of_plan(plan: Plan) -> range:
    """Return the seeds of a plan's runs, starting with its own."""
    return range(plan.seed, plan.seed + (plan.seeds if is_randomised(plan) else 1))


def summarise_spread(values: Sequence[float]) -> SeedSpread:
    """Return mean, deviation and range of a figure's values.

    Parameters
    ----------
    values : sequence of float
        At least two.
    """
    mean = math.fsum(values) / len(values)
    squared = math.fsum((value - mean) ** 2 for value in values)
    deviation = math.sqrt(squared / (len(values) - 1))
    return SeedSpread(mean, deviation, min(values), max(values))
