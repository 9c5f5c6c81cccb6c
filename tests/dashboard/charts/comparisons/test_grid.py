"""Small multiples: every method and every k has its own place, in order."""

from itertools import pairwise

import pytest

from dashboard.charts.comparisons.grid import (
    MAX_PANELS_ACROSS,
    PanelGrid,
    make_panel_grid,
)


@pytest.mark.parametrize("n_sizes", [1, 2, 3, 7, 13])
@pytest.mark.parametrize("n_methods", [1, 2, 3, 6, 7, 20])
def test_every_method_and_k_has_a_place_of_its_own(n_methods, n_sizes):
    titles = tuple(f"method {number}" for number in range(n_methods))
    grid = PanelGrid(titles, tuple(range(2, 2 + n_sizes)))
    places = {
        grid.panel_position(title, k): (title, k)
        for title in grid.titles
        for k in grid.sizes
    }
    assert len(places) == n_methods * n_sizes
    assert {row for row, _ in places} == set(range(grid.n_rows))
    assert max(column for _, column in places) < grid.n_columns <= MAX_PANELS_ACROSS


def test_methods_are_columns_and_k_grows_downwards():
    grid = make_panel_grid([("MD", 5), ("MDAV", 5), ("MD", 3), ("MDAV", 3)])
    assert grid.panel_position("MD", 3) == (0, 0)
    assert grid.panel_position("MD", 5) == (1, 0)
    assert grid.panel_position("MDAV", 3) == (0, 1)
    assert grid.column_headings == ("MD", "MDAV")
    assert grid.row_headings == ("k = 3", "k = 5")


def test_one_method_has_its_values_of_k_side_by_side():
    grid = make_panel_grid([("MD", 3), ("MD", 5), ("MD", 10)])
    assert [grid.panel_position("MD", k) for k in (3, 5, 10)] == [
        (0, 0),
        (0, 1),
        (0, 2),
    ]
    assert grid.column_headings == ("k = 3", "k = 5", "k = 10")


@pytest.mark.parametrize("n_methods", [1, 4, 9])
def test_panels_do_not_lie_on_each_other(n_methods):
    grid = PanelGrid(tuple(map(str, range(n_methods))), (3, 5))
    layout = grid.layout_settings("")
    for letter, count in (("x", grid.n_columns), ("y", grid.n_rows)):
        domains = sorted(
            tuple(layout[f"{letter}axis{number + 1}"]["domain"])
            for number in range(count)
        )
        assert domains[0][0] >= 0.0
        assert domains[-1][1] <= 1.0
        for (_, end), (start, _) in pairwise(domains):
            assert end < start


def test_every_column_has_a_heading_above_its_panels():
    grid = PanelGrid(tuple(f"m{number}" for number in range(8)), (3, 5))
    layout = grid.layout_settings("foot")
    notes = {note["text"]: note for note in layout["annotations"]}
    for title in grid.titles:
        row, column = grid.panel_position(title, 3)
        left, right = layout[f"xaxis{column + 1}"]["domain"]
        assert left < notes[f"<b>{title}</b>"]["x"] < right
        assert notes[f"<b>{title}</b>"]["y"] > layout[f"yaxis{row + 1}"]["domain"][1]
    assert "foot" in notes
