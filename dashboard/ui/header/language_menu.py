"""Language menu, on every page and above lessons."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n.language import LANGUAGES, _, current
from dashboard.state import session

# Screen readers pronounce a page, and browsers choose characters, by what it says of
# its language; Streamlit says English of every page.
_saying = st.components.v2.component(
    "coterie.language",
    js="export default ({ data }) => { document.documentElement.lang = data }",
)


def show_language_menu() -> None:
    """Show the menu of languages; a choice changes the language of this tab."""
    _saying(data=current(), key=session.widget_key("saying"), width=1, height=1)
    chosen = st.menu_button(
        LANGUAGES[current()],
        list(LANGUAGES),
        # What each is called in itself: whoever needs it can read that.
        format_func=lambda name: LANGUAGES[name],
        key=session.widget_key("language"),
        type="tertiary",
        icon=":material/translate:",
        help=_("Language of the pages. Reports and releases stay as they are."),
    )
    if chosen and chosen != current():
        session.update_workspace(language=chosen)
        st.rerun()
