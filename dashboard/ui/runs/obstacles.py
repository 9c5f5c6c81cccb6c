"""Obstacles to a run: problems and missing choices that prevent it."""

from __future__ import annotations

from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.state.new_tables.feasibility import reason_for_infeasible_k
from dashboard.state.workspace import Workspace
from dashboard.ui.table import table_health
from dashboard.ui.table.missing_values import cannot_keep_reason, columns_without_policy
from dashboard.ui.table.no_table import no_table_message
from engine.core.errors import EngineError


def run_obstacles(ws: Workspace) -> list[str]:
    """Return the first obstacles to starting a run, a sentence each; empty if none."""
    if ws.table is None:
        return [no_table_message(ws)]
    health = table_health.cached_table_health(ws.table)
    obstacles = list(health.problems)
    if columns_without_policy(ws, health):
        obstacles.append(
            _(
                "Some records lack a value in a quasi-identifier: say below what "
                "should happen to them."
            )
        )
    if cannot_keep_reason(ws, health):
        obstacles.append(
            _("Some gaps cannot be kept: say below what else should happen.")
        )
    if not ws.methods:
        obstacles.append(_("No method is chosen: tick at least one below."))
    if not ws.sizes:
        obstacles.append(_("No k is chosen: choose at least one below."))
    if not obstacles:
        try:
            session.resolve_plans(ws)
        except EngineError as error:
            obstacles.append(escape_text(_(error.message)))
    if not obstacles:
        reason = reason_for_infeasible_k(ws, min(ws.sizes), bool(health.missing))
        obstacles += [reason] if reason else []
    return obstacles
