"""p-sensitive, l-diverse, t-close and k-map groups, and what they cost.

Groups of at least k records hide who is who, but not what all of a group have in
common, nor how few people there are like them. Merging keeps k; the cheapest merge
that helps comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message, Topic, all_of
from engine.core.partition import Partition
from engine.core.statistics import per_cent
from engine.core.typing import Integers
from engine.data.persons import weigh_by_person
from engine.data.table import Table
from engine.measures.confidential import coded
from engine.measures.population import people_of
from engine.measures.privacy.t_closeness import Reference
from engine.pipeline.aggregate import Grouped
from engine.pipeline.merge import Secret, Wanted, merged_until
from engine.pipeline.prepare import Prepared
from engine.pipeline.resolved import ResolvedPlan
from engine.points.base import Points


def enforced(
    plan: ResolvedPlan,
    table: Table,
    prepared: Prepared,
    grouped: Grouped,
    ctx: RunContext,
) -> tuple[Grouped, tuple[Message, ...]]:
    """Return groups that are p-sensitive, l-diverse, t-close, k-map, and the cost.

    Parameters
    ----------
    plan : ResolvedPlan
    table : Table
    prepared : Prepared
    grouped : Grouped
        What the method gave.
    ctx : RunContext

    Returns
    -------
    grouped : Grouped
    warnings : tuple of Message

    Raises
    ------
    InfeasibleError
        If all records of a stratum in one group would not do.
    """
    if not plan.enforces:
        return grouped, ()
    wanted = wanted_by(plan, table, prepared.points, prepared.persons)
    strata = prepared.blocks[0].strata
    before = grouped.partition
    after = merged_until(wanted, prepared.points, before, strata, ctx)
    if before.attributes is not None:
        after = _with_classes(before, after)
    asked = []
    if plan.p_sensitive > 1:
        asked.append(Message("p = {p}", p=plan.p_sensitive))
    if plan.t_close > 0.0:
        asked.append(Message("t = {t:g}", t=plan.t_close))
    if plan.entropy_l > 1.0:
        asked.append(Message("entropy l = {l:g}", l=plan.entropy_l))
    if plan.recursive_c > 0.0:
        asked.append(
            Message(
                "recursive c = {c:g}, l = {l}", c=plan.recursive_c, l=plan.recursive_l
            )
        )
    if plan.k_map > 0:
        asked.append(Message("k-map = {people:,} people", people=plan.k_map))
    merges = before.n_groups - after.n_groups
    what = all_of(asked)
    if merges == 0:
        none = Message(
            "All groups had {what} as they were; none was merged.", what=what
        )
        return grouped, (none.about(Topic.MERGED),)
    low, high = (_loss(prepared.points, found.labels) for found in (before, after))
    each: tuple[Message, ...] = ()
    if len(asked) > 1:
        each = tuple(
            _price(one, words, prepared, before, strata, ctx)
            for one, words in zip(_apart(wanted), asked, strict=True)
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
    return replace(grouped, partition=after), (cost.about(Topic.MERGED), *each)


def _with_classes(before: Partition, after: Partition) -> Partition:
    """Return merged groups with the attributes that take the value of a class.

    Classes of persons whose groups were merged become one.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    assert before.attributes is not None
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
        rows[j] = np.unique(joined[classes], return_inverse=True)[1].reshape(-1)
    return replace(after, attributes=np.stack(rows).astype(np.int64))


def _apart(wanted: Wanted) -> Iterator[Wanted]:
    """Yield what is wanted one by one, in the order in which it is told."""
    none = replace(
        wanted, p=1, t=0.0, entropy_l=0.0, recursive_c=0.0, k_map=0.0, people=None
    )
    if wanted.p > 1:
        yield replace(none, p=wanted.p)
    if wanted.t > 0.0:
        yield replace(none, t=wanted.t)
    if wanted.entropy_l > 1.0:
        yield replace(none, entropy_l=wanted.entropy_l)
    if wanted.recursive_c > 0.0:
        yield replace(none, recursive_c=wanted.recursive_c)
    if wanted.people is not None:
        yield replace(none, k_map=wanted.k_map, people=wanted.people)


def _price(
    wanted: Wanted,
    words: Message,
    prepared: Prepared,
    before: Partition,
    strata: Sequence[Integers],
    ctx: RunContext,
) -> Message:
    """Return what one thing alone would have cost."""
    after = merged_until(wanted, prepared.points, before, strata, ctx)
    low, high = (_loss(prepared.points, found.labels) for found in (before, after))
    return Message(
        "{what} alone would cost {cost:.2f} percentage points.",
        what=words,
        cost=high - low,
    ).about(Topic.MERGED)


def wanted_by(
    plan: ResolvedPlan, table: Table, points: Points, persons: Integers | None = None
) -> Wanted:
    """Return what a plan wants of groups of a table's prepared records."""
    rows, people, secrets, once = points.rows, None, [], None
    if persons is not None:
        once = weigh_by_person(np.zeros_like(persons), persons)
    if plan.k_map > 0:
        people = people_of(points.weights, points.n_records, plan.sampling_fraction)
    for name in plan.confidential:
        codes, ordered = coded(table.frame[name].iloc[rows], table.schema[name])
        secrets.append(Secret(name, codes, Reference.of(codes, ordered, once)))
    return Wanted(
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


def _loss(points: Points, labels: Integers) -> float:
    """Return IL of the groups' means in per cent."""
    return per_cent(points.total_squares(labels), points.sst)
