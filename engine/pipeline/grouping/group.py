"""Groups by a plan's method in each block and stratum, or from a given partition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.bounds import LowerBound
from engine.core.context import RunContext
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.parameters import Float
from engine.core.partition import (
    Partition,
    concatenate_partitions,
    group_per_record,
    small_group_error,
)
from engine.core.typing import Integers, Values
from engine.data.persons import count_persons
from engine.methods.base import Microaggregator, make_method, methods
from engine.methods.search.as_written import check_trade_rules, refine_for_release
from engine.methods.search.refined import refine_partition
from engine.persons import group_for_k_persons
from engine.pipeline.grouping.bound import table_bound_from_parts
from engine.pipeline.grouping.households import HouseholdUnits
from engine.pipeline.grouping.prepare import PreparedTable
from engine.pipeline.grouping.strata import BlockStrata
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.protection.aggregate import GroupingResult
from engine.pipeline.protection.probabilistic import ProbabilisticSizes
from engine.points.base import Points

Regroup = Callable[[PreparedTable], Partition]
"""Gives groups for prepared records, such as those of an earlier release."""

GIVEN = Message(
    "The groups are unions of those of an earlier release, and not the method's."
)
"""What is said of groups that do not come from the method."""


@dataclass
class _Tally:
    """What methods have said beside their groups, stratum after stratum."""

    runs: int = 0
    bounds: list[LowerBound] = field(default_factory=list)
    iterations: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    centres: list[Values] = field(default_factory=list)
    sizes: list[Values] = field(default_factory=list)
    n_centres: int = 0
    warnings: list[Message] = field(default_factory=list)

    def add_partition(
        self, method: Microaggregator, some: Points, partition: Partition
    ) -> None:
        self.runs += 1
        if method.bound_ is not None:
            self.bounds.append(method.bound_)
        if method.n_iter_ is not None:
            self.iterations.append(method.n_iter_)
        if method.n_turns_ is not None:
            self.turns.append(method.n_turns_)
        self.warnings += method.warnings_
        if not method.info.traits.probabilistic:
            return
        if method.centres_ is None:  # so few records that all are one group
            self.centres.append(some.X.mean(axis=0)[np.newaxis])
            self.sizes.append(partition.sizes.astype(np.float64))
            self.n_centres += 1
        else:
            assert method.expected_sizes_ is not None
            assert method.n_centres_ is not None
            self.n_centres += method.n_centres_
            self.centres.append(method.centres_)
            self.sizes.append(method.expected_sizes_)

    def take_centres(self, points: Points) -> list[Values | None]:
        """Return each attribute's group centres in its own units, and discard them.

        None where the method does not say so.

        Parameters
        ----------
        points : Points
            What was grouped.
        """
        if not self.centres:
            return [None] * points.n_attributes
        coordinates, self.centres = np.vstack(self.centres), []
        attributes = range(points.n_attributes)
        return [points.space.decode_values(coordinates, j) for j in attributes]


@dataclass(frozen=True, eq=False)
class GroupedParts:
    """Groups of all blocks and strata; the method's bound, steps, sizes and warnings.

    Attributes
    ----------
    grouped : GroupingResult
    bound : LowerBound or None
        What the method has proven itself, where it does.
    iterations : tuple of int
        Steps that a search took in each stratum; empty for other methods.
    turns : tuple of int
        Turns that it took after the steps, as `n_turns_` of a method.
    probabilistic : ProbabilisticSizes or None
        Group sizes, where they were drawn.
    warnings : tuple of Message
        What the method says of its groups.
    """

    grouped: GroupingResult
    bound: LowerBound | None
    iterations: tuple[int, ...]
    turns: tuple[int, ...]
    probabilistic: ProbabilisticSizes | None
    warnings: tuple[Message, ...]


def group_records(
    plan: ResolvedPlan, prepared: PreparedTable, ctx: RunContext
) -> GroupedParts:
    """Return groups by a plan's method in all blocks and strata, polished if asked."""
    points, blocks = prepared.points, prepared.blocks
    if plan.polish and plan.polish_for == "release":
        check_trade_rules(plan.aggregations)
    tally, partitions = _Tally(), list[Partition]()
    centres: list[Values | None] = [None] * points.n_attributes
    for number, block in enumerate(blocks):
        share = ctx.subcontext(number / len(blocks), (number + 1) / len(blocks))
        block_points, of_all = prepared.points_of(block), 1.0 / len(blocks)
        if prepared.persons is not None:
            partitions.append(
                _group_persons(plan, block_points, block, tally, share, prepared)
            )
            continue
        partitions.append(
            _group_block(
                plan, block_points, block, tally, share, of_all, prepared.households
            )
        )
        for j, values in zip(
            block.columns, tally.take_centres(block_points), strict=True
        ):
            centres[j] = values
    partition = partitions[0]
    if len(partitions) > 1:
        attributes = np.empty((points.n_attributes, points.n_records), dtype=np.int64)
        for block, each in zip(blocks, partitions, strict=True):
            attributes[list(block.columns)] = each.labels
        partition = Partition.by_attribute(attributes, plan.k, bool(tally.sizes))
    proven = None
    # What is proven of households says nothing of records.
    if prepared.households is None and len(tally.bounds) == tally.runs > 0:
        proven = table_bound_from_parts(tally.bounds, points)
    drawn = None
    if tally.sizes:
        expected = np.concatenate(tally.sizes)
        realised = np.concatenate([each.sizes for each in partitions])
        drawn = ProbabilisticSizes(
            plan.k, tally.n_centres, expected, realised, n_blocks=len(blocks)
        )
    warnings = tuple(dict.fromkeys(tally.warnings))
    grouped = GroupingResult(partition, tuple(centres))
    steps, turns = tuple(tally.iterations), tuple(tally.turns)
    return GroupedParts(grouped, proven, steps, turns, drawn, warnings)


def check_group_sizes(plan: ResolvedPlan, prepared: PreparedTable) -> None:
    """Raise if there are more records, or people, than a plan's method can group.

    People are grouped where an intruder knows all of their records.

    Raises
    ------
    InfeasibleError, ParameterError
    """
    method = make_method(plan.method, plan.k, plan.parameters, plan.seed)
    for block in prepared.blocks:
        for records in block.strata:
            count = records.size
            if prepared.persons is not None and plan.intruder_knows == "all":
                count = count_persons(prepared.persons[records])
            method.check_size(count, len(block.columns))


def _group_block(
    plan: ResolvedPlan,
    points: Points,
    block: BlockStrata,
    tally: _Tally,
    ctx: RunContext,
    of_all: float,
    households: Integers | None,
) -> Partition:
    n, done = points.n_records, 0
    parts = []
    for records in block.strata:
        parameters = _method_parameters(plan, of_all * records.size / n)
        method = make_method(plan.method, plan.k, parameters, plan.seed)
        if method.info.traits.probabilistic:  # draws tell nothing of one another
            method.stream = tally.runs
        some, units = points if records.size == n else points.subset(records), None
        if households is not None:
            units = HouseholdUnits.from_records(some.X, households[records])
            some = units.points
        share = ctx.subcontext(done / n, (done + records.size) / n)
        if plan.polish or units is not None or of_all * records.size < n:
            share = share.with_labels_callback(
                None
            )  # its groups are not those of the release
        if plan.polish:
            partition = method.partition(some, share.subcontext(0.0, 0.5))
            end = 1.0 if plan.polish_for == "groups" else 0.75
            partition = refine_partition(some, partition, share.subcontext(0.5, end))
            if plan.polish_for == "release":
                rules, rest = plan.aggregations, share.subcontext(end, 1.0)
                partition = refine_for_release(some, partition, rules, rest)
        else:
            partition = method.partition(some, share)
        tally.add_partition(method, some, partition)
        parts.append(
            (records, partition if units is None else units.to_record_groups(partition))
        )
        done += records.size
    return concatenate_partitions(parts)


def _group_persons(
    plan: ResolvedPlan,
    points: Points,
    block: BlockStrata,
    tally: _Tally,
    ctx: RunContext,
    prepared: PreparedTable,
) -> Partition:
    """Return the groups of a block in which k counts persons."""
    assert prepared.persons is not None
    strata = None
    if len(block.strata) > 1:
        strata = group_per_record(block.strata, points.n_records)
    parameters = _method_parameters(plan, 1.0 / len(prepared.blocks))
    method = make_method(plan.method, plan.k, parameters, plan.seed)
    knows = plan.person_knowledge
    person_groups = group_for_k_persons(
        points,
        prepared.persons,
        method,
        knows,
        ctx,
        plan.polish,
        strata,
        share_of_table=prepared.share_of_table,
    )
    if method.info.traits.time_budget:
        tally.iterations += person_groups.steps
    return person_groups.partition


def _method_parameters(plan: ResolvedPlan, share: float) -> dict[str, Any]:
    """Return the method's parameters, with a part's share of a search's seconds."""
    info = methods.info(plan.method)
    budget = info.traits.time_budget
    if not budget or share == 1.0:
        return plan.parameters
    declared = next(each for each in info.parameters if each.name == budget)
    min_seconds = declared.low if isinstance(declared, Float) and declared.low else 0.0
    return {
        **plan.parameters,
        budget: max(min_seconds, share * plan.parameters[budget]),
    }


def groups_from_partition(
    plan: ResolvedPlan, prepared: PreparedTable, partition: Partition
) -> GroupedParts:
    """Return a given partition as `GroupedParts`; raise if the plan does not allow it.

    Raises
    ------
    ParameterError
        If it is no partition of the prepared records and of each stratum, the plan asks
        for blocks or households, or its method does not group whole records.
    InfeasibleError
        If a group has fewer than k records.
    """
    traits = methods.info(plan.method).traits
    whole = not plan.blocks and plan.household is None
    if not whole or traits.per_attribute or traits.probabilistic:
        raise ParameterError(
            "Earlier groups are groups of whole records, which {what} do not make: "
            "choose another method, and no blocks.",
            what=(Message("blocks") if plan.blocks else Message("households"))
            if not whole
            else plan.method,
        )
    _check_given_groups(plan, prepared, partition)
    return GroupedParts(GroupingResult(partition), None, (), (), None, (GIVEN,))


def _check_given_groups(
    plan: ResolvedPlan, prepared: PreparedTable, partition: Partition
) -> None:
    n_records = prepared.points.n_records
    if not isinstance(partition, Partition):
        raise ParameterError(
            "`regroup` returned an object of type {type}: let it return a Partition.",
            type=type(partition).__name__,
        )
    if partition.n_records != n_records:
        raise ParameterError(
            "The groups given have labels of {count:,} record, but {n_records:,} are "
            "to be grouped: give one label for each of prepared.points.rows.",
            "The groups given have labels of {count:,} records, but {n_records:,} are "
            "to be grouped: give one label for each of prepared.points.rows.",
            count=partition.n_records,
            n_records=n_records,
        )
    if partition.sizes.min() < plan.k:
        group = int(partition.sizes.argmin())
        raise small_group_error(group, int(partition.sizes[group]), plan.k)
    stratum = group_per_record(prepared.blocks[0].strata, n_records)
    first = np.empty(partition.n_groups, dtype=np.int64)
    first[partition.labels] = stratum
    crossing = np.flatnonzero(first[partition.labels] != stratum)
    if crossing.size:
        raise ParameterError(
            "Group {group} has records of several strata, or that lack different "
            "cells: divide it, or leave the strata out of the plan.",
            group=partition.labels[crossing[0]],
        )
