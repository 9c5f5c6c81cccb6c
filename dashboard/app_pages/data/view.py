"""Data: open a table, say what becomes of its columns, settle what is missing."""

from pathlib import Path

import streamlit as st

import sample_data
from dashboard.app_pages.data.column_list import column_list
from dashboard.app_pages.data.hierarchy_editor import hierarchy_editor
from dashboard.app_pages.data.plan_opener import plan_opener, show_messages
from dashboard.app_pages.data.rule_editor import rule_editor
from dashboard.app_pages.data.summary import summary
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.state import session
from dashboard.ui import components, open_file, table_health
from dashboard.ui.project_menu import waiting_room


def open_something() -> None:
    """Show the ways to a table: a file, a sample, and a plan for the one at hand."""
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="right",
        gap="xsmall",
        key=session.key("opening"),
    ):
        st.subheader(_("What is in each column"), anchor=False)
        # Of every type: a browser would refuse the others without a word why.
        file = st.file_uploader(
            _("Another file"),
            help=_(text.UPLOAD_HELP).format(formats=open_file.readable_formats()),
            key=session.key("upload", open_file.round_number()),
            label_visibility="collapsed",
            width=84,
        )
        samples = {sample.id: sample for sample in sample_data.SAMPLES}
        key = session.key("sample")
        st.session_state[key] = session.workspace().sample or None
        st.selectbox(
            _("Or a sample"),
            samples,
            format_func=lambda name: _(samples[name].title),
            key=key,
            placeholder=_("A sample"),
            label_visibility="collapsed",
            width=210,
            on_change=lambda: open_file.open_sample(st.session_state[key]),
        )
        plan_opener()
    if file is not None:
        with st.spinner(_("Reading {file}").format(file=plain(file.name))):
            open_file.open_file(file)
        st.rerun()
    if open_file.problem():
        st.error(open_file.problem(), icon=":material/error:")
    open_file.ask_layout()
    open_file.other_file()


components.page_header(_("Data"))
st.html(Path(__file__).with_name("data.css"))
left, right = st.columns([3, 1], gap="medium")
with left:
    open_something()
    show_messages()
ws = session.workspace()
table = ws.table
if table is None:
    waiting_room()
    st.stop()

health = table_health.examine(table)
with left:
    components.sentences(ws.notes, st.info, ":material/info:", _("In the new file:"))
    components.sentences(
        health.problems,
        st.error,
        ":material/error:",
        _("Before records can be protected:"),
    )
    column_list(table)
    st.subheader(_("First records"), anchor=False)
    components.first_records(table)
    hierarchy_editor(table)
    rule_editor(table)
    components.sentences(
        health.warnings, st.warning, ":material/visibility:", _("Worth a second look:")
    )
with right:
    summary(table, health)
