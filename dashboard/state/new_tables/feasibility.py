"""Check before a run whether a stratum or missing pattern is too small for k."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.state.workspace import Workspace, resolve_plans
from engine.core.errors import EngineError, InfeasibleError
from engine.core.message import NO_MESSAGE, Message
from engine.data.table import Table
from engine.pipeline.grouping.feasibility import check_feasibility
from engine.pipeline.grouping.prepare import preparation_key

_REFUSAL_CACHE: WeakKeyDictionary[Table, dict[str, Message]] = WeakKeyDictionary()
"""Why plans cannot be carried out, by what their groups depend on."""


def reason_for_infeasible_k(ws: Workspace, k: int, has_missing_values: bool) -> str:
    """Return why strata, gaps or persons rule out k; empty text if none is known to.

    Empty as well where another obstacle, said elsewhere, comes first.

    Parameters
    ----------
    ws : Workspace
    k : int
        One of those chosen.
    has_missing_values : bool
        Whether any quasi-identifier lacks values.
    """
    try:
        plan = next((plan for plan in resolve_plans(ws) if plan.k == k), None)
    except EngineError:  # said as an obstacle of its own
        return ""
    if ws.table is None or plan is None:
        return ""
    if not (has_missing_values or plan.strata or plan.person_columns):
        return ""
    key = f"{preparation_key(plan)} {k} {plan.intruder_knows}"
    reasons = _REFUSAL_CACHE.setdefault(ws.table, {})
    if key not in reasons:
        reasons[key] = NO_MESSAGE
        try:
            check_feasibility(plan, ws.table, has_missing_values)
        except InfeasibleError as error:
            reasons[key] = error.message
        except EngineError:  # said where the choice is made
            pass
    return escape_text(_(reasons[key])) if reasons[key] != NO_MESSAGE else ""
