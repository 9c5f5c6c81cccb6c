"""Prefetch: send the browser what the next choice will show.

A place is what a page shows for one set of choices, under any name that no other has.
Charts whose figures at other places were sent show them at once: while a slider is
dragged (:mod:`dashboard.ui.live_slider`), and when one of the controls is used that are
told here. The server hears of each choice as ever, and what it says counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from dashboard.state import session
from dashboard.ui.chart_tools import css_class_of

_ahead = st.components.v2.component(
    "coterie_ahead",
    html="<span></span>",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


class PrefetchedControl(NamedTuple):
    """A checkbox, or a button among several, and where it leads.

    Attributes
    ----------
    key : str
        Of the widget.
    place : str
    words : str
        On the button; empty for a checkbox.
    """

    key: str
    place: str
    words: str = ""


def send_figures(name: str, figures: Mapping[str, str]) -> None:
    """Send figures of a chart by the places that they belong to.

    Parameters
    ----------
    name : str
        The chart's, as in ``session.key("chart", name)``.
    figures : mapping of str to str
        As :func:`dashboard.ui.plots.figure_to_json` returns them; equal ones go once.
    """
    once = list(dict.fromkeys(figures.values()))
    told = {
        "chart": session.widget_key("chart", name),
        "figures": once,
        "places": {place: once.index(one) for place, one in figures.items()},
    }
    # One string: Streamlit then sees by itself that nothing has changed.
    _ahead(
        key=session.widget_key("ahead", name), data=json.dumps(told), height="content"
    )


def send_controls(here: str, controls: Iterable[PrefetchedControl]) -> None:
    """Send where controls lead from the place that is shown."""
    told = [
        {"within": css_class_of(one.key), "place": one.place, "words": one.words}
        for one in controls
    ]
    _ahead(
        key=session.widget_key("ahead", "controls"),
        data=json.dumps({"here": here, "controls": told}),
        height="content",
    )
