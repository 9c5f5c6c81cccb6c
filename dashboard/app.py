"""The dashboard's router: what every page shares, and which pages there are."""

from pathlib import Path

import streamlit as st

from dashboard.i18n.language import _
from dashboard.jobs import jobs
from dashboard.server import garbage, sign_in
from dashboard.ui import auto_run, learn_links, open_file, run_panel
from dashboard.ui.toolbar import toolbar

# A file: Streamlit would fetch an icon's picture from a server elsewhere.
LOGO = str(Path(__file__).with_name("logo.svg"))

st.set_page_config(page_title=_("Coterie"), page_icon=LOGO, layout="wide")
st.logo(LOGO, size="large")
sign_in.admit()
open_file.show_reading()
run_panel.collect_results()
auto_run.begin()
pages = (
    ("data", _("Data"), ":material/table:"),
    ("compare", _("Compare"), ":material/bar_chart:"),
    ("inspect", _("Inspect"), ":material/search:"),
    ("release", _("Release"), ":material/download:"),
    ("learn", _("Learn"), ":material/school:"),
    ("help", _("Help"), ":material/help:"),
)
shown = [
    st.Page(f"app_pages/{name}/view.py", title=title, icon=icon, url_path=name)
    for name, title, icon in pages
]
page = st.navigation([*shown, *sign_in.sign_out_pages()], position="top")
if not learn_links.projected(page.url_path):
    toolbar()
page.run()
jobs.warm()
garbage.freeze()
