"""Loss against suppressed records for one result: chart and table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.charts.comparisons.suppression import draw_loss_by_suppression
from dashboard.i18n import text_attacks
from dashboard.i18n.language import _
from dashboard.jobs import jobs
from dashboard.jobs.assessment import AssessmentRequest
from dashboard.results.figures import plan_label
from dashboard.state import session
from dashboard.state.caches.memo import memo_key
from dashboard.ui.browser_components import components
from dashboard.ui.runs import run_panel
from engine.analysis.curves.suppression_curve import BUDGET_SHARES, BudgetResult
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.grouping.suppress import MAX_PRICED_RECORDS
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.cost import expected_seconds

MAX_AUTOSTART_SECONDS = 30.0
"""Expected seconds up to which it begins when somebody looks."""


def show_loss_by_suppression(outcome: Outcome, table: Table) -> None:
    """Show a folded chart of loss against suppressed records, or start or offer it."""
    ws = session.workspace()
    view = jobs.view_job(ws.job)
    request = None if view is None else view.asked
    is_suppression = isinstance(request, AssessmentRequest) and request.left_out
    running = view is not None and view.is_busy
    place = st.expander(
        _("Loss against records left out"),
        key=session.widget_key("left out"),
        on_change="rerun",
    )
    if not place.open and not (is_suppression and running):
        return
    traits = methods.info(outcome.plan.method).traits
    with place:
        budget_results = ws.left_out.get(memo_key(table, outcome.plan))
        if budget_results is not None:
            _draw_chart(outcome, budget_results, table)
        elif table.n_records > MAX_PRICED_RECORDS or traits.probabilistic:
            st.info(_(text_attacks.NO_OUTLIERS), icon=":material/info:")
        elif running and not is_suppression:
            st.caption(_("This is worked out once the run in progress has ended."))
        elif running:
            run_panel.show_run_progress()
        elif is_suppression and view is not None and view.state != "done":
            run_panel.show_run_end(view)
            _offer(outcome, table, at_once=False)
        else:
            seconds = len(BUDGET_SHARES) * expected_seconds(outcome.plan, table)
            _offer(outcome, table, at_once=seconds < MAX_AUTOSTART_SECONDS)


def _offer(outcome: Outcome, table: Table, at_once: bool) -> None:
    """Begin, or let somebody begin what takes its time."""
    if at_once or st.button(
        _("Leave records out step by step"),
        icon=":material/person_remove:",
        key=session.widget_key("left out", "go"),
    ):
        request = AssessmentRequest(left_out=True)
        session.update_workspace(job=jobs.start_assessment(table, [outcome], request))
        st.rerun()


def _draw_chart(
    outcome: Outcome, results: Sequence[BudgetResult], table: Table
) -> None:
    rows = [row for row in results if not row.message]
    shares = [100.0 * row.used / table.n_records for row in rows]
    components.show_chart(
        "left-out",
        _("Loss against records left out"),
        _(
            "What is lost, and what no groups can lose less than, in per cent of what "
            "all records vary, where up to 5 % of them are left out. Each point is a "
            "run of its own."
        ),
        lambda: draw_loss_by_suppression(
            shares, [row.loss for row in rows], [row.bound for row in rows]
        ),
        lambda: suppression_table(rows),
        _("Lines of loss and lower bound against the share of records left out"),
        subtitle=plan_label(outcome.plan),
    )
    for words in dict.fromkeys(_(row.message) for row in results if row.message):
        st.caption(words)


def suppression_table(budget_results: Sequence[BudgetResult]) -> pd.DataFrame:
    """Return a table with a line per suppression budget: records, loss and bound."""
    cells: dict[str, list[int]] = {}
    if any(row.cells for row in budget_results):
        cells = {_("Cells left out"): [row.cells for row in budget_results]}
    if any(row.persons for row in budget_results):
        cells[_("Of people")] = [row.persons for row in budget_results]
    return pd.DataFrame(
        {
            _("Records left out"): [row.count for row in budget_results],
            **cells,
            _("Lost of all that varies (%)"): [row.loss for row in budget_results],
            _("Lower bound (%)"): [row.bound for row in budget_results],
        }
    )
