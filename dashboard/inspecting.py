"""Parts of the Inspect page: a group, a record, an attribute, and the replay."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import comparing, components, replaying, result_parts, state, text, why
from dashboard.charts.replay import replay
from dashboard.charts.shares import share_bars
from dashboard.charts.theme import CONFIG
from dashboard.language import _
from engine.explain import Explainer
from engine.outcome import Outcome
from engine.table import Table


def show_group(answers: Explainer, outcome: Outcome, table: Table) -> None:
    """Show why a group is as it is."""
    costly = answers.costliest(most=1)
    number = st.number_input(
        _("Group, 1 to {count}").format(count=f"{outcome.partition.n_groups:,}"),
        1,
        outcome.partition.n_groups,
        (costly[0] if costly else 0) + 1,
        key=state.key("group", outcome.plan.digest()),
        help=_(text.GROUP_NUMBER_HELP),
        width=260,
    )
    story = answers.group(number - 1)
    left, right = st.columns([3, 2], gap="large")
    left.markdown("\n\n".join(why.group_words(story, outcome)))
    with right:
        components.chart(
            "group-shares",
            _("What it loses"),
            _(text.SHARES_SHOW),
            lambda: share_bars(story.attributes),
            lambda: why.shares_table(story.attributes),
            _("Bars of each attribute's share of the group's loss"),
        )
    st.markdown(_("**Its records before and after (→)**"))
    st.dataframe(
        why.members_table(story, outcome, table),
        hide_index=True,
        key=state.key("members"),
    )


def show_record(answers: Explainer, outcome: Outcome, table: Table) -> None:
    """Show how far a record moved, and why."""
    row = st.number_input(
        _("Record, 1 to {count}").format(count=f"{table.n_records:,}"),
        1,
        table.n_records,
        1,
        key=state.key("record", outcome.plan.digest()),
        help=_(text.RECORD_NUMBER_HELP),
        width=260,
    )
    record = why.record_of(outcome, row)
    if record is None:
        st.info(_(text.RECORD_LEFT_OUT), icon=":material/info:")
        return
    story = answers.record(record)
    st.markdown("\n\n".join(why.record_words(story, outcome)))
    st.dataframe(
        why.moves_table(story, outcome, table), hide_index=True, key=state.key("moves")
    )


def show_attribute(answers: Explainer, outcome: Outcome, table: Table) -> None:
    """Show which groups hurt an attribute most."""
    name = st.selectbox(
        _("Attribute"),
        ["", *answers.names],
        format_func=lambda one: one or _("All numbers together"),
        key=state.key("attribute"),
        width=260,
    )
    st.caption(_(text.COSTLIEST_SHOW))
    frame = why.costliest_table(answers, name or None, 10)
    st.dataframe(frame, hide_index=True, key=state.key("costliest", name))
    components.download_table(frame, "costliest-groups")


def show_replay(answers: Explainer, outcome: Outcome, table: Table) -> None:
    """Show the groups in the order in which they were formed."""
    shown = replaying.replay_of(outcome, table)
    st.caption(f"{_(text.REPLAY_SHOW)} {replaying.drawn_words(shown)}")
    middle = result_parts.middle_only(comparing.far_out([shown.view]))
    st.plotly_chart(
        replay(shown.view, shown.seeds, middle),
        config=CONFIG,
        key=state.key("replay", outcome.plan.digest()),
        alt=_(text.REPLAY_ALT),
    )


PARTS: dict[str, Callable[[Explainer, Outcome, Table], None]] = {
    "A group": show_group,
    "A record": show_record,
    "An attribute": show_attribute,
    "Replay": show_replay,
}
"""What the page can look at."""

MEASURES = "Risk and utility"
"""What it looks at first; not among the parts, because it needs no explanation."""
