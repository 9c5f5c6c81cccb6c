"""Theme of lesson charts: large enough for projection."""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts.theme import apply_theme

MIN_HEIGHT_PX = 380
"""Height in pixels at least: pictures grow with the window."""


TEXT_COLOUR_NAME = "ink"
"""Name of lines, and of pictures, that are drawn in the colour of the page's words."""


def apply_lesson_theme(figure: go.Figure, has_legend: bool = True) -> go.Figure:
    """Give a lesson's figure the common theme in large letters; return the figure."""
    apply_theme(figure, MIN_HEIGHT_PX, has_legend)
    figure.update_layout(font={"size": 18}, hoverlabel={"font": {"size": 18}})
    figure.update_layout(legend={"font": {"size": 18}}, dragmode=False)
    figure.update_layout(
        margin={"l": 8, "r": 16, "t": 48 if has_legend else 24, "b": 8}
    )
    figure.update_xaxes(title={"font": {"size": 18}}, tickfont={"size": 16})
    figure.update_yaxes(title={"font": {"size": 18}}, tickfont={"size": 16})
    return figure


def add_picture_heading(figure: go.Figure, heading: str) -> None:
    """Write a heading above a lesson's figure."""
    figure.add_annotation(
        text=heading,
        x=0.5,
        y=1.0,
        xref="paper",
        yref="paper",
        yanchor="bottom",
        yshift=4,
        font={"size": 19},
        showarrow=False,
    )
    figure.update_layout(margin={"t": 44})


def use_page_text_colour(figure: go.Figure) -> go.Figure:
    """Have the browser draw a figure's words in the page's text colour; return it.

    Elsewhere axes are written in a quiet grey, which a projector swallows. Browsers do
    it, as pages turn dark while a picture is shown.
    """
    return figure.update_layout(meta=TEXT_COLOUR_NAME)
