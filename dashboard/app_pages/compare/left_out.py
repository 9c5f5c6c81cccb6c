"""Loss against records left out, for the result that is selected."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.charts.left_out import left_out_lines
from dashboard.i18n import text_attacks
from dashboard.i18n.language import _
from dashboard.jobs import jobs
from dashboard.jobs.assessment import Assessment
from dashboard.results.facts import plan_label
from dashboard.state import session
from dashboard.state.memo import key_of
from dashboard.ui import components, run_panel
from engine.analysis.left_out import SHARES, LeftOut
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.cost import expected_seconds
from engine.pipeline.outcome import Outcome
from engine.pipeline.suppress import MOST

AT_ONCE = 30.0
"""Expected seconds up to which it begins when somebody looks."""


def show(outcome: Outcome, table: Table) -> None:
    """Show what leaving records out would save; folded, and worked out apart."""
    ws = session.workspace()
    view = jobs.view(ws.job)
    asked = None if view is None else view.asked
    mine = isinstance(asked, Assessment) and asked.left_out
    running = view is not None and view.busy
    place = st.expander(
        _("Loss against records left out"),
        key=session.key("left out"),
        on_change="rerun",
    )
    if not place.open and not (mine and running):
        return
    traits = methods.info(outcome.plan.method).traits
    with place:
        found = ws.left_out.get(key_of(table, outcome.plan))
        if found is not None:
            _chart(outcome, found, table)
        elif table.n_records > MOST or traits.probabilistic:
            st.info(_(text_attacks.NO_OUTLIERS), icon=":material/info:")
        elif running and not mine:
            st.caption(_(text_attacks.OUTLIERS_WAIT))
        elif running:
            run_panel.follow()
        elif mine and view is not None and view.state != "done":
            run_panel.show_end(view)
            _offer(outcome, table, at_once=False)
        else:
            seconds = len(SHARES) * expected_seconds(outcome.plan, table)
            _offer(outcome, table, at_once=seconds < AT_ONCE)


def _offer(outcome: Outcome, table: Table, at_once: bool) -> None:
    """Begin, or let somebody begin what takes its time."""
    if at_once or st.button(
        _("Leave records out step by step"),
        icon=":material/person_remove:",
        key=session.key("left out", "go"),
    ):
        asked = Assessment(left_out=True)
        session.update(job=jobs.measure(table, [outcome], asked))
        st.rerun()


def _chart(outcome: Outcome, found: Sequence[LeftOut], table: Table) -> None:
    there = [one for one in found if not one.message]
    shares = [100.0 * one.used / table.n_records for one in there]
    components.chart(
        "left-out",
        _("Loss against records left out"),
        _(text_attacks.OUTLIERS_SAVE),
        lambda: left_out_lines(
            shares, [one.loss for one in there], [one.bound for one in there]
        ),
        lambda: curve_table(there),
        _("Lines of loss and lower bound against the share of records left out"),
        aside=plan_label(outcome.plan),
    )
    for words in dict.fromkeys(_(one.message) for one in found if one.message):
        st.caption(words)


def curve_table(found: Sequence[LeftOut]) -> pd.DataFrame:
    """Return one line per budget."""
    cells: dict[str, list[int]] = {}
    if any(one.cells for one in found):
        cells = {_("Cells left out"): [one.cells for one in found]}
    return pd.DataFrame(
        {
            _("Records left out"): [one.count for one in found],
            **cells,
            _("Lost of all that varies (%)"): [one.loss for one in found],
            _("Lower bound (%)"): [one.bound for one in found],
        }
    )
