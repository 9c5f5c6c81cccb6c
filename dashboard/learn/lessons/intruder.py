"""What an intruder can still do: how many records knowledge leads to, for each k."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

import sample_data
from dashboard.charts.lesson_inputs import Found
from engine.bounds import NO_BOUND
from engine.core.partition import Partition
from engine.measures import Protected, measures
from engine.pipeline.evaluate import protected_by
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

SIZES = (3, 10)
"""Values of k beside the table as it is."""

MEASURE = "record-linkage"


@lru_cache(maxsize=1)
def attributes() -> tuple[str, ...]:
    """Return what can be known of a firm, in the order in which it gets known."""
    return _release(1).points.names


@lru_cache(maxsize=1 + len(SIZES))
def _release(k: int) -> Protected:
    """Return what can be attacked: the firms in MDAV's groups, or as they are."""
    table = sample_data.load("business_survey")
    outcome = run(Plan(method="mdav", k=max(k, SIZES[0])), table, bound=NO_BOUND)
    protected = protected_by(outcome, table)
    if k > 1:
        return protected
    alone = np.arange(table.n_records, dtype=np.int64)
    return replace(
        protected,
        released=protected.points.values,
        partition=Partition(alone, 1),
        frame=table.frame,
    )


@lru_cache(maxsize=64)
def attack(known: int, k: int) -> Found:
    """Link firms by the first few attributes to the nearest released ones.

    Parameters
    ----------
    known : int
        How many attributes the intruder knows, at least 1.
    k : int
        1 for the table as it is.
    """
    protected = _release(k)
    first = list(range(known))
    seen = replace(
        protected,
        points=protected.points.columns(first),
        released=protected.released[:, first],
    )
    score = measures.get(MEASURE)(seen)
    groups, records = protected.partition.n_groups, protected.partition.n_records
    return Found(k, score.value, 100.0 * groups / records)


def attacks(known: int) -> tuple[Found, ...]:
    """Return what is found in the table as it is, and for each k."""
    return tuple(attack(known, k) for k in (1, *SIZES))
