"""Line chart of run time against k, records or attributes, and ids of its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard.charts.figure import ChartFigure
from dashboard.charts.inputs import REFINED_SUFFIX
from dashboard.charts.theme import FAINT, MethodStyle, apply_theme
from dashboard.i18n.language import _
from engine.analysis.curves.timing import MethodTiming, growth_exponent


def draw_run_times(
    timings: Sequence[MethodTiming],
    titles: Mapping[str, str],
    styles: Mapping[str, MethodStyle],
    axis_title: str,
    is_log_log: bool,
    max_seconds: float | None = None,
) -> ChartFigure:
    """Draw run time against what was varied as a line per method, with error bars.

    Parameters
    ----------
    timings : sequence of MethodTiming
        Of one experiment.
    titles, styles : mapping
        By :func:`timing_series_id`.
    axis_title : str
        Of the axis of what is varied.
    is_log_log : bool
        Draw both axes in powers of ten, and write how times grow: steep lines are
        steep there because the method is.
    max_seconds : float, optional
        Where the axis of seconds ends, for figures side by side.
    """
    figure = ChartFigure()
    for name in dict.fromkeys(map(timing_series_id, timings)):
        runs = [run for run in timings if timing_series_id(run) == name and run.seconds]
        if not runs:
            continue
        style, power = styles[name], growth_exponent(runs)
        counted = [run.representative_seconds or 0.0 for run in runs]
        title = titles[name]
        if is_log_log and power is not None:
            title = _("{method}, power {power}").format(
                method=title, power=f"{power:.1f}"
            )
        figure.add_scatter(
            name=title,
            x=[run.value for run in runs],
            y=counted,
            mode="lines+markers",
            line={"color": style.colour, "width": 2, "dash": style.dash},
            marker={"color": style.colour, "symbol": style.symbol, "size": 8},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [
                    max(run.seconds) - at for run, at in zip(runs, counted, strict=True)
                ],
                "arrayminus": [
                    at - min(run.seconds) for run, at in zip(runs, counted, strict=True)
                ],
                "color": style.colour,
                "thickness": 1,
                "width": 3,
            },
            hovertemplate=_("{seconds} s").format(seconds="%{y:.3~g}")
            + f"<extra>{titles[name]}</extra>",
        )
    kind = "log" if is_log_log else "linear"
    figure.update_xaxes(
        title=axis_title,
        type=kind,
        tickvals=sorted({run.value for run in timings}),
        tickformat=",",
    )
    figure.update_yaxes(title=_("Seconds"), type=kind, gridcolor=FAINT, nticks=6)
    if not is_log_log:
        figure.update_yaxes(rangemode="tozero")
        if max_seconds:
            figure.update_yaxes(range=[0.0, 1.05 * max_seconds])
    apply_theme(figure, 330)
    figure.update_layout(font={"size": 12}, hovermode="x unified")
    return figure


def timing_series_id(timing: MethodTiming) -> str:
    """Return the id of a timing's line: its method, and whether polished."""
    return timing.method + (REFINED_SUFFIX if timing.polish else "")
