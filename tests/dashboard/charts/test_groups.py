"""Groups in the plane: each record is tied to the centre of its own group."""

import numpy as np

from dashboard.charts.groups import group_maps
from dashboard.charts.theme import method_styles
from tests.dashboard.charts.examples import view

STYLES = method_styles(["mdav", "md"])


def test_every_record_is_a_point_joined_to_its_groups_mean():
    shown = view()
    spokes, points = group_maps([shown], STYLES).data
    np.testing.assert_allclose(np.column_stack([points.x, points.y]), shown.points)
    ends = np.column_stack([spokes.x, spokes.y]).reshape(-1, 3, 2)
    np.testing.assert_allclose(ends[:, 0], shown.points)
    assert np.isnan(ends[:, 2]).all()
    for label, end in zip(shown.labels, ends[:, 1], strict=True):
        mean = shown.points[shown.labels == label].mean(axis=0)
        np.testing.assert_allclose(end, mean)


def test_all_panels_share_axes_that_hold_every_point():
    views = [view(), view("md", seed=4)]
    figure = group_maps(views, STYLES)
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    points = np.vstack([shown.points for shown in views])
    assert figure.layout.xaxis.range[0] < points[:, 0].min()
    assert figure.layout.yaxis.range[1] > points[:, 1].max()


def test_the_middle_view_is_not_stretched_by_one_far_record():
    shown = view(n=300)
    shown.points[0] = 1e6
    far, near = (group_maps([shown], STYLES, middle) for middle in (False, True))
    assert far.layout.xaxis.range[1] > 1e6
    assert near.layout.xaxis.range[1] < 10


def test_axes_name_the_share_of_variance():
    figure = group_maps([view()], STYLES)
    assert "75 %" in figure.layout.xaxis.title.text
    assert "20 %" in figure.layout.yaxis.title.text


def test_each_panel_states_its_loss():
    figure = group_maps([view(), view("md")], STYLES)
    assert figure.layout.annotations[1].text == "MD: IL 12.50 %"


def test_records_that_are_all_equal_can_be_drawn():
    shown = view()
    shown.points[:] = 0.0
    low, high = group_maps([shown], STYLES).layout.xaxis.range
    assert low < 0.0 < high
