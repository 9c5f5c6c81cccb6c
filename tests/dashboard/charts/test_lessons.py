"""Lessons' pictures: what is drawn is what was worked out."""

from itertools import pairwise

import numpy as np
import pytest

from dashboard.charts import group_outlines
from dashboard.charts.lesson_bound import bound_picture
from dashboard.charts.lesson_edits import distance_picture, way_picture
from dashboard.charts.lesson_fuzzy import fuzzy_picture, size_picture
from dashboard.charts.lesson_groups import group_picture, ten_picture
from dashboard.charts.lesson_intruder import intruder_picture
from dashboard.charts.lesson_line import line_picture
from dashboard.charts.lesson_scaling import loss_picture, share_picture
from dashboard.charts.lesson_sweep import sweep_picture, trade_picture
from dashboard.charts.lesson_theme import INK
from dashboard.learn.lessons import (
    edits,
    effort,
    fuzziness,
    fuzzy,
    groups,
    intruder,
    one_column,
    scaling,
)


def inside(point, corners):
    """Whether a point lies within a convex outline, corners against the clock."""
    edges = np.diff(corners, axis=0)
    away = point - corners[:-1]
    return (edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0] >= -1e-9).all()


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_an_outline_holds_its_points_and_keeps_its_distance(count):
    points = np.random.default_rng(3).normal(size=(count, 2)) * [100.0, 1.0]
    corners = group_outlines.outline(points, (5.0, 0.1))
    assert (corners[0] == corners[-1]).all()
    assert all(inside(point, corners) for point in points)
    assert not any((np.abs(corner - points) < 1e-6).all(1).any() for corner in corners)


def test_an_outline_of_records_in_a_line_is_no_line():
    corners = group_outlines.outline(
        np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), (0.1, 0.1)
    )
    assert inside(np.array([1.05, 0.95]), corners)
    assert not inside(np.array([1.4, 0.6]), corners)


def test_near_groups_have_different_colours():
    centres = np.array([[float(x), 0.0] for x in range(30)])
    colours = group_outlines.colours(centres, np.ones(2))
    assert all(a != b for a, b in pairwise(colours))
    assert len(set(colours)) > 3


@pytest.mark.parametrize("k", [2, 7, 20])
def test_records_are_joined_to_the_centres_of_their_groups(k):
    found = groups.of_size(k)
    spokes = group_picture(found, ("x", "y")).data[-3]
    starts = np.column_stack([spokes.x, spokes.y])[0::3]
    ends = np.column_stack([spokes.x, spokes.y])[1::3]
    np.testing.assert_array_equal(starts, found.plane.values)
    for record, end in enumerate(ends):
        members = found.plane.values[found.labels == found.labels[record]]
        np.testing.assert_allclose(end, members.mean(axis=0))


def test_all_ten_values_are_written_out():
    figure = ten_picture(groups.of_ten("mdav"))
    said = " ".join(one.text for one in figure.layout.annotations).split()
    assert said == [f"{value:g}" for value in groups.ten_records().values[:, 0]]


@pytest.mark.parametrize("known", [1, 4, 8])
def test_a_hundred_cells_show_the_share_found(known):
    found = intruder.attacks(known)
    figure = intruder_picture(found)
    squares = [trace for trace in figure.data if trace.type == "heatmap"]
    assert [np.sum(square.z) for square in squares] == [round(o.share) for o in found]
    assert [np.size(square.z) for square in squares] == [100] * len(found)
    for one, title in zip(found, figure.layout.annotations, strict=True):
        assert f"{one.share:.0f} % found" in title.text


def test_the_line_of_the_promise_leaves_as_many_cells_above_it():
    figure = intruder_picture(intruder.attacks(2))
    lines = [trace for trace in figure.data if trace.name == INK]
    promised = [one.promised for one in intruder.attacks(2)[1:]]
    for line, share in zip(lines, promised, strict=True):
        x, y = np.array(line.x, dtype=float), np.array(line.y, dtype=float)
        above = np.sum(np.diff(x) * (y[:-1] + 0.5))
        assert above == pytest.approx(share)


@pytest.mark.parametrize("m2", fuzzy.FUZZINESS)
def test_bars_of_sizes_and_marks_of_expectation_belong_together(m2):
    drawn = fuzzy.draw(m2)
    figure = size_picture(drawn)
    bars = next(trace for trace in figure.data if trace.type == "bar")
    marks = next(trace for trace in figure.data if trace.name == "Expected")
    shown = sorted(zip(bars.y, np.round(marks.y, 9), strict=True))
    assert shown == sorted(zip(drawn.sizes, np.round(drawn.expected, 9), strict=True))
    red = [y for y, c in zip(bars.y, bars.marker.color, strict=True) if c == "#D55E00"]
    assert red == [y for y in bars.y if y < fuzzy.K]


def test_whoever_is_alone_with_a_centre_is_seen_on_it():
    drawn = fuzzy.draw(fuzzy.DEFAULT)
    assert drawn.sizes.min() == 1
    *_lines, centres, records = fuzzy_picture(drawn, ("x", "y")).data
    assert list(centres.x) == list(drawn.centres[:, 0])
    assert list(records.x) == list(drawn.plane.values[:, 0])
    assert list(records.marker.color).count("#D55E00") == drawn.below
    assert centres.marker.symbol.endswith("-open")


def test_bars_end_at_the_losses_and_are_hatched_beyond_the_bound():
    tried = [effort.after(steps) for steps in effort.STEPS]
    names = [str(steps) for steps in effort.STEPS]
    for count in range(1, len(tried) + 1):
        least, rest = bound_picture(tried[:count], names, effort.bounds()).data
        np.testing.assert_allclose(
            np.add(least.x, rest.x), [one.loss for one in tried[:count]]
        )
        assert max(least.x) <= max(effort.bounds().values())
        assert rest.marker.pattern.shape == "/"


def test_bars_of_losses_are_printed_and_ours_side_by_side():
    now = scaling.on_scale(scaling.example(), "none")
    names = {method: method.upper() for method in scaling.METHODS}
    printed = {method: 10.0 for method in scaling.METHODS}
    (shares,), losses = share_picture(now).data, loss_picture(now, names, printed).data
    assert list(shares.x) == list(now.shares.values())
    for bar, method in zip(losses, scaling.METHODS, strict=True):
        assert list(bar.y) == [10.0, now.losses[method]]


def test_arrows_lead_from_clean_to_noisy_centres_and_back_to_the_rule():
    found, spread = edits.centres(1.5), edits.over_draws(1.5)
    arrows = [one for one in way_picture(found).layout.annotations if one.showarrow]
    away, back = arrows[:4], arrows[4:]
    for number, (first, second) in enumerate(zip(away, back, strict=True)):
        assert (first.ax, first.ay) == (0.0, 0.0)
        assert (second.ax, second.ay) == (first.x, first.y)
        assert abs(second.y) < abs(first.y)
        assert first.x == found.free[number, 0] - found.clean[number, 0]
    boxes = [one for one in distance_picture(spread).data if one.type == "box"]
    drawn = np.array([box.y for box in boxes])
    np.testing.assert_array_equal(drawn[:4].T, spread.free)
    np.testing.assert_array_equal(drawn[4:].T, spread.ruled)


def test_every_value_leads_to_the_mean_of_its_group():
    found = one_column.of_twelve("hansen-mukherjee")
    assert sorted(found.means) == [6.0, 26.0, 46.0]
    assert sorted(one_column.of_twelve("mdav").means.round()) == [4, 19, 33, 47]
    figure = line_picture(found)
    ways = [one for one in figure.data if one.mode == "lines"]
    assert sum(len(one.x) for one in ways) == 3 * 12
    for way in ways:
        ends = set(way.x[1::3])
        assert ends == {np.mean(way.x[0::3])}


def test_loss_and_linkage_are_drawn_against_the_parameter_and_each_other():
    found, noise = fuzziness.swept("m2"), fuzziness.noise()
    _band, loss, linkage = sweep_picture(found, "m2").data
    fuzzy_way, noise_way = trade_picture(found, noise).data
    assert list(loss.x) == list(linkage.x) == [one.value for one in found]
    assert list(loss.y) == list(fuzzy_way.x) == [one.loss for one in found]
    assert list(linkage.y) == list(fuzzy_way.y) == [one.linkage for one in found]
    assert list(noise_way.x) == [one.loss for one in noise]
