"""Parts of the results overview: recommendation, warnings, methods, table and loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.app_pages.compare import tables
from dashboard.charts.inputs import ResultFigures
from dashboard.charts.theme import MAX_DRAWN_METHODS
from dashboard.i18n import text, text_attacks
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.results.figures import loss_basis, plan_label, plan_title
from dashboard.results.scores import measure_title_with_unit
from dashboard.state import session
from dashboard.ui.browser_components.components import (
    show_sentence_or_list,
    show_table_download,
)
from dashboard.ui.header import learn_links
from dashboard.ui.headings import show_table_with_tooltips
from dashboard.ui.runs import selection
from engine.analysis.curves.loss_limit import decide_reachable_loss_per_k
from engine.core.errors import EngineError
from engine.core.message import Topic
from engine.measures import measures
from engine.pipeline.outcome import Outcome


def show_recommendation(
    outcomes: Sequence[Outcome], is_unfinished: bool = False
) -> None:
    """Show which result is recommended and why, and a bar to select one of the results.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Results that are there.
    is_unfinished : bool
        Whether more are to come.
    """
    if not outcomes and not is_unfinished:
        return
    words = _("The first results come here.")
    if outcomes:
        words = selection.recommendation_text(outcomes)
    if improving := _improving_text(outcomes):
        words += f"  \n:material/hourglass_top: {improving}"
    if len(outcomes) > 1 or is_unfinished:  # below the first one: nothing moves then
        words += f"  \n:gray[:small[{_(text_attacks.MANY)}]]"
    with st.container(
        horizontal=True, vertical_alignment="top", key=session.widget_key("answer")
    ):
        # A number and its sign stay in one line.
        st.markdown(words.replace(" %", "\u00a0%"), help=_(text.LOWER))
        # What a better result will replace leads nowhere yet.
        if finished := session.requested_outcomes(session.workspace()):
            selection.show_selection_bar(finished)


def results_table_tooltip(outcome: Outcome) -> str:
    """Return the results table's tooltip: its contents, and how losses are measured."""
    measured = _("Measured {basis}.").format(basis=loss_basis(outcome))
    how = _("Click a heading to sort, a row to select.")
    return " ".join([_(text.TABLE_SHOW), _(text.LOWER), measured, how])


def warn_of_results_without_verified_k(outcomes: Sequence[Outcome]) -> None:
    """Warn of results without verified k, if any, by title and values of k."""
    alike: dict[tuple[str, str], list[int]] = {}
    for outcome in outcomes:
        if not outcome.k_verified:
            title_and_weakness = plan_title(outcome.plan), _weakness_text(outcome)
            alike.setdefault(title_and_weakness, []).append(outcome.plan.k)
    weak = [
        f"{title}, k = {', '.join(map(str, sorted(sizes)))}: {words}"
        for (title, words), sizes in alike.items()
    ]
    if len(weak) == 1:
        weak = [f"{_(text.WEAK)} {weak[0]}"]
    show_sentence_or_list(weak, st.warning, ":material/gpp_maybe:", _(text.WEAK))


def show_merging_costs(outcome: Outcome | None) -> None:
    """Show a result's messages on merging groups for diversity or k-map limits."""
    if outcome is not None:
        sentences = [
            escape_text(_(warning))
            for warning in outcome.warnings
            if warning.topic is Topic.MERGED
        ]
        if sentences:
            st.caption(f"{plan_label(outcome.plan)}: {' '.join(sentences)}")


def _weakness_text(outcome: Outcome) -> str:
    drawn = outcome.probabilistic
    if drawn is None:
        return _("the release has k = {k}.").format(k=outcome.k_released)
    return f"{_(drawn.kind_message)}. {_(drawn.sizes_message)}"


def ask_methods_to_draw(results: Sequence[ResultFigures]) -> list[str]:
    """Return the titles of the methods to draw; ask for them if there are many."""
    by_loss = sorted(results, key=lambda row: (not row.keeps_k, row.k, row.loss))
    titles = list(dict.fromkeys(row.title for row in by_loss))
    if len(titles) <= MAX_DRAWN_METHODS:
        return titles
    chosen = st.pills(
        _("Methods drawn, of {count}: those that lose least come first").format(
            count=len(titles)
        ),
        titles,
        selection_mode="multi",
        default=titles[:MAX_DRAWN_METHODS],
        # While results arrive the best six change; for one set of methods they stay.
        key=session.widget_key("drawn", *sorted(titles)),
        persist_state="session",
        help=_("The table at the end has all of them."),
    )
    return chosen or titles[:1]


def show_method_links(results: Sequence[ResultFigures]) -> None:
    """Show, for each method of the results, a link to its description."""
    names = dict.fromkeys(row.method.partition(",")[0] for row in results)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for name in names:
            learn_links.show_link_to_method(name)


ROW_HEIGHT_PX, MAX_UNSCROLLED_ROWS = 28, 12
"""Pixels of a line of the table, and lines that are shown without scrolling."""

RISK_MEASURE = "record-linkage"
"""The measure of risk that has a bar, where it is known."""


def _bar_maximum(column: pd.Series) -> float:
    """Return where a column's bars end."""
    values = column.dropna()
    return max(float(values.max()), 1e-9) if len(values) else 1.0


def _bar_columns() -> dict[str, str]:
    """Return which columns are bars, and how their figures are written."""
    return {
        _("IL (%)"): "%.2f",
        _("Avoidable at most (%)"): "%.1f",
        measure_title_with_unit(measures.info(RISK_MEASURE)): "%.1f",
        _("Seconds"): "%.3f",
    }


def _column_formats(frame: pd.DataFrame) -> dict[str, Any]:
    """Return how each column of the table is shown."""
    number = st.column_config.NumberColumn
    on_request = {
        measure_title_with_unit(info): number(format="%.4g")
        for info in measures.infos()
        if info.on_demand
    }
    return {
        **on_request,
        **{
            title: st.column_config.ProgressColumn(
                format=form, min_value=0.0, max_value=_bar_maximum(frame[title])
            )
            for title, form in _bar_columns().items()
            if title in frame
        },
        _("Lower bound (%)"): number(format="%.2f"),
        _("Bound"): st.column_config.TextColumn(width=110),
        _("IL, mean of seeds (%)"): number(format="%.2f"),
        _("IL, deviation (%)"): number(format="%.2f"),
        _("NCP (%)"): number(format="%.2f"),
        _("Mean size"): number(format="%.2f"),
        _("Expected size"): number(format="%.2f"),
        _("Below k (%)"): number(format="%.1f"),
        "C_avg": number(format="%.2f"),
        "DM": number(format="localized"),
    }


def show_selectable_results_table(
    results: Sequence[ResultFigures], extra_scores: Mapping[str, Mapping[str, float]]
) -> None:
    """Show results in a sortable table to select one, with method links and a download.

    Parameters
    ----------
    results : sequence of ResultFigures
    extra_scores : mapping of str to mapping of str to float
        More columns by title: figures by the rows' keys.
    """
    frame = tables.all_results_table(results, extra_scores)
    first = [_("Method"), "k", *(title for title in _bar_columns() if title in frame)]
    frame = frame[[*first, *(title for title in frame if title not in first)]]
    keys = [row.key for row in tables.sort_for_results_table(results)]
    widget = session.widget_key("table", "comparison")
    chosen = session.workspace().chosen
    digest = "" if chosen is None else chosen.digest()
    marked = [at for at, key in enumerate(keys) if key == digest]
    session.select_table_rows(widget, marked)
    show_table_with_tooltips(
        frame,
        widget,
        on_select=lambda: selection.select_table_row(
            keys, marked, st.session_state[widget]
        ),
        selection_mode="single-row",
        # Paper does not scroll: all lines, with its heading's.
        row_height=ROW_HEIGHT_PX,
        height=ROW_HEIGHT_PX * (min(len(frame), MAX_UNSCROLLED_ROWS) + 1) + 3,
        alt=_("All figures of all results; select a row to select a result"),
        column_config=_column_formats(frame),
    )
    show_method_links(results)
    show_table_download(frame, "comparison")


def _improving_text(outcomes: Sequence[Outcome]) -> str:
    """Return which results better ones will replace; empty where none will be."""
    names = [
        plan_label(outcome.plan)
        for outcome in outcomes
        if any(warning.topic is Topic.IMPROVING for warning in outcome.warnings)
    ]
    if not names:
        return ""
    return _("Still improving: {results}").format(results=", ".join(names))


def show_whether_groups_can_lose_less(outcomes: Sequence[Outcome]) -> None:
    """Show an input for a loss limit (%) and, per k, whether any groups can lose less.

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
        help=_(
            "Answered from the results so far and the proven lower bound: yes, no, or "
            "open where neither tells."
        ),
        **session.bind_widget("asked_loss"),
    )
    limit = session.workspace().asked_loss
    if limit is None:
        return
    try:
        answers = decide_reachable_loss_per_k(outcomes, limit)
    except EngineError as error:
        st.caption(escape_text(_(error.message)))
        return
    for answer in answers:
        st.markdown(escape_text(_(answer.to_message)))
