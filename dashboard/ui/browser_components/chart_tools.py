"""Chart tools: download as a picture, and selection by click."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st
from typing_extensions import TypedDict

from dashboard.i18n.language import _
from dashboard.results.figures import plan_title
from dashboard.state import session
from dashboard.ui.browser_components.component_values import read_component_value


class ClickedPoint(TypedDict, total=False):
    """What was clicked in a chart: a method, or a result's key with custom data.

    ``method`` is a title in a legend, or ``key`` is a result's, with ``rest``, the rest
    of a point's custom data.
    """

    method: str
    key: str
    rest: list[Any]


_TOOLS_STYLE = """
.tools {
  display: flex;
  align-items: center;
  justify-content: flex-end;
}
button {
  font: 400 0.75rem var(--st-font);
  color: var(--st-gray-text-color, var(--st-text-color));
  background: transparent;
  border: 0;
  border-radius: var(--st-button-radius);
  padding: 0.25rem 0.3rem;
  min-width: 24px;
  min-height: 24px;
  cursor: pointer;
}
button:hover { color: var(--st-primary-color); text-decoration: underline; }
button:focus-visible { outline: 2px solid var(--st-primary-color); }
"""

_tools = st.components.v2.component(
    "coterie_chart_tools",
    html='<div class="tools"></div>',
    css=_TOOLS_STYLE,
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def show_chart_tools(
    chart_name: str,
    title: str,
    on_point_click: Callable[[ClickedPoint], None] | None = None,
) -> None:
    """Show a chart's download buttons; call on_point_click with each clicked point.

    Parameters
    ----------
    chart_name : str
        The chart's, as in ``session.widget_key("chart", name)``.
    title : str
        Written above the picture.
    on_point_click : callable, optional
        Told what is clicked; without it nothing happens on a click, and nothing
        fades.
    """
    key = session.widget_key("tools", chart_name)
    chosen = session.workspace().chosen
    method = None if chosen is None else plan_title(chosen)
    result = None if chosen is None else chosen.digest()
    formats = [
        {
            "format": kind,
            "label": kind.upper(),
            "help": _("Download {title} as {format}").format(
                title=title, format=kind.upper()
            ),
        }
        for kind in ("png", "svg")
    ]
    _tools(
        key=key,
        data={
            "chart": css_class_of_widget(session.widget_key("chart", chart_name)),
            "title": title,
            "file": chart_name,
            "formats": formats,
            "linked": on_point_click is not None,
            "selection": {"method": method, "key": result},
        },
        width="content",
        height="content",
        on_picked_change=(lambda: None)
        if on_point_click is None
        else lambda: _forward(key, on_point_click),
    )


def css_class_of_widget(widget_key: str) -> str:
    """Return the CSS class that Streamlit gives the element with a widget key."""
    return "st-key-" + "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "_-") else "-"
        for letter in widget_key
    )


def _forward(key: str, pick: Callable[[ClickedPoint], None]) -> None:
    picked = read_component_value(key, "picked", ClickedPoint)
    if picked:
        pick(picked)
