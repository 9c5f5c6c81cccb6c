"""Chart of releases tried for a need: risk across, kept quantity up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.charts import theme
from dashboard.charts.figure import ChartFigure
from dashboard.i18n.language import _

_HEIGHT_PX = 280


@dataclass(frozen=True)
class ReleasePoint:
    """Risk, kept quantity and description of a release tried, or of a reference.

    Attributes
    ----------
    risk : float
        Of the easiest person to find, 0 to 1.
    kept : float
        How much is kept, as the keep measures it.
    words : str
        What is said of it when somebody points at it.
    is_answer : bool
    reference : str
        Name of another way to protect the same columns; empty for what was tried.
    """

    risk: float
    kept: float
    words: str
    is_answer: bool = False
    reference: str = ""


def efficient_releases(
    releases: Sequence[ReleasePoint], higher_is_better: bool
) -> list[ReleasePoint]:
    """Return releases efficient in risk and kept quantity, one of equals, by risk."""
    sign = 1.0 if higher_is_better else -1.0
    frontier: list[ReleasePoint] = []
    for each in sorted(releases, key=lambda point: (point.risk, -sign * point.kept)):
        if not frontier or sign * each.kept > sign * frontier[-1].kept:
            frontier.append(each)
    return frontier


def draw_need_map(
    releases: Sequence[ReleasePoint],
    max_risk: float | None,
    kept_limit: float,
    kept_title: str,
    higher_is_better: bool = True,
) -> ChartFigure:
    """Draw tried and reference releases by risk and kept quantity, with limits.

    Parameters
    ----------
    releases : sequence of ReleasePoint
    max_risk : float or None
        Highest risk that the rule allows; None where no rule is about it.
    kept_limit : float
        Kept quantity that the need asks for, at least or at most.
    kept_title : str
        What is kept, as the title of its axis.
    higher_is_better : bool
        Whether more of it is better.
    """
    figure = ChartFigure()
    tried = [each for each in releases if not each.reference]
    frontier = efficient_releases(tried, higher_is_better)
    figure.add_scatter(
        name=_("Efficient"),
        x=[each.risk for each in frontier],
        y=[each.kept for each in frontier],
        mode="lines",
        line={"color": theme.NEUTRAL, "width": 2, "shape": "hv"},
        hoverinfo="skip",
    )
    for is_answer, colour, size in ((False, theme.NEUTRAL, 8), (True, theme.BLUE, 15)):
        some = [each for each in tried if each.is_answer is is_answer]
        figure.add_scatter(
            name=_("This release") if is_answer else _("Tried"),
            x=[each.risk for each in some],
            y=[each.kept for each in some],
            mode="markers",
            cliponaxis=False,
            marker={
                "color": colour,
                "size": size,
                "opacity": 1.0 if is_answer else 0.6,
                "line": {"color": theme.NEUTRAL, "width": 2 if is_answer else 0},
            },
            customdata=[(each.words,) for each in some],
            hovertemplate="%{customdata[0]}<extra></extra>",
        )
    named = sorted(
        (each for each in releases if each.reference), key=lambda each: -each.kept
    )
    figure.add_scatter(
        name=_("Other ways"),
        x=[each.risk for each in named],
        y=[each.kept for each in named],
        mode="markers+text",
        text=[each.reference for each in named],
        textposition=_name_places(named, releases),
        textfont={"size": 10},
        cliponaxis=False,
        marker={"color": theme.VERMILION, "size": 10, "symbol": "diamond-open"},
        customdata=[(each.words,) for each in named],
        hovertemplate="%{customdata[0]}<extra></extra>",
    )
    _draw_limits(figure, releases, max_risk, kept_limit, higher_is_better)
    figure.update_xaxes(
        title=_("highest risk of a person"), showgrid=True, gridcolor=theme.FAINT
    )
    figure.update_yaxes(title=kept_title)
    return theme.apply_theme(figure, _HEIGHT_PX, has_legend=False)


def _name_places(
    named: Sequence[ReleasePoint], releases: Sequence[ReleasePoint]
) -> list[str]:
    """Return where each name stands: next to its point, and clear of the name above.

    Towards the middle, or a name is cut at the border; below where the point before,
    which is the next higher one, is so near that two names above would overlap.
    """
    widest = max((each.risk for each in releases), default=0.0)
    values = [each.kept for each in releases]
    near = 0.08 * (max(values, default=0.0) - min(values, default=0.0))
    places: list[str] = []
    for number, each in enumerate(named):
        is_crowded = number > 0 and named[number - 1].kept - each.kept < near
        is_below = is_crowded and places[-1].startswith("top")
        side = "left" if each.risk > widest / 2.0 else "right"
        places.append(f"{'bottom' if is_below else 'top'} {side}")
    return places


def _draw_limits(
    figure: ChartFigure,
    points: Sequence[ReleasePoint],
    ceiling: float | None,
    limit: float,
    higher_is_better: bool,
) -> None:
    risks = [each.risk for each in points] + [ceiling or 0.0]
    values = [each.kept for each in points] + [limit]
    right = 1.08 * max(risks, default=1.0)
    room = 0.06 * max(max(values) - min(values), 1e-9)
    low, high = min(values) - room, max(values) + room
    figure.add_shape(
        type="rect",
        x0=0.0,
        x1=right if ceiling is None else ceiling,
        y0=limit,
        y1=high if higher_is_better else low,
        fillcolor=theme.rgba_colour(theme.GREEN, 0.12),
        line={"width": 0},
        layer="below",
    )
    dashed = {"color": theme.VERMILION, "width": 2, "dash": "dash"}
    figure.add_shape(type="line", x0=0.0, x1=right, y0=limit, y1=limit, line=dashed)
    if ceiling is not None:
        figure.add_vline(x=ceiling, line=dashed)
    figure.update_xaxes(range=[0.0, right])
    figure.update_yaxes(range=[low, high])
