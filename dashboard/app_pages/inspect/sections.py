"""Sections of the Inspect page: group, record, attribute and replay."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from dashboard.app_pages.inspect import explanations, group_replay
from dashboard.charts.comparisons.shares import draw_loss_share_bars
from dashboard.charts.groupings.replay import draw_replay
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.results.digits import round_frame
from dashboard.results.figures import release_record_of_table_row
from dashboard.state import session
from dashboard.ui.browser_components import components, group_plane
from dashboard.ui.browser_components.chart_tools import ClickedPoint, show_chart_tools
from dashboard.ui.browser_components.component_values import cast_or_none, selected_row
from dashboard.ui.browser_components.plots import show_plot
from dashboard.ui.headings import show_table_with_tooltips
from dashboard.ui.runs import selection
from dashboard.ui.runs.preparations import get_explainer
from engine.analysis.explain import Explainer
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.record_condition import select_row_numbers_and_messages


def show_group_section(explainer: Explainer, outcome: Outcome, table: Table) -> None:
    """Show a choice of group, its explanation, loss shares by attribute, records."""
    costly = explainer.costliest_groups(max_groups=1)
    number = st.number_input(
        _("Group, 1 to {count}").format(count=f"{outcome.partition.n_groups:,}"),
        1,
        outcome.partition.n_groups,
        help=_(
            "Groups are numbered in the order in which they were formed. The one that "
            "loses most is shown first."
        ),
        width=260,
        **session.bind_widget(
            "groups",
            outcome.plan.digest(),
            default=(costly[0] if costly else 0) + 1,
            to_widget=lambda last_group: min(last_group, outcome.partition.n_groups),
        ),
    )
    story = explainer.explain_group(number - 1)
    left, right = st.columns([3, 2], gap="large")
    left.markdown("\n\n".join(explanations.group_explanation_sentences(story, outcome)))
    with right:
        components.show_chart(
            "group-shares",
            _("What it loses"),
            _("How much of the group's loss each number makes up."),
            lambda: draw_loss_share_bars(story.attributes),
            lambda: explanations.loss_shares_table(story.attributes),
            _("Bars of each attribute's share of the group's loss"),
            on_click=_pick_attribute,
        )
    st.markdown(_("**Its records before and after (→)**"))
    st.caption(_("Select a row to ask why that record is here."))
    frame = explanations.group_members_table(story, outcome, table)
    numbers = frame.iloc[:, 0].tolist()
    _show_linked_table(
        frame,
        "members",
        lambda at: selection.set_inspected_result(
            outcome, "A record", record_row=numbers[at]
        ),
    )


def show_record_section(explainer: Explainer, outcome: Outcome, table: Table) -> None:
    """Show a choice of record, and how far it moved and why, or why it is absent."""
    row = st.number_input(
        _("Record, 1 to {count}").format(count=f"{table.n_records:,}"),
        1,
        table.n_records,
        help=_("The record's line in the table, counted from 1."),
        width=260,
        **session.bind_widget(
            "record", to_widget=lambda row_number: min(row_number, table.n_records)
        ),
    )
    record = release_record_of_table_row(outcome, row)
    if record is None:
        quasi = list(outcome.plan.quasi_identifiers)
        lacks = bool(table.frame[quasi].iloc[row - 1].isna().any())
        outlier = outcome.suppressed and not lacks
        words = text.RECORD_AN_OUTLIER if outlier else text.RECORD_LEFT_OUT
        if outcome.surplus.records and not lacks:
            words = text.RECORD_OF_A_SURPLUS
            if outcome.suppressed:
                words = text.RECORD_OUTLIER_OR_SURPLUS
        if row - 1 not in table.record_rows:
            words = text.ROW_OF_NOTHING
        elif (
            row - 1 not in select_row_numbers_and_messages(outcome.plan.only, table)[0]
        ):
            words = text.RECORD_NOT_CHOSEN
        st.info(_(words), icon=":material/info:")
        return
    story = explainer.explain_record(record)
    group = story.group + 1
    st.button(
        _("Why group {group}").format(group=f"{group:,}"),
        icon=":material/groups:",
        key=session.widget_key("to its group"),
        on_click=selection.set_inspected_result,
        args=(outcome, "A group", row, group),
    )
    st.markdown("\n\n".join(explanations.record_explanation_sentences(story, outcome)))
    moves = explanations.record_moves_table(story, outcome, table)
    show_table_with_tooltips(round_frame(moves), session.widget_key("moves"))


def show_attribute_section(
    explainer: Explainer, outcome: Outcome, table: Table
) -> None:
    """Show a choice of one attribute or all, and groups with the largest loss in it."""
    name = st.selectbox(
        _("Attribute"),
        ["", *explainer.names],
        format_func=lambda attribute: attribute or _("All numbers together"),
        width=260,
        **session.bind_widget(
            "attribute", to_widget=lambda pick: pick if pick in explainer.names else ""
        ),
    )
    st.caption(_(text.COSTLIEST_SHOW))
    frame = explanations.costliest_groups_table(explainer, name or None, 10)
    numbers = frame.iloc[:, 0].tolist()
    _show_linked_table(
        round_frame(frame),
        "costliest",
        lambda at: selection.set_inspected_result(
            outcome, "A group", group_number=numbers[at]
        ),
    )
    components.show_table_download(frame, "costliest-groups")


def show_replay_section(explainer: Explainer, outcome: Outcome, table: Table) -> None:
    """Show an animation of the groups in the order in which they were formed."""
    view, seeds = group_replay.make_group_replay(outcome, table)
    st.caption(f"{_(text.REPLAY_SHOW)} {group_replay.replay_caption(view)}")
    middle = group_plane.ask_to_hide_outliers(group_plane.has_outliers([view]))
    group = selection.clicked_row_and_group(outcome)[1]
    show_plot(
        draw_replay(view, seeds, middle, group),
        session.widget_key("chart", "replay"),
        _(
            "Records as points; step by step more of them are in groups, and those "
            "grouped in the present step are emphasised"
        ),
    )

    def pick(picked: ClickedPoint) -> None:
        rest = cast_or_none(picked.get("rest"), selection.ClickedNumberPair)
        if (
            rest is not None
            and 1 <= rest[0] <= table.n_records
            and 1 <= rest[1] <= outcome.partition.n_groups
        ):
            selection.set_inspected_result(outcome, "A record", *rest)

    show_chart_tools("replay", _("Replay"), pick)


def _pick_attribute(picked: ClickedPoint) -> None:
    session.update_workspace(part="An attribute", attribute=picked.get("key", ""))


def _show_linked_table(
    frame: pd.DataFrame, name: str, lead: Callable[[int], None]
) -> None:
    """Show a table whose rows lead somewhere when they are selected."""
    widget = session.widget_key("table", name)
    session.select_table_rows(widget, [])

    def on_select() -> None:
        row = selected_row(st.session_state[widget].selection.rows, len(frame))
        if row is not None:
            lead(row)

    show_table_with_tooltips(
        frame, widget, on_select=on_select, selection_mode="single-row"
    )


INSPECT_PARTS: dict[str, Callable[[Explainer, Outcome, Table], None]] = {
    "A group": show_group_section,
    "A record": show_record_section,
    "An attribute": show_attribute_section,
    "Replay": show_replay_section,
}
"""What the page can look at."""

MEASURES_PART = "Risk and utility"
"""Part looked at first; not among the others, because it needs no explanation."""


def cached_explainer_or_reason(outcome: Outcome, table: Table) -> Explainer | str:
    """Return the cached explainer of a result, or a sentence why it has none."""
    try:
        with st.spinner(_("Looking at the groups")):
            return get_explainer(outcome, table)
    except EngineError as error:
        return escape_text(_(error.message))
