"""The search through the manual: a field for words, and the places found."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.help.model import Place, link
from dashboard.i18n import text_help
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.state import session

MOST = 20
"""Places that are listed at once."""


def ask() -> str:
    """Show the field for words, and return them."""
    wanted = st.text_input(
        _("Search"),
        placeholder=_("Words, a method, an option"),
        icon=":material/search:",
        help=_(text_help.SEARCH_HELP),
        key=session.key("manual search"),
        persist_state="session",
    )
    return (wanted or "").strip()


def show(found: list[Place]) -> None:
    """Show where words were found: links to headings, with what stands there."""
    if not found:
        st.info(_(text_help.NOTHING), icon=":material/search_off:")
        return
    count = n_("{count} place", "{count} places", len(found))
    st.caption(count.format(count=len(found)))
    for place in found[:MOST]:
        with st.container(gap=None):
            st.markdown(
                link(plain(place.title), place.chapter.id, place.section.anchor)
            )
            parts = [plain(part) for part in place.excerpt]
            parts[1::2] = [f"**{part}**" for part in parts[1::2]]
            st.caption("".join(parts))
    if len(found) > MOST:
        st.caption(_(text_help.MORE).format(count=MOST))
