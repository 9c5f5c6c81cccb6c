"""What a loss is made of: a bar for each attribute."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.charts.figure import Figure
from dashboard.charts.theme import BLUE, apply_theme, letters
from dashboard.i18n.language import _


def share_bars(shares: Mapping[str, float]) -> Figure:
    """Draw each attribute's share of a loss, the largest on top.

    Parameters
    ----------
    shares : mapping of str to float
        Per cent, by attribute.
    """
    names = list(shares)
    figure = Figure()
    figure.add_bar(
        x=[shares[name] for name in names],
        y=[letters(name) for name in names],
        orientation="h",
        customdata=[(name,) for name in names],
        marker={"color": BLUE},
        text=[f"{shares[name]:.1f} %" for name in names],
        textposition="auto",
        hovertemplate="%{y}: %{x:.2f} %<extra></extra>",
    )
    apply_theme(figure, max(160, 60 + 30 * len(names)), legend=False)
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False)
    figure.update_xaxes(title=_("Share of the loss (%)"), rangemode="tozero")
    return figure
