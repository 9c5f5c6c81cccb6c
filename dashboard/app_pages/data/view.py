"""Data page: open a table, decide on columns, treat missing values."""

from pathlib import Path

import streamlit as st

import sample_data
from dashboard.app_pages.data.columns.column_list import show_column_list
from dashboard.app_pages.data.hierarchy.hierarchy_editor import show_hierarchy_editor
from dashboard.app_pages.data.plan_opener import show_plan_messages, show_plan_uploader
from dashboard.app_pages.data.rule_editor import show_rule_and_rounding_editor
from dashboard.app_pages.data.summary import show_data_questions_and_summary
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui.browser_components import components
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.header.project_menu import show_data_awaited_by_project
from dashboard.ui.table import open_file, table_health


def show_table_openers() -> None:
    """Show the widgets that open an uploaded file, a sample table or a plan file."""
    with make_row(
        horizontal_alignment="right", gap="xsmall", key=session.widget_key("opening")
    ):
        st.subheader(_("What is in each column"), anchor=False)
        # Of every type: a browser would refuse the others without a word why.
        file = st.file_uploader(
            _("Another file"),
            help=_(text.UPLOAD_HELP).format(formats=open_file.readable_formats_text()),
            key=session.widget_key("upload", open_file.table_reset_count()),
            label_visibility="collapsed",
            width=84,
        )
        samples = {sample.id: sample for sample in sample_data.SAMPLES}
        key = session.widget_key("sample")
        st.session_state[key] = session.workspace().sample or None
        st.selectbox(
            _("Or a sample"),
            samples,
            format_func=lambda name: _(samples[name].title),
            key=key,
            placeholder=_("A sample"),
            label_visibility="collapsed",
            width=210,
            on_change=lambda: open_file.open_sample_file(st.session_state[key]),
        )
        show_plan_uploader()
    if file is not None:
        open_file.open_upload_and_rerun(file)
    if open_file.file_opening_problem():
        st.error(open_file.file_opening_problem(), icon=":material/error:")
    open_file.show_refused_file_options()
    open_file.offer_choices_for_other_file()


components.announce_page_to_screen_readers(_("Data"))
st.html(Path(__file__).with_name("data.css"))
left, right = st.columns([3, 1], gap="medium")
# In boxes of their own: what comes and goes takes the place of nothing below.
with left, st.container(key=session.widget_key("opening box")):
    show_table_openers()
    show_plan_messages()
ws = session.workspace()
table = ws.table
if ws.is_set_aside and not components.has_table_or_explain(ws):
    st.stop()
if table is None:
    show_data_awaited_by_project()
    st.stop()

health = table_health.cached_table_health(table)
with left:
    with st.container():
        components.show_sentence_or_list(
            ws.notes, st.info, ":material/info:", _("In the new file:")
        )
        components.show_sentence_or_list(
            health.problems,
            st.error,
            ":material/error:",
            _("Before records can be protected:"),
        )
    show_column_list(table)
    st.subheader(_("First records"), anchor=False)
    components.show_first_records(table)
    show_hierarchy_editor(table)
    show_rule_and_rounding_editor(table)
    components.show_sentence_or_list(
        health.warnings, st.warning, ":material/visibility:", _("Worth a second look:")
    )
with right:
    show_data_questions_and_summary(table, health)
