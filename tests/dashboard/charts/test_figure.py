"""Figures as plain data: what Plotly would make of them, without its help."""

import json
from functools import partial

import numpy as np
import pytest

from dashboard.charts.columns import Columns, column_losses
from dashboard.charts.figure import Figure
from dashboard.charts.group_cells import group_cells
from dashboard.charts.groups import group_map, group_maps
from dashboard.charts.inputs import Curve, GroupCells, MapPoint
from dashboard.charts.left_out import left_out_lines
from dashboard.charts.loss import loss_dots, penalty_dots
from dashboard.charts.loss_lines import loss_lines
from dashboard.charts.risk_utility import risk_utility
from dashboard.charts.run_time import run_times
from dashboard.charts.search import search_curves
from dashboard.charts.shares import share_bars
from dashboard.charts.sizes import size_strip
from dashboard.charts.theme import method_styles
from dashboard.ui.plots import written
from engine.analysis.timing import Timing
from engine.core.trace import Point
from tests.dashboard.charts.examples import fact, view

METHODS = ("mdav", "md")
STYLES = method_styles(METHODS)
ROWS = [fact(method, k, loss=float(k)) for method in METHODS for k in (3, 5)]
VIEWS = [view(method, 600, k) for method in METHODS for k in (3, 5)]
POINTS = [
    MapPoint("a", "mdav", "MDAV", 3, 30.0, 10.0, (25.0, 35.0)),
    MapPoint("b", "md", "MD", 5, 20.0, 15.0),
]
WINDOW = ((0.0, 1.0), (0.0, 1.0))
CELLS = GroupCells(
    "key",
    np.array([[0.1, 0.2], [0.5, 0.5]]),
    np.array([4, 9]),
    np.array([1.0, 2.0]),
    1.0,
    ("A", "B"),
    (None, ((0.0, "low"), (1.0, "high"))),
    WINDOW,
)
CURVE = Curve("a", "mdav", (Point(0.0, None, 8.0), Point(1.0, 12.0, 9.0)), 5.0)
TIMES = [Timing("mdav", False, n, 3, n, 4, (1e-5 * n, 3e-5 * n)) for n in (10, 20)]

CHARTS = {
    "dots": partial(loss_dots, ROWS, STYLES, 3, "mdav-3"),
    "penalties": partial(penalty_dots, ROWS, STYLES, 3),
    "lines": partial(loss_lines, ROWS, STYLES),
    "sizes": partial(size_strip, ROWS, STYLES, "k = 3"),
    "map": partial(risk_utility, POINTS, STYLES, "Risk", "Loss", 25.0, "a"),
    "groups": partial(group_map, VIEWS[0], STYLES["mdav"], True, (105, 2), 200),
    "window": partial(
        group_map, view(n=3000), STYLES["mdav"], window=WINDOW, words="MDAV"
    ),
    "all groups": partial(group_maps, VIEWS, STYLES),
    "cells": partial(group_cells, CELLS, 200, "MDAV"),
    "columns": partial(column_losses, [Columns("a", "A", {"x": 1.5}, {"x": "!"})]),
    "search": partial(search_curves, [CURVE], STYLES),
    "times": partial(run_times, TIMES, {"mdav": "MDAV"}, STYLES, "Records", True),
    "shares": partial(share_bars, {"a": 60.0, "b": 40.0}),
    "left out": partial(left_out_lines, [0.0, 1.0], [5.0, 4.0], [3.0, 2.0]),
}


@pytest.mark.parametrize("name", CHARTS)
def test_plotly_takes_every_chart_and_changes_nothing(name):
    figure = CHARTS[name]()
    assert json.loads(written(figure)) == json.loads(written(figure.checked()))


@pytest.mark.parametrize(
    "wrong", [{"tile": "A"}, {"barmode": "sideways"}, {"xaxis": {"title_text": "A"}}]
)
def test_what_plotly_does_not_know_is_seen(wrong):
    figure = Figure([{"type": "bar", "x": [1.0]}], wrong)
    with pytest.raises((ValueError, AssertionError)):
        assert json.loads(written(figure)) == json.loads(written(figure.checked()))


def test_settings_that_are_not_named_stay():
    figure = Figure(layout={"margin": {"l": 1, "r": 2}, "xaxis2": {"nticks": 3}})
    figure.update_layout(margin={"r": 5})
    figure.update_xaxes(title="A", range=[0.0, 1.0])
    assert figure.layout.margin.l == 1
    assert figure.layout.margin.r == 5
    for axis in (figure.layout.xaxis, figure.layout.xaxis2):
        assert axis.title.text == "A"
        assert axis.range == (0.0, 1.0)
    assert figure.layout.xaxis2.nticks == 3


def test_a_figure_shares_no_settings_with_what_it_was_made_of():
    given = {"l": 1}
    figure = Figure(layout={"margin": given})
    figure.update_layout(margin={"l": 2})
    assert given == {"l": 1}


def test_arrays_of_numbers_go_as_bytes():
    figure = Figure()
    figure.add_scatter(x=np.arange(3, dtype=np.float32), y=np.array(["a", "b", "c"]))
    (trace,) = figure.to_dict()["data"]
    assert trace["x"]["dtype"] == "f4"
    assert trace["y"] == ["a", "b", "c"]


WHOLE = (-(2**40), -(2**20), -300, -1, 0, 1, 200, 60_000, 2**31, 2**40)


@pytest.mark.parametrize(
    "array",
    [
        *(np.arange(6, dtype=short).reshape(2, 3) for short in "fdbBhHiIlL"),
        *(np.array([0, edge]) for edge in WHOLE),
        *(np.array([0, edge], dtype=np.uint64) for edge in WHOLE if edge >= 0),
        np.arange(6.0)[::2],
        np.arange(6).reshape(2, 3).T,
        np.array([1.0, np.nan, np.inf]),
        np.array([]),
        np.array([True, False]),
        np.array(["a", None], dtype=object),
    ],
    ids=lambda array: f"{array.dtype} {array.tolist()}",
)
def test_bytes_are_those_that_plotly_would_send(array):
    figure = Figure([{"type": "heatmap" if array.ndim > 1 else "bar"}])
    figure.traces[0]["z" if array.ndim > 1 else "x"] = array
    assert json.loads(written(figure)) == json.loads(written(figure.checked()))
