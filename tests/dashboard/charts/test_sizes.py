"""Group sizes: no group is lost in a histogram, and all share their axes."""

import pytest

from dashboard.charts.sizes import size_histograms
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
    assert figure.layout.xaxis.range[1] > 9
    assert {trace.yaxis for trace in figure.data} == {"y"}
    assert figure.layout.yaxis.range[1] > 90


def test_a_single_large_group_is_written_beside_hundreds():
    figure = size_histograms([fact("mdav", sizes={3: 399, 4: 1})], STYLES)
    assert list(figure.data[0].text) == ["399", "1"]


def test_each_method_and_each_k_has_a_panel_of_its_own():
    rows = [fact(method, k) for method in ("mdav", "md") for k in (3, 5)]
    figure = size_histograms(rows, STYLES)
    assert len({(trace.xaxis, trace.yaxis) for trace in figure.data}) == 4
    for trace, row in zip(figure.data, rows, strict=True):
        assert trace.meta == {"method": row.title, "key": row.key}
    headings = [note.text for note in figure.layout.annotations]
    assert headings[:2] == ["<b>MDAV</b>", "<b>MD</b>"]
    assert figure.layout.yaxis.title.text == "<b>k = 3</b>"
    assert figure.layout.yaxis2.title.text == "<b>k = 5</b>"


@pytest.mark.parametrize("high", [5, 300])
def test_a_bar_says_between_which_sizes_its_groups_are(high):
    sizes = {3: 20, high: 2}
    (bars,) = size_histograms([fact("mdav", sizes=sizes)], STYLES).data
    for size, count in sizes.items():
        (here,) = [
            at for at, (low, top) in enumerate(bars.customdata) if low <= size <= top
        ]
        assert bars.y[here] == count
