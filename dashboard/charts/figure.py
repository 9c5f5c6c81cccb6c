"""Plotly figures as plain dicts, faster to make than Plotly's own.

Plotly's own figure looks every setting up and checks it as it is made, which takes ten
times as long as all else of a chart, while others wait for their pages. These are made
by the same calls and check nothing; whoever looks at :attr:`ChartFigure.data` or
:attr:`ChartFigure.layout`, as tests do, sees what Plotly makes of it, or its refusal.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import plotly.graph_objects as go

Settings = dict[str, Any]
"""Settings as Plotly names them; None where nothing is said."""

_BINARY_DTYPES = ("f8", "f4", "i4", "u4", "i2", "u2", "i1", "u1")
"""Types of numbers that plotly.js reads as bytes: no whole numbers of 8 bytes."""


class DrawableFigure(Protocol):
    """Protocol of a figure that a page can draw: a ChartFigure, or Plotly's own."""

    def to_dict(self) -> Settings:
        """Return the figure as the dict that the browser receives."""

    def update_layout(self, **settings: Any) -> Any:
        """Change settings of the layout."""

    def update_xaxes(self, **settings: Any) -> Any:
        """Change settings of all x axes."""

    def update_yaxes(self, **settings: Any) -> Any:
        """Change settings of all y axes."""


class ChartFigure:
    """A figure as lists of traces and a layout, with Plotly's methods to add traces.

    Parameters
    ----------
    data : sequence of dict
        Traces, each with its type.
    layout : dict, optional
    """

    def __init__(
        self, data: Sequence[Settings] = (), layout: Settings | None = None
    ) -> None:
        self.traces: list[Settings] = [_without_none(trace) for trace in data]
        self.settings: Settings = {}
        self.update_layout(**(layout or {}))

    def add_scatter(self, **settings: Any) -> None:
        """Add a trace of points, lines or text."""
        self.traces.append({"type": "scatter"} | _without_none(settings))

    def add_bar(self, **settings: Any) -> None:
        """Add a trace of bars."""
        self.traces.append({"type": "bar"} | _without_none(settings))

    def add_heatmap(self, **settings: Any) -> None:
        """Add a trace of heatmap cells."""
        self.traces.append({"type": "heatmap"} | _without_none(settings))

    def add_annotation(self, **settings: Any) -> None:
        """Add a text annotation."""
        self.settings.setdefault("annotations", []).append(_without_none(settings))

    def add_shape(self, **settings: Any) -> None:
        """Add a shape, such as a line or a rectangle."""
        self.settings.setdefault("shapes", []).append(_without_none(settings))

    def add_vline(self, x: float, **settings: Any) -> None:
        """Add a vertical line over the whole height of the panel."""
        self.add_vrect(x0=x, x1=x, type="line", **settings)

    def add_vrect(self, **settings: Any) -> None:
        """Add a rectangle over the whole height of the panel."""
        upright = {"y0": 0, "y1": 1, "xref": "x", "yref": "y domain"}
        self.add_shape(**{"type": "rect"} | upright | settings)

    def update_layout(self, **settings: Any) -> None:
        """Change settings of the layout; nested ones are merged."""
        for name, value in settings.items():
            # Plotly's other name for the first axis.
            _merge(self.settings, re.sub("^([xy]axis)1$", r"\1", name), value)

    def update_xaxes(self, **settings: Any) -> None:
        """Change settings of all x axes."""
        self._update_axes("xaxis", settings)

    def update_yaxes(self, **settings: Any) -> None:
        """Change settings of all y axes."""
        self._update_axes("yaxis", settings)

    def _update_axes(self, axis: str, settings: Settings) -> None:
        self.settings.setdefault(axis, {})
        for name in self.settings:
            if name.startswith(axis):
                _merge(self.settings, name, settings)

    def to_dict(self) -> Settings:
        """Return the figure as the browser receives it: numeric arrays as bytes."""
        return {
            "data": _encode_value(self.traces),
            "layout": _encode_value(self.settings),
        }

    def to_plotly(self) -> go.Figure:
        """Return the figure as one of Plotly's own, which validates it.

        Raises
        ------
        ValueError
            If Plotly does not know a setting or its value.
        """
        return go.Figure({"data": self.traces, "layout": self.settings})

    @property
    def data(self) -> tuple[Any, ...]:
        """Traces of the figure as Plotly's own objects."""
        traces: tuple[Any, ...] = self.to_plotly().data
        return traces

    @property
    def layout(self) -> Any:
        """Layout of the figure as Plotly's own object."""
        return self.to_plotly().layout


def _without_none(settings: Mapping[str, Any]) -> Settings:
    """Return a copy of some settings, without what is None."""
    return {
        name: _without_none(value) if isinstance(value, Mapping) else value
        for name, value in settings.items()
        if value is not None
    }


def _merge(into: Settings, name: str, value: Any) -> None:
    if name == "title" and isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        into[name] = list(value) if isinstance(value, list) else value
        return
    inner = into.setdefault(name, {})
    for key, setting in value.items():
        _merge(inner, key, setting)


def _encode_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _encode_value(entry) for name, entry in value.items()}
    if isinstance(value, np.ndarray):
        return _as_bytes(value)
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return [_encode_value(entry) for entry in value]
    return value


def _as_bytes(values: np.ndarray) -> Any:
    """Return an array of numbers in the form that plotly.js reads fastest.

    That is its `dtype`, its bytes in base64 and, unless it has one axis, its `shape`
    (``data_array`` in Plotly's reference). What has no such form goes as a list.
    """
    dtype = _binary_dtype(values)
    if dtype is None:
        return values.tolist()
    raw = np.ascontiguousarray(values, dtype)
    spec = {"dtype": dtype, "bdata": base64.b64encode(raw.data).decode("ascii")}
    if values.ndim > 1:
        spec["shape"] = ", ".join(map(str, values.shape))
    return spec


def _binary_dtype(values: np.ndarray) -> str | None:
    """Return the type that plotly.js reads an array as; None where there is none."""
    name = values.dtype.str[1:]
    if values.size == 0:
        return None
    if name not in ("i8", "u8"):
        return name if name in _BINARY_DTYPES else None
    low, high = values.min(), values.max()
    for short in (name[0] + size for size in "124"):
        if np.iinfo(short).min <= low and high <= np.iinfo(short).max:
            return short
    return None
