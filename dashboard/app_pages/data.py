"""Data: open a table, say what its columns are, settle what is missing."""

import streamlit as st

import sample_data
from dashboard import components, state
from dashboard.data import inspection, missing, opening
from dashboard.data.columns import column_editor
from dashboard.data.hierarchy_editor import hierarchy_editor
from dashboard.data.reading import reading_options
from dashboard.data.rule_editor import rule_editor
from dashboard.plans.plan_opener import plan_opener, what_came_of_it
from dashboard.projects.project_menu import waiting_room
from dashboard.words import text
from dashboard.words.language import _
from dashboard.words.markdown import plain


def open_something() -> None:
    """Show the two ways to a table: a file, or a sample."""
    left, right = st.columns(2, gap="large")
    file = left.file_uploader(
        _("Your own file"),
        opening.suffixes(),
        help=_(text.UPLOAD_HELP),
        key=state.key("upload", opening.round_number()),
    )
    if file is not None:
        with st.spinner(_("Reading {file}").format(file=file.name)):
            opening.open_file(file)
        st.rerun()
    with right:
        samples = {sample.id: sample for sample in sample_data.SAMPLES}
        key = state.key("sample")
        st.session_state[key] = state.workspace().sample or None
        st.selectbox(
            _("Or a sample"),
            samples,
            format_func=lambda name: _(samples[name].title),
            key=key,
            placeholder=_("Choose a sample"),
            help=_(text.SAMPLE_HELP),
            on_change=lambda: opening.open_sample(st.session_state[key]),
        )
        if state.workspace().sample:
            st.caption(_(samples[state.workspace().sample].description))
    if opening.problem():
        st.error(opening.problem(), icon=":material/error:")
    opening.other_file()


with components.page_header(_("Data"), _(text.DATA_INTRO)):
    components.next_step(_("Choose protection"), "protect", state.key("to protect"))
open_something()
ws = state.workspace()
table = ws.table
if table is None:
    waiting_room()
    st.stop()

with st.container(horizontal=True, vertical_alignment="center"):
    name = _(table.schema.title) or table.origin.name
    st.subheader(plain(name), anchor=False, width="content")
    components.table_badges(table)
    plan_opener()
what_came_of_it()
if not ws.sample:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" · ".join(opening.describe()), width="content")
        if ws.upload is not None:
            with st.popover(_("Not right?"), icon=":material/tune:", type="tertiary"):
                reading_options()
components.sentences(ws.notes, st.info, ":material/info:", _("In the new file:"))

health = inspection.examine(table)
components.sentences(
    health.problems,
    st.error,
    ":material/error:",
    _("Before records can be protected:"),
)
missing.settle_missing(table, health)
column_editor(table)
hierarchy_editor(table)
rule_editor(table)
components.sentences(
    health.warnings, st.warning, ":material/visibility:", _("Worth a second look:")
)
with st.expander(_("The first records"), icon=":material/table_rows:", expanded=True):
    key = state.key("preview")
    alt = _("The first records")
    components.records(table.frame, table.schema.columns, key, alt)
