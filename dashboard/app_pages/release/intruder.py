"""Verdicts of attacks on the release, or else its risk measures, on its page."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text_attacks, text_measures
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.results.scores import measures_without_score, score_text
from dashboard.state import session
from dashboard.state.results.attack_results import latest_attacks_and_knowledge
from dashboard.ui import measures as offered
from engine.analysis.attacks import attacks
from engine.data.table import Table
from engine.measures import measures
from engine.pipeline.outcome import Outcome

SHOWN_MEASURES = (
    "record-linkage",
    "prosecutor-risk",
    "uniqueness",
    "attribute-disclosure",
)
"""Measures told here, where they are known; Inspect has the others."""


def show_attack_verdicts_or_risks(outcome: Outcome, table: Table) -> None:
    """Show the verdicts of attacks run before, else risk measures; link to attacks."""
    known = latest_attacks_and_knowledge(session.workspace(), outcome, table)
    if known is not None:
        for one in sorted(known[0], key=lambda each: -each.gain):
            if one.attempts:
                verdict = _(text_attacks.VERDICTS[one.grade])
                does = escape_text(_(attacks.info(one.attack).does))
                st.markdown(
                    f"{does}: **{verdict}**", help=escape_text(_(one.verdict_text))
                )
    else:
        _show_measured(outcome, table)
    label = _("How this was tried") if known else _("Try attacks on it")
    if st.button(label, icon=":material/target:", key=session.widget_key("to attacks")):
        session.update_workspace(part="Attack", chosen=outcome.plan)
        st.switch_page("app_pages/inspect/view.py")


def _show_measured(outcome: Outcome, table: Table) -> None:
    for name in SHOWN_MEASURES:
        score = outcome.scores.get(name)
        if score is None:
            continue
        info = measures.info(name)
        words = f"{_(info.title)}: **{score_text(info, score.value)}**"
        if score.baseline is not None:
            before = score_text(info, score.baseline)
            words += " " + _("(to compare with: {value})").format(value=before)
        st.markdown(words, help=f"{_(info.summary)} {_(info.baseline)}".strip())
    if measures_without_score(outcome):
        words = _(text_measures.UNMEASURED)
        offered.offer_measuring([outcome], table, caption=words, is_next_step=False)
