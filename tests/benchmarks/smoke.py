"""Sizes at which a benchmark says nothing but that it still runs."""

import os
from typing import TypeVar

T = TypeVar("T")

VARIABLE = "COTERIE_BENCHMARKS_SMOKE"
"""Set in the environment, so that the processes which a benchmark starts see it too."""


def size(full: T, tiny: T) -> T:
    """Return what a benchmark runs with, or in a smoke run the tiny one."""
    return tiny if os.environ.get(VARIABLE) else full
