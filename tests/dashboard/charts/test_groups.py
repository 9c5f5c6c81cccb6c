"""Groups in the plane: each record is tied to the centre of its own group."""

import numpy as np
import pytest

from dashboard.charts.groups import group_map, group_maps
from dashboard.charts.theme import method_styles
from tests.dashboard.charts.examples import view

STYLES = method_styles(["mdav", "md"])


def ends(trace):
    return np.column_stack([trace.x, trace.y]).reshape(-1, 3, 2)


def test_every_record_is_joined_to_its_groups_mean():
    shown = view()
    (spokes,) = group_maps([shown], STYLES).data
    found = ends(spokes)
    np.testing.assert_allclose(found[:, 0], shown.points, rtol=1e-6)
    assert np.isnan(found[:, 2]).all()
    for label, end in zip(shown.labels, found[:, 1], strict=True):
        mean = shown.points[shown.labels == label].mean(axis=0)
        np.testing.assert_allclose(end, mean, rtol=1e-6)


def test_a_line_says_which_record_and_group_it_belongs_to():
    shown = view()
    (spokes,) = group_maps([shown], STYLES).data
    np.testing.assert_array_equal(spokes.customdata[0::3, 0], shown.numbers)
    np.testing.assert_array_equal(spokes.customdata[0::3, 1], shown.labels + 1)
    np.testing.assert_array_equal(spokes.customdata[1::3, 0], 0)
    np.testing.assert_array_equal(spokes.customdata[1::3, 1], shown.labels + 1)
    assert spokes.meta == {"method": "MDAV", "key": "mdav-3"}


def test_all_panels_share_axes_that_hold_every_point():
    views = [view(), view("md", seed=4), view(k=4), view("md", k=4)]
    figure = group_maps(views, STYLES)
    assert len({(trace.xaxis, trace.yaxis) for trace in figure.data}) == 4
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    assert figure.layout.yaxis.range == figure.layout.yaxis2.range
    points = np.vstack([shown.points for shown in views])
    assert figure.layout.xaxis.range[0] < points[:, 0].min()
    assert figure.layout.yaxis.range[1] > points[:, 1].max()


def test_the_middle_view_is_not_stretched_by_one_far_record():
    shown = view(n=300)
    shown.points[0] = 1e6
    far, near = (group_maps([shown], STYLES, middle) for middle in (False, True))
    assert far.layout.xaxis.range[1] > 1e6
    assert near.layout.xaxis.range[1] < 10


def test_the_share_of_variance_is_said():
    figure = group_maps([view()], STYLES)
    assert any("75 %" in note.text for note in figure.layout.annotations)
    large = group_map(view(), STYLES["mdav"])
    assert "75 %" in large.layout.xaxis.title.text
    assert "20 %" in large.layout.yaxis.title.text


def test_each_panel_states_its_loss():
    figure = group_maps([view(), view("md")], STYLES)
    notes = [note.text for note in figure.layout.annotations]
    assert notes.count("IL 12.50 %") == 2


def test_records_that_are_all_equal_can_be_drawn():
    shown = view()
    shown.points[:] = 0.0
    low, high = group_maps([shown], STYLES).layout.xaxis.range
    assert low < 0.0 < high


def test_large_every_record_is_a_point_that_says_who_it_is():
    shown = view()
    lines, points = group_map(shown, STYLES["mdav"]).data
    np.testing.assert_allclose(np.column_stack([points.x, points.y]), shown.points)
    np.testing.assert_array_equal(
        points.customdata, np.column_stack([shown.numbers, shown.labels + 1])
    )
    assert points.meta == {"key": "mdav-3"}
    np.testing.assert_allclose(ends(lines)[:, 0], shown.points, rtol=1e-6)


@pytest.mark.parametrize("row", [0, 105])
def test_what_was_clicked_stands_out(row):
    shown = view()
    group = 2
    _, strong, ring, _ = group_map(shown, STYLES["mdav"], pointed=(row, group)).data
    members = shown.points[shown.labels == group - 1]
    np.testing.assert_allclose(ends(strong)[:, 0], members, rtol=1e-6)
    assert len(ring.x) == (1 if row else 0)
