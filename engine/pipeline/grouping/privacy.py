"""Enforce p-sensitive, l-diverse, t-close and k-map groups, and report the cost.

Groups of at least k records hide who is who, but not what all of a group have in
common, nor how few people there are like them. Merging keeps k; the cheapest merge
that helps comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message, Topic, join_with_and
from engine.core.numerics.statistics import loss_percent
from engine.core.partition import Partition
from engine.core.typing import Integers
from engine.data.persons import person_weights
from engine.data.table import Table
from engine.measures.confidential import encode_values
from engine.measures.privacy.t_closeness import TableDistribution
from engine.measures.reidentification.population import population_weights
from engine.pipeline.grouping.merge import (
    ConfidentialAttribute,
    Requirements,
    merge_until_requirements_met,
)
from engine.pipeline.grouping.prepare import PreparedTable
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.protection.aggregate import GroupingResult
from engine.points.base import Points


def enforce_privacy(
    plan: ResolvedPlan,
    table: Table,
    prepared: PreparedTable,
    grouped: GroupingResult,
    ctx: RunContext,
) -> tuple[GroupingResult, tuple[Message, ...]]:
    """Return groups that meet a plan's privacy requirements, and messages on the cost.

    Parameters
    ----------
    prepared : PreparedTable
    grouped : GroupingResult
        What the method gave.

    Raises
    ------
    InfeasibleError
        If all records of a stratum in one group would not do.
    """
    if not plan.enforces_privacy:
        return grouped, ()
    requirements = requirements_of_plan(plan, table, prepared.points, prepared.persons)
    strata = prepared.blocks[0].strata
    before = grouped.partition
    after = _merge(requirements, prepared.points, before, strata, ctx)
    limits = []
    if plan.p_sensitive > 1:
        limits.append(Message("p = {p}", p=plan.p_sensitive))
    if plan.t_close > 0.0:
        limits.append(Message("t = {t:g}", t=plan.t_close))
    if plan.entropy_l > 1.0:
        limits.append(Message("entropy l = {l:g}", l=plan.entropy_l))
    if plan.recursive_c > 0.0:
        limits.append(
            Message(
                "recursive c = {c:g}, l = {l}", c=plan.recursive_c, l=plan.recursive_l
            )
        )
    if plan.k_map > 0:
        limits.append(Message("k-map = {people:,} people", people=plan.k_map))
    merges = before.n_groups - after.n_groups
    what = join_with_and(limits)
    if merges == 0:
        none = Message(
            "All groups had {what} as they were; none was merged.", what=what
        )
        return grouped, (none.with_topic(Topic.MERGED),)
    low, high = (_information_loss(prepared.points, one) for one in (before, after))
    each: tuple[Message, ...] = ()
    if len(limits) > 1:
        each = tuple(
            _price(one, words, prepared, before, strata, ctx)
            for one, words in zip(
                _single_requirements(requirements), limits, strict=True
            )
        )
    cost = Message(
        "For {what}, {before:,} groups were merged into {after:,}: the information "
        "loss of their means rose from {low:.2f} % to {high:.2f} %.",
        what=what,
        before=before.n_groups,
        after=after.n_groups,
        low=low,
        high=high,
    )
    return replace(grouped, partition=after), (cost.with_topic(Topic.MERGED), *each)


def _merge(
    requirements: Requirements,
    points: Points,
    before: Partition,
    strata: Sequence[Integers],
    ctx: RunContext,
) -> Partition:
    """Return groups merged until they meet the requirements, with their classes.

    Classes of persons whose groups were merged become one.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    after = merge_until_requirements_met(requirements, points, before, strata, ctx)
    if before.attributes is None:
        return after
    rows = [after.labels] * len(before.attributes)
    for j, classes in enumerate(before.attributes):
        if np.array_equal(classes, before.labels):
            continue
        n_groups, n_classes = after.n_groups, int(classes.max()) + 1
        ties = coo_array(
            (np.ones(classes.size), (after.labels, n_groups + classes)),
            shape=(n_groups + n_classes,) * 2,
        )
        joined = connected_components(ties, directed=False)[1][n_groups:]
        rows[j] = np.unique(joined[classes], return_inverse=True)[1]
    return replace(after, attributes=np.stack(rows).astype(np.int64))


def _single_requirements(requirements: Requirements) -> Iterator[Requirements]:
    """Yield the requirements one by one, in the order in which they are reported."""
    none = replace(
        requirements, p=1, t=0.0, entropy_l=0.0, recursive_c=0.0, k_map=0.0, people=None
    )
    if requirements.p > 1:
        yield replace(none, p=requirements.p)
    if requirements.t > 0.0:
        yield replace(none, t=requirements.t)
    if requirements.entropy_l > 1.0:
        yield replace(none, entropy_l=requirements.entropy_l)
    if requirements.recursive_c > 0.0:
        yield replace(none, recursive_c=requirements.recursive_c)
    if requirements.people is not None:
        yield replace(none, k_map=requirements.k_map, people=requirements.people)


def _price(
    requirements: Requirements,
    words: Message,
    prepared: PreparedTable,
    before: Partition,
    strata: Sequence[Integers],
    ctx: RunContext,
) -> Message:
    """Return a message on what one requirement alone would have cost."""
    after = _merge(requirements, prepared.points, before, strata, ctx)
    low, high = (
        _information_loss(prepared.points, partition) for partition in (before, after)
    )
    return Message(
        "{what} alone would cost {cost:.2f} percentage points.",
        what=words,
        cost=high - low,
    ).with_topic(Topic.MERGED)


def requirements_of_plan(
    plan: ResolvedPlan, table: Table, points: Points, persons: Integers | None = None
) -> Requirements:
    """Return the one `Requirements` that a plan sets on groups of prepared records."""
    rows, people, secrets, weights = points.rows, None, [], None
    if persons is not None:
        weights = person_weights(np.zeros_like(persons), persons)
    if plan.k_map > 0:
        people = population_weights(
            points.weights, points.n_records, plan.sampling_fraction
        )
    for name in plan.confidential:
        codes, ordered = encode_values(table.frame[name].iloc[rows], table.schema[name])
        secrets.append(
            ConfidentialAttribute(
                name, codes, TableDistribution.from_codes(codes, ordered, weights)
            )
        )
    return Requirements(
        max(plan.p_sensitive, 1),
        plan.t_close,
        tuple(secrets),
        plan.entropy_l,
        plan.recursive_c,
        plan.recursive_l,
        float(plan.k_map),
        people,
        persons,
    )


def _information_loss(points: Points, partition: Partition) -> float:
    """Return IL of the means of groups, or of classes, in per cent."""
    rows = partition.attributes
    if rows is None:
        return loss_percent(points.sse(partition.labels), points.sst)
    parts = [points.attribute_sse(j, labels) for j, labels in enumerate(rows)]
    return loss_percent(float(points.space.weights @ np.array(parts)), points.sst)
