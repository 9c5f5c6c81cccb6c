"""Parts of pages that show results: headlines, figures, which methods are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard import state, text
from dashboard.components import download_table, sentences
from dashboard.facts import Facts, basis, facts, plan_title
from dashboard.measured import titled
from engine.measures import measures
from engine.outcome import Outcome

DRAWN = 6
"""Methods up to which all are drawn: as many as there are colours."""


def headline(rows: Sequence[Facts]) -> None:
    """Say per k which result loses least, and how far it is from the bound."""
    sizes = sorted({row.k for row in rows})
    for column, k in zip(st.columns(max(4, len(sizes))), sizes, strict=False):
        of_k = sorted(
            (row for row in rows if row.k == k),
            key=lambda row: (not row.keeps_k, row.lost),
        )
        best = of_k[0]
        bounded = best.drawn is None
        if not best.has_numbers:
            column.metric(
                f"Least penalty for k = {k}",
                f"{best.penalty:.2f} %",
                delta=best.title,
                delta_color="off",
                delta_arrow="off",
                border=True,
                height="stretch",
                help=measured("certainty-penalty"),
            )
            continue
        column.metric(
            f"Least loss for k = {k}",
            f"{best.loss:.2f} %",
            delta=best.title,
            delta_color="off",
            delta_arrow="off",
            delta_description=(
                f"at most {best.gap:.0f} % avoidable" if bounded else "probabilistic"
            ),
            border=True,
            height="stretch",
            help=(
                f"No grouping can lose less than {best.bound:.2f} %, so at most "
                f"{best.gap:.0f} % of this loss is avoidable. {_others(of_k)}"
            )
            if bounded
            else f"{text.PROBABILISTIC} {_others(of_k)}",
        )


def weak_results(outcomes: Sequence[Outcome]) -> None:
    """Name the results that do not keep k: their losses buy less."""
    weak = [
        f"{plan_title(outcome.plan)}, k = {outcome.plan.k}: {_weakness(outcome)}"
        for outcome in outcomes
        if not outcome.k_verified
    ]
    sentences(weak, st.warning, ":material/gpp_maybe:", text.WEAK)


def _weakness(outcome: Outcome) -> str:
    drawn = outcome.probabilistic
    if drawn is None:
        return f"the release has k = {outcome.k_released}."
    return f"{drawn.words}. {drawn.sizes_in_words}"


def _others(rows: Sequence[Facts]) -> str:
    """Say how much more the other methods lose, where there are any."""
    more = max(row.lost for row in rows) - rows[0].lost
    if len(rows) == 1:
        return ""
    return f"The other methods lose up to {more:.2f} percentage points more."


def drawn_methods(rows: Sequence[Facts]) -> list[str]:
    """Return the methods to draw: all, or those chosen where they are many."""
    by_loss = sorted(rows, key=lambda row: (not row.keeps_k, row.k, row.lost))
    titles = list(dict.fromkeys(row.title for row in by_loss))
    if len(titles) <= DRAWN:
        return titles
    chosen = st.pills(
        f"Methods drawn, of {len(titles)}: those that lose least come first",
        titles,
        selection_mode="multi",
        default=titles[:DRAWN],
        # While results arrive the best six change; for one set of methods they stay.
        key=state.key("drawn", *sorted(titles)),
        persist_state="session",
        help="The table at the end has all of them.",
    )
    return chosen or titles[:1]


def middle_only(far: bool) -> bool:
    """Ask whether far records should be left out of view; return the answer."""
    if not far:
        return False
    return st.toggle(
        "Leave far records out of view",
        value=True,
        key=state.key("middle only"),
        help="A few far records would press all others together. Loss counts them all.",
        persist_state="session",
    )


def measured(name: str) -> str:
    """Return what a measure means, how it is worked out and which way is better."""
    info = measures.info(name)
    return f"{info.summary} {info.formula}. {info.direction.capitalize()}."


def figures(frame: pd.DataFrame, name: str) -> None:
    """Show a table of figures that sorts, and offer it as CSV."""
    number = st.column_config.NumberColumn
    on_request = {
        titled(info): number(format="%.4g", help=measured(info.id))
        for info in measures.infos()
        if info.on_demand
    }
    st.dataframe(
        frame,
        hide_index=True,
        key=state.key("table", name),
        column_config={
            "IL (%)": number(format="%.3f", help=text.IL_HELP),
            "Lower bound (%)": number(format="%.3f", help=text.BOUND_HELP),
            "Gap (%)": number(format="%.1f", help=text.GAP_HELP),
            "Bound": st.column_config.TextColumn(width=110, help=text.BOUND_HELP),
            "NCP (%)": number(format="%.3f", help=measured("certainty-penalty")),
            "Mean size": number(format="%.2f"),
            "Expected size": number(format="%.2f", help=text.PROBABILISTIC),
            "Below k (%)": number(format="%.1f", help=text.DRAWN_HELP),
            "C_avg": number(format="%.3f", help=measured("average-class-size")),
            "DM": number(format="localized", help=measured("discernibility")),
            "Seconds": number(format="%.3f"),
            "k as released": number(help=text.K_RELEASED_HELP),
            **on_request,
        },
    )
    download_table(frame, name)


def release_figures(outcome: Outcome) -> None:
    """Show a result's figures in a line."""
    row = facts(outcome)
    low, high = min(row.sizes), max(row.sizes)
    loss = f"{row.loss:.2f} %" if row.has_numbers else "no numbers"
    bound = f"{row.bound:.2f} %" if row.has_numbers else "no numbers"
    penalty = measured("certainty-penalty")
    shown = (
        ("Records", f"{row.n_records:,}", ""),
        ("Groups", f"{row.n_groups:,}", ""),
        ("Group size", f"{low}" if low == high else f"{low} to {high}", ""),
        ("Information loss", loss, text.IL_HELP),
        ("Lower bound", bound, text.BOUND_HELP)
        if row.drawn is None
        else (
            f"Below {row.k}",
            f"{100 * row.drawn.share_below:.1f} %",
            text.DRAWN_HELP,
        ),
        ("Certainty penalty", f"{row.penalty:.2f} %", penalty),
    )
    for column, (label, value, help_) in zip(st.columns(6), shown, strict=True):
        column.metric(label, value, help=help_ or None, border=True)
    measured_on = (
        f"Information loss is measured {basis(outcome)}."
        if row.has_numbers
        else text.NO_NUMBERS
    )
    st.caption(f"{text.LOWER} {measured_on}")
