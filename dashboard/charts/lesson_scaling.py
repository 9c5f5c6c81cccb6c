"""Lesson: whose variation counts on a scaling, and which losses follow from it."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard.charts.lesson_inputs import OnScale
from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.charts.theme import BLUE, SKY, VERMILION
from dashboard.i18n.language import _


def scaling_picture(
    now: OnScale, names: Mapping[str, str], printed: Mapping[str, float]
) -> go.Figure:
    """Draw each column's share of the variation, and the losses that follow from it.

    Parameters
    ----------
    now : OnScale
    names : mapping of str to str
        Of the methods on screen, by identifier.
    printed : mapping of str to float
        By the identifiers of `names`, the printed figure that is quoted.
    """
    figure = make_subplots(
        cols=2,
        column_widths=[0.45, 0.55],
        horizontal_spacing=0.16,
        subplot_titles=[_("Share of all variation"), _("Information loss, k = 3")],
    )
    columns, shares = list(now.shares), list(now.shares.values())
    figure.add_bar(
        x=shares,
        y=columns,
        orientation="h",
        marker={"color": SKY},
        text=[f"{share:.1f} %" for share in shares],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="skip",
        row=1,
        col=1,
    )
    places = [_("As printed"), _("On one scaling")]
    for method, colour in zip(names, (BLUE, VERMILION), strict=True):
        values = [printed[method], now.losses[method]]
        figure.add_bar(
            name=names[method],
            x=places,
            y=values,
            marker={"color": colour},
            text=[f"<b>{value:.1f} %</b>" for value in values],
            textposition="outside",
            textfont={"size": 17},
            constraintext="none",
            cliponaxis=False,
            hoverinfo="skip",
            row=1,
            col=2,
        )
    apply_lesson_theme(figure)
    figure.update_layout(
        bargap=0.18,
        legend={"x": 1.0, "xanchor": "right", "y": -0.08, "yanchor": "top"},
        margin={"t": 44},
    )
    figure.update_traces(showlegend=False, selector={"orientation": "h"})
    figure.update_annotations(font={"size": 19})
    figure.update_xaxes(visible=False, range=[0, 100], row=1, col=1)
    figure.update_yaxes(autorange="reversed", showgrid=False, row=1, col=1)
    top = 1.2 * max(*printed.values(), *now.losses.values(), 18.0)
    figure.update_yaxes(
        range=[0, top], showticklabels=False, showgrid=False, row=1, col=2
    )
    return figure
