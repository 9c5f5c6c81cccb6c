"""Layout of a lesson: large text, one control, figures, one picture."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Generic, NamedTuple, TypeVar

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard.charts.lesson_theme import use_page_text_colour
from dashboard.charts.theme import PLOTLY_CONFIG
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.learn.glossary import glossary_tooltip
from dashboard.state import session
from dashboard.ui import learn_links
from dashboard.ui.headings import show_table_with_tooltips
from dashboard.ui.live_slider import show_live_slider
from dashboard.ui.plots import show_plot

T = TypeVar("T")

_LESSON_CONFIG = PLOTLY_CONFIG | {"displayModeBar": False}

_PICTURE_HEIGHT = "calc(100vh - 13.5rem)"
"""Height that is left in a window below the title."""

_TEXT_SIZE = (
    "font-size: clamp(1.1rem, min(2.9vh, 4.4vw), 2.5rem); line-height: 1.42; margin: 0"
)
"""Words grow with the window, so that the last row of a room can read them."""

_STRUT_STYLE = f"""<style>
.strut {{ height: {_PICTURE_HEIGHT}; min-height: 26rem; }}
@media (max-width: 640px) {{ .strut {{ display: none; }} }}
</style><div class="strut"></div>"""


class LessonPicture(NamedTuple):
    """A figure of a lesson, its text for those who do not see it, and its width.

    Attributes
    ----------
    figure : Figure
    alt : str
        Read out to people who do not see it.
    width : float, optional
        Its part of the room that all pictures have.
    """

    figure: go.Figure
    alt: str
    width: float = 1.0


def show_lesson_pictures(
    name: str, *pictures: LessonPicture
) -> AbstractContextManager[object]:
    """Show a lesson's pictures, window-high; return a container for words beside them.

    On a narrow screen they stand below the words and each other.
    """
    widths = [0.63 * one.width for one in pictures]
    words, *places, strut = st.columns([0.36, *widths, 0.01], gap="medium")
    # Charts grow with what stands beside them, and only this knows the window.
    strut.html(_STRUT_STYLE)
    for number, (place, picture) in enumerate(zip(places, pictures, strict=True)):
        with place:
            show_plot(
                use_page_text_colour(picture.figure),
                session.widget_key("lesson", name, str(number)),
                picture.alt,
                _LESSON_CONFIG,
                stretches=True,
            )
    return words


def show_large_text(*sentences: str) -> None:
    """Show sentences in large letters; double asterisks make words bold."""
    body = "".join(
        f'<p style="{_TEXT_SIZE}; margin-bottom: 0.7em">{_to_bold(one)}</p>'
        for one in sentences
    )
    st.html(body)


def _to_bold(sentence: str) -> str:
    whole = sentence.replace(" %", "\N{NO-BREAK SPACE}%")
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(whole))


def show_lesson_footer(
    name: str, tabulate: Callable[[], pd.DataFrame], caption: str = ""
) -> None:
    """Show a caption, and offer the picture's data as a table."""
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute" if caption else "right",
        vertical_alignment="center",
    ):
        if caption:
            st.caption(caption, width="content")
        with st.popover(
            _("The picture as a table"), icon=":material/table:", type="tertiary"
        ):
            show_table_with_tooltips(
                tabulate(), session.widget_key("lesson table", name)
            )


class LessonControl(Generic[T]):
    """A lesson's one control, whose position is kept in the address and in the tab.

    Parameters
    ----------
    name : str
        The lesson's.
    label : str
    options : sequence
        What can be chosen; told apart by ``str``.
    default : object
        One of them.
    help_ : str
    words : callable, optional
        What each of them is called.
    """

    def __init__(
        self,
        name: str,
        label: str,
        options: Sequence[T],
        default: T,
        help_: str,
        words: Callable[[T], str] = str,
    ) -> None:
        self.name, self.label, self.help_ = name, label, help_
        self.options, self.words = tuple(options), words
        self._key = session.widget_key("lesson", name, "at")
        by_text = {str(option): option for option in options}
        kept = st.session_state.get(self._key, str(default))
        asked = learn_links.requested_control_position()
        text_ = asked if asked in by_text else kept
        self.value: T = by_text.get(text_, default)
        st.session_state[self._key] = str(self.value)
        if asked != str(self.value) and (asked or self.value != default):
            learn_links.set_control_position(str(self.value))

    def _set(self, value: T) -> None:
        st.session_state[self._key] = str(value)
        learn_links.set_control_position(str(value))

    def show_slider(self, place: AbstractContextManager[object]) -> None:
        """Show a slider in its place; call this after all that depends on its value."""
        with place:
            st.markdown(self.label, help=self.help_)
            show_live_slider(
                self.name,
                self.label,
                [self.words(option) for option in self.options],
                self.options.index(self.value),
                lambda at: self._set(self.options[at]),
            )

    def show_options(self) -> None:
        """Show all options side by side."""
        key = session.widget_key("lesson", self.name, "pick")
        st.session_state[key] = self.value
        st.segmented_control(
            self.label,
            self.options,
            required=True,
            format_func=self.words,
            help=self.help_,
            key=key,
            on_change=lambda: self._set(st.session_state[key] or self.value),
        )


def large_number_row() -> AbstractContextManager[object]:
    """Return a container that puts large numbers side by side."""
    return st.container(horizontal=True, gap="small")


def show_large_number(
    label: str, value: str, help_: str = "", is_lower_better: bool = False
) -> None:
    """Show one large number, and whether a lower one is better."""
    st.metric(
        label,
        value,
        _(text.LOWER) if is_lower_better else None,
        delta_color="off",
        delta_arrow="off",
        help=help_ or None,
        border=True,
        height="stretch",
    )


def show_large_loss(per_cent: float) -> None:
    """Show an information loss as a large number, with as many digits as it needs."""
    digits = 2 if per_cent >= 1.0 else 3
    show_large_number(
        _("Information loss"),
        f"{per_cent:.{digits}f} %",
        glossary_tooltip("information-loss"),
        is_lower_better=True,
    )
