"""Search field of the manual, and its hits."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.help.model import ManualSearchHit, chapter_markdown_link
from dashboard.i18n import text_help
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.state import session

MAX_LISTED_HITS = 20
"""Places that are listed at once."""


def ask_search_words() -> str:
    """Show the search field of the manual, and return the text typed in it."""
    query = st.text_input(
        _("Search"),
        placeholder=_("Words, a method, an option"),
        icon=":material/search:",
        help=_(
            "Finds headings and text with these words or their beginnings; those with "
            "all of them come first. Press Enter to search."
        ),
        key=session.widget_key("manual search"),
        persist_state="session",
    )
    return (query or "").strip()


def show_search_hits(hits: list[ManualSearchHit]) -> None:
    """Show up to 20 hits of a search: links to headings, with excerpts."""
    if not hits:
        st.info(_(text_help.NOTHING), icon=":material/search_off:")
        return
    count = n_("{count} place", "{count} places", len(hits))
    st.caption(count.format(count=len(hits)))
    for place in hits[:MAX_LISTED_HITS]:
        with st.container(gap=None):
            st.markdown(
                chapter_markdown_link(
                    escape_text(place.display_title),
                    place.chapter.id,
                    place.section.anchor,
                )
            )
            parts = [escape_text(part) for part in place.excerpt]
            parts[1::2] = [f"**{part}**" for part in parts[1::2]]
            st.caption("".join(parts))
    if len(hits) > MAX_LISTED_HITS:
        st.caption(_(text_help.MORE).format(count=MAX_LISTED_HITS))
