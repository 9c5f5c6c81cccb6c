"""Lesson chart: of a hundred records, those that an intruder finds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard.charts.lesson_inputs import AttackCount
from dashboard.charts.lesson_theme import TEXT_COLOUR_NAME, apply_lesson_theme
from dashboard.charts.theme import NEUTRAL, VERMILION, rgba_colour
from dashboard.i18n.language import _

_SQUARE_SIDE = 10
"""Cells along each side of a square of a hundred."""


def draw_intruder_picture(attacks: Sequence[AttackCount]) -> go.Figure:
    """Draw a hundred cells for each release; those found by an intruder in colour.

    Parameters
    ----------
    attacks : sequence of AttackCount
    """
    figure = make_subplots(
        cols=len(attacks),
        horizontal_spacing=0.05,
        subplot_titles=[_panel_title(one) for one in attacks],
    )
    places = np.arange(_SQUARE_SIDE * _SQUARE_SIDE)
    for column, one in enumerate(attacks, start=1):
        hit = places < round(one.share)
        figure.add_heatmap(
            z=hit.reshape(_SQUARE_SIDE, _SQUARE_SIDE).astype(int),
            zmin=0,
            zmax=1,
            colorscale=[[0.0, rgba_colour(NEUTRAL, 0.28)], [1.0, VERMILION]],
            showscale=False,
            xgap=4,
            ygap=4,
            hoverinfo="skip",
            row=1,
            col=column,
        )
        if one.k > 1:
            _draw_promise(figure, one.promised, column)
    apply_lesson_theme(figure, has_legend=False)
    figure.update_layout(margin={"t": 84, "b": 24})
    figure.update_annotations(font={"size": 20}, yshift=6)
    figure.update_xaxes(visible=False, range=[-0.6, _SQUARE_SIDE - 0.4])
    figure.update_yaxes(visible=False, range=[_SQUARE_SIDE - 0.4, -0.6])
    return figure


def _panel_title(attack: AttackCount) -> str:
    name = _("As it is") if attack.k == 1 else f"k = {attack.k}"
    return f"{name}<br><b>" + _("{share} found").format(share=f"{attack.share:.0f} %")


def _draw_promise(figure: go.Figure, promised: float, column: int) -> None:
    """Draw the line that no attack of this kind is expected to pass."""
    whole, rest = divmod(promised, _SQUARE_SIDE)
    left, right = -0.5, _SQUARE_SIDE - 0.5
    above, below, middle = whole - 0.5, whole + 0.5, rest - 0.5
    steps = [(left, below), (middle, below), (middle, above), (right, above)]
    if rest == 0.0:
        steps = [(left, above), (right, above)]
    figure.add_scatter(
        name=TEXT_COLOUR_NAME,
        x=[x for x, _y in steps],
        y=[y for _x, y in steps],
        mode="lines",
        line={"color": NEUTRAL, "width": 4, "dash": "8px,4px"},
        hoverinfo="skip",
        row=1,
        col=column,
    )
