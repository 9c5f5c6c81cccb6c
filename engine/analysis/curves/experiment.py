"""Timing experiments against k, records or attributes: values, defaults and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.plan import Plan

Against = Literal["k", "records", "attributes"]

VARIED_LABELS: dict[Against, Message] = {
    "k": Message("k"),
    "records": Message("records"),
    "attributes": Message("attributes"),
}
"""What is varied, in words."""

DEFAULT_K_VALUES = (3, 5, 10, 20, 30, 50)
"""Values of k, unless others are named."""

N_STEPS = 6
"""Numbers of records, each twice the one before, or of attributes, at most."""

MIN_TIMED_RECORDS = 50
"""Records from which a time says something."""

MAX_REPEATS = 100
"""Runs of one method at one value, at most."""


@dataclass(frozen=True)
class Experiment:
    """What run times are measured against: k, records or attributes, at which values.

    Attributes
    ----------
    against : {"k", "records", "attributes"}
    values : tuple of int
        Rising.
    repeats : int
        The shortest of so many runs counts: whatever else a machine does only adds.
    starts : bool
        Each run has a seed of its own, and the mean time counts instead, because the
        time may depend on the first record.

    Raises
    ------
    ParameterError
        If a value is out of range.
    """

    against: Against
    values: tuple[int, ...]
    repeats: int = 3
    starts: bool = False

    def __post_init__(self) -> None:
        if self.against not in get_args(Against):
            raise ParameterError(
                "There is no run time against {what!r}: choose one of {known}.",
                what=self.against,
                known=list(get_args(Against)),
            )
        minimum = 2 if self.against == "k" else 1
        if not self.values or min(self.values) < minimum:
            raise ParameterError(
                "Values of {what} must be whole numbers of at least {least}.",
                what=VARIED_LABELS[self.against],
                least=minimum,
            )
        if not 1 <= self.repeats <= MAX_REPEATS:
            raise ParameterError(
                "The number of repeats must be from 1 to {most}, not {repeats}.",
                most=MAX_REPEATS,
                repeats=self.repeats,
            )
        object.__setattr__(self, "values", tuple(sorted(set(self.values))))


def default_experiment_values(
    against: Against, plan: Plan, table: Table
) -> tuple[int, ...]:
    """Return the default values of k, records or attributes to time methods at."""
    if against == "k":
        largest_k = max(2, table.n_records // 2)
        return tuple(k for k in DEFAULT_K_VALUES if k <= largest_k) or (2,)
    if against == "attributes":
        count = len(plan.quasi_identifiers or table.schema.quasi_identifiers)
        steps = np.linspace(1, max(1, count), min(count, N_STEPS) or 1)
        return tuple(dict.fromkeys(int(step) for step in steps.round()))
    min_size = max(2 * plan.k, MIN_TIMED_RECORDS)
    sizes = (table.n_records >> step for step in range(N_STEPS))
    return tuple(sorted({n for n in sizes if n >= min_size} | {table.n_records}))


def check_experiment(
    experiment: Experiment, plans: Sequence[Plan], table: Table
) -> None:
    """Raise if a value exceeds the table's size, or a method runs for a set time.

    Raises
    ------
    ParameterError
    """
    for plan in plans:
        traits = methods.info(plan.method).traits
        if traits.time_budget and not plan.parameters.get("iterations"):
            raise ParameterError(
                "{method} takes the seconds that it is given, so there is nothing to "
                "time: leave it out, or say how many iterations it makes.",
                method=plan.method,
            )
    if experiment.against == "k":
        return
    quasi = plans[0].quasi_identifiers or table.schema.quasi_identifiers
    n_available = table.n_records if experiment.against == "records" else len(quasi)
    if experiment.values[-1] > n_available:
        raise ParameterError(
            "The table has {there:,} {what}, fewer than {asked:,}: name smaller "
            "values.",
            there=n_available,
            what=VARIED_LABELS[experiment.against],
            asked=experiment.values[-1],
        )
