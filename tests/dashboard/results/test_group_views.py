"""Groups in a plane: of many records, those that lie close together are counted."""

import numpy as np
import pytest

from dashboard.charts.groupings.group_cells import CELL_MARK, draw_counted_cells
from dashboard.results import group_views
from dashboard.results.group_views import (
    make_group_view,
    records_in_window_mask,
    shrink_window_around,
)
from dashboard.results.planes import PlaneAxis, RecordPlane
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.dashboard.pages import small_table

WINDOW = ((0.0, 10.0), (0.0, 5.0))


@pytest.fixture(scope="module")
def outcome():
    return run(Plan(method="mdav", k=3), small_table())


@pytest.fixture(scope="module")
def plane(outcome):
    rng = np.random.default_rng(0)
    n = outcome.partition.n_records
    x, y = rng.uniform(0.0, 10.0, n), rng.uniform(0.0, 5.0, n)
    x[0] = 1e12  # far beyond all cells
    return RecordPlane(PlaneAxis(x, "x"), PlaneAxis(y, "y"))


def test_cells_count_every_record_once_where_it_is(outcome, plane) -> None:
    costs = np.arange(1.0, outcome.partition.n_groups + 1)
    counted_cells = group_views.bin_records_into_cells(outcome, plane, costs, WINDOW)
    record_costs = costs[outcome.partition.labels]
    cells: dict[tuple[int, int], list[int]] = {}
    for place, (x, y) in enumerate(plane.positions):
        at = min(int(x / (10.0 / 64)), 2**20), int(y / (5.0 / 24))
        cells.setdefault(at, []).append(place)
    expected = sorted(
        (len(rows), *plane.positions[rows].mean(axis=0), record_costs[rows].mean())
        for rows in cells.values()
    )
    actual = np.column_stack(
        [counted_cells.counts, counted_cells.places, counted_cells.costs]
    )
    assert np.allclose(sorted(map(tuple, actual)), expected)
    assert counted_cells.usual == np.median(record_costs)


def test_a_window_shows_whole_groups_that_have_records_in_it(outcome, plane) -> None:
    costs = np.ones(outcome.partition.n_groups)
    window = shrink_window_around(WINDOW, 5.0, 2.5)
    assert np.allclose(window, ((5 - 5 / 6, 5 + 5 / 6), (2.5 - 2.5 / 6, 2.5 + 2.5 / 6)))
    half = ((0.0, 5.0), (0.0, 5.0))
    view = make_group_view(outcome, plane, costs, max_records=1, window=half)
    window_rows = [row for row, x in enumerate(plane.across.places) if x <= 5.0]
    assert np.flatnonzero(records_in_window_mask(plane, half)).tolist() == window_rows
    labels = outcome.partition.labels
    groups = {labels[row] for row in window_rows}
    expected = [row for row, label in enumerate(labels) if label in groups]
    assert view.rows.tolist() == expected


def test_marks_grow_with_records_and_say_where_a_click_leads(outcome, plane) -> None:
    costs = np.ones(outcome.partition.n_groups)
    cells = group_views.bin_records_into_cells(
        outcome, plane, costs, ((0.0, 40.0), (0.0, 40.0))
    )
    (marks,) = draw_counted_cells(cells, 200).data
    by_count = np.argsort(cells.counts, kind="stable")
    assert (np.diff(np.asarray(marks.marker.size)[by_count]) >= 0.0).all()
    key, kind, x, y, count = marks.customdata[0]
    assert (key, kind, count) == (
        outcome.plan.digest(),
        CELL_MARK,
        f"{cells.counts[0]:,}",
    )
    assert [float(x), float(y)] == cells.places[0].tolist()


def test_records_that_are_not_drawn_are_told_for_what_lights_up(outcome, plane) -> None:
    costs = np.ones(outcome.partition.n_groups)
    assert make_group_view(outcome, plane, costs).everyone is None
    everyone = make_group_view(outcome, plane, costs, max_records=6).everyone
    labels, rows = outcome.partition.labels, outcome.release.rows
    for record, row in enumerate(rows):
        assert everyone.groups[row] == labels[record] + 1
        assert everyone.points[row] == pytest.approx(plane.positions[record])
    assert np.count_nonzero(everyone.groups) == len(rows)


def test_of_many_records_only_those_that_are_drawn_light_up(
    outcome, plane, monkeypatch
) -> None:
    monkeypatch.setattr(group_views, "MAX_HIGHLIGHTED_RECORDS", 10)
    costs = np.ones(outcome.partition.n_groups)
    assert make_group_view(outcome, plane, costs, max_records=6).everyone is None
