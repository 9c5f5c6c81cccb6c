"""What would mend a risk: buttons that set a choice and lead to where it shows."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard.i18n import text_attacks
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui.work_ahead import LADDER
from engine.pipeline.outcome import Outcome

SHARE = 0.01
"""Records that are left out where nobody has said how many."""


def larger_k(outcome: Outcome) -> int | None:
    """Return the next larger k that people choose; None where there are too few."""
    most = outcome.partition.n_records // 2
    return next((k for k in LADDER if outcome.plan.k < k <= most), None)


def offer(outcome: Outcome) -> None:
    """Show what could be chosen instead."""
    plan, k = outcome.plan, larger_k(outcome)
    st.markdown(f"**{_(text_attacks.MENDS)}**")
    with st.container(horizontal=True, gap="small"):
        if k is not None:
            _choice(
                _("A larger k: {k}").format(k=k),
                ":material/groups:",
                text_attacks.LARGER_HELP,
                "larger",
                {"sizes": _with(session.workspace().sizes, k), "focus": k},
            )
        if plan.suppress == 0.0 and outcome.partition.n_records >= 100:
            _choice(
                _("Leave out {share} % of the records").format(
                    share=f"{100 * SHARE:g}"
                ),
                ":material/person_remove:",
                text_attacks.OUTLIERS_HELP,
                "outliers",
                {"suppress": SHARE},
            )
        if plan.blocks:
            _choice(
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
            key=session.key("mend", "columns"),
        ):
            st.switch_page("app_pages/data/view.py")


def _choice(
    label: str, icon: str, help_: str, name: str, changes: dict[str, Any]
) -> None:
    if st.button(label, icon=icon, help=_(help_), key=session.key("mend", name)):
        session.update(**changes, chosen=None)
        st.switch_page("app_pages/compare/view.py")


def _with(sizes: tuple[int, ...], k: int) -> tuple[int, ...]:
    return tuple(sorted({*sizes, k}))
