"""Data: open a table, say what its columns are, settle what is missing."""

import streamlit as st

import sample_data
from dashboard.app_pages.data.columns import column_editor
from dashboard.app_pages.data.hierarchy_editor import hierarchy_editor
from dashboard.app_pages.data.plan_opener import plan_opener, show_messages
from dashboard.app_pages.data.reading_options import reading_options
from dashboard.app_pages.data.rule_editor import rule_editor
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.state import session
from dashboard.ui import components, missing_values, open_file, table_health
from dashboard.ui.project_menu import waiting_room


def open_something() -> None:
    """Show the two ways to a table: a file, or a sample."""
    left, right = st.columns(2, gap="large")
    file = left.file_uploader(
        _("Your own file"),
        open_file.suffixes(),
        help=_(text.UPLOAD_HELP),
        key=session.key("upload", open_file.round_number()),
    )
    if file is not None:
        with st.spinner(_("Reading {file}").format(file=file.name)):
            open_file.open_file(file)
        st.rerun()
    with right:
        samples = {sample.id: sample for sample in sample_data.SAMPLES}
        key = session.key("sample")
        st.session_state[key] = session.workspace().sample or None
        st.selectbox(
            _("Or a sample"),
            samples,
            format_func=lambda name: _(samples[name].title),
            key=key,
            placeholder=_("Choose a sample"),
            help=_(text.SAMPLE_HELP),
            on_change=lambda: open_file.open_sample(st.session_state[key]),
        )
        if session.workspace().sample:
            st.caption(_(samples[session.workspace().sample].description))
    if open_file.problem():
        st.error(open_file.problem(), icon=":material/error:")
    open_file.other_file()


with components.page_header(_("Data"), _(text.DATA_INTRO)):
    components.next_step(_("Choose protection"), "compare", session.key("to protect"))
open_something()
ws = session.workspace()
table = ws.table
if table is None:
    waiting_room()
    st.stop()

with st.container(horizontal=True, vertical_alignment="center"):
    name = _(table.schema.title) or table.origin.name
    st.subheader(plain(name), anchor=False, width="content")
    components.table_badges(table)
    plan_opener()
show_messages()
if not ws.sample:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" · ".join(open_file.describe()), width="content")
        if ws.upload is not None:
            with st.popover(_("Not right?"), icon=":material/tune:", type="tertiary"):
                reading_options()
components.sentences(ws.notes, st.info, ":material/info:", _("In the new file:"))

health = table_health.examine(table)
components.sentences(
    health.problems,
    st.error,
    ":material/error:",
    _("Before records can be protected:"),
)
missing_values.settle_missing(table, health)
column_editor(table)
hierarchy_editor(table)
rule_editor(table)
components.sentences(
    health.warnings, st.warning, ":material/visibility:", _("Worth a second look:")
)
with st.expander(_("The first records"), icon=":material/table_rows:", expanded=True):
    key = session.key("preview")
    alt = _("The first records")
    components.records(table.frame, table.schema.columns, key, alt)
