"""Bar chart of each attribute's share of a loss."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.charts.figure import ChartFigure
from dashboard.charts.theme import BLUE, apply_theme, escape_label
from dashboard.i18n.language import _


def draw_loss_share_bars(shares: Mapping[str, float]) -> ChartFigure:
    """Draw a bar per attribute: its per cent of a loss, the first on top.

    Parameters
    ----------
    shares : mapping of str to float
        Per cent, by attribute.
    """
    names = list(shares)
    figure = ChartFigure()
    figure.add_bar(
        x=[shares[name] for name in names],
        y=[escape_label(name) for name in names],
        orientation="h",
        customdata=[(name,) for name in names],
        marker={"color": BLUE},
        text=[f"{shares[name]:.1f} %" for name in names],
        textposition="auto",
        hovertemplate="%{y}: %{x:.2f} %<extra></extra>",
    )
    apply_theme(figure, max(160, 60 + 30 * len(names)), has_legend=False)
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False)
    figure.update_xaxes(title=_("Share of the loss (%)"), rangemode="tozero")
    return figure
