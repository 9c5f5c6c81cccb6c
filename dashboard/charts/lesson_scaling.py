"""Lesson charts: shares of variation by scaling, and the resulting losses."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from dashboard.charts.lesson_inputs import ScalingResult
from dashboard.charts.lesson_theme import add_picture_heading, apply_lesson_theme
from dashboard.charts.theme import BLUE, SKY, VERMILION
from dashboard.i18n.language import _


def draw_variation_shares(scaling_result: ScalingResult) -> go.Figure:
    """Draw each column's share of the variation on a scaling.

    Parameters
    ----------
    scaling_result : ScalingResult
    """
    figure = go.Figure()
    figure.add_bar(
        x=list(scaling_result.shares.values()),
        y=list(scaling_result.shares),
        orientation="h",
        marker={"color": SKY},
        text=[f"{share:.1f} %" for share in scaling_result.shares.values()],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="skip",
    )
    apply_lesson_theme(figure, has_legend=False)
    add_picture_heading(figure, _("Share of all variation"))
    figure.update_layout(bargap=0.18)
    figure.update_xaxes(visible=False, range=[0, 100])
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return figure


def draw_scaling_losses(
    scaling_result: ScalingResult,
    method_titles: Mapping[str, str],
    printed_losses: Mapping[str, float],
) -> go.Figure:
    """Draw methods' losses on a scaling beside the printed ones.

    Parameters
    ----------
    scaling_result : ScalingResult
    method_titles : mapping of str to str
        Of the methods on screen, by identifier.
    printed_losses : mapping of str to float
        By the identifiers of `method_titles`, the printed figure that is quoted.
    """
    figure = go.Figure()
    for method, colour in zip(method_titles, (BLUE, VERMILION), strict=True):
        values = [printed_losses[method], scaling_result.losses[method]]
        figure.add_bar(
            name=method_titles[method],
            x=[_("As printed"), _("On one scaling")],
            y=values,
            marker={"color": colour},
            text=[f"<b>{value:.1f} %</b>" for value in values],
            textposition="outside",
            textfont={"size": 17},
            constraintext="none",
            cliponaxis=False,
            hoverinfo="skip",
        )
    apply_lesson_theme(figure)
    add_picture_heading(figure, _("Information loss, k = 3"))
    figure.update_layout(
        bargap=0.18,
        legend={"x": 0.5, "xanchor": "center", "y": -0.08, "yanchor": "top"},
    )
    top = 1.2 * max(*printed_losses.values(), *scaling_result.losses.values(), 18.0)
    figure.update_yaxes(range=[0, top], showticklabels=False, showgrid=False)
    return figure
