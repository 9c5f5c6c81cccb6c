"""Missing values in quasi-identifiers: how many, where, and what to do with them."""

from __future__ import annotations

import streamlit as st

from dashboard import state, text
from dashboard.inspection import Health


def settle_missing(health: Health) -> None:
    """Say where quasi-identifiers lack values, and offer what to do right there."""
    if not health.missing:
        return
    where = ", ".join(
        f"{name} ({count:,}, first in record {first:,})"
        for name, (count, first) in health.missing.items()
    )
    policy = state.workspace().missing
    sign = "check_circle" if policy in text.MISSING_NAMES else "help"
    noun = "record lacks" if health.affected == 1 else "records lack"
    with st.container(border=True):
        st.markdown(
            f":material/{sign}: **{health.affected:,} {noun} a value** in "
            f"quasi-identifiers: {where}."
        )
        st.segmented_control(
            "What should happen to these records?",
            list(text.MISSING_NAMES),
            format_func=lambda name: text.MISSING_NAMES[name],
            **state.bound(
                "missing",
                show=lambda name: name if name in text.MISSING_NAMES else None,
                read=lambda name: name or "refuse",
            ),
        )
        st.caption(text.MISSING_DONE.get(policy, text.MISSING_OPEN))
