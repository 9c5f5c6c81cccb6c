"""Loss charts: every figure is there, and the bound is never left out."""

import itertools
from dataclasses import replace

from dashboard.charts.comparisons.loss import (
    draw_certainty_penalty_dots,
    draw_loss_dots,
    rank_method_titles,
)
from dashboard.charts.comparisons.loss_lines import draw_loss_lines
from dashboard.charts.theme import choose_method_styles
from tests.dashboard.charts.examples import fact

ROWS = [
    fact("mdav", 3, 10.0, 8.0),
    fact("mdav", 5, 16.0, 12.0),
    fact("md", 3, 11.0, 8.0),
    fact("md", 5, 15.0, 12.0),
]
STYLES = choose_method_styles(["mdav", "md"])


def by_name(figure):
    return {trace.name: trace for trace in figure.data}


def test_each_method_has_one_dot_per_k():
    dots = by_name(draw_loss_dots(ROWS, STYLES, 5))
    assert list(dots["MDAV"].x) == [10.0, 16.0]
    assert list(dots["MD"].x) == [11.0, 15.0]
    named = [tuple(custom[:2]) for custom in dots["MD"].customdata]
    assert named == [("md-3", 3), ("md-5", 5)]


def test_methods_are_ranked_by_their_loss_at_the_k_that_is_looked_at():
    for k, order in ((3, ["MDAV", "MD"]), (5, ["MD", "MDAV"])):
        figure = draw_loss_dots(ROWS, STYLES, k)
        assert [trace.y[0] for trace in figure.data[:2]] == [0, 1]
        assert [trace.name for trace in figure.data[:2]] == order
        assert list(figure.layout.yaxis.ticktext) == order
        # The first is at the top.
        assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]


def test_only_the_losses_of_that_k_are_written():
    dots = by_name(draw_loss_dots(ROWS, STYLES, 3))
    assert [text.strip() for text in dots["MDAV"].text] == ["10.0", ""]


def test_a_method_without_a_result_at_that_k_comes_last():
    rows = [fact("mdav", 3, 90.0), fact("md", 5, 1.0), fact("ldf", 4, 2.0)]
    assert rank_method_titles(rows, 3, lambda row: row.loss) == ["MDAV", "LDF", "MD"]


def test_every_k_has_its_bound_as_a_line_with_a_name():
    figure = draw_loss_dots(ROWS, STYLES, 3)
    assert sorted(shape.x0 for shape in figure.layout.shapes) == [8.0, 12.0]
    assert all(shape.x0 == shape.x1 for shape in figure.layout.shapes)
    names = [note.text for note in figure.layout.annotations]
    assert names == ["lower bound, k = 3", "k = 5"]


def test_where_no_bound_is_known_none_is_drawn_and_zero_is_in_view():
    figure = draw_loss_dots([fact("mdav", 3, 10.0, 0.0, bound_kind="none")], STYLES, 3)
    assert [trace.name for trace in figure.data] == ["MDAV"]
    assert not figure.layout.shapes
    assert not any("bound" in note.text for note in figure.layout.annotations)
    low, high = figure.layout.xaxis.range
    assert low < 0.0 < 10.0 < high


def test_bounds_that_are_close_share_a_name_and_others_have_their_own():
    bounds = {3: 8.003, 4: 8.004, 5: 8.005, 10: 9.0, 20: 9.9}
    rows = [fact("mdav", k, 10.0 + k / 10, bound) for k, bound in bounds.items()]
    figure = draw_loss_dots(rows, STYLES, 3)
    notes = figure.layout.annotations
    names = ["lower bound, k = 3, 4, 5", "k = 10", "k = 20"]
    assert [note.text for note in notes] == names
    values = [x for trace in figure.data for x in trace.x]
    min_distance = 0.1 * (max(values) - min(values))
    assert all(b.x - a.x > min_distance for a, b in itertools.pairwise(notes))
    # Each stands at the bounds that it names.
    assert [note.x for note in notes] == [8.005, 9.0, 9.9]


def test_the_recommended_result_is_ringed():
    dots = by_name(draw_loss_dots(ROWS, STYLES, 3, "md-5"))
    assert list(dots["MD"].marker.line.width) == [0, 3]
    assert list(dots["MDAV"].marker.line.width) == [0, 0]


def test_a_method_without_result_for_one_k_leaves_a_gap():
    dots = by_name(draw_loss_dots(ROWS[:-1], STYLES, 3))
    assert list(dots["MD"].x) == [11.0]
    lines = by_name(draw_loss_lines(ROWS[:-1], STYLES))
    assert list(lines["MDAV"].y) == [10.0, 16.0]
    assert list(lines["MD"].y) == [11.0]


def test_lines_are_sorted_by_k():
    traces = by_name(draw_loss_lines(ROWS[::-1], STYLES))
    assert list(traces["MDAV"].x) == [3, 5]
    assert list(traces["Lower bound"].y) == [8.0, 12.0]


def test_a_method_has_the_same_colour_in_both_charts():
    dots = by_name(draw_loss_dots(ROWS, STYLES, 3))
    lines = by_name(draw_loss_lines(ROWS, STYLES))
    for title in ("MDAV", "MD"):
        assert dots[title].marker.color == lines[title].line.color


def test_a_line_under_another_stays_visible_beside_it():
    rows = [fact("mdav", k, 10.0 + k) for k in (3, 5)]
    rows += [fact("md", k, 10.0 + k) for k in (3, 5)]
    lines = by_name(draw_loss_lines(rows, STYLES))
    assert lines["MDAV"].line.width > lines["MD"].line.width


def test_lines_start_at_zero_and_name_the_unit():
    figure = draw_loss_lines(ROWS, STYLES)
    assert figure.layout.yaxis.rangemode == "tozero"
    assert "%" in figure.layout.yaxis.title.text


def test_the_bound_of_whole_records_is_drawn_whatever_comes_first():
    attribute_row = fact("individual-ranking", 3, 1.0, 0.5, bound_kind="per-attribute")
    whole = fact("mdav", 3, 10.0, 8.0)
    for order in ([attribute_row, whole], [whole, attribute_row]):
        styles = choose_method_styles(row.method for row in order)
        (line,) = draw_loss_dots(order, styles, 3).layout.shapes
        assert line.x0 == 8.0


def test_a_result_that_does_not_keep_k_is_pale():
    weak = replace(fact("md", 3), k_released=1)
    dots = by_name(draw_loss_dots([fact("mdav", 3), weak], STYLES, 3))
    assert dots["MDAV"].marker.opacity == (1.0,)
    assert dots["MD"].marker.opacity[0] < 1.0


def test_penalties_are_dots_without_a_bound():
    rows = [fact("mdav", 3, penalty=20.0), fact("mdav", 5, penalty=30.0)]
    figure = draw_certainty_penalty_dots(rows, STYLES, 3)
    (dots,) = figure.data
    assert list(dots.x) == [20.0, 30.0]
    assert "penalty" in dots.hovertemplate
    assert not figure.layout.shapes
