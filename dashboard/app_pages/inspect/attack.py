"""Attack: what an intruder can do with a result, each attack beside its control."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.app_pages.inspect.attack_lines import html_of, lines, table_of
from dashboard.i18n import text_attacks
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.jobs import jobs
from dashboard.jobs.assessment import Assessment
from dashboard.state import session
from dashboard.state.memo import key_of
from dashboard.ui import components, mending, run_panel, selection
from engine.analysis.attacks import Knowledge, Result, attacks
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

SHOWN = 20
"""Records that fall named at once, of each attack."""


def show_attack(outcome: Outcome, table: Table) -> None:
    """Let somebody choose what an intruder knows, and show what comes of it."""
    knowledge = _choose(outcome, table)
    ws = session.workspace()
    found = ws.attacks.get((key_of(table, outcome.plan), knowledge))
    if found is None:
        st.caption(f"{_(text_attacks.EXPLAINED)} {_(text_attacks.BEFORE)}")
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.html(html_of(lines(found)))
        st.caption(_(text_attacks.EXPLAINED))
        components.download_table(table_of(found), "attacks")
    with right.container(border=True):
        _look(found, outcome)


def _choose(outcome: Outcome, table: Table) -> Knowledge:
    """Show what the intruder knows, and the button; or how far the attacks are."""
    quasi = outcome.plan.quasi_identifiers
    ws = session.workspace()
    kept = tuple(name for name in ws.known_columns if name in _knowable(outcome))
    about = max(1, min(ws.intruder_about, outcome.partition.n_records))
    knowledge = Knowledge(kept or quasi, ws.intruder_exactness, about)
    with st.container(border=True):
        columns, exactness, people, go = st.columns(
            [5, 2.1, 1.4, 1.3], vertical_alignment="bottom"
        )
        columns.multiselect(
            _("An intruder knows"),
            _knowable(outcome),
            help=_(text_attacks.KNOWS_HELP),
            **session.bound(
                "known_columns",
                show=lambda _kept: list(knowledge.columns),
                read=lambda names: () if set(names) == set(quasi) else names,
            ),
        )
        exactness.selectbox(
            _("how exactly"),
            list(text_attacks.EXACTNESS),
            format_func=lambda one: _(text_attacks.EXACTNESS[one]),
            **session.bound("intruder_exactness"),
        )
        people.number_input(
            _("about how many"),
            1,
            outcome.partition.n_records,
            help=_(text_attacks.ABOUT_HELP),
            **session.bound("intruder_about", show=lambda _kept: about),
        )
        _button(go, knowledge, outcome, table)
    return knowledge


def _knowable(outcome: Outcome) -> list[str]:
    """Return the columns that an intruder may know: protected ones first."""
    plan = outcome.plan
    others = [
        str(name)
        for name in outcome.release.frame.columns
        if name not in (*plan.quasi_identifiers, *plan.confidential)
        and name in outcome.survived
    ]
    return [*plan.quasi_identifiers, *others]


def _button(
    place: st.delta_generator.DeltaGenerator,
    knowledge: Knowledge,
    outcome: Outcome,
    table: Table,
) -> None:
    ws = session.workspace()
    view = jobs.view(ws.job)
    mine = view is not None and _attacks(view.asked)
    if view is not None and view.running and mine:
        run_panel.follow()
        return
    if view is not None and not view.running and mine:
        run_panel.show_end(view)
    known = (key_of(table, outcome.plan), knowledge) in ws.attacks
    if place.button(
        _("Attack"),
        type="secondary" if known else "primary",
        icon=":material/target:",
        width="stretch",
        key=session.key("attack"),
        disabled=known or (view is not None and view.busy),
    ):
        asked = Assessment(knowledge=knowledge)
        session.update(job=jobs.measure(table, [outcome], asked))
        st.rerun()


def _attacks(asked: object) -> bool:
    return isinstance(asked, Assessment) and asked.knowledge is not None


def _look(found: Sequence[Result], outcome: Outcome) -> None:
    """Show one attack: what the intruder does, who falls, and what would mend it."""
    ordered = [one.attack for one in lines(found)]
    chosen = st.selectbox(
        _("Which attack"),
        ordered,
        format_func=lambda name: _(attacks.info(name).title),
        key=session.key("attack looked at"),
        persist_state="session",
    )
    one = next(each for each in found if each.attack == chosen)
    info = attacks.info(chosen)
    st.markdown(f"**{plain(_(one.verdict))}**")
    control = _("Compared with: {control}.").format(control=_(info.against))
    st.caption(f"{_(info.summary)} {control}")
    _fallen(one, outcome)
    if one.succeeds:
        mending.offer(outcome)


def _fallen(one: Result, outcome: Outcome) -> None:
    """Show the numbers of the records that fall, each of which leads to why."""
    if one.attempts == 0 or (one.fallen.size == 0 and not one.succeeds):
        return
    if one.fallen.size == 0:
        st.caption(_(text_attacks.NOBODY))
        return
    rows = one.fallen[:SHOWN] + 1
    widget = session.key("fallen", one.attack)
    # What was clicked leads elsewhere: whoever comes back finds nothing clicked.
    st.session_state[widget] = None

    def lead() -> None:
        row = st.session_state[widget]
        if row is not None:
            selection.look_at(outcome, "A record", row=row)

    count = n_("{count} record", "{count} records", one.fallen.size)
    st.pills(
        _("{records} fall").format(records=count.format(count=f"{one.fallen.size:,}")),
        rows.tolist(),
        format_func=lambda row: f"{row:,}",
        help=_(text_attacks.FALLEN),
        key=widget,
        on_change=lead,
    )
    if one.fallen.size > SHOWN:
        st.caption(_("The first {count} of them.").format(count=SHOWN))
