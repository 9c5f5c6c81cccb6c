"""Need page: three sentences to fill, and one answer."""

import streamlit as st

from dashboard.app_pages.need import answer_box, need_form, question, tried_releases
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.jobs import jobs
from dashboard.jobs.needs import NeedRequest
from dashboard.state import session
from dashboard.ui.browser_components import components
from dashboard.ui.runs import run_panel
from dashboard.ui.runs.obstacles import run_obstacles

components.announce_page_to_screen_readers(_("Need"))
ws = run_panel.collect_run_results()
if not components.has_table_or_explain(ws) or ws.table is None:
    st.stop()
table = ws.table
left, right = st.columns([2.4, 1], gap="medium")
with left:
    # What was asked for last stands first: nobody has to scroll for it.
    answer_place = st.container()
    places = (
        question.show_rule_inputs_in_container(),
        question.show_analysis_inputs_in_container(table),
    )
    ws = session.workspace()
    asked = need_form.read_need_question(ws, table)
    if asked.problem:
        place = places[asked.sentence - 1]
        place.warning(asked.problem, icon=":material/front_hand:")
    view = jobs.view_job(ws.job)
    is_mine = view is not None and isinstance(view.asked, NeedRequest)
    with st.container(border=True, gap="xsmall"):
        components.show_heading(_("3 · What may it cost?"), "")
        question.show_cost_sentence()
        marked = [_("Mend first what is marked above.")] if asked.problem else []
        obstacles = [*run_obstacles(ws), *marked]
        if is_mine and view is not None and view.is_running:
            run_panel.show_run_progress()
        else:
            components.show_sentence_or_list(
                obstacles,
                st.warning,
                ":material/front_hand:",
                _("Before the search:"),
            )
            if is_mine and view is not None and view.state == "failed":
                st.error(escape_text(_(view.message)), icon=":material/error:")
            if is_mine and view is not None and view.state == "cancelled":
                st.info(_("Cancelled. Nothing was changed."), icon=":material/cancel:")
            if st.button(
                _("Find the release"),
                type="primary" if ws.need_answer is None else "secondary",
                icon=":material/search:",
                disabled=bool(obstacles),
                key=session.widget_key("need", "find"),
            ):
                assert asked.request is not None
                assert asked.base is not None
                job = jobs.start_need_search(table, asked.base, asked.request)
                session.update_workspace(job=job)
                st.rerun()
known = ws.need_answer
if known is not None and known.fingerprint == table.fingerprint:
    is_current = (known.base, known.request) == (asked.base, asked.request)
    with answer_place:
        answer_box.show_need_answer(known.answer, is_current)
        tried_releases.show_reference_points(known.answer)
    with right:
        with st.container(height="content"):
            tried_releases.show_tried_releases_chart(known.answer)
        answer_box.show_answer_tables(known.answer)
