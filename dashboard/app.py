"""The dashboard's router: what every page shares, and which pages there are."""

import streamlit as st

from dashboard import jobs, state

st.set_page_config(page_title="Coterie", page_icon=":material/groups:", layout="wide")
state.workspace()
page = st.navigation(
    [
        st.Page(
            "app_pages/data.py", title="Data", icon=":material/table:", default=True
        ),
        st.Page("app_pages/protect.py", title="Protect", icon=":material/shield:"),
        st.Page("app_pages/compare.py", title="Compare", icon=":material/bar_chart:"),
        st.Page("app_pages/release.py", title="Release", icon=":material/download:"),
    ],
    position="top",
)
page.run()
jobs.warm()
