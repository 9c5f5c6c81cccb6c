"""Group sizes: no group is lost, and all results share the sizes they are told by."""

import pytest

from dashboard.charts.groupings.sizes import draw_group_sizes
from dashboard.charts.theme import choose_method_styles
from tests.dashboard.charts.examples import fact

STYLES = choose_method_styles(["mdav", "md"])


def cells(figure):
    return [trace for trace in figure.data if trace.type == "bar"]


@pytest.mark.parametrize("high", [4, 30, 400])
def test_every_group_is_counted_however_wide_the_sizes(high):
    sizes = {3: 50, high // 2 + 2: 7, high: 1}
    figure = draw_group_sizes([fact("mdav", sizes=sizes), fact("md")], STYLES)
    first_row, other = cells(figure)
    assert sum(map(int, first_row.text)) == sum(sizes.values())
    assert sum(map(int, other.text)) == 21
    assert len(figure.layout.xaxis.ticktext) <= 9


@pytest.mark.parametrize("high", [5, 300])
def test_a_cell_says_between_which_sizes_its_groups_are(high):
    sizes = {3: 20, high: 2}
    (row,) = cells(draw_group_sizes([fact("mdav", sizes=sizes)], STYLES))
    for size, count in sizes.items():
        (position,) = [
            at for at, (low, top) in enumerate(row.customdata) if low <= size <= top
        ]
        assert int(row.text[position]) == count


def test_a_size_has_one_place_in_all_rows():
    figure = draw_group_sizes([fact("mdav"), fact("md", sizes={4: 2, 9: 90})], STYLES)
    first_row, other = cells(figure)
    places = {
        tuple(custom): base
        for row in (first_row, other)
        for custom, base in zip(row.customdata, row.base, strict=True)
    }
    assert len(set(places.values())) == len(places) == 3
    assert first_row.base[1] == other.base[0]


def test_more_groups_are_a_stronger_tint():
    (row,) = cells(draw_group_sizes([fact("mdav", sizes={3: 399, 4: 1})], STYLES))
    strong, pale = (
        float(colour.rstrip(")").split(",")[-1]) for colour in row.marker.color
    )
    assert strong > pale > 0.0


def test_k_is_written_where_a_method_comes_twice():
    figure = draw_group_sizes([fact("mdav", 3), fact("mdav", 5)], STYLES)
    assert list(figure.layout.yaxis.ticktext) == ["MDAV, k = 3", "MDAV, k = 5"]
    figure = draw_group_sizes([fact("mdav", 3), fact("md", 3)], STYLES)
    assert list(figure.layout.yaxis.ticktext) == ["MDAV", "MD"]
    for row, trace in zip([fact("mdav"), fact("md")], cells(figure), strict=True):
        assert trace.meta == {"method": row.title, "key": row.key}
