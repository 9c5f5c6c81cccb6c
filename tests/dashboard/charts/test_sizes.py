"""Group sizes: no group is lost in a histogram, and all share their axes."""

import pytest

from dashboard.charts.sizes import panels, size_histograms
from dashboard.charts.theme import method_styles
from tests.dashboard.charts.examples import fact

STYLES = method_styles(["mdav", "md"])


@pytest.mark.parametrize("high", [4, 30, 400])
def test_every_group_is_counted_however_wide_the_sizes(high):
    sizes = {3: 50, high // 2 + 2: 7, high: 1}
    figure = size_histograms([fact("mdav", sizes=sizes), fact("md")], STYLES)
    assert sum(figure.data[0].y) == sum(sizes.values())
    assert sum(figure.data[1].y) == 21
    assert len(figure.data[0].y) <= 41


def test_all_panels_have_the_same_axes():
    figure = size_histograms([fact("mdav"), fact("md", sizes={3: 2, 9: 90})], STYLES)
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    assert figure.layout.yaxis.range == figure.layout.yaxis2.range
    assert figure.layout.yaxis.range[1] > 90


def test_a_single_large_group_is_written_beside_hundreds():
    figure = size_histograms([fact("mdav", sizes={3: 399, 4: 1})], STYLES)
    assert list(figure.data[0].text) == ["399", "1"]


def test_each_panel_says_whose_sizes_it_shows():
    figure = size_histograms([fact("mdav", 3), fact("mdav", 5)], STYLES)
    titles = [note.text for note in figure.layout.annotations]
    assert titles == ["MDAV, k = 3", "MDAV, k = 5"]


@pytest.mark.parametrize("count", range(1, 30))
def test_panels_hold_all_and_waste_less_than_a_row(count):
    rows, columns = panels(count)
    assert rows * columns >= count
    assert (rows - 1) * columns < count
