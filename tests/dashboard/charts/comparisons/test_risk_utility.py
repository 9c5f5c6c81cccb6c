"""The risk-utility map draws each result once, the efficient ones joined."""

from dataclasses import replace

from dashboard.charts.comparisons.risk_utility import draw_risk_utility_map
from dashboard.charts.inputs import RiskUtilityPoint
from dashboard.charts.theme import choose_method_styles
from engine.pipeline.planning.seeds import summarise_spread

POINTS = [
    RiskUtilityPoint("a", "mdav", "MDAV", 3, 30.0, 10.0, (25.0, 35.0)),
    RiskUtilityPoint("b", "mdav", "MDAV", 5, 20.0, 15.0),
    RiskUtilityPoint("c", "md", "MD", 3, 31.0, 12.0),
    RiskUtilityPoint("d", "fuzzy", "Fuzzy", 3, 5.0, 5.0, None, keeps_k=False),
]
STYLES = choose_method_styles(["mdav", "md", "fuzzy"])


def drawn(**choices):
    figure = draw_risk_utility_map(POINTS, STYLES, "Risk (%)", "Loss (%)", **choices)
    return figure, {trace.name: trace for trace in figure.data}


def test_every_result_is_a_point_with_its_k_and_key():
    _, traces = drawn()
    assert set(traces) == {"Efficient", "MDAV", "MD", "Fuzzy", "k"}
    mdav = traces["MDAV"]
    assert list(zip(mdav.x, mdav.y, strict=True)) == [(30.0, 10.0), (20.0, 15.0)]
    assert [tuple(data[:2]) for data in mdav.customdata] == [("a", 3), ("b", 5)]
    assert mdav.meta == {"method": "MDAV"}
    assert "25 to 35" in mdav.customdata[0][2]
    assert mdav.marker.color == STYLES["mdav"].colour


def test_the_line_joins_the_efficient_results_that_keep_k():
    _, traces = drawn()
    line = traces["Efficient"]
    assert list(zip(line.x, line.y, strict=True)) == [(20.0, 15.0), (30.0, 10.0)]
    assert line.line.shape == "hv"


def test_weak_results_are_pale():
    _, traces = drawn()
    assert traces["Fuzzy"].marker.opacity[0] < traces["MD"].marker.opacity[0]


def test_k_is_written_once_where_results_lie_on_each_other():
    _, traces = drawn()
    written = list(zip(traces["k"].x, traces["k"].y, traces["k"].text, strict=True))
    assert written == [
        (5.0, 5.0, "k = 3"),
        (20.0, 15.0, "k = 5"),
        (30.0, 10.0, "k = 3"),
        (31.0, 12.0, "k = 3"),
    ]
    close = [POINTS[0], RiskUtilityPoint("e", "md", "MD", 3, 30.1, 10.1), *POINTS[1:]]
    figure = draw_risk_utility_map(close, STYLES, "Risk (%)", "Loss (%)")
    (k,) = [trace for trace in figure.data if trace.name == "k"]
    assert len(k.x) == 4


def test_a_ceiling_is_a_line_with_the_region_beyond_it():
    figure, _ = drawn(ceiling=25.0)
    region, line = figure.layout.shapes
    assert (line.x0, line.x1) == (25.0, 25.0)
    assert region.x0 == 25.0
    assert region.x1 > 31.0
    assert not drawn()[0].layout.shapes


def test_the_recommended_result_is_ringed():
    _, traces = drawn(ringed_key="b")
    assert list(traces["MDAV"].marker.line.width) == [0, 3]
    assert list(traces["MD"].marker.line.width) == [0]


def test_several_seeds_are_drawn_as_mean_and_deviation_of_the_loss():
    over = summarise_spread([9.0, 11.0, 13.0])
    points = [replace(POINTS[0], spread=over, n_seeds=3), *POINTS[1:]]
    figure = draw_risk_utility_map(points, STYLES, "Risk (%)", "Loss (%)")
    (drawn_over,) = [trace for trace in figure.data if trace.error_y.array is not None]
    assert (list(drawn_over.x), list(drawn_over.y)) == ([30.0], [11.0])
    assert list(drawn_over.error_y.array) == [2.0]
    assert tuple(drawn_over.customdata[0]) == ("a", 3, 3, 2.0, 9.0, 13.0)
