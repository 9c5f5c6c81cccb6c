"""Lessons' pictures in small, for their cards: drawn from what the lessons show."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dashboard.app_pages.learn.classroom import FIGURES
from dashboard.app_pages.learn.course import LESSONS
from tests.dashboard.app_pages.learn.lessons import open_lesson
from tests.dashboard.pages import charts

WIDTH, HEIGHT = 240, 120
_MARGIN = 6


_TELLING = {"bound": "500"}
"""Where a lesson's control tells more than where it begins."""


def lesson_figures() -> dict[str, str]:
    """Return the first picture of every lesson, as SVG by the lesson's name."""
    return {
        one.id: small_figure(charts(open_lesson(one.id, _TELLING.get(one.id, "")))[0])
        for one in LESSONS
    }


def rewrite_figures() -> None:
    """Write the pictures of all lessons' cards anew."""
    FIGURES.mkdir(exist_ok=True)
    for name, text in lesson_figures().items():
        (FIGURES / f"{name}.svg").write_text(text, encoding="utf-8")


def small_figure(figure: Mapping[str, Any]) -> str:
    """Return a Plotly figure as SVG without words: lines, dots, bars and cells."""
    layout = figure["layout"]
    parts = [
        part
        for name in sorted({trace.get("xaxis", "x") for trace in figure["data"]})
        for part in _panel(
            [one for one in figure["data"] if one.get("xaxis", "x") == name],
            layout.get("xaxis" + name[1:], {}),
            layout.get("yaxis" + name[1:], {}),
            layout,
        )
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
    return "\n".join([head, *parts, "</svg>", ""])


def _panel(traces: Any, across: Any, up: Any, layout: Any) -> Iterator[str]:
    low, high = across.get("domain", (0, 1))
    ends = _MARGIN + low * (WIDTH - 2 * _MARGIN), _MARGIN + high * (WIDTH - 2 * _MARGIN)
    bars = [one for one in traces if one["type"] == "bar"]
    x = _scale(traces, "x", across, ends, bars)
    y = _scale(traces, "y", up, (HEIGHT - _MARGIN, _MARGIN), bars)
    base: dict[Any, float] = {}
    for trace in traces:
        if trace["type"] == "bar":
            yield from _bars(trace, x, y, base, len(bars), layout.get("barmode"))
        elif trace["type"] == "heatmap":
            yield from _cells(trace, x, y)
        elif trace["type"] == "scatter":
            yield from _scatter(trace, x, y)
    for arrow in layout.get("annotations", ()):
        if arrow.get("showarrow") and arrow.get("axref") == "x":
            ways = [(arrow["ax"], arrow["ay"]), (arrow["x"], arrow["y"])]
            points = " ".join(f"{x(a):.0f},{y(b):.0f}" for a, b in ways)
            yield _line(points, arrow["arrowcolor"], 2)


def _scale(traces: Any, name: str, axis: Any, ends: Any, bars: Any) -> Any:
    """Return what places a value of an axis, of numbers or of names."""
    held = [one for trace in traces for one in _values(trace, name) if one is not None]
    names = list(dict.fromkeys(one for one in held if isinstance(one, str)))
    numbers = [names.index(one) if isinstance(one, str) else one for one in held]
    if traces[0]["type"] == "heatmap" or (bars and names):
        numbers += [min(numbers, default=0) - 0.6, max(numbers, default=9) + 0.6]
    elif bars:
        numbers.append(0)
    low, high = axis.get("range", (min(numbers), max(numbers)))
    return lambda value: (
        ends[0]
        + (ends[1] - ends[0])
        * ((names.index(value) if isinstance(value, str) else value) - low)
        / ((high - low) or 1)
    )


def _values(trace: Any, name: str) -> list[Any]:
    """Return a trace's values, of the form that Plotly packs arrays in as well."""
    values = trace.get(name, [])
    if isinstance(values, Mapping):
        packed = base64.b64decode(values["bdata"])
        values = np.frombuffer(packed, values["dtype"]).tolist()
    return [None if isinstance(one, float) and np.isnan(one) else one for one in values]


def _scatter(trace: Any, x: Any, y: Any) -> Iterator[str]:
    line, marker = trace.get("line", {}), trace.get("marker", {})
    pairs = list(zip(_values(trace, "x"), _values(trace, "y"), strict=True))
    if "lines" in trace["mode"]:
        run: list[str] = []
        for a, b in [*pairs, (None, None)]:
            if a is not None and b is not None:
                run.append(f"{x(a):.0f},{y(b):.0f}")
                continue
            if run:
                fill = trace.get("fillcolor", "none")
                yield _line(" ".join(run), line.get("color", "none"), 1.5, fill)
            run = []
    if "markers" in trace["mode"]:
        colours = marker.get("color") or line["color"]
        for place, (a, b) in enumerate(pairs):
            colour = colours if isinstance(colours, str) else colours[place]
            yield f'<circle cx="{x(a):.0f}" cy="{y(b):.0f}" r="3.2" fill="{colour}"/>'


def _line(points: str, colour: str, width: float, fill: str = "none") -> str:
    return (
        f'<polyline points="{points}" fill="{fill}" stroke="{colour}" '
        f'stroke-width="{width}"/>'
    )


def _bars(
    trace: Any, x: Any, y: Any, base: dict[Any, float], count: int, mode: str | None
) -> Iterator[str]:
    flat = trace.get("orientation") == "h"
    colours = trace["marker"]["color"]
    held = zip(_values(trace, "x"), _values(trace, "y"), strict=True)
    for place, (a, b) in enumerate(held):
        value, at = (a, b) if flat else (b, a)
        start = base.get(at, 0.0) if mode == "stack" else 0.0
        shift = 0 if mode == "stack" or count == 1 else (-7 if at not in base else 7)
        base[at] = start + value
        colour = colours if isinstance(colours, str) else colours[place]
        one, other = (x, y) if flat else (y, x)
        low, high = sorted([one(start), one(start + value)])
        middle = other(at) + shift - 5
        places = (
            (low, middle, high - low, 10) if flat else (middle, low, 10, high - low)
        )
        left, top, wide, tall = places
        yield (
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{wide:.0f}" '
            f'height="{tall:.0f}" fill="{colour}"/>'
        )


def _cells(trace: Any, x: Any, y: Any) -> Iterator[str]:
    z = np.array(_values({"z": trace["z"]}, "z")).reshape(10, 10)
    colours = [colour for _at, colour in trace["colorscale"]]
    for row, column in np.ndindex(z.shape):
        yield (
            f'<rect x="{x(column) - 2.5:.0f}" y="{y(row) - 3.5:.0f}" width="5" '
            f'height="7" fill="{colours[int(z[row, column])]}"/>'
        )
