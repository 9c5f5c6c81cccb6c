"""Dot charts of losses and of certainty penalties, a line per method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dashboard.charts import theme
from dashboard.charts.figure import ChartFigure
from dashboard.charts.inputs import NO_BOUND_KIND, ResultFigures, bounds_by_k
from dashboard.i18n.language import _

_ROW, _HEAD, _FOOT = 27, 24, 26
"""Heights of a method's line, above all and below all, in pixels."""

_MIN_HEIGHT_PX = 180
"""Height of all lines where they are few, in pixels."""

_BOUND_LABEL_SHARE = 0.16
"""Share of an axis that the name of a bound takes, on a phone."""

_SPREAD_OFFSET = 0.34
"""How far below a method's line its spread over seeds is drawn, in lines."""


def draw_loss_dots(
    results: Sequence[ResultFigures],
    styles: Mapping[str, theme.MethodStyle],
    k: int,
    ringed_key: str = "",
) -> ChartFigure:
    """Draw loss as a dot per method and k; methods are ranked, bounds are dashed lines.

    Results that do not keep k are pale: what they lose buys less. Each dot's custom
    data are its key, its k and how much of its loss is avoidable at most.

    Parameters
    ----------
    results : sequence of ResultFigures
        Measured on one scaling: losses on two scalings must not be compared.
    styles : mapping of str to MethodStyle
        By method.
    k : int
        The one that methods are ranked by and whose losses are written.
    ringed_key : str
        Key of the result that stands out.
    """
    figure = _draw_dots(
        results,
        styles,
        lambda row: row.loss,
        _("loss {loss} %<br>at most {gap} % of it avoidable").format(
            loss="%{x:.3f}", gap="%{customdata[2]:.0f}"
        ),
        k,
        ringed_key,
        "information_loss",
    )
    # What nothing is known of yet has no line: at 0 it would read as a bound.
    bounds = bounds_by_k([row for row in results if row.bound_kind != NO_BOUND_KIND])
    for size, bound in bounds.items():
        figure.add_vline(
            x=bound,
            line={"color": theme.NEUTRAL, "width": 1.5, "dash": "5px,3px"},
            layer="below",
        )
        figure.add_scatter(
            name=_("Lower bound"),
            x=[bound],
            y=[-1],
            mode="markers",
            marker={"symbol": "line-ns-open", "color": theme.NEUTRAL, "size": 9},
            customdata=[("", size)],
            hovertemplate=_("k = {k}: no grouping can lose less than {bound} %").format(
                k=size, bound="%{x:.3f}"
            )
            + "<extra></extra>",
        )
    _name_bounds(figure, bounds)
    return figure


def draw_certainty_penalty_dots(
    results: Sequence[ResultFigures],
    styles: Mapping[str, theme.MethodStyle],
    k: int,
    ringed_key: str = "",
) -> ChartFigure:
    """Draw certainty penalties as a dot per method and k, methods ranked.

    It does not depend on the scaling.
    """
    hover = _("penalty {penalty} %").format(penalty="%{x:.3f}")
    return _draw_dots(
        results,
        styles,
        lambda row: row.penalty,
        hover,
        k,
        ringed_key,
        "certainty_penalty",
    )


def rank_method_titles(
    results: Sequence[ResultFigures], k: int, value_of: Callable[[ResultFigures], float]
) -> list[str]:
    """Return methods' titles by rising value at `k`; methods without it come last."""
    at: dict[str, tuple[bool, float]] = {}
    for row in results:
        other = row.k != k
        rank = (other, abs(row.k - k) if other else value_of(row))
        at[row.title] = min(at.get(row.title, rank), rank)
    return sorted(at, key=lambda title: at[title])


def _draw_dots(
    rows: Sequence[ResultFigures],
    styles: Mapping[str, theme.MethodStyle],
    value: Callable[[ResultFigures], float],
    hover: str,
    k: int,
    ringed: str,
    varies: str,
) -> ChartFigure:
    """Draw a figure of every result as dots along a line per method.

    `varies` is the name by which its spread over seeds is known.
    """
    titles = rank_method_titles(rows, k, value)
    figure = ChartFigure()
    for place, title in enumerate(titles):
        method_rows = sorted(
            (row for row in rows if row.title == title), key=lambda row: row.k
        )
        style, values = (
            styles[method_rows[0].method],
            [value(row) for row in method_rows],
        )
        figure.add_scatter(
            name=title,
            x=values,
            y=[place] * len(method_rows),
            mode="lines+markers+text",
            line={"color": theme.rgba_colour(style.colour, 0.35), "width": 1.5},
            marker={
                "color": style.colour,
                "opacity": [1.0 if row.keeps_k else 0.45 for row in method_rows],
                "size": [15 if row.key == ringed else 10 for row in method_rows],
                "line": {
                    "color": theme.NEUTRAL,
                    "width": [3 if row.key == ringed else 0 for row in method_rows],
                },
            },
            # A blank: Plotly never writes again where a dot once had no words.
            text=[
                _format_short(value(row)) if row.k == k else " " for row in method_rows
            ],
            # Beside the dot it would lie on the line to the next one.
            textposition="top center",
            textfont={"size": 11, "shadow": "auto"},  # a bound may pass behind
            cliponaxis=False,
            meta=theme.trace_selection_meta(title),
            customdata=[(row.key, row.k, row.gap) for row in method_rows],
            hovertemplate=(
                f"<b>{title}</b>, k = %{{customdata[1]}}<br>{hover}<extra></extra>"
            ),
        )
        # The dots themselves are what the first seed's release loses.
        several = [
            (row, row.spreads[varies]) for row in method_rows if varies in row.spreads
        ]
        theme.add_seed_spreads(
            figure,
            style.colour,
            several,
            "x",
            y=[place + _SPREAD_OFFSET] * len(several),
            marker={"symbol": "line-ns-open", "size": 8, "color": style.colour},
        )
    theme.apply_theme(
        figure,
        _HEAD + _FOOT + max(_MIN_HEIGHT_PX, _ROW * len(titles)),
        has_legend=False,
    )
    figure.update_layout(
        margin={"l": theme.label_width_px(titles), "r": 24, "t": _HEAD, "b": _FOOT},
        font={"size": 12},
    )
    figure.update_xaxes(showgrid=True, gridcolor=theme.FAINT, nticks=8, fixedrange=True)
    figure.update_yaxes(
        tickvals=list(range(len(titles))),
        ticktext=[
            f"<b>{title}</b>"
            if any(row.title == title and row.key == ringed for row in rows)
            else title
            for title in titles
        ],
        range=[len(titles) - 0.5, -0.6],
        showgrid=False,
        fixedrange=True,
    )
    theme.disable_automargin(figure)
    return figure


def _name_bounds(figure: ChartFigure, bounds: Mapping[int, float]) -> None:
    """Write above each bound whose it is, once for bounds that are close together."""
    values = [x for trace in figure.traces for x in trace["x"]]
    values += [] if bounds else [0.0]
    reach = (max(values) - min(values)) or 1.0
    # Words above the first bound would stretch the axis below zero.
    ends = [min(values) - 0.05 * reach, max(values) + 0.05 * reach]
    figure.update_xaxes(range=ends)
    for place, cluster in enumerate(_close(bounds, _BOUND_LABEL_SHARE * reach)):
        first = place == 0
        sizes = ", ".join(str(k) for k, _bound in cluster)
        at = [bound for _k, bound in cluster]
        # The first one says what they are, towards the left, where there is room.
        text = f"k = {sizes}"
        if first:
            text = _("lower bound, k = {k}").format(k=sizes)
            margin = max(
                figure.settings["margin"]["l"], theme.label_width_px([text], 11)
            )
            figure.update_layout(margin={"l": margin})
        figure.add_annotation(
            text=text,
            x=max(at) if first else sum(at) / len(at),
            xanchor="right" if first else "center",
            y=1.0,
            yref="paper",
            yanchor="bottom",
            showarrow=False,
            font={"size": 11},
        )


def _close(bounds: Mapping[int, float], words: float) -> list[list[tuple[int, float]]]:
    """Return k and bound in rising order, in one list where their words would touch.

    The first words end at their bound, all others have theirs in their middle.
    """
    clusters: list[list[tuple[int, float]]] = []
    for k, bound in sorted(bounds.items(), key=lambda pair: pair[1]):
        room = 0.5 * words if len(clusters) == 1 else words
        if clusters and bound - clusters[-1][-1][1] < room:
            clusters[-1].append((k, bound))
        else:
            clusters.append([(k, bound)])
    return clusters


def _format_short(loss: float) -> str:
    """Return a loss with as many digits as there is room for."""
    return f"{loss:.1f}" if loss >= 1.0 else f"{loss:.2g}"
