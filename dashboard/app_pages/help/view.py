"""Help: the manual, a chapter at a time, and a search through all of them."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.help import search
from dashboard.app_pages.help.follow_links import follow_links, section_key
from dashboard.app_pages.help.model import (
    AT,
    CHAPTER,
    Code,
    Picture,
    find,
    link,
    pieces,
)
from dashboard.i18n import text_help
from dashboard.i18n.language import ENGLISH, _, current
from dashboard.manual import Chapter, chapters
from dashboard.state import session
from dashboard.ui import components


def contents(shown: Chapter) -> None:
    """Show a link to every chapter but the one that is shown."""
    for chapter in chapters().values():
        there = chapter is shown
        st.markdown(
            f"**{chapter.title}**" if there else link(chapter.title, chapter.id)
        )


def read(chapter: Chapter) -> None:
    """Show a chapter."""
    for section in chapter.sections:
        with st.container(key=section_key(chapter.id, section.anchor)):
            st.markdown(f"{'#' * (section.level + 2)} {section.title}")
            for piece in pieces(chapter, section):
                if isinstance(piece, Picture):
                    st.image(str(piece.path), alt=piece.alt)
                elif isinstance(piece, Code):
                    # Highlighted, some of it would be too pale to be read by all.
                    st.code(piece.text, language=None, wrap_lines=True)
                else:
                    st.markdown(piece)


components.page_header(_("Help"))
if current() != ENGLISH:
    st.info(_(text_help.IN_ENGLISH), icon=":material/translate:")
known = chapters()
asked = st.query_params.get(CHAPTER, "")
chosen = known.get(asked, next(iter(known.values())))
anchor = st.query_params.get(AT, "")
anchor = anchor if anchor in {one.anchor for one in chosen.sections} else ""
left, right = st.columns([1, 3], gap="large")
with left:
    words = search.ask()
    if words:
        search.show(find(words))
    else:
        with st.container(key=session.key("chapters")):
            contents(chosen)
with right:
    if asked and asked not in known:
        st.warning(_(text_help.UNKNOWN), icon=":material/link_off:")
    read(chosen)
follow_links(chosen.id, anchor)
