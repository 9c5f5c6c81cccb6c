"""Run time: the shortest run is drawn, the longest is the end of its bar."""

import pytest

from dashboard.charts.comparisons.run_time import draw_run_times, timing_series_id
from dashboard.charts.theme import choose_method_styles
from engine.analysis.curves.timing import MethodTiming
from engine.core.message import Message

FOUND = [
    MethodTiming("mdav", False, n, 3, n, 4, (2e-5 * n, 1e-5 * n, 3e-5 * n))
    for n in (1000, 2000, 4000)
]
CANNOT = MethodTiming("cbfs", False, 1000, 3, 1000, 4, (), Message("No."))
TITLES = {"mdav": "MDAV", "cbfs": "CBFS"}


def test_a_line_per_method_that_has_times() -> None:
    styles = choose_method_styles(TITLES)
    figure = draw_run_times(
        [*FOUND, CANNOT], TITLES, styles, "Records", is_log_log=True
    )
    (line,) = figure.data
    assert list(line.x) == [1000, 2000, 4000]
    assert list(line.y) == pytest.approx([0.01, 0.02, 0.04])
    assert list(line.error_y.array) == pytest.approx([0.02, 0.04, 0.08])
    assert line.name == "MDAV, power 1.0"
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"


def test_what_is_polished_is_a_series_of_its_own() -> None:
    assert (
        timing_series_id(MethodTiming("mdav", True, 3, 3, 9, 2, (1.0,)))
        == "mdav, polished"
    )
