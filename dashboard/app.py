"""Router of the dashboard: list of pages, and what all pages share."""

import streamlit as st

from dashboard.i18n import text, text_help, text_lessons, text_need
from dashboard.i18n.language import _
from dashboard.places.admin import administration_page
from dashboard.places.sharing import place_sharing, restart_notice
from dashboard.server import sign_in
from dashboard.ui.header import page_header, sign_out
from dashboard.ui.runs import auto_run, run_panel
from dashboard.ui.table import open_file

st.set_page_config(
    page_title=_("Coterie"), page_icon=page_header.LOGO_PATH, layout="wide"
)
st.logo(page_header.LOGO_PATH, size="large")
sign_in.stop_unless_signed_in()
open_file.show_reading_progress_and_open_file()
run_panel.collect_run_results()
auto_run.autostart_run()
pages = (
    ("data", _("Data"), text.DATA_INTRO),
    ("need", _("Need"), text_need.NEED_INTRO),
    ("compare", _("Compare"), text.COMPARE_INTRO),
    ("inspect", _("Inspect"), text.INSPECT_INTRO),
    ("release", _("Release"), text.RELEASE_INTRO),
    ("learn", _("Learn"), text_lessons.LEARN_INTRO),
    ("help", _("Help"), text_help.HELP_INTRO),
)
shown = [
    st.Page(f"app_pages/{name}/view.py", title=title, help=_(intro), url_path=name)
    for name, title, intro in pages
]
more = [*administration_page.administration_pages(), *place_sharing.erasure_pages()]
page = st.navigation([*shown, *more, *sign_out.sign_out_pages()], position="top")
restart_notice.show_restart_notice()
page_header.show_header(page.url_path or pages[0][0])
run_panel.draw_page_and_rerun_if_outdated(page.run)
