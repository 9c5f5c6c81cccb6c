"""Outcomes without values: figures and groups, from which the release is made again.

Several releases of one table tell more together than each alone: with many groupings,
common values can be solved for the records behind them. So what leaves the machine to
be gone on with holds groups, figures and choices only; whoever has the table gets the
very same release again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.core.context import SILENT
from engine.core.errors import EngineError, InputError
from engine.core.message import Message
from engine.core.typing import Integers
from engine.data.table import fingerprint
from engine.measures import measures
from engine.measures.classes import class_sizes
from engine.methods import methods
from engine.pipeline.aggregate import Grouped, replace
from engine.pipeline.compare import Comparison
from engine.pipeline.cost import expected_seconds
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import group
from engine.storage.outcomes import facts_of, outcome_of, partition_of

QUICK_SECONDS = 2.0
"""Groups that do not say all of a release are made again, if it takes no longer."""

Count = Annotated[int, Field(ge=0)]


class _Checked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False)


class _Score(_Checked):
    measure: str
    value: float
    per_column: dict[str, float]
    interval: tuple[float, float] | None
    baseline: float | None
    baseline_per_column: dict[str, float]
    sample: Count | None
    note: Message


class _Bound(_Checked):
    kind: str
    sse: float
    per_cent: float


class _Probabilistic(_Checked):
    k: Count
    n_centres: Annotated[int, Field(ge=1)]
    expected: list[float]
    realised: list[Count]


class _Facts(_Checked):
    """What :func:`engine.storage.outcomes.facts_of` writes."""

    plan: str
    fingerprint: str
    guarantees_k: bool
    columns: list[str]
    rules: list[str]
    scores: list[_Score]
    bound: _Bound
    seconds: dict[str, float]
    versions: dict[str, str]
    warnings: list[Message]
    iterations: list[Count]
    rules_broken: dict[str, Count]
    probabilistic: _Probabilistic | None
    trace: list[tuple[float, float | None, float | None]]


@dataclass(frozen=True, eq=False)
class Kept:
    """An outcome without values.

    Attributes
    ----------
    plan : Plan
    facts : mapping
        What :func:`engine.storage.outcomes.facts_of` says.
    labels, rows : ndarray of int64, shape (n_released,)
        Group of each released record, and its row in the table.
    seeds : ndarray of int64 or None
        As in :class:`engine.core.partition.Partition`.
    digest : str
        Of the release, to know it again.
    """

    plan: Plan
    facts: Mapping[str, Any]
    labels: Integers
    rows: Integers
    seeds: Integers | None
    digest: str

    @property
    def fingerprint(self) -> str:
        """Digest of the table that was protected."""
        return str(self.facts["fingerprint"])


def kept(outcome: Outcome) -> Kept:
    """Return an outcome without values."""
    return Kept(
        plan=outcome.plan,
        facts=facts_of(outcome),
        labels=outcome.partition.labels,
        rows=outcome.release.rows,
        seeds=outcome.partition.seeds,
        digest=fingerprint(outcome.release.frame),
    )


def checked_facts(content: object) -> tuple[Plan, dict[str, Any]]:
    """Return the plan and the facts in content of unknown origin.

    Raises
    ------
    InputError
        If these are no facts of an outcome.
    ParameterError
        If the plan makes choices that do not exist here.
    """
    try:
        facts = _Facts.model_validate(content).model_dump()
    except ValidationError:
        raise InputError("A stored result is not readable: run it again.") from None
    known = {score["measure"] for score in facts["scores"]}
    needed = {info.id for info in measures.infos() if not info.on_demand}
    if not needed <= known or "partition" not in facts["seconds"]:
        raise InputError("A stored result lacks figures: run it again.")
    facts["scores"] = [one for one in facts["scores"] if one["measure"] in measures]
    return Plan.from_json(facts["plan"]), facts


def awake(one: Kept, comparison: Comparison) -> Outcome | None:
    """Return the whole outcome, with the table's own values; None if it cannot be.

    That is so where its groups do not say all of its release and took long, where
    another version of a library gives another release, and where the figures are not
    those of the release.

    Parameters
    ----------
    one : Kept
    comparison : Comparison
        On the table that was protected.
    """
    try:
        partition = partition_of(one.facts, one.labels, one.seeds)
        prepared = comparison.prepared(one.plan)
        grouped = Grouped(partition)
        if not _groups_say_all(one.plan):
            if not _is_quick(one.plan, comparison):
                return None
            grouped = group(one.plan, prepared, SILENT).grouped
        if not np.array_equal(prepared.encoded.rows, one.rows):
            return None
        release = replace(one.plan, comparison.table, prepared, grouped).release
    except (EngineError, IndexError, ValueError):
        return None
    if fingerprint(release.frame) != one.digest:
        return None
    found = outcome_of(one.facts, partition, release.frame, release.rows)
    return found if _true(found) else None


def _groups_say_all(plan: Plan) -> bool:
    """Return whether labels of whole records are all that a release depends on."""
    traits = methods.info(plan.method).traits
    return not (traits.probabilistic or traits.per_attribute or plan.blocks)


def _is_quick(plan: Plan, comparison: Comparison) -> bool:
    traits = methods.info(plan.method).traits
    seconds = expected_seconds(plan, comparison.table)
    return not traits.time_budget and seconds <= QUICK_SECONDS


def _true(outcome: Outcome) -> bool:
    """Return whether the k that an outcome claims is that of its release."""
    quasi = outcome.plan.quasi_identifiers
    least = int(class_sizes(outcome.release.frame, quasi).min())
    columns: pd.Index = outcome.release.frame.columns
    return outcome.k_released == least and set(quasi) <= set(columns)
