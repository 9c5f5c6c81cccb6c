"""Parts of pages that more than one page shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import state, text
from dashboard.charts.theme import CONFIG, ROLE_COLOURS, fade
from dashboard.facts import Facts, basis, facts, plan_title
from engine.measures import measures
from engine.outcome import Outcome
from engine.table import Column, Role, Table

DRAWN = 6
"""Methods up to which all are drawn: as many as there are colours."""

PREVIEW = 200
"""Records shown of a table."""


def page_header(title: str, intro: str) -> DeltaGenerator:
    """Show a page's title and what it is for; return the place for the next step."""
    left, right = st.columns([4, 1], vertical_alignment="center", gap="large")
    left.header(title, anchor=False)
    left.markdown(intro)
    return right


def has_table(ws: state.Workspace) -> bool:
    """Return whether there is a table; where there is none, say where to get one."""
    if ws.table is None:
        st.info("There is no table yet.", icon=":material/table:")
        st.page_link("app_pages/data.py", label="Open one", icon=":material/table:")
    return ws.table is not None


def next_step(label: str, page: str, key: str) -> None:
    """Show the button that leads to the next page."""
    if st.button(
        label,
        key=key,
        type="primary",
        icon=":material/arrow_forward:",
        icon_position="right",
        width="stretch",
    ):
        st.switch_page(f"app_pages/{page}.py")


def chart(
    name: str,
    title: str,
    shows: str,
    draw: Callable[[], go.Figure],
    tabulate: Callable[[], pd.DataFrame],
    alt: str,
) -> None:
    """Show a figure with its title, what it shows, and the same as a table.

    Parameters
    ----------
    name : str
        Unique on the page.
    title, shows, alt : str
        `alt` is read out to people who do not see the figure.
    draw, tabulate : callable
        Only the one that is looked at is called.
    """
    with st.container(border=True, height="stretch"):
        with st.container(
            horizontal=True,
            horizontal_alignment="distribute",
            vertical_alignment="center",
        ):
            st.subheader(title, anchor=False, width="content")
            view = st.segmented_control(
                f"View of {title.lower()}",
                ["Chart", "Table"],
                default="Chart",
                required=True,
                key=state.key("view", name),
                label_visibility="collapsed",
                persist_state="session",
            )
        st.caption(shows)
        if view == "Table":
            frame = tabulate()
            st.dataframe(frame, hide_index=True, key=state.key("table", name))
            download_table(frame, name)
        else:
            st.plotly_chart(
                draw(), config=CONFIG, key=state.key("chart", name), alt=alt
            )


def download_table(frame: pd.DataFrame, name: str) -> None:
    """Offer a table of figures as CSV."""
    st.download_button(
        "Download as CSV",
        lambda: frame.to_csv(index=False).encode(),
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        key=state.key("download", name),
        on_click="ignore",
    )


def sentences(
    texts: Sequence[str], show: Callable[..., Any], icon: str, several: str
) -> None:
    """Show one sentence as it is, several as a list under a heading."""
    if len(texts) == 1:
        show(texts[0], icon=icon)
    elif texts:
        show("\n".join([several, "", *(f"- {one}" for one in texts)]), icon=icon)


def records(
    frame: pd.DataFrame, columns: Sequence[Column], key: str, height: int = 318
) -> None:
    """Show the first records, each column tinted in the colour of its role."""
    shown = frame.head(PREVIEW).reset_index(drop=True)
    shown.index += 1
    known = {column.name for column in columns}
    added = [str(name) for name in shown.columns if name not in known]
    present: dict[str, Column] = {}
    for column in columns:
        if column.name in shown.columns:
            # The two ends of an interval come right after it.
            ends = (f"{column.name}_from", f"{column.name}_to")
            names = [column.name, *(one for one in added if one.startswith(ends))]
            present |= dict.fromkeys(names, column)
    styled = shown[list(present)].style.apply(
        lambda values: [_tint(str(present[str(values.name)].role))] * len(values)
    )
    st.dataframe(
        styled,
        height=height,
        key=key,
        placeholder="",
        column_config={
            name: _column_config(column, shown[name])
            for name, column in present.items()
        },
    )


def _column_config(column: Column, values: pd.Series) -> Any:
    help_ = f"**{text.ROLE_NAMES[column.role]}**. {column.description}"
    if pd.api.types.is_float_dtype(values.dtype):
        return st.column_config.NumberColumn(help=help_, format="%.6g")
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        days = values.dropna()
        if (days == days.dt.normalize()).all():
            return st.column_config.DateColumn(help=help_, format="YYYY-MM-DD")
    return st.column_config.Column(help=help_)


def _tint(role: str) -> str:
    return f"background-color: {fade(ROLE_COLOURS[role], 0.16)}"


def table_badges(table: Table) -> None:
    """Say in a line how large a table is and what its columns are."""
    roles = [column.role for column in table.schema.columns]
    with st.container(horizontal=True, gap="small"):
        st.badge(
            f"{table.n_records:,} records", color="gray", icon=":material/table_rows:"
        )
        for role, name in text.ROLE_NAMES.items():
            count = roles.count(role)
            if count:
                plural = "s" if count > 1 and name.endswith("ifier") else ""
                st.badge(
                    f"{count} {name.lower() + plural}",
                    color=BADGE_COLOURS[str(role)],
                    help=text.ROLE_HELP[role],
                )


BADGE_COLOURS: dict[str, Any] = {
    "identifier": "red",
    "quasi-identifier": "yellow",
    "confidential": "violet",
    "other": "green",
    "weight": "blue",
}
"""Streamlit's names for ARX's colours."""


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


def beside(outcome: Outcome, table: Table) -> None:
    """Show the same records before and after protection, side by side."""
    # What was changed comes first, so that it is seen side by side.
    order = list(text.ROLE_NAMES)
    order.sort(key=lambda role: role is not Role.QUASI_IDENTIFIER)
    columns = sorted(table.schema.columns, key=lambda one: order.index(one.role))
    left, right = st.columns(2)
    with left:
        st.caption("Original")
        before = table.frame.iloc[outcome.release.rows[:PREVIEW]]
        records(before, columns, state.key("original"))
    with right:
        st.caption("Protected")
        records(outcome.release.frame, columns, state.key("protected"))


def ticked(lines: Sequence[tuple[str, str]]) -> None:
    """Show what was done, each line with its sign."""
    signs = {
        "done": ":green[:material/check_circle:]",
        "info": ":blue[:material/info:]",
        "look": ":orange[:material/visibility:]",
    }
    for sign, sentence in lines:
        st.markdown(f"{signs[sign]} {sentence}")
