"""Loss charts: every figure is there, and the bound is never left out."""

import itertools
from dataclasses import replace

import pytest

from dashboard.charts.loss import loss_bars, loss_lines, penalty_bars
from dashboard.charts.theme import method_styles
from tests.dashboard.charts.examples import fact

ROWS = [
    fact("mdav", 3, 10.0, 8.0),
    fact("mdav", 5, 16.0, 12.0),
    fact("md", 3, 11.0, 8.0),
    fact("md", 5, 15.0, 12.0),
]
STYLES = method_styles(["mdav", "md"])


def by_name(figure):
    return {trace.name: trace for trace in figure.data}


def test_each_method_has_one_bar_per_k():
    bars = by_name(loss_bars(ROWS, STYLES))
    assert list(bars["MDAV"].y) == [10.0, 16.0]
    assert list(bars["MD"].y) == [11.0, 15.0]
    assert list(bars["MD"].x) == [0, 1]
    assert list(loss_bars(ROWS, STYLES).layout.xaxis.ticktext) == ["k = 3", "k = 5"]


def test_the_bound_is_a_line_over_the_bars_of_its_k():
    bound = by_name(loss_bars(ROWS, STYLES))["Lower bound"]
    assert list(bound.y) == [8.0, 8.0, None, 12.0, 12.0, None]
    bars = [t for t in loss_bars(ROWS, STYLES).data if t.type == "bar"]
    for k in (0, 1):
        left = min(bar.x[k] + bar.offset for bar in bars)
        right = max(bar.x[k] + bar.offset + bar.width for bar in bars)
        assert bound.x[3 * k] <= left
        assert right <= bound.x[3 * k + 1]


def test_bars_do_not_overlap():
    bars = [t for t in loss_bars(ROWS, STYLES).data if t.type == "bar"]
    edges = sorted((bar.offset, bar.offset + bar.width) for bar in bars)
    for (_, right), (left, _) in itertools.pairwise(edges):
        assert right <= left


@pytest.mark.parametrize("chart", [loss_bars, loss_lines])
def test_a_method_without_result_for_one_k_leaves_a_gap(chart):
    traces = by_name(chart(ROWS[:-1], STYLES))
    assert list(traces["MDAV"].y) == [10.0, 16.0]
    assert list(traces["MD"].y) == [11.0]


def test_lines_are_sorted_by_k():
    traces = by_name(loss_lines(ROWS[::-1], STYLES))
    assert list(traces["MDAV"].x) == [3, 5]
    assert list(traces["Lower bound"].y) == [8.0, 12.0]


def test_a_method_has_the_same_colour_in_both_charts():
    bars, lines = by_name(loss_bars(ROWS, STYLES)), by_name(loss_lines(ROWS, STYLES))
    for title in ("MDAV", "MD"):
        assert bars[title].marker.color == lines[title].line.color


def test_a_line_under_another_stays_visible_beside_it():
    rows = [fact("mdav", k, 10.0 + k) for k in (3, 5)]
    rows += [fact("md", k, 10.0 + k) for k in (3, 5)]
    lines = by_name(loss_lines(rows, STYLES))
    assert lines["MDAV"].line.width > lines["MD"].line.width


def test_axes_start_at_zero_and_name_the_unit():
    for figure in (loss_bars(ROWS, STYLES), loss_lines(ROWS, STYLES)):
        assert figure.layout.yaxis.rangemode == "tozero"
        assert "%" in figure.layout.yaxis.title.text


def test_the_line_is_the_bound_of_groups_of_whole_records():
    rows = [
        fact("mdav", 3, 10.0, 8.0),
        fact("md", 3, 2.0, 1.0, bound_kind="per-attribute"),
    ]
    for order in (rows, rows[::-1]):
        assert list(by_name(loss_bars(order, STYLES))["Lower bound"].y[:2]) == [
            8.0,
            8.0,
        ]


def test_a_result_that_does_not_keep_k_is_pale():
    weak = replace(fact("md", 3), k_released=1)
    bars = by_name(loss_bars([fact("mdav", 3), weak], STYLES))
    assert bars["MDAV"].marker.opacity == (1.0,)
    assert bars["MD"].marker.opacity[0] < 1.0


def test_penalties_are_bars_without_a_bound():
    rows = [fact("mdav", 3, penalty=20.0), fact("mdav", 5, penalty=30.0)]
    (bars,) = penalty_bars(rows, STYLES).data
    assert list(bars.y) == [20.0, 30.0]
    assert "penalty" in bars.hovertemplate
