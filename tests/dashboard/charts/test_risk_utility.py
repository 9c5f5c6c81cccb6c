"""The risk-utility map draws each result once, the efficient ones joined."""

from dashboard.charts.risk_utility import risk_utility
from dashboard.charts.theme import method_styles
from dashboard.measured import MapPoint

POINTS = [
    MapPoint("a", "mdav", "MDAV", 3, 30.0, 10.0, (25.0, 35.0)),
    MapPoint("b", "mdav", "MDAV", 5, 20.0, 15.0),
    MapPoint("c", "md", "MD", 3, 31.0, 12.0),
    MapPoint("d", "fuzzy", "Fuzzy", 3, 5.0, 5.0, None, keeps_k=False),
]
STYLES = method_styles(["mdav", "md", "fuzzy"])


def drawn(**choices):
    figure = risk_utility(POINTS, STYLES, "Risk (%)", "Loss (%)", **choices)
    return figure, {trace.name: trace for trace in figure.data}


def test_every_result_is_a_point_with_its_k_and_key():
    _, traces = drawn()
    assert set(traces) == {"Efficient", "MDAV", "MD", "Fuzzy"}
    mdav = traces["MDAV"]
    assert list(zip(mdav.x, mdav.y, mdav.text, strict=True)) == [
        (30.0, 10.0, "3"),
        (20.0, 15.0, "5"),
    ]
    assert [data[0] for data in mdav.customdata] == ["a", "b"]
    assert "25 to 35" in mdav.customdata[0][2]
    assert mdav.marker.color == STYLES["mdav"].colour


def test_the_line_joins_the_efficient_results_that_keep_k():
    _, traces = drawn()
    line = traces["Efficient"]
    assert list(zip(line.x, line.y, strict=True)) == [(20.0, 15.0), (30.0, 10.0)]
    assert line.line.shape == "hv"


def test_weak_results_are_pale_and_the_chosen_one_has_a_ring():
    _, traces = drawn(chosen="b")
    assert traces["Fuzzy"].marker.opacity[0] < traces["MD"].marker.opacity[0]
    assert list(traces["MDAV"].marker.line.width) == [0.0, 3.0]


def test_a_ceiling_is_a_line_with_the_region_beyond_it():
    figure, _ = drawn(ceiling=25.0)
    region, line = figure.layout.shapes
    assert (line.x0, line.x1) == (25.0, 25.0)
    assert region.x0 == 25.0
    assert region.x1 > 31.0
    assert not drawn()[0].layout.shapes
