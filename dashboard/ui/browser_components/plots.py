"""Plotly figures on a page, updated in place.

Streamlit's own element takes a figure in which anything has changed for another one: it
throws the old one away and draws all anew, in several rounds. This one keeps what is
there, and has Plotly change what differs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from plotly.io.json import to_json_plotly

from dashboard.charts import plotly_script
from dashboard.charts.figure import DrawableFigure
from dashboard.charts.theme import PLOTLY_CONFIG
from dashboard.i18n.language import _
from dashboard.server.browsers import base_path

_plot = st.components.v2.component(
    "coterie_plot",
    html='<div class="coterie-plot"></div>',
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def figure_to_json(figure: DrawableFigure) -> str:
    """Return a figure as JSON text without its template, which the page has."""
    spec = figure.to_dict()
    spec["layout"].pop("template", None)
    return str(to_json_plotly(spec))


def show_plot(
    figure: str | DrawableFigure,
    key: str,
    alt: str,
    config: Mapping[str, Any] = PLOTLY_CONFIG,
) -> None:
    """Show a Plotly figure, given as JSON or as an object.

    Parameters
    ----------
    figure : str or DrawableFigure
        As `figure_to_json` returns it, or still to be written.
    key : str
        Unique on the page.
    alt : str
        Read out to people who do not see it.
    config : mapping of str to object
        Plotly's; the same as long as the figure is on the page.
    """
    text = figure if isinstance(figure, str) else figure_to_json(figure)
    plot_data = {
        "name": key,
        "script": f"{base_path()}/{plotly_script.SCRIPT_PATH}",
        "figure": text,
        "config": dict(config),
        "alt": alt,
        "full": _("Full screen"),
    }
    # One string: Streamlit then sees by itself that nothing has changed.
    _plot(key=key, data=json.dumps(plot_data), height="content")
