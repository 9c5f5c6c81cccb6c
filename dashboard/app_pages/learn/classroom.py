"""Start page of Learn, titles of its parts other than lessons, unknown addresses."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.learn import class_download, class_lessons
from dashboard.i18n import text_learn, text_lessons
from dashboard.i18n.language import _
from dashboard.ui.browser_components import components
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.header import learn_links


def show_learn_start() -> None:
    """Show Learn's start page: lesson cards, the class file, and other parts' cards."""
    components.announce_page_to_screen_readers(_("Learn"))
    class_lessons.show_lesson_cards()
    class_download.show_class_download()
    cards = (
        (
            _(text_lessons.PUBLISHED_TITLE),
            text_lessons.PUBLISHED_TEASER,
            ":material/compare:",
            learn_links.PUBLISHED,
        ),
        (
            _(text_learn.RUN_TIMES_TITLE),
            text_learn.RUN_TIMES_TEASER,
            ":material/timer:",
            learn_links.RUN_TIMES_PART,
        ),
        (
            _(text_learn.OTHER_TOOLS_TITLE),
            text_learn.OTHER_TOOLS_TEASER,
            ":material/swap_horiz:",
            learn_links.OTHER_TOOLS,
        ),
        (
            _("Glossary"),
            text_lessons.GLOSSARY_TEASER,
            ":material/menu_book:",
            learn_links.GLOSSARY,
        ),
    )
    columns = st.columns(len(cards))
    for column, (title, teaser, icon, show) in zip(columns, cards, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.subheader(title, anchor=False, icon=icon)
            with st.container(height="stretch"):
                st.markdown(_(teaser))
            learn_links.show_link_to_learn_part(
                _("Open"), show, ":material/arrow_forward:"
            )
    st.caption(_(text_lessons.PROJECT))


def show_part_title(title: str, part: str) -> None:
    """Show a part's title, a link to all lessons, a button for the part's address."""
    with make_row(horizontal_alignment="distribute"):
        st.header(title, anchor=False, width="content")
        with make_row(width="content"):
            learn_links.show_link_to_all_lessons()
            learn_links.show_learn_address_button(show=part)


def show_unknown_learn_address() -> None:
    """Show that no part of Learn has this address, and a link to all lessons."""
    st.info(_(text_lessons.UNKNOWN), icon=":material/school:")
    learn_links.show_link_to_all_lessons()
