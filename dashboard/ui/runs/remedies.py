"""Buttons with choices to lower a result's risk, and the next larger or smaller k."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard.i18n import text_attacks
from dashboard.i18n.language import _
from dashboard.state import session
from engine.pipeline.outcome import Outcome

COMMON_SIZES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50)
"""Values of k that people choose."""

DEFAULT_SUPPRESSION_SHARE = 0.01
"""Share of the records that are left out where nobody has said how many."""


def next_larger_k(outcome: Outcome) -> int | None:
    """Return the next larger common k, at most half the persons or records, or None."""
    max_k = (outcome.n_persons or outcome.partition.n_records) // 2
    return next((k for k in COMMON_SIZES if outcome.plan.k < k <= max_k), None)


def next_smaller_k(outcome: Outcome) -> int | None:
    """Return the next smaller common k, or None."""
    return max((k for k in COMMON_SIZES if k < outcome.plan.k), default=None)


def show_risk_remedies(outcome: Outcome) -> None:
    """Show buttons that change a choice, or lead to one, to reduce a result's risk."""
    plan, k = outcome.plan, next_larger_k(outcome)
    st.markdown(f"**{_(text_attacks.MENDS)}**")
    with st.container(horizontal=True, gap="small"):
        if k is not None:
            _remedy_button(
                _("A larger k: {k}").format(k=k),
                ":material/groups:",
                text_attacks.LARGER_HELP,
                "larger",
                {"sizes": tuple(sorted({*session.workspace().sizes, k})), "focus": k},
            )
        if plan.suppress == 0.0 and outcome.partition.n_records >= 100:
            _remedy_button(
                _("Leave out {share} % of the records").format(
                    share=f"{100 * DEFAULT_SUPPRESSION_SHARE:g}"
                ),
                ":material/person_remove:",
                text_attacks.OUTLIERS_HELP,
                "outliers",
                {"suppress": DEFAULT_SUPPRESSION_SHARE},
            )
        if plan.blocks:
            _remedy_button(
                _("One block"),
                ":material/join:",
                text_attacks.TOGETHER_HELP,
                "together",
                {"blocks": ()},
            )
        if st.button(
            _("Leave columns out"),
            icon=":material/view_column:",
            help=_(text_attacks.ROLES_HELP),
            key=session.widget_key("mend", "columns"),
        ):
            st.switch_page("app_pages/data/view.py")


def _remedy_button(
    label: str, icon: str, help_: str, name: str, changes: dict[str, Any]
) -> None:
    if st.button(label, icon=icon, help=_(help_), key=session.widget_key("mend", name)):
        session.update_workspace(**changes, chosen=None)
        st.switch_page("app_pages/compare/view.py")
