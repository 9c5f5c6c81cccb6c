"""Figures as plain data: what Plotly would make of them, without its help."""

import json
from functools import partial

import numpy as np
import pytest

from dashboard.charts.comparisons.columns import (
    ResultColumnLosses,
    draw_column_loss_heatmap,
)
from dashboard.charts.comparisons.loss import (
    draw_certainty_penalty_dots,
    draw_loss_dots,
)
from dashboard.charts.comparisons.loss_lines import draw_loss_lines
from dashboard.charts.comparisons.risk_utility import draw_risk_utility_map
from dashboard.charts.comparisons.run_time import draw_run_times
from dashboard.charts.comparisons.shares import draw_loss_share_bars
from dashboard.charts.comparisons.suppression import draw_loss_by_suppression
from dashboard.charts.figure import ChartFigure
from dashboard.charts.groupings.group_cells import draw_counted_cells
from dashboard.charts.groupings.groups import draw_group_map, draw_group_maps
from dashboard.charts.groupings.sizes import draw_group_sizes
from dashboard.charts.inputs import CountedCells, RiskUtilityPoint, SearchCurve
from dashboard.charts.search import draw_search_curves
from dashboard.charts.theme import choose_method_styles
from dashboard.ui.browser_components.plots import figure_to_json
from engine.analysis.curves.timing import MethodTiming
from engine.core.numerics.trace import TracePoint
from tests.dashboard.charts.examples import fact, view

METHODS = ("mdav", "md")
STYLES = choose_method_styles(METHODS)
ROWS = [fact(method, k, loss=float(k)) for method in METHODS for k in (3, 5)]
VIEWS = [view(method, 600, k) for method in METHODS for k in (3, 5)]
POINTS = [
    RiskUtilityPoint("a", "mdav", "MDAV", 3, 30.0, 10.0, (25.0, 35.0)),
    RiskUtilityPoint("b", "md", "MD", 5, 20.0, 15.0),
]
WINDOW = ((0.0, 1.0), (0.0, 1.0))
CELLS = CountedCells(
    "key",
    np.array([[0.1, 0.2], [0.5, 0.5]]),
    np.array([4, 9]),
    np.array([1.0, 2.0]),
    1.0,
    ("A", "B"),
    (None, ((0.0, "low"), (1.0, "high"))),
    WINDOW,
)
CURVE = SearchCurve(
    "a", "mdav", (TracePoint(0.0, None, 8.0), TracePoint(1.0, 12.0, 9.0)), 5.0
)
TIMES = [
    MethodTiming("mdav", False, n, 3, n, 4, (1e-5 * n, 3e-5 * n)) for n in (10, 20)
]

CHARTS = {
    "dots": partial(draw_loss_dots, ROWS, STYLES, 3, "mdav-3"),
    "penalties": partial(draw_certainty_penalty_dots, ROWS, STYLES, 3),
    "lines": partial(draw_loss_lines, ROWS, STYLES),
    "sizes": partial(draw_group_sizes, ROWS, STYLES, "k = 3"),
    "map": partial(draw_risk_utility_map, POINTS, STYLES, "Risk", "Loss", 25.0, "a"),
    "groups": partial(draw_group_map, VIEWS[0], STYLES["mdav"], True, (105, 2), 200),
    "window": partial(
        draw_group_map, view(n=3000), STYLES["mdav"], window=WINDOW, note="MDAV"
    ),
    "all groups": partial(draw_group_maps, VIEWS, STYLES),
    "cells": partial(draw_counted_cells, CELLS, 200, "MDAV"),
    "columns": partial(
        draw_column_loss_heatmap, [ResultColumnLosses("a", "A", {"x": 1.5}, {"x": "!"})]
    ),
    "search": partial(draw_search_curves, [CURVE], STYLES),
    "times": partial(draw_run_times, TIMES, {"mdav": "MDAV"}, STYLES, "Records", True),
    "shares": partial(draw_loss_share_bars, {"a": 60.0, "b": 40.0}),
    "left out": partial(draw_loss_by_suppression, [0.0, 1.0], [5.0, 4.0], [3.0, 2.0]),
}


@pytest.mark.parametrize("name", CHARTS)
def test_plotly_takes_every_chart_and_changes_nothing(name):
    figure = CHARTS[name]()
    assert json.loads(figure_to_json(figure)) == json.loads(
        figure_to_json(figure.to_plotly())
    )


@pytest.mark.parametrize(
    "wrong", [{"tile": "A"}, {"barmode": "sideways"}, {"xaxis": {"title_text": "A"}}]
)
def test_what_plotly_does_not_know_is_seen(wrong):
    figure = ChartFigure([{"type": "bar", "x": [1.0]}], wrong)
    with pytest.raises((ValueError, AssertionError)):
        assert json.loads(figure_to_json(figure)) == json.loads(
            figure_to_json(figure.to_plotly())
        )


def test_settings_that_are_not_named_stay():
    figure = ChartFigure(layout={"margin": {"l": 1, "r": 2}, "xaxis2": {"nticks": 3}})
    figure.update_layout(margin={"r": 5})
    figure.update_xaxes(title="A", range=[0.0, 1.0])
    assert figure.layout.margin.l == 1
    assert figure.layout.margin.r == 5
    for axis in (figure.layout.xaxis, figure.layout.xaxis2):
        assert axis.title.text == "A"
        assert axis.range == (0.0, 1.0)
    assert figure.layout.xaxis2.nticks == 3


def test_a_figure_shares_no_settings_with_what_it_was_made_of():
    margin = {"l": 1}
    figure = ChartFigure(layout={"margin": margin})
    figure.update_layout(margin={"l": 2})
    assert margin == {"l": 1}


def test_arrays_of_numbers_go_as_bytes():
    figure = ChartFigure()
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
    figure = ChartFigure([{"type": "heatmap" if array.ndim > 1 else "bar"}])
    figure.traces[0]["z" if array.ndim > 1 else "x"] = array
    assert json.loads(figure_to_json(figure)) == json.loads(
        figure_to_json(figure.to_plotly())
    )
