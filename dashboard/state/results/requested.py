"""Results of a workspace for what is requested, selected or attacked now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dashboard.state.caches.memo import memo_key
from dashboard.state.shared_choices import empty_mapping
from dashboard.state.workspace import Workspace
from engine.analysis.attacks import AttackResult, Knowledge
from engine.analysis.before_after import columns_with_few_values
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.compare import Failure, Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.recommend import recommend_outcome
from engine.pipeline.planning.resolve_plan import resolve_plan


def requested_results(ws: Workspace) -> Mapping[Plan, Result]:
    """Return a mapping from each requested plan that has a result to that result.

    In the order of :func:`resolve_plans`; what has not run, or ran on other data or
    choices, is left out.
    """
    try:
        plans_and_keys = ws.requested_plans
    except EngineError:
        return empty_mapping()
    return MappingProxyType(
        {plan: ws.memo[key] for plan, key in plans_and_keys if key in ws.memo}
    )


def results_for_plans(
    ws: Workspace, table: Table, plans_run: Sequence[Plan]
) -> Mapping[Plan, Result]:
    """Return a mapping from each given plan that has a result on a table to it.

    Raises
    ------
    EngineError
        One sentence, if a plan does not fit the table.
    """
    keys = {plan: memo_key(table, resolve_plan(plan, table)) for plan in plans_run}
    return MappingProxyType(
        {plan: ws.memo[key] for plan, key in keys.items() if key in ws.memo}
    )


def requested_outcomes(ws: Workspace) -> tuple[Outcome, ...]:
    """Return the results of the requested plans that are outcomes, not failures."""
    return tuple(
        result
        for result in requested_results(ws).values()
        if not isinstance(result, Failure)
    )


def selected_or_recommended_outcome(ws: Workspace) -> Outcome | None:
    """Return the selected plan's outcome, else the recommended or first, or None."""
    results = requested_results(ws)
    if ws.chosen is not None:
        result = results.get(ws.chosen)
        if isinstance(result, Outcome):
            return result
    outcomes = requested_outcomes(ws)
    best = recommend_outcome(outcomes, ws.max_loss)
    return next(iter(outcomes), None) if best is None else best.outcome


def tabulation_column_or_empty(ws: Workspace, outcome: Outcome, table: Table) -> str:
    """Return the chosen breakdown column if it has few values; else an empty text."""
    return (
        ws.tables_by if ws.tables_by in columns_with_few_values(outcome, table) else ""
    )


def latest_attacks_and_knowledge(
    ws: Workspace, outcome: Outcome, table: Table
) -> tuple[tuple[AttackResult, ...], Knowledge] | None:
    """Return an outcome's last attack results and the knowledge assumed, or None."""
    key = memo_key(table, outcome.plan)
    pairs = [
        (results, knowledge)
        for (attack_key, knowledge), results in ws.attacks.items()
        if attack_key == key
    ]
    return pairs[-1] if pairs else None
