"""Two results beside each other: on one scale, told apart without colours."""

import numpy as np

from dashboard.charts.comparisons.pairs import (
    MAX_CORRELATION_CHANGE,
    RESULT_STYLES,
    draw_correlation_changes,
    draw_distributions,
    draw_size_pairs,
)
from dashboard.charts.inputs import AttributeDistribution, CorrelationChanges

NAMES = ("A · MDAV, k = 3", "B · MD, k = 5")


def spread(name="income", categories=False):
    shares = tuple(np.array(s) for s in ([20.0, 80.0], [30.0, 70.0], [0.0, 100.0]))
    places = None if categories else np.array([1.0, 2.0])
    return AttributeDistribution(name, places, ("low", "high"), shares)


def test_each_attribute_has_a_panel_with_original_and_both_releases():
    spreads = [spread("income"), spread("job", categories=True)]
    figure = draw_distributions(spreads, NAMES)
    assert [trace.name for trace in figure.data] == ["Original", *NAMES] * 2
    for trace, shown_spread in zip(
        figure.data, [spreads[0]] * 3 + [spreads[1]] * 3, strict=True
    ):
        assert trace.type == ("bar" if shown_spread.places is None else "scatter")
    assert {(trace.xaxis, trace.yaxis) for trace in figure.data} == {
        ("x1", "y1"),
        ("x2", "y2"),
    } or len({(trace.xaxis, trace.yaxis) for trace in figure.data}) == 2
    assert sum(trace.showlegend for trace in figure.data) == 3
    headings = [note.text for note in figure.layout.annotations]
    assert headings == ["<b>income</b>", "<b>job</b>"]


def test_the_two_results_differ_in_colour_dash_and_pattern():
    for style, other in zip(*RESULT_STYLES, strict=True):
        assert style != other


def test_both_pictures_of_correlations_have_one_scale_whatever_the_data():
    change = np.array([[0.0, 0.01, 0.02], [0.01, 0.0, -0.9], [0.02, -0.9, 0.0]])
    changes = CorrelationChanges(("a", "b", "c"), np.eye(3), (change, change / 100))
    figure = draw_correlation_changes(changes, NAMES)
    assert {trace.coloraxis for trace in figure.data} == {"coloraxis"}
    assert figure.layout.coloraxis.cmin == -MAX_CORRELATION_CHANGE
    assert figure.layout.coloraxis.cmax == MAX_CORRELATION_CHANGE
    first = np.asarray(figure.data[0].z, float)
    np.testing.assert_allclose(first[0, 0], 0.01)
    np.testing.assert_allclose(first[1], [0.02, -0.9])
    assert np.isnan(first[0, 1])


def test_all_groups_of_both_results_are_counted():
    sizes = {3: 20, 4: 2}, {5: 10, 400: 1}
    figure = draw_size_pairs(sizes, NAMES)
    assert [sum(trace.y) for trace in figure.data] == [22, 11]
    assert all(len(trace.y) <= 31 for trace in figure.data)
