"""Searches over time: loss and bound as steps that hold until the next figure."""

from dashboard.charts.inputs import SearchCurve
from dashboard.charts.search import draw_search_curves
from dashboard.charts.theme import NEUTRAL, choose_method_styles
from engine.core.numerics.trace import TracePoint

POINTS = (
    TracePoint(0.0, None, 8.0),
    TracePoint(0.5, 12.0, 8.0),
    TracePoint(2.0, 10.0, 9.0),
)
STYLES = choose_method_styles(["iterated", "optimal"])


def test_lines_hold_their_last_figure_until_the_end():
    loss, bound = draw_search_curves(
        [SearchCurve("a", "iterated", POINTS, 5.0)], STYLES
    ).data
    assert list(loss.x) == list(bound.x) == [0.0, 0.5, 2.0, 5.0]
    assert list(loss.y) == [None, 12.0, 10.0, 10.0]
    assert list(bound.y) == [8.0, 8.0, 9.0, 9.0]
    assert {trace.line.shape for trace in (loss, bound)} == {"hv"}
    assert loss.line.color == STYLES["iterated"].colour
    assert bound.line.color == NEUTRAL


def test_a_line_never_ends_before_its_last_figure():
    loss, _ = draw_search_curves(
        [SearchCurve("a", "iterated", POINTS, 1.0)], STYLES
    ).data
    assert list(loss.x) == [0.0, 0.5, 2.0, 2.0]


def test_the_bound_is_named_once_and_drawn_for_each_search():
    curves = [
        SearchCurve("a", "iterated", POINTS, 5.0),
        SearchCurve("b", "optimal", POINTS, 5.0),
    ]
    figure = draw_search_curves(curves, STYLES)
    legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert legend == ["a", "Lower bound", "b"]
    assert len(figure.data) == 4


def test_one_method_with_several_k_has_one_colour_and_several_dashes():
    curves = [SearchCurve(f"k = {k}", "iterated", POINTS, 5.0) for k in (3, 5, 10)]
    lines = draw_search_curves(curves, STYLES).data[::2]
    assert len({line.line.color for line in lines}) == 1
    assert len({line.line.dash for line in lines}) == 3


def test_axes_name_their_units():
    figure = draw_search_curves([SearchCurve("a", "iterated", POINTS, 5.0)], STYLES)
    assert figure.layout.xaxis.title.text == "Seconds"
    assert "%" in figure.layout.yaxis.title.text


def test_a_search_that_has_said_nothing_yet_can_be_drawn():
    loss, bound = draw_search_curves(
        [SearchCurve("a", "iterated", (), 1.0)], STYLES
    ).data
    assert list(loss.x) == list(bound.x) == [1.0]
    assert list(loss.y) == list(bound.y) == [None]
    assert list(draw_search_curves([], STYLES).data) == []
