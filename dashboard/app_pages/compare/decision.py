"""Question on the Compare page: whether any groups can lose less than a given loss."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from engine.analysis.curves.loss_limit import decide_reachable_loss_per_k
from engine.core.errors import EngineError
from engine.pipeline.outcome import Outcome


def show_whether_groups_can_lose_less(outcomes: Sequence[Outcome]) -> None:
    """Show the input for a loss in per cent, and whether any groups can lose less.

    Parameters
    ----------
    outcomes : sequence of Outcome
        All that are known of this table.
    """
    st.number_input(
        _("Can groups lose less than ... %?"),
        0.0,
        100.0,
        step=0.5,
        format="%.4g",
        width=260,
        help=_(text.LESS_HELP),
        **session.bind_widget("asked_loss"),
    )
    limit = session.workspace().asked_loss
    if limit is None:
        return
    try:
        found = decide_reachable_loss_per_k(outcomes, limit)
    except EngineError as error:
        st.caption(escape_text(_(error.message)))
        return
    for one in found:
        st.markdown(escape_text(_(one.to_message)))
