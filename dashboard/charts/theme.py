"""Common look of charts: colours, method styles, layout, labels and metadata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any, Literal, TypeVar
from unicodedata import east_asian_width

from plotly import basedatatypes

from dashboard.charts.figure import ChartFigure, DrawableFigure
from dashboard.charts.inputs import ResultFigures, RiskUtilityPoint
from dashboard.i18n.language import _
from engine.methods import methods
from engine.methods.default import (
    DEFAULT_LARGE_METHOD,
    DEFAULT_MIXED_METHODS,
    DEFAULT_NUMERIC_METHODS,
)
from engine.pipeline.planning.seeds import SeedSpread

BLUE, ORANGE, GREEN = "#0072B2", "#E69F00", "#009E73"
PURPLE, SKY, VERMILION = "#CC79A7", "#56B4E9", "#D55E00"
PALETTE = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION)
"""Okabe and Ito (2008) without yellow and black: each is lost on one background."""

NEUTRAL = "#8A8F98"
"""For bounds and axes: reads on white and on black."""

CHIP = "#5A5F68"
"""Behind white words that lie over data."""

FAINT = "rgba(138, 143, 152, 0.25)"

ROLE_COLOURS: dict[str, str] = {
    "identifier": "#D6424B",
    "quasi-identifier": "#E3B505",
    "confidential": "#8E5BB5",
    "weight": "#3B82C4",
    "other": NEUTRAL,
    "undecided": "#E07B00",
}
"""ARX's colours, which its users know; the role is always written beside them.

Not its green for what leaves as it is: nothing about such a column is verified.
"""

F = TypeVar("F", bound=DrawableFigure)

# Plotly takes the name of every setting apart, such as "xaxis_title_text", whenever it
# is set: a tenth of the time that a chart takes to be made. There are a few hundred.
basedatatypes._str_to_dict_path_full = lru_cache(4096)(
    basedatatypes._str_to_dict_path_full
)

LINE_DASHES = ("solid", "dash", "dot", "dashdot")
MARKER_SYMBOLS = ("circle", "square", "diamond", "cross", "triangle-up", "star")
"""One for each colour, so that points can be told apart without colours."""

PLOTLY_CONFIG: dict[str, Any] = {
    # The default would offer to send the data to a server.
    "showSendToCloud": False,
    "displaylogo": False,
    # Below each chart are buttons that download it, which a keyboard reaches too.
    "modeBarButtonsToRemove": [
        "toImage",
        "select2d",
        "lasso2d",
        "zoom2d",
        "pan2d",
        "autoScale2d",
    ],
}
"""For every chart: nothing leaves the machine."""


@dataclass(frozen=True)
class MethodStyle:
    """Colour, dash and symbol by which charts mark a method.

    Attributes
    ----------
    colour : str
        Hexadecimal.
    symbol : str
        Another one for each colour, and where two methods share a colour.
    dash : str
        Differs where two methods share a colour.
    """

    colour: str
    dash: str
    symbol: str


def choose_method_styles(method_ids: Iterable[str]) -> Mapping[str, MethodStyle]:
    """Return the style of each method id, the same in all charts.

    Colours go by the place in the registry, after the default methods, which are drawn
    together most. After six methods they come again, with another dash and symbol. A
    method's polished groups have its colour with another of these.

    Parameters
    ----------
    method_ids : iterable of str
        What follows a comma is a variant of the method before it.
    """
    return {name: _style_of(*name.partition(",")[::2]) for name in method_ids}


def _style_of(method: str, variant: str) -> MethodStyle:
    first = *DEFAULT_NUMERIC_METHODS, *DEFAULT_MIXED_METHODS, DEFAULT_LARGE_METHOD
    names = [*dict.fromkeys((*first, *methods))]
    place = names.index(method) if method in methods else len(names)
    cycle, colour = divmod(place, len(PALETTE))
    turn, mark = divmod(cycle, len(LINE_DASHES))
    if variant:  # what no method has: there are at most three times four times six
        turn, mark = turn + 3, (mark + 1) % len(LINE_DASHES)
    return MethodStyle(
        PALETTE[colour],
        LINE_DASHES[mark],
        MARKER_SYMBOLS[(colour + mark + turn) % len(MARKER_SYMBOLS)],
    )


def apply_theme(figure: F, height: int, has_legend: bool = True) -> F:
    """Set the common layout of all charts in a figure; return the figure."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 44 if has_legend else 16, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"size": 14},
        hoverlabel={"align": "left"},
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": NEUTRAL, "activecolor": BLUE},
        showlegend=has_legend,
        legend={
            "orientation": "h",
            "yanchor": "bottom",
            "y": 1.02,
            "xanchor": "left",
            "x": 0.0,
            "title": {"text": ""},
        },
    )
    figure.update_xaxes(
        showgrid=False, zeroline=False, automargin=True, linecolor=FAINT
    )
    figure.update_yaxes(
        gridcolor=FAINT, zeroline=False, automargin=True, linecolor=FAINT
    )
    return figure


def add_seed_spreads(
    figure: ChartFigure,
    colour: str,
    spreads: Sequence[tuple[ResultFigures | RiskUtilityPoint, SeedSpread]],
    axis: Literal["x", "y"],
    **settings: Any,
) -> None:
    """Draw a method's means over seeds, each with its standard deviation along an axis.

    Parameters
    ----------
    spreads : sequence of tuple
        Results of one method, and what over seeds became of what is drawn of them.
    settings
        Of the trace: positions across the axis, and the size of a mean.
    """
    if not spreads:
        return
    title, means = spreads[0][0].title, [over.mean for _one, over in spreads]
    words = _(
        "mean of {seeds} seeds {mean} %, standard deviation {deviation}<br>"
        "from {least} to {most} %"
    ).format(
        seeds="%{customdata[2]}",
        mean=f"%{{{axis}:.3f}}",
        deviation="%{customdata[3]:.3f}",
        least="%{customdata[4]:.3f}",
        most="%{customdata[5]:.3f}",
    )
    deviations = {
        "type": "data",
        "array": [over.deviation for _one, over in spreads],
        "color": colour,
        "thickness": 2,
        "width": 3,
    }
    figure.add_scatter(
        name=title,
        mode="markers",
        meta=trace_selection_meta(title),
        customdata=[
            (point.key, point.k, point.n_seeds, over.deviation, over.least, over.most)
            for point, over in spreads
        ],
        hovertemplate=(
            f"<b>{title}</b>, k = %{{customdata[1]}}<br>{words}<extra></extra>"
        ),
        **{axis: means, "error_" + axis: deviations},
        **settings,
    )


def escape_label(name: str) -> str:
    """Return a name with its HTML escaped, as Plotly interprets some HTML."""
    return escape(name, quote=False)


def text_annotation(
    text: str, x: float, y: float, size: int = 13, **options: Any
) -> dict[str, Any]:
    """Return a Plotly annotation, by default arrowless, in fractions of the plot.

    Parameters
    ----------
    text : str
    x, y : float
        Its middle and its lower end; `options` may say otherwise.
    size : int
        Of the words, in pixels.
    **options : object
        More of Plotly's attributes.
    """
    return {
        "text": text,
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "center",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": size},
    } | options


def label_width_px(labels: Iterable[str], font_px: int = 12) -> int:
    """Return an estimate of the pixels that the longest label takes, with a gap.

    Parameters
    ----------
    labels : iterable of str
    font_px : int
        Of the letters, in pixels.
    """
    widths = (
        sum(1.0 if east_asian_width(letter) in "FW" else 0.56 for letter in word)
        for word in labels
    )
    return 14 + round(font_px * max(widths, default=0.0))


def disable_automargin(figure: DrawableFigure) -> None:
    """Turn off a figure's automatic margins, so that no label is measured."""
    figure.update_xaxes(automargin=False)
    figure.update_yaxes(automargin=False)


def trace_selection_meta(method_title: str, result_key: str = "") -> dict[str, str]:
    """Return a trace's metadata: its method's title and, if given, its result's key.

    Parameters
    ----------
    method_title : str
        Of the method; traces of another one fade when it is selected.
    result_key : str
        Of the result, if all of the trace belongs to one. Otherwise the custom data
        of each point begin with it.
    """
    return {"method": method_title} | ({"key": result_key} if result_key else {})


def rgba_colour(colour: str, opacity: float) -> str:
    """Return a hexadecimal colour as an RGBA text with an opacity from 0 to 1."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


MAX_DRAWN_METHODS = 6
"""Methods up to which all are drawn: as many as there are colours."""
