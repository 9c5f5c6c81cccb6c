"""Lesson: who may draw which centre, and how large the groups come out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard.charts.groups import span
from dashboard.charts.lesson_inputs import Drawn
from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.charts.theme import BLUE, NEUTRAL, ORANGE, VERMILION, fade
from dashboard.i18n.language import _


def fuzzy_picture(drawn: Drawn, titles: Sequence[str]) -> go.Figure:
    """Draw how likely each record draws each centre, and the sizes that came out.

    Parameters
    ----------
    drawn : Drawn
    titles : sequence of str
        Of the two axes.
    """
    figure = make_subplots(
        cols=2,
        column_widths=[0.66, 0.34],
        horizontal_spacing=0.09,
        subplot_titles=[_("Who may draw which centre"), _("Records per centre")],
    )
    _memberships(figure, drawn)
    (left, right), (low, high) = span(drawn.plane.values, 0.0)
    order = np.argsort(-drawn.sizes, kind="stable")
    sizes, expected = drawn.sizes[order], drawn.expected[order]
    figure.add_bar(
        x=np.arange(1, len(sizes) + 1),
        y=sizes,
        marker={"color": [BLUE if size >= drawn.k else VERMILION for size in sizes]},
        text=sizes,
        textposition="inside",
        insidetextanchor="start",
        textangle=0,
        textfont={"size": 18, "color": "white"},
        constraintext="none",
        hoverinfo="skip",
        showlegend=False,
        row=1,
        col=2,
    )
    figure.add_scatter(
        name=_("Expected"),
        x=np.arange(1, len(sizes) + 1),
        y=expected,
        mode="markers",
        marker={"symbol": "line-ew-open", "size": 18, "line": {"width": 3}}
        | {"color": NEUTRAL},
        hoverinfo="skip",
        row=1,
        col=2,
    )
    apply_lesson_theme(figure)
    figure.update_annotations(font={"size": 19})
    figure.add_hline(
        drawn.k,
        line={"color": NEUTRAL, "width": 2, "dash": "6px,3px"},
        annotation={"text": f"k = {drawn.k}", "font": {"size": 18}},
        annotation_position="top right",
        row=1,
        col=2,
    )
    figure.update_xaxes(title=titles[0], range=[left, right], row=1, col=1)
    figure.update_yaxes(title=titles[1], range=[low, high], row=1, col=1)
    figure.update_xaxes(visible=False, row=1, col=2)
    top = 1.15 * max(HIGHEST, float(sizes.max()))
    figure.update_yaxes(
        range=[0, top], showticklabels=False, showgrid=False, row=1, col=2
    )
    figure.update_layout(
        margin={"t": 44}, legend={"y": -0.06, "yanchor": "top", "x": 1.0}
    )
    figure.update_layout(legend={"xanchor": "right"})
    return figure


HIGHEST = 7.0
"""Size of a group up to which the picture keeps its scale."""

_LEVELS = (0.02, 0.1, 0.25, 0.5, 0.8, 1.01)
"""Memberships from which on a line is darker."""


def _memberships(figure: go.Figure, drawn: Drawn) -> None:
    """Draw lines from records to centres, darker ones where they are likelier."""
    points = drawn.plane.values
    where = {"row": 1, "col": 1}
    for least, most in pairwise(_LEVELS):
        chosen = (drawn.memberships >= least) & (drawn.memberships < most)
        records, centres = np.nonzero(chosen)
        lines = np.full((3 * records.size + 1, 2), np.nan)
        lines[0:-1:3], lines[1::3] = points[records], drawn.centres[centres]
        strength = min(1.0, least + 0.15)
        figure.add_scatter(
            x=lines[:, 0],
            y=lines[:, 1],
            mode="lines",
            line={"color": fade(BLUE, strength), "width": 1.0 + 3.0 * least},
            hoverinfo="skip",
            showlegend=False,
            **where,
        )
    small = drawn.sizes[drawn.labels] < drawn.k
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
        **where,
    )
    figure.add_scatter(
        x=drawn.centres[:, 0],
        y=drawn.centres[:, 1],
        mode="markers",
        marker={
            "size": 18,
            "symbol": "diamond",
            "color": ORANGE,
            "line": {"color": "white", "width": 2},
        },
        hoverinfo="skip",
        showlegend=False,
        **where,
    )
