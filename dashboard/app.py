"""The dashboard's router: what every page shares, and which pages there are."""

from pathlib import Path

import streamlit as st

from dashboard import jobs, state

# A file: Streamlit would fetch an icon's picture from a server elsewhere.
LOGO = str(Path(__file__).with_name("logo.svg"))

st.set_page_config(page_title="Coterie", page_icon=LOGO, layout="wide")
st.logo(LOGO, size="large")
state.workspace()
page = st.navigation(
    [
        st.Page(
            "app_pages/data.py", title="Data", icon=":material/table:", default=True
        ),
        st.Page("app_pages/protect.py", title="Protect", icon=":material/shield:"),
        st.Page("app_pages/compare.py", title="Compare", icon=":material/bar_chart:"),
        st.Page("app_pages/inspect.py", title="Inspect", icon=":material/search:"),
        st.Page("app_pages/release.py", title="Release", icon=":material/download:"),
        st.Page("app_pages/learn.py", title="Learn", icon=":material/school:"),
    ],
    position="top",
)
page.run()
jobs.warm()
