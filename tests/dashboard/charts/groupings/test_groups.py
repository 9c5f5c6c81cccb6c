"""Groups in the plane: each record is tied to the centre of its own group."""

from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

from dashboard.charts.groupings.groups import (
    draw_group_map,
    draw_group_maps,
    visible_window,
)
from dashboard.charts.groupings.hulls import are_hulls_tangled
from dashboard.charts.inputs import RecordPositions
from dashboard.charts.theme import choose_method_styles
from tests.dashboard.charts.examples import view

STYLES = choose_method_styles(["mdav", "md"])


def shapes(trace):
    """Return the corners of each hull of a trace."""
    corners = np.column_stack([trace.x, trace.y])
    gaps = np.flatnonzero(np.isnan(corners[:, 0]))
    return np.split(corners, gaps)[:-1]


def split(figure):
    """Return the hulls of a figure and its points."""
    hulls = [trace for trace in figure.data if trace.fill == "toself"]
    points = [trace for trace in figure.data if trace.mode == "markers"]
    return hulls, points


def test_every_group_has_a_hull_that_holds_its_records():
    group_view = view(n=40, k=5)
    hulls, _points = split(draw_group_maps([group_view], STYLES))
    hull_shapes = [shape for trace in hulls for shape in shapes(trace)]
    assert len(hull_shapes) == group_view.n_groups
    boxes = []
    for shape in hull_shapes:
        corners = shape[~np.isnan(shape[:, 0])]
        boxes.append((*corners.min(axis=0), *corners.max(axis=0)))
    for group in range(group_view.n_groups):
        members = group_view.points[group_view.labels == group]
        box = (*members.min(axis=0), *members.max(axis=0))
        assert any(np.allclose(box, hull_box, rtol=1e-5) for hull_box in boxes)


def test_a_group_whose_records_lose_more_has_a_warmer_hull():
    group_view = view(n=40, k=5)
    group_view.costs[:] = 1.0
    group_view.costs[3] = 900.0
    hulls, _points = split(draw_group_maps([group_view], STYLES))
    assert [len(shapes(trace)) for trace in hulls] == [7, 1]
    red, _green, blue = map(int, hulls[1].fillcolor[5:].split(",")[:3])
    assert red > blue


def test_a_point_says_which_record_and_group_it_is():
    group_view = view()
    _hulls, (points,) = split(draw_group_maps([group_view], STYLES))
    np.testing.assert_array_equal(
        points.customdata, np.column_stack([group_view.numbers, group_view.labels + 1])
    )
    assert points.meta == {"method": "MDAV", "key": "mdav-3", "groups": True}


def test_all_panels_share_axes_that_hold_every_point():
    views = [view(), view("md", seed=4), view(k=4), view("md", k=4)]
    figure = draw_group_maps(views, STYLES)
    assert len({(trace.xaxis, trace.yaxis) for trace in figure.data}) == 4
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    assert figure.layout.yaxis.range == figure.layout.yaxis2.range
    points = np.vstack([group_view.points for group_view in views])
    assert figure.layout.xaxis.range[0] < points[:, 0].min()
    assert figure.layout.yaxis.range[1] > points[:, 1].max()


def test_the_middle_view_is_not_stretched_by_one_far_record():
    group_view = view(n=300)
    group_view.points[0] = 1e6
    far, near = (
        draw_group_maps([group_view], STYLES, middle) for middle in (False, True)
    )
    assert far.layout.xaxis.range[1] > 1e6
    assert near.layout.xaxis.range[1] < 10


def hulls_of(figure):
    """Return the corners of all hulls, gaps left out."""
    shapes = [trace for trace in figure.data if trace.fill == "toself"]
    corners = np.vstack([np.column_stack([hull.x, hull.y]) for hull in shapes])
    return corners[~np.isnan(corners[:, 0])]


def test_no_hull_is_cut_by_the_edge_of_what_is_in_view():
    group_view = view(n=300)
    cells = np.argsort(np.argsort(group_view.points, axis=0), axis=0) // 43
    labels = np.unique(cells @ [7, 1], return_inverse=True)[1]
    group_view = replace(group_view, labels=labels, costs=np.ones(labels.max() + 1))
    group_view.points[0] = 1e6
    window = visible_window([group_view], crops_outliers=True)
    for figure in (
        draw_group_map(group_view, STYLES["mdav"], crops_outliers=True),
        draw_group_maps([group_view], STYLES, crops_outliers=True),
    ):
        corners = hulls_of(figure)
        (a, b), (c, d) = window
        assert ((corners >= [a, c]) & (corners <= [b, d])).all()
    assert hulls_of(draw_group_maps([group_view], STYLES)).max() == 1e6


def test_the_share_of_variance_is_said():
    figure = draw_group_maps([view()], STYLES)
    assert any("75 %" in note.text for note in figure.layout.annotations)
    large = draw_group_map(view(), STYLES["mdav"])
    assert "75 %" in large.layout.xaxis.title.text
    assert "20 %" in large.layout.yaxis.title.text


def test_each_panel_states_its_loss():
    figure = draw_group_maps([view(), view("md")], STYLES)
    notes = [note.text for note in figure.layout.annotations]
    assert notes.count("IL 12.5 %") == 2


def test_records_that_are_all_equal_can_be_drawn():
    group_view = view()
    group_view.points[:] = 0.0
    low, high = draw_group_maps([group_view], STYLES).layout.xaxis.range
    assert low < 0.0 < high


def test_large_every_record_is_a_point_that_says_who_it_is():
    group_view = view()
    _hulls, (points,) = split(draw_group_map(group_view, STYLES["mdav"]))
    np.testing.assert_allclose(
        np.column_stack([points.x, points.y]), group_view.points, rtol=1e-6
    )
    np.testing.assert_array_equal(
        points.customdata, np.column_stack([group_view.numbers, group_view.labels + 1])
    )
    assert points.meta == {"key": "mdav-3", "groups": True}


@pytest.mark.parametrize("row", [0, 105])
def test_what_was_clicked_stands_out(row):
    group_view = view()
    group = 2
    figure = draw_group_map(group_view, STYLES["mdav"], selected=(row, group))
    strong, ring = figure.data[-3:-1]
    members = group_view.points[group_view.labels == group - 1]
    corners = np.column_stack([strong.x, strong.y])[:-1]
    np.testing.assert_allclose(corners.min(axis=0), members.min(axis=0), rtol=1e-5)
    np.testing.assert_allclose(corners.max(axis=0), members.max(axis=0), rtol=1e-5)
    assert strong.line.width > figure.data[0].line.width
    assert len(ring.x) == (1 if row else 0)


def test_hulls_that_would_lie_on_each_other_give_way_to_tinted_records():
    mixed = view(n=400, k=5)
    sorted_view = view(n=400, k=5)
    sorted_view.points[:] = np.sort(sorted_view.points, axis=0)
    assert are_hulls_tangled([mixed])
    assert not are_hulls_tangled([sorted_view])
    assert not are_hulls_tangled([view(n=40, k=5)])
    hulls, (points,) = split(draw_group_map(mixed, STYLES["mdav"]))
    assert sum(len(shapes(trace)) for trace in hulls) < mixed.n_groups / 10
    colours = np.array(points.marker.color)
    for group in range(mixed.n_groups):
        assert len(set(colours[mixed.labels == group])) == 1
    costly, cheap = mixed.costs.argmax(), mixed.costs.argmin()
    assert colours[mixed.labels == costly][0] != colours[mixed.labels == cheap][0]


def test_a_panel_says_the_group_of_every_record_drawn_or_not():
    whole = view(n=12)
    groups = np.zeros(112, dtype=np.int16)
    points = np.full((112, 2), np.nan, dtype=np.float32)
    groups[whole.numbers - 1] = whole.labels + 1
    points[whole.numbers - 1] = whole.points
    part = replace(
        whole.restrict_to(np.arange(6)), everyone=RecordPositions(points, groups)
    )
    figure = draw_group_maps([part], STYLES)
    _hulls, (marks,) = split(figure)

    def numbers(coded):
        return np.frombuffer(b64decode(coded["bdata"]), dtype=coded["dtype"])

    meta = figure.to_dict()["layout"]["meta"]
    assert numbers(marks.meta["groupOf"]).tolist() == groups.tolist()
    assert np.array_equal(numbers(meta["places"][0]), points[:, 0], equal_nan=True)
    assert np.array_equal(numbers(meta["places"][1]), points[:, 1], equal_nan=True)
