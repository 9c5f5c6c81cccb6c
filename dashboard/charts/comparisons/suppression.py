"""Chart of loss against the share of suppressed records."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.charts.figure import ChartFigure
from dashboard.charts.theme import BLUE, NEUTRAL, apply_theme
from dashboard.i18n.language import _


def draw_loss_by_suppression(
    suppressed_shares: Sequence[float], losses: Sequence[float], bounds: Sequence[float]
) -> ChartFigure:
    """Draw loss and lower bound against the share of suppressed records.

    Parameters
    ----------
    suppressed_shares : sequence of float
        Records left out, per cent of all; rising.
    losses, bounds : sequence of float
        Per cent of what all records together vary.
    """
    lines = (
        (_("lost"), losses, BLUE, "solid", "circle"),
        (_("no groups lose less"), bounds, NEUTRAL, "dash", "line-ew"),
    )
    figure = ChartFigure()
    for name, values, colour, dash, symbol in lines:
        figure.add_scatter(
            x=list(suppressed_shares),
            y=list(values),
            name=name,
            mode="lines+markers",
            line={"color": colour, "dash": dash},
            marker={"symbol": symbol, "size": 7},
            hovertemplate="%{x:.2f} %: %{y:.2f} %<extra></extra>",
            cliponaxis=False,
        )
    apply_theme(figure, 300)
    figure.update_xaxes(title=_("Records left out (%)"), rangemode="tozero")
    figure.update_yaxes(title=_("Lost (%)"), rangemode="tozero")
    return figure
