"""Lesson chart: losses by effort, and lower bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dashboard.charts.lesson_inputs import EffortResult
from dashboard.charts.lesson_theme import apply_lesson_theme
from dashboard.charts.theme import BLUE, FAINT, NEUTRAL, ORANGE, VERMILION, rgba_colour
from dashboard.i18n.language import _


def draw_effort_picture(
    efforts: Sequence[EffortResult],
    effort_names: Sequence[str],
    bounds: Mapping[str, float],
) -> go.Figure:
    """Draw the losses reached by each effort, and the lower bounds below them.

    Parameters
    ----------
    efforts : sequence of EffortResult
        The chosen one last.
    effort_names : sequence of str
        Of all efforts that there are, the least one first.
    bounds : mapping of str to float
        In per cent, by name, weakest first.
    """
    figure = go.Figure()
    now, best = efforts[-1], max(bounds.values())
    rows = list(zip(effort_names, efforts, strict=False))
    for least in (True, False):
        # What may be avoidable is hatched, so that the gap is seen in the bar itself.
        values = [min(one.loss, best) if least else one.loss - best for _n, one in rows]
        figure.add_bar(
            x=values,
            y=[name for name, _one in rows],
            orientation="h",
            marker={
                "color": [
                    (BLUE if one is now else rgba_colour(BLUE, 0.45))
                    if least
                    else (VERMILION if one is now else rgba_colour(VERMILION, 0.45))
                    for _n, one in rows
                ],
                "pattern": {"shape": "" if least else "/", "fgcolor": "white"},
            },
            text=None if least else [f"<b>{one.loss:.2f} %</b>" for _n, one in rows],
            textposition="outside",
            textfont={"size": 20},
            cliponaxis=False,
            hoverinfo="skip",
        )
    figure.add_vrect(0, best, fillcolor=FAINT, line_width=0, layer="below")
    for place, (name, value) in enumerate(bounds.items()):
        last = place == len(bounds) - 1
        figure.add_vline(
            value,
            line={
                "color": ORANGE if last else NEUTRAL,
                "width": 4 if last else 2,
                "dash": "solid" if last else "6px,3px",
            },
        )
        # One above the other: the three may lie close together.
        figure.add_annotation(
            x=value,
            y=1.0,
            yref="paper",
            yshift=4 + 24 * (len(bounds) - 1 - place),
            text=f"<b>{name}</b> {value:.2f} %",
            font={"size": 18},
            showarrow=False,
            xanchor="right",
            yanchor="bottom",
        )
    apply_lesson_theme(figure, has_legend=False)
    right = 1.2 * max(one.loss for one in efforts)
    figure.update_xaxes(title_text=_("Information loss (%)"), range=[0, right])
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=list(effort_names),
        range=[len(effort_names) - 0.5, -0.5],
    )
    figure.update_layout(margin={"t": 100, "r": 40}, bargap=0.35, barmode="stack")
    return figure
