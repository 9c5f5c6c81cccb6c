"""Learn: its start page, and the frame of every lesson."""

from __future__ import annotations

import streamlit as st

from dashboard import components
from dashboard.learn import addresses
from dashboard.learn.lessons.course import LESSONS, Lesson
from dashboard.words import text_lessons
from dashboard.words.language import _
from dashboard.words.language_menu import choose_language

TITLES = {lesson.id: lesson.title for lesson in LESSONS} | {
    addresses.PUBLISHED: text_lessons.PUBLISHED_TITLE
}
"""Address and title of everything that one goes through, one after the other."""


def start() -> None:
    """Show a card for every lesson, for the published tables and for the glossary."""
    components.page_header(_("Learn"), _(text_lessons.LEARN_INTRO))
    cards = [
        (f"{number}. {_(lesson.title)}", lesson.teaser, lesson.icon, lesson.id)
        for number, lesson in enumerate(LESSONS, start=1)
    ]
    cards.append(
        (
            f"{len(TITLES)}. {_(text_lessons.PUBLISHED_TITLE)}",
            text_lessons.PUBLISHED_TEASER,
            ":material/compare:",
            addresses.PUBLISHED,
        )
    )
    cards.append(
        (
            _(text_lessons.GLOSSARY_TITLE),
            text_lessons.GLOSSARY_TEASER,
            ":material/menu_book:",
            addresses.GLOSSARY,
        )
    )
    for first in range(0, len(cards), 4):
        line = cards[first : first + 4]
        for column, (title, teaser, icon, show) in zip(
            st.columns(4), line, strict=False
        ):
            with column, st.container(border=True, height="stretch"):
                st.subheader(title, anchor=False, icon=icon)
                with st.container(height="stretch"):
                    st.markdown(_(teaser))
                addresses.link(
                    _("Open") if show == addresses.GLOSSARY else _("Start"),
                    show,
                    ":material/arrow_forward:",
                )
    st.caption(_(text_lessons.PROJECT))


def lesson(one: Lesson) -> None:
    """Show a lesson with its title and the ways to the ones beside it."""
    title(one.id, _(one.title))
    one.show()


def title(show: str, name: str) -> None:
    """Show which lesson this is, and links to the ones before and after it."""
    names = list(TITLES)
    place = names.index(show)
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
    ):
        st.header(f"{place + 1}. {name}", anchor=False, width="content")
        with st.container(
            horizontal=True, vertical_alignment="center", width="content"
        ):
            addresses.link(_("All lessons"), icon=":material/school:")
            if place:
                addresses.link(
                    _("Previous lesson"), names[place - 1], ":material/arrow_back:"
                )
            if place + 1 < len(names):
                addresses.link(
                    _("Next lesson"), names[place + 1], ":material/arrow_forward:"
                )
            with st.popover(_("Link"), icon=":material/link:", type="tertiary"):
                st.caption(_(text_lessons.LINK_HELP))
                st.code(addresses.public(show=show), language=None)
            if addresses.projected("learn"):  # without the line of every other page
                choose_language()


def unknown() -> None:
    """Say that the address leads nowhere, and where to go instead."""
    st.info(_(text_lessons.UNKNOWN), icon=":material/school:")
    addresses.link(_("All lessons"), icon=":material/school:")
