"""Start page of Learn, and the frame of every lesson."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import streamlit as st

from dashboard.app_pages.learn import class_download, class_lessons
from dashboard.app_pages.learn.course import LESSONS, Lesson
from dashboard.i18n import text_learn, text_lessons
from dashboard.i18n.language import _
from dashboard.ui import components, learn_links
from dashboard.ui.language_menu import show_language_menu

TITLES_BY_ADDRESS = {lesson.id: lesson.title for lesson in LESSONS} | {
    learn_links.PUBLISHED: text_lessons.PUBLISHED_TITLE
}
"""Address and title of everything that one goes through, one after the other."""


FIGURES = Path(__file__).with_name("figures")
"""Pictures of lessons in small: ``python -m tests.regenerate`` writes them anew."""


def show_learn_start() -> None:
    """Show Learn's start page: cards of the class and of all other parts."""
    components.announce_page(_("Learn"))
    class_lessons.show_class_cards()
    class_download.show_class_download()
    st.subheader(_(text_lessons.WITH_ENGINE), anchor=False)
    cards = [
        (f"{number}. {_(lesson.title)}", lesson.teaser, lesson.icon, lesson.id)
        for number, lesson in enumerate(LESSONS, start=1)
    ]
    cards.append(
        (
            f"{len(TITLES_BY_ADDRESS)}. {_(text_lessons.PUBLISHED_TITLE)}",
            text_lessons.PUBLISHED_TEASER,
            ":material/compare:",
            learn_links.PUBLISHED,
        )
    )
    cards.append(
        (
            _(text_learn.RUN_TIMES_TITLE),
            text_learn.RUN_TIMES_TEASER,
            ":material/timer:",
            learn_links.RUN_TIMES_PART,
        )
    )
    cards.append(
        (
            _(text_learn.OTHER_TOOLS_TITLE),
            text_learn.OTHER_TOOLS_TEASER,
            ":material/swap_horiz:",
            learn_links.OTHER_TOOLS,
        )
    )
    cards.append(
        (
            _(text_lessons.GLOSSARY_TITLE),
            text_lessons.GLOSSARY_TEASER,
            ":material/menu_book:",
            learn_links.GLOSSARY,
        )
    )
    for first in range(0, len(cards), 4):
        line = cards[first : first + 4]
        for column, (title, teaser, icon, show) in zip(
            st.columns(4), line, strict=False
        ):
            with column, st.container(border=True, height="stretch"):
                figure = FIGURES / f"{show}.svg"
                if figure.exists():
                    data = b64encode(figure.read_bytes()).decode()
                    source = f"data:image/svg+xml;base64,{data}"
                    st.html(f'<img alt="" width="100%" src="{source}">')
                st.subheader(title, anchor=False, icon=icon)
                with st.container(height="stretch"):
                    st.markdown(_(teaser))
                learn_links.link_to_learn_part(
                    _("Open") if show == learn_links.GLOSSARY else _("Start"),
                    show,
                    ":material/arrow_forward:",
                )
    st.caption(_(text_lessons.PROJECT))


def show_lesson(lesson: Lesson) -> None:
    """Show a lesson below its title and its links to the neighbouring lessons."""
    show_lesson_title(lesson.id, _(lesson.title))
    lesson.show()


def show_lesson_title(lesson_id: str, title: str) -> None:
    """Show a lesson's number and title, with links to its neighbours."""
    names = list(TITLES_BY_ADDRESS)
    place = names.index(lesson_id)
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
    ):
        st.header(f"{place + 1}. {title}", anchor=False, width="content")
        with st.container(
            horizontal=True, vertical_alignment="center", width="content"
        ):
            learn_links.link_to_learn_part(_("All lessons"), icon=":material/school:")
            if place:
                learn_links.link_to_learn_part(
                    _("Previous lesson"), names[place - 1], ":material/arrow_back:"
                )
            if place + 1 < len(names):
                learn_links.link_to_learn_part(
                    _("Next lesson"), names[place + 1], ":material/arrow_forward:"
                )
            with st.popover(_("Link"), icon=":material/link:", type="tertiary"):
                st.caption(_(text_lessons.LINK_HELP))
                st.code(learn_links.learn_address(show=lesson_id), language=None)
            if learn_links.is_lesson_page(
                "learn"
            ):  # without the line of every other page
                show_language_menu()


def show_extra_title(title: str) -> None:
    """Show the title of a page beside the lessons, and a link back to them."""
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
    ):
        st.header(title, anchor=False, width="content")
        learn_links.link_to_learn_part(_("All lessons"), icon=":material/school:")


def show_unknown_address() -> None:
    """Show that the address leads nowhere, and a link to all lessons."""
    st.info(_(text_lessons.UNKNOWN), icon=":material/school:")
    learn_links.link_to_learn_part(_("All lessons"), icon=":material/school:")
