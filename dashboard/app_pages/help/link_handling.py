"""Links inside the manual: stay in the tab, and scroll to a heading."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard.manual.chapters import AT, CHAPTER
from dashboard.state import session
from dashboard.ui.browser_components.chart_tools import css_class_of_widget
from dashboard.ui.browser_components.component_values import read_component_value

_follower = st.components.v2.component(
    "coterie_manual_links",
    html="<div></div>",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def manual_section_key(chapter: str, anchor: str) -> str:
    """Return the widget key of the container that shows a section of the manual."""
    return session.widget_key("manual", chapter, anchor)


def handle_manual_links(chapter: str, anchor: str) -> None:
    """Make links between chapters stay in this tab, and scroll to a heading, if given.

    Parameters
    ----------
    chapter, anchor : str
        What is shown; the anchor is empty where no heading was asked for.
    """
    key = session.widget_key("manual links")

    def on_follow() -> None:
        link = read_component_value(key, "followed", dict[str, str])
        if link:
            for name in (CHAPTER, AT):
                st.query_params.pop(name, None)
            st.query_params.update(
                {name: link[name] for name in (CHAPTER, AT) if name in link}
            )

    section = css_class_of_widget(manual_section_key(chapter, anchor))
    _follower(
        key=key,
        data={"chapter": chapter, "at": anchor, "section": section},
        on_followed_change=on_follow,
    )
