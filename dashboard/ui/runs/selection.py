"""Selection of results by clicks or in boxes, their links, and the recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.results import figures
from dashboard.state import session
from dashboard.ui.browser_components.chart_tools import ClickedPoint
from dashboard.ui.browser_components.component_values import cast_or_none, selected_row
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.runs import pinning
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.recommend import recommend_outcome


class ClickedNumberPair(NamedTuple):
    """Custom data of a clicked point: record and group, or least and greatest size."""

    first: int
    second: int


RECORD, GROUP = "record", "group"
"""What of a result can be pointed at."""


def toggle_clicked_result(clicked_point: ClickedPoint) -> None:
    """Select the clicked point's result; unselect it if only it was selected."""
    ws = session.workspace()
    plan = _clicked_plan(clicked_point)
    if plan is not None:
        is_selected = plan == ws.chosen and not ws.pointed
        session.update_workspace(chosen=None if is_selected else plan, pointed="")


def select_clicked_record(clicked_point: ClickedPoint) -> None:
    """Select a clicked point's result and its record, or its group at a centre."""
    plan = _clicked_plan(clicked_point)
    if plan is None:
        return
    ws = session.workspace()
    outcome = session.requested_results(ws).get(plan)
    rest = cast_or_none(clicked_point.get("rest"), ClickedNumberPair)
    if rest is None or not isinstance(outcome, Outcome):
        return
    row, group = rest
    n_records = 0 if ws.table is None else ws.table.n_records
    if not (0 <= row <= n_records and 1 <= group <= outcome.partition.n_groups):
        return
    groups = {**ws.groups, plan.digest(): group}
    if row:
        session.update_workspace(chosen=plan, pointed=RECORD, record=row, groups=groups)
    else:
        session.update_workspace(chosen=plan, pointed=GROUP, groups=groups)


def select_clicked_group_size(clicked_point: ClickedPoint) -> None:
    """Select a clicked bar's result, and its first group with a size in the bar."""
    plan = _clicked_plan(clicked_point)
    if plan is None:
        return
    outcome = session.requested_results(session.workspace()).get(plan)
    rest = cast_or_none(clicked_point.get("rest"), ClickedNumberPair)
    if rest is None or not isinstance(outcome, Outcome):
        return
    sizes = outcome.group_sizes
    positions = np.flatnonzero((sizes >= rest[0]) & (sizes <= rest[1]))
    if not positions.size:
        return
    groups = {**session.workspace().groups, plan.digest(): int(positions[0]) + 1}
    session.update_workspace(chosen=plan, pointed=GROUP, groups=groups)


def select_table_row(
    keys: Sequence[str], marked_rows: Sequence[int], table_state: Any
) -> None:
    """Select the result of a newly chosen table row, or unselect if none is chosen.

    Parameters
    ----------
    keys : sequence of str
        Of the results, row by row.
    marked_rows : sequence of int
        Rows that the page has marked. A browser tells of these as well, with whatever
        else has been done: nobody has clicked then.
    table_state : DataframeState
        What Streamlit says of the table.
    """
    rows = table_state.selection.rows
    if list(rows) != list(marked_rows):
        row = selected_row(rows, len(keys))
        plan = None if row is None else _clicked_plan({"key": keys[row]})
        session.update_workspace(chosen=plan, pointed="")


def _clicked_plan(picked: ClickedPoint) -> Plan | None:
    """Return the plan that was clicked; of a method, that with the k looked at."""
    ws = session.workspace()
    plans = [outcome.plan for outcome in session.requested_outcomes(ws)]
    if "method" in picked:
        plans = [plan for plan in plans if figures.plan_title(plan) == picked["method"]]
        k = 0 if ws.chosen is None else ws.chosen.k
        return min(plans, key=lambda plan: (plan.k != k, plan.k), default=None)
    return next((plan for plan in plans if plan.digest() == picked.get("key")), None)


def show_selection_bar(outcomes: Sequence[Outcome]) -> None:
    """Show a box to select one of the results, with links and buttons for the selected.

    Parameters
    ----------
    outcomes : sequence of Outcome
        All that can be selected.
    """
    results = {outcome.plan: outcome for outcome in outcomes}
    with make_row(
        horizontal_alignment="right", gap="small", key=session.widget_key("selection")
    ):
        plan = st.selectbox(
            _("Selected result"),
            results,
            format_func=lambda option: figures.result_label(results[option]),
            placeholder=_("Select a result here or in any chart"),
            label_visibility="collapsed",
            width=290,
            **session.bind_widget(
                "chosen", to_widget=lambda choice: choice if choice in results else None
            ),
        )
        if plan is not None:
            _show_links(results[plan])
        pinning.show_pinned_result_or_pair_button()


def _show_links(outcome: Outcome) -> None:
    """Show the buttons of the selected result, first those of what was clicked."""
    for part, label, icon in _inspect_links(outcome):
        if st.button(
            label, icon=icon, key=session.widget_key("look at", part), type="primary"
        ):
            row, group = clicked_row_and_group(outcome)
            set_inspected_result(outcome, part, row, group)
            st.switch_page("app_pages/inspect/view.py")
    if st.button(
        _("Inspect"), icon=":material/search:", key=session.widget_key("inspect")
    ):
        session.update_workspace(part="")
        st.switch_page("app_pages/inspect/view.py")
    pinning.show_pin_button(outcome.plan)
    if st.button(
        _("Release"), icon=":material/download:", key=session.widget_key("release")
    ):
        st.switch_page("app_pages/release/view.py")
    st.button(
        _("Clear"),
        icon=":material/close:",
        key=session.widget_key("clear"),
        on_click=session.update_on_click,
        kwargs={"chosen": None, "pointed": ""},
    )


def show_result_selectbox(
    label: str,
    outcomes: Sequence[Outcome],
    current_outcome: Outcome,
    label_visibility: Literal["visible", "collapsed"] = "visible",
) -> None:
    """Show a box with the current result, in which another one can be selected.

    Parameters
    ----------
    label : str
    outcomes : sequence of Outcome
    current_outcome : Outcome
        The one on the page; it may be there without having been chosen.
    label_visibility : {"visible", "collapsed"}
        Collapsed, only screen readers hear the label.
    """
    results = {outcome.plan: outcome for outcome in outcomes}
    if session.workspace().chosen is None:
        tied = _arguments_for(current_outcome)
    else:
        tied = session.bind_widget(
            "chosen", to_widget=lambda choice: current_outcome.plan
        )
    st.selectbox(
        label,
        results,
        format_func=lambda option: figures.result_label(results[option]),
        help=_(text.RESULT_HELP),
        label_visibility=label_visibility,
        **tied,
    )


def _arguments_for(shown: Outcome) -> dict[str, Any]:
    """Return the arguments of a choice that is another one for another result.

    A browser that speaks before it knows what is recommended by now repeats what was,
    as if somebody had chosen it.
    """
    widget = session.widget_key("chosen", shown.plan.digest())
    st.session_state[widget] = shown.plan

    def choose_it() -> None:
        session.update_workspace(chosen=st.session_state[widget])

    return {"key": widget, "on_change": choose_it}


def recommendation_text(
    outcomes: Sequence[Outcome], current_outcome: Outcome | None = None
) -> str:
    """Return a sentence on which result is recommended and why, or that none is.

    Parameters
    ----------
    outcomes : sequence of Outcome
    current_outcome : Outcome, optional
        The result that the page is about.
    """
    best = recommend_outcome(outcomes, session.workspace().max_loss)
    if best is None:
        return _("No result keeps its k, so none is recommended.")
    label = (
        f"{figures.plan_label(best.outcome.plan)} ({figures.loss_text(best.outcome)})"
    )
    if best.spoils:
        return _("**None is recommended.** {result}: {what}.").format(
            result=label, what=escape_text(_(best.spoils))
        )
    reason = escape_text(_(best.reason))
    if current_outcome is None:
        return _("**Recommended: {result}.** {reason}.").format(
            result=label, reason=reason
        )
    if best.outcome.plan == current_outcome.plan:
        return _("Recommended. {reason}.").format(reason=reason)
    return _("Recommended is {result}. {reason}.").format(
        result=figures.result_label(best.outcome), reason=reason
    )


def show_back_button() -> None:
    """Show the button that leads back to the Compare page."""
    if st.button(
        _("Back to all results"),
        icon=":material/arrow_back:",
        key=session.widget_key("back to compare"),
    ):
        st.switch_page("app_pages/compare/view.py")


def set_inspected_result(
    outcome: Outcome, part: str, record_row: int = 0, group_number: int = 0
) -> None:
    """Set the result, and its record or group, that the Inspect page shows.

    Parameters
    ----------
    part : str
        Of the Inspect page.
    record_row, group_number : int
        Row of the table and number of the group, counted from 1; 0 leaves what was
        looked at last.
    """
    changes: dict[str, Any] = {"part": part, "chosen": outcome.plan}
    if record_row:
        changes |= {"record": record_row, "pointed": RECORD}
    if group_number:
        groups = session.workspace().groups
        changes["groups"] = {**groups, outcome.plan.digest(): group_number}
        changes.setdefault("pointed", GROUP)
    session.update_workspace(**changes)


def clicked_row_and_group(outcome: Outcome) -> tuple[int, int]:
    """Return the numbers of a result's clicked row and group, from 1; 0 if none.

    0 for what was not clicked, or is not in the result.
    """
    ws = session.workspace()
    if not ws.pointed or ws.chosen != outcome.plan:
        return 0, 0
    if ws.pointed == RECORD:
        record = figures.release_record_of_table_row(outcome, ws.record)
        if record is not None:
            return ws.record, int(outcome.partition.labels[record]) + 1
        return 0, 0
    group = ws.groups.get(outcome.plan.digest(), 0)
    return 0, group if group <= outcome.partition.n_groups else 0


def _inspect_links(outcome: Outcome) -> list[tuple[str, str, str]]:
    """Return where what was clicked leads: part of Inspect, label and icon."""
    row, group = clicked_row_and_group(outcome)
    links = []
    if row:
        label = _("Why record {row}").format(row=f"{row:,}")
        links.append(("A record", label, ":material/person_search:"))
    if group:
        label = _("Why group {group}").format(group=f"{group:,}")
        links.append(("A group", label, ":material/groups:"))
        links.append(("Replay", _("Replay"), ":material/play_circle:"))
    return links
