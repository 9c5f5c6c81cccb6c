"""p-sensitive and t-close groups, and what they cost.

Groups of at least k records hide who is who, but not what all of a group have in
common. Merging keeps k; the cheapest merge that helps comes first.
"""

from __future__ import annotations

from dataclasses import replace

from engine.core.context import RunContext
from engine.core.message import Message, all_of
from engine.core.statistics import per_cent
from engine.core.typing import Integers
from engine.data.table import Table
from engine.measures.confidential import coded
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
    """Return groups that are p-sensitive and t-close, and what that has cost.

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
    wanted = wanted_by(plan, table, prepared.points.rows)
    strata = prepared.blocks[0].strata
    before = grouped.partition
    after = merged_until(wanted, prepared.points, before, strata, ctx)
    asked = []
    if plan.p_sensitive > 1:
        asked.append(Message("p = {p}", p=plan.p_sensitive))
    if plan.t_close > 0.0:
        asked.append(Message("t = {t:g}", t=plan.t_close))
    merges = before.n_groups - after.n_groups
    what = all_of(asked)
    if merges == 0:
        none = Message(
            "All groups had {what} as they were; none was merged.", what=what
        )
        return grouped, (none.about("merged"),)
    low, high = (_loss(prepared.points, found.labels) for found in (before, after))
    cost = Message(
        "For {what}, {before:,} groups were merged into {after:,}: the information "
        "loss of their means rose from {low:.2f} % to {high:.2f} %.",
        what=what,
        before=before.n_groups,
        after=after.n_groups,
        low=low,
        high=high,
    )
    return replace(grouped, partition=after), (cost.about("merged"),)


def wanted_by(plan: ResolvedPlan, table: Table, rows: Integers) -> Wanted:
    """Return what a plan wants of groups of these rows of a table."""
    secrets = []
    for name in plan.confidential:
        codes, ordered = coded(table.frame[name].iloc[rows], table.schema[name])
        secrets.append(Secret(name, codes, Reference.of(codes, ordered)))
    return Wanted(max(plan.p_sensitive, 1), plan.t_close, tuple(secrets))


def _loss(points: Points, labels: Integers) -> float:
    """Return IL of the groups' means in per cent."""
    return per_cent(points.total_squares(labels), points.sst)
