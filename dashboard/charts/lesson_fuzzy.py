"""Lesson charts: membership probabilities, and sizes of drawn groups."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from dashboard.charts.groups import axis_ranges
from dashboard.charts.lesson_inputs import DrawnCentres
from dashboard.charts.lesson_theme import add_picture_heading, apply_lesson_theme
from dashboard.charts.theme import BLUE, NEUTRAL, VERMILION, rgba_colour
from dashboard.i18n.language import _


def draw_membership_picture(
    drawn_centres: DrawnCentres, axis_titles: Sequence[str]
) -> go.Figure:
    """Draw how probable it is that each record draws each centre.

    Parameters
    ----------
    drawn_centres : DrawnCentres
    axis_titles : sequence of str
        Of the two axes.
    """
    figure = go.Figure()
    _membership_lines(figure, drawn_centres)
    # Records last: one that is alone lies on its centre, and is the one to be seen.
    figure.add_scatter(
        name=_("Centre"),
        x=drawn_centres.centres[:, 0],
        y=drawn_centres.centres[:, 1],
        mode="markers",
        marker={"size": 22, "symbol": "diamond-open", "color": NEUTRAL}
        | {"line": {"width": 3}},
        hoverinfo="skip",
        showlegend=True,
    )
    points, small = (
        drawn_centres.plane.values,
        drawn_centres.sizes[drawn_centres.labels] < drawn_centres.k,
    )
    figure.add_scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        marker={
            "size": 12,
            "color": [VERMILION if one else BLUE for one in small],
            "line": {"color": "white", "width": 1},
        },
        hoverinfo="skip",
        showlegend=False,
    )
    (left, right), (low, high) = axis_ranges(points, 0.0)
    apply_lesson_theme(figure)
    add_picture_heading(figure, _("Who may draw which centre"))
    figure.update_xaxes(title_text=axis_titles[0], range=[left, right])
    figure.update_yaxes(title_text=axis_titles[1], range=[low, high])
    figure.update_layout(legend=_LEGEND_BELOW)
    return figure


def draw_group_size_picture(drawn_centres: DrawnCentres) -> go.Figure:
    """Draw the sizes of the drawn groups beside the expected ones.

    Parameters
    ----------
    drawn_centres : DrawnCentres
    """
    figure = go.Figure()
    order = np.argsort(-drawn_centres.sizes, kind="stable")
    sizes, expected = drawn_centres.sizes[order], drawn_centres.expected[order]
    places = np.arange(1, len(sizes) + 1)
    figure.add_bar(
        x=places,
        y=sizes,
        marker={
            "color": [BLUE if size >= drawn_centres.k else VERMILION for size in sizes]
        },
        text=sizes,
        textposition="inside",
        insidetextanchor="start",
        textangle=0,
        textfont={"size": 18, "color": "white"},
        constraintext="none",
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        name=_("Expected"),
        x=places,
        y=expected,
        mode="markers",
        marker={"symbol": "line-ew-open", "size": 14, "line": {"width": 3}}
        | {"color": NEUTRAL},
        hoverinfo="skip",
        showlegend=True,
    )
    apply_lesson_theme(figure)
    add_picture_heading(figure, _("Records per centre"))
    figure.add_hline(
        drawn_centres.k,
        line={"color": NEUTRAL, "width": 2, "dash": "6px,3px"},
        annotation={"text": f"k = {drawn_centres.k}", "font": {"size": 18}},
        annotation_position="top right",
    )
    figure.update_xaxes(visible=False)
    top = 1.15 * max(MAX_FIXED_SCALE_SIZE, float(sizes.max()))
    figure.update_yaxes(range=[0, top], showticklabels=False, showgrid=False)
    figure.update_layout(legend=_LEGEND_BELOW)
    return figure


_LEGEND_BELOW = {"x": 0.5, "xanchor": "center", "y": -0.2, "yanchor": "top"}
"""Where a legend is, so that pictures beside each other end on one line."""


MAX_FIXED_SCALE_SIZE = 7.0
"""Size of a group up to which the picture keeps its scale."""

_MEMBERSHIP_LEVELS = (0.02, 0.1, 0.25, 0.5, 0.8, 1.01)
"""Memberships from which on a line is darker."""


def _membership_lines(figure: go.Figure, drawn: DrawnCentres) -> None:
    """Draw lines from records to centres, darker ones where they are likelier."""
    points = drawn.plane.values
    for least, most in pairwise(_MEMBERSHIP_LEVELS):
        chosen = (drawn.memberships >= least) & (drawn.memberships < most)
        records, centres = np.nonzero(chosen)
        lines = np.full((3 * records.size + 1, 2), np.nan)
        lines[0:-1:3], lines[1::3] = points[records], drawn.centres[centres]
        strength = min(1.0, least + 0.15)
        figure.add_scatter(
            x=lines[:, 0],
            y=lines[:, 1],
            mode="lines",
            line={"color": rgba_colour(BLUE, strength), "width": 1.0 + 3.0 * least},
            hoverinfo="skip",
            showlegend=False,
        )
