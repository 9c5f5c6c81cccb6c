"""Lesson on intruders: records found by knowledge of attributes, for each k."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

import sample_data
from dashboard.charts.lesson_inputs import AttackCount
from engine.bounds import NO_BOUND
from engine.core.partition import Partition
from engine.measures import MeasuredRelease, measures
from engine.pipeline.evaluate import make_measured_release
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

ATTACKED_SIZES = (3, 10)
"""Values of k beside the table as it is."""

ATTACK_MEASURE = "record-linkage"


@lru_cache(maxsize=1)
def attributes_known_in_order() -> tuple[str, ...]:
    """Return a firm's attributes, in the order in which an intruder learns them."""
    return _release(1).points.names


@lru_cache(maxsize=1 + len(ATTACKED_SIZES))
def _release(k: int) -> MeasuredRelease:
    """Return what can be attacked: the firms in MDAV's groups, or as they are."""
    table = sample_data.load("business_survey")
    outcome = run(
        Plan(method="mdav", k=max(k, ATTACKED_SIZES[0])), table, bound=NO_BOUND
    )
    protected = make_measured_release(outcome, table)
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
def attack_firms(n_known: int, k: int) -> AttackCount:
    """Return the share of firms found by linking their first attributes to a release.

    Parameters
    ----------
    n_known : int
        How many attributes the intruder knows, at least 1.
    k : int
        1 for the table as it is.
    """
    protected = _release(k)
    first = list(range(n_known))
    seen = replace(
        protected,
        points=protected.points.select_attributes(first),
        released=protected.released[:, first],
    )
    score = measures.get(ATTACK_MEASURE)(seen)
    groups, records = protected.partition.n_groups, protected.partition.n_records
    return AttackCount(k, score.value, 100.0 * groups / records)


def attack_all_sizes(n_known: int) -> tuple[AttackCount, ...]:
    """Return the share of firms found in the table as it is, and for each k."""
    return tuple(attack_firms(n_known, k) for k in (1, *ATTACKED_SIZES))
