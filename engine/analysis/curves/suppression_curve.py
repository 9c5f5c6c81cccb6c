"""Loss against the share of suppressed records, with lower bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError
from engine.core.message import NO_MESSAGE, Message
from engine.core.numerics.statistics import loss_percent
from engine.data.table import Table
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import ResolvedPlan, resolve_plan
from engine.pipeline.run import run

BUDGET_SHARES = (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05)
"""Budgets that are tried, as shares of the records."""


@dataclass(frozen=True)
class BudgetResult:
    """Loss, lower bound and number of suppressed records for one suppression budget.

    Attributes
    ----------
    share : float
        The budget: a share of the records.
    count : int
        Records that were left out.
    loss, bound : float
        What the others lose, and what no choice of as many records and no groups of
        the others can stay below; in per cent of what all records together vary.
    message : Message
        Why there is no result; then all figures but `share` are 0.
    cells : int
        Cells that were left out in place of records.
    used : float
        What of the budget was used: records, and cells as parts of records.
    persons : int
        People of whom records were left out, where k counts persons.
    """

    share: float
    count: int
    loss: float
    bound: float
    message: Message = NO_MESSAGE
    cells: int = 0
    used: float = 0.0
    persons: int = 0


def loss_per_suppression_budget(
    plan: Plan,
    table: Table,
    budget_shares: Sequence[float] = BUDGET_SHARES,
    ctx: RunContext = SILENT,
) -> tuple[BudgetResult, ...]:
    """Return a plan's loss, bound and suppressed records under each suppression budget.

    Parameters
    ----------
    plan : Plan
        All other choices.
    budget_shares : sequence of float
        Budgets, as shares of the records.

    Raises
    ------
    EngineError
        If there is no result without a budget.
    Cancelled
    """
    preparations = PreparationCache(table, max_entries=1)
    whole = resolve_plan(plan.replace(suppress=0.0), table)
    sst = preparations.get(whole).points.sst
    results = []
    for place, share in enumerate(budget_shares):
        budget_plan = resolve_plan(plan.replace(suppress=share, seeds=1), table)
        part = ctx.subcontext(
            place / len(budget_shares), (place + 1) / len(budget_shares)
        )
        results.append(_try_budget(budget_plan, share, sst, table, preparations, part))
    ctx.tick(1, 1, Message("Done"))
    return tuple(results)


def _try_budget(
    plan: ResolvedPlan,
    share: float,
    sst: float,
    table: Table,
    preparations: PreparationCache,
    ctx: RunContext,
) -> BudgetResult:
    try:
        outcome = run(plan, table, ctx, preparations)
    except InfeasibleError as error:
        if share == 0.0:
            raise
        return BudgetResult(share, 0, 0.0, 0.0, error.message)
    rest_sst = preparations.get(plan).points.sst  # losses are of the records that stay
    cells = sum(outcome.suppressed_cells.values())
    return BudgetResult(
        share,
        outcome.suppressed,
        loss_percent(outcome.information_loss / 100.0 * rest_sst, sst),
        loss_percent(outcome.bound.per_cent / 100.0 * rest_sst, sst),
        cells=cells,
        used=outcome.suppressed + cells / len(outcome.plan.quasi_identifiers),
        persons=outcome.suppressed_persons,
    )
