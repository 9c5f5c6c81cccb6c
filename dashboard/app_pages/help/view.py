"""Help page: table of contents, search, and the chapter that is shown."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.help import model, search
from dashboard.app_pages.help.link_handling import (
    handle_manual_links,
    manual_section_key,
)
from dashboard.i18n import text_help
from dashboard.i18n.language import _, current
from dashboard.manual import PARTS, ManualChapter, read_manual_chapters_by_name
from dashboard.manual.chapters import AT, CHAPTER, CHAPTER_ORDER
from dashboard.state import session
from dashboard.ui.browser_components import components


def show_table_of_contents(current_chapter: ManualChapter) -> None:
    """Show the chapters by part: a link to each, the current one in bold."""
    for part, names in PARTS.items():
        st.caption(_(part))
        for chapter in map(known.__getitem__, names):
            is_current = chapter is current_chapter
            st.markdown(
                f"**{chapter.title}**"
                if is_current
                else model.chapter_markdown_link(chapter.title, chapter.id)
            )


def show_chapter(chapter: ManualChapter) -> None:
    """Show all sections of a chapter."""
    is_dark = st.context.theme.type == "dark"
    for section in chapter.sections:
        with st.container(key=manual_section_key(chapter.id, section.anchor)):
            st.markdown(f"{'#' * (section.level + 2)} {section.title}")
            for piece in model.split_text_code_and_pictures(chapter, section):
                if isinstance(piece, model.ManualPicture):
                    st.image(str(piece.choose_path(is_dark=is_dark)), alt=piece.alt)
                elif isinstance(piece, model.CodeBlock):
                    # Highlighted, some of it would be too pale to be read by all.
                    st.code(piece.text, language=None, wrap_lines=True)
                else:
                    st.markdown(piece)


def show_next_chapter(current_chapter: ManualChapter) -> None:
    """Show a link to the chapter that follows in the reading order, if there is one."""
    following = CHAPTER_ORDER[CHAPTER_ORDER.index(current_chapter.id) + 1 :]
    if following:
        link = model.chapter_markdown_link(known[following[0]].title, following[0])
        st.markdown(_("Next chapter: {link}").format(link=link))


components.announce_page_to_screen_readers(_("Help"))
known = read_manual_chapters_by_name(current())
asked = st.query_params.get(CHAPTER, "")
chosen = known.get(asked, next(iter(known.values())))
anchor = st.query_params.get(AT, "")
anchor = anchor if anchor in {one.anchor for one in chosen.sections} else ""
if chosen.language != current():
    st.info(_(text_help.IN_ENGLISH), icon=":material/translate:")
left, right = st.columns([1, 3], gap="large")
with left:
    words = search.ask_search_words()
    if words:
        search.show_search_hits(model.search_manual(words, current()))
    else:
        with st.container(key=session.widget_key("chapters")):
            show_table_of_contents(chosen)
with right:
    if asked and asked not in known:
        st.warning(_(text_help.UNKNOWN), icon=":material/link_off:")
    show_chapter(chosen)
    show_next_chapter(chosen)
handle_manual_links(chosen.id, anchor)
