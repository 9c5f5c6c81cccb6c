"""The dashboard's router: what every page shares, and which pages there are."""

from pathlib import Path

import streamlit as st

from dashboard import heap, signing_in
from dashboard.execution import jobs, running
from dashboard.learn import addresses
from dashboard.toolbar import toolbar
from dashboard.words.language import _

# A file: Streamlit would fetch an icon's picture from a server elsewhere.
LOGO = str(Path(__file__).with_name("logo.svg"))

st.set_page_config(page_title=_("Coterie"), page_icon=LOGO, layout="wide")
st.logo(LOGO, size="large")
if not signing_in.admitted():
    st.stop()
running.caught_up()
page = st.navigation(
    [
        st.Page("app_pages/data.py", title=_("Data"), icon=":material/table:"),
        st.Page("app_pages/protect.py", title=_("Protect"), icon=":material/shield:"),
        st.Page(
            "app_pages/compare.py", title=_("Compare"), icon=":material/bar_chart:"
        ),
        st.Page("app_pages/inspect.py", title=_("Inspect"), icon=":material/search:"),
        st.Page("app_pages/release.py", title=_("Release"), icon=":material/download:"),
        st.Page("app_pages/learn.py", title=_("Learn"), icon=":material/school:"),
        *signing_in.way_out(),
    ],
    position="top",
)
if not addresses.projected(page.url_path):
    toolbar()
page.run()
jobs.warm()
heap.freeze()
