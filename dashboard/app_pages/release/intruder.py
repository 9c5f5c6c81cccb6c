"""What an intruder can do with the file: figures beside guessing, once measured."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text_measures
from dashboard.i18n.language import _
from dashboard.results.scores import unmeasured, value_words
from dashboard.ui import measures as offered
from engine.data.table import Table
from engine.measures import measures
from engine.pipeline.outcome import Outcome

SHOWN = ("record-linkage", "prosecutor-risk", "uniqueness", "attribute-disclosure")
"""Measures told here, where they are known; Inspect has the others."""


def show(outcome: Outcome, table: Table) -> None:
    """Show what is known of the risk, and offer to measure the rest."""
    for name in SHOWN:
        score = outcome.scores.get(name)
        if score is None:
            continue
        info = measures.info(name)
        words = f"{_(info.title)}: **{value_words(info, score.value)}**"
        if score.baseline is not None:
            before = value_words(info, score.baseline)
            words += " " + _("(to compare with: {value})").format(value=before)
        st.markdown(words, help=f"{_(info.summary)} {_(info.baseline)}".strip())
    if unmeasured(outcome):
        offered.offer([outcome], table, aside=_(text_measures.UNMEASURED))
