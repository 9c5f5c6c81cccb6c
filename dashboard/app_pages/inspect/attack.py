"""Attacks on a result: choose an intruder's knowledge, and show the outcome."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.app_pages.inspect.attack_lines import (
    attack_lines_html,
    attack_results_table,
    sort_attacks_by_gain,
)
from dashboard.i18n import text_attacks
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.jobs import jobs
from dashboard.jobs.assessment import AssessmentRequest
from dashboard.results.attack_verdicts import attack_sentence, attack_verdict_and_sign
from dashboard.state import session
from dashboard.state.caches.memo import memo_key
from dashboard.ui.browser_components import components
from dashboard.ui.runs import remedies, run_panel, selection
from engine.analysis.attacks import AttackResult, Knowledge, attacks
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

MAX_SHOWN_RECORDS = 20
"""Fallen records of each attack that are named at once."""


def show_attacks(outcome: Outcome, table: Table) -> None:
    """Show inputs for an intruder's knowledge, and the results of attacks if known."""
    knowledge = _choose(outcome, table)
    ws = session.workspace()
    attack_results = ws.attacks.get((memo_key(table, outcome.plan), knowledge))
    if attack_results is None:
        st.caption(f"{_(text_attacks.EXPLAINED)} {_(text_attacks.BEFORE)}")
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        ordered = sort_attacks_by_gain(attack_results)
        st.html(attack_lines_html(ordered, outcome.plan.k))
        st.caption(_(text_attacks.EXPLAINED))
        components.show_table_download(attack_results_table(attack_results), "attacks")
    with right.container(border=True):
        _show_single_attack(attack_results, outcome)


def _choose(outcome: Outcome, table: Table) -> Knowledge:
    """Show what the intruder knows, and the button; or how far the attacks are."""
    quasi = outcome.plan.quasi_identifiers
    ws = session.workspace()
    known_columns = tuple(
        name for name in ws.known_columns if name in _knowable_columns(outcome)
    )
    about = max(1, min(ws.intruder_about, outcome.partition.n_records))
    knowledge = Knowledge(known_columns or quasi, ws.intruder_exactness, about)
    with st.container(border=True):
        columns, exactness, people, go = st.columns(
            [5, 2.1, 1.4, 1.3], vertical_alignment="bottom"
        )
        columns.multiselect(
            _("An intruder knows"),
            _knowable_columns(outcome),
            help=_(text_attacks.KNOWS_HELP),
            **session.bind_widget(
                "known_columns",
                to_widget=lambda _kept: list(knowledge.columns),
                from_widget=lambda names: () if set(names) == set(quasi) else names,
            ),
        )
        exactness.selectbox(
            _("how exactly"),
            list(text_attacks.EXACTNESS),
            format_func=lambda degree: _(text_attacks.EXACTNESS[degree]),
            **session.bind_widget("intruder_exactness"),
        )
        people.number_input(
            _("about how many"),
            1,
            outcome.partition.n_records,
            help=_(
                "How many people the intruder looks for; drawn at random from the "
                "file. More make the intervals narrower and the attacks slower."
            ),
            **session.bind_widget("intruder_about", to_widget=lambda _kept: about),
        )
        _show_attack_button(go, knowledge, outcome, table)
    return knowledge


def _knowable_columns(outcome: Outcome) -> list[str]:
    """Return the columns that an intruder may know: protected ones first."""
    plan = outcome.plan
    others = [
        str(name)
        for name in outcome.release.columns
        if name not in (*plan.quasi_identifiers, *plan.confidential)
        and name in outcome.survived
    ]
    return [*plan.quasi_identifiers, *others]


def _show_attack_button(
    place: st.delta_generator.DeltaGenerator,
    knowledge: Knowledge,
    outcome: Outcome,
    table: Table,
) -> None:
    ws = session.workspace()
    view = jobs.view_job(ws.job)
    asked = None if view is None else view.asked
    if view is not None and isinstance(asked, AssessmentRequest) and asked.knowledge:
        if view.is_running:
            run_panel.show_run_progress()
            return
        run_panel.show_run_end(view)
    has_results = (memo_key(table, outcome.plan), knowledge) in ws.attacks
    if place.button(
        _("Attack"),
        type="secondary" if has_results else "primary",
        icon=":material/target:",
        width="stretch",
        key=session.widget_key("attack"),
        disabled=has_results or (view is not None and view.is_busy),
    ):
        request = AssessmentRequest(knowledge=knowledge)
        session.update_workspace(job=jobs.start_assessment(table, [outcome], request))
        st.rerun()


def _show_single_attack(results: Sequence[AttackResult], outcome: Outcome) -> None:
    """Show one attack: what the intruder does, who falls, and what would mend it."""
    ordered = [attack_result.attack for attack_result in sort_attacks_by_gain(results)]
    chosen = st.selectbox(
        _("Which attack"),
        ordered,
        format_func=lambda name: _(attacks.info(name).title),
        key=session.widget_key("attack looked at"),
        persist_state="session",
    )
    attack_result = next(each for each in results if each.attack == chosen)
    info = attacks.info(chosen)
    k = outcome.plan.k
    st.markdown(f"**{escape_text(attack_sentence(attack_result, k))}**")
    control = _("Compared with: {control}.").format(control=_(info.against))
    st.caption(f"{_(info.summary)} {control}")
    _show_identified(attack_result, outcome)
    if attack_verdict_and_sign(attack_result, k)[1] in ("watch", "bad"):
        remedies.show_risk_remedies(outcome)


def _show_identified(attack_result: AttackResult, outcome: Outcome) -> None:
    """Show the numbers of the records that fall, each of which leads to why."""
    if attack_result.attempts == 0 or (
        attack_result.fallen.size == 0 and not attack_result.has_succeeded
    ):
        return
    if attack_result.fallen.size == 0:
        st.caption(_(text_attacks.NOBODY))
        return
    rows = attack_result.fallen[:MAX_SHOWN_RECORDS] + 1
    widget = session.widget_key("fallen", attack_result.attack)
    # What was clicked leads elsewhere: whoever comes back finds nothing clicked.
    st.session_state[widget] = None

    def lead() -> None:
        row = st.session_state[widget]
        if row is not None:
            selection.set_inspected_result(outcome, "A record", record_row=row)

    count = n_("{count} record", "{count} records", attack_result.fallen.size)
    st.pills(
        _("{records} fall").format(
            records=count.format(count=f"{attack_result.fallen.size:,}")
        ),
        rows.tolist(),
        format_func=lambda row: f"{row:,}",
        help=_("Records that fall, by their numbers in your file; each leads to why."),
        key=widget,
        on_change=lead,
    )
    if attack_result.fallen.size > MAX_SHOWN_RECORDS:
        st.caption(_("The first {count} of them.").format(count=MAX_SHOWN_RECORDS))
