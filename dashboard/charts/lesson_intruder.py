"""Lesson: of a hundred records, how many an intruder finds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard.charts.lesson_inputs import Found
from dashboard.charts.lesson_theme import INK, apply_lesson_theme
from dashboard.charts.theme import NEUTRAL, VERMILION, fade
from dashboard.i18n.language import _

_SIDE = 10
"""Cells along each side of a square of a hundred."""


def intruder_picture(found: Sequence[Found]) -> go.Figure:
    """Draw a hundred cells for each release, those found in colour.

    Parameters
    ----------
    found : sequence of Found
    """
    figure = make_subplots(
        cols=len(found),
        horizontal_spacing=0.05,
        subplot_titles=[_title(one) for one in found],
    )
    places = np.arange(_SIDE * _SIDE)
    for column, one in enumerate(found, start=1):
        hit = places < round(one.share)
        figure.add_heatmap(
            z=hit.reshape(_SIDE, _SIDE).astype(int),
            zmin=0,
            zmax=1,
            colorscale=[[0.0, fade(NEUTRAL, 0.28)], [1.0, VERMILION]],
            showscale=False,
            xgap=4,
            ygap=4,
            hoverinfo="skip",
            row=1,
            col=column,
        )
        if one.k > 1:
            _draw_promise(figure, one.promised, column)
    apply_lesson_theme(figure, legend=False)
    figure.update_layout(margin={"t": 84, "b": 24})
    figure.update_annotations(font={"size": 20}, yshift=6)
    figure.update_xaxes(visible=False, range=[-0.6, _SIDE - 0.4])
    figure.update_yaxes(visible=False, range=[_SIDE - 0.4, -0.6])
    return figure


def _title(one: Found) -> str:
    name = _("As it is") if one.k == 1 else f"k = {one.k}"
    return f"{name}<br><b>" + _("{share} found").format(share=f"{one.share:.0f} %")


def _draw_promise(figure: go.Figure, promised: float, column: int) -> None:
    """Draw the line that no attack of this kind is expected to pass."""
    whole, rest = divmod(promised, _SIDE)
    left, right = -0.5, _SIDE - 0.5
    above, below, middle = whole - 0.5, whole + 0.5, rest - 0.5
    steps = [(left, below), (middle, below), (middle, above), (right, above)]
    if rest == 0.0:
        steps = [(left, above), (right, above)]
    figure.add_scatter(
        name=INK,
        x=[x for x, _y in steps],
        y=[y for _x, y in steps],
        mode="lines",
        line={"color": NEUTRAL, "width": 4, "dash": "8px,4px"},
        hoverinfo="skip",
        row=1,
        col=column,
    )
