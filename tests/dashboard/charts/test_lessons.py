"""Lessons' pictures: what is drawn is what was worked out."""

from itertools import pairwise

import numpy as np
import pytest

from dashboard.charts import group_outlines
from dashboard.charts.lesson_bound import draw_effort_picture
from dashboard.charts.lesson_edits import draw_centre_distances, draw_centre_paths
from dashboard.charts.lesson_fuzzy import (
    draw_group_size_picture,
    draw_membership_picture,
)
from dashboard.charts.lesson_groups import draw_group_picture, draw_ten_record_picture
from dashboard.charts.lesson_intruder import draw_intruder_picture
from dashboard.charts.lesson_line import draw_line_picture
from dashboard.charts.lesson_scaling import draw_scaling_losses, draw_variation_shares
from dashboard.charts.lesson_sweep import draw_sweep_picture, draw_trade_off_picture
from dashboard.charts.lesson_theme import TEXT_COLOUR_NAME
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
    corners = group_outlines.rounded_outline(points, (5.0, 0.1))
    assert (corners[0] == corners[-1]).all()
    assert all(inside(point, corners) for point in points)
    assert not any((np.abs(corner - points) < 1e-6).all(1).any() for corner in corners)


def test_an_outline_of_records_in_a_line_is_no_line():
    corners = group_outlines.rounded_outline(
        np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), (0.1, 0.1)
    )
    assert inside(np.array([1.05, 0.95]), corners)
    assert not inside(np.array([1.4, 0.6]), corners)


def test_near_groups_have_different_colours():
    centres = np.array([[float(x), 0.0] for x in range(30)])
    colours = group_outlines.choose_group_colours(centres, np.ones(2))
    assert all(a != b for a, b in pairwise(colours))
    assert len(set(colours)) > 3


@pytest.mark.parametrize("k", [2, 7, 20])
def test_records_are_joined_to_the_centres_of_their_groups(k):
    found = groups.group_patients(k)
    spokes = draw_group_picture(found, ("x", "y")).data[-3]
    starts = np.column_stack([spokes.x, spokes.y])[0::3]
    ends = np.column_stack([spokes.x, spokes.y])[1::3]
    np.testing.assert_array_equal(starts, found.plane.values)
    for record, end in enumerate(ends):
        members = found.plane.values[found.labels == found.labels[record]]
        np.testing.assert_allclose(end, members.mean(axis=0))


def test_all_ten_values_are_written_out():
    figure = draw_ten_record_picture(groups.group_ten_records("mdav"))
    said = " ".join(one.text for one in figure.layout.annotations).split()
    assert said == [f"{value:g}" for value in groups.ten_record_plane().values[:, 0]]


@pytest.mark.parametrize("known", [1, 4, 8])
def test_a_hundred_cells_show_the_share_found(known):
    found = intruder.attack_all_sizes(known)
    figure = draw_intruder_picture(found)
    squares = [trace for trace in figure.data if trace.type == "heatmap"]
    assert [np.sum(square.z) for square in squares] == [round(o.share) for o in found]
    assert [np.size(square.z) for square in squares] == [100] * len(found)
    for one, title in zip(found, figure.layout.annotations, strict=True):
        assert f"{one.share:.0f} % found" in title.text


def test_the_line_of_the_promise_leaves_as_many_cells_above_it():
    figure = draw_intruder_picture(intruder.attack_all_sizes(2))
    lines = [trace for trace in figure.data if trace.name == TEXT_COLOUR_NAME]
    promised = [one.promised for one in intruder.attack_all_sizes(2)[1:]]
    for line, share in zip(lines, promised, strict=True):
        x, y = np.array(line.x, dtype=float), np.array(line.y, dtype=float)
        above = np.sum(np.diff(x) * (y[:-1] + 0.5))
        assert above == pytest.approx(share)


@pytest.mark.parametrize("m2", fuzzy.FUZZINESS_VALUES)
def test_bars_of_sizes_and_marks_of_expectation_belong_together(m2):
    drawn = fuzzy.draw_centres_at_random(m2)
    figure = draw_group_size_picture(drawn)
    bars = next(trace for trace in figure.data if trace.type == "bar")
    marks = next(trace for trace in figure.data if trace.name == "Expected")
    shown = sorted(zip(bars.y, np.round(marks.y, 9), strict=True))
    assert shown == sorted(zip(drawn.sizes, np.round(drawn.expected, 9), strict=True))
    red = [y for y, c in zip(bars.y, bars.marker.color, strict=True) if c == "#D55E00"]
    assert red == [y for y in bars.y if y < fuzzy.FUZZY_K]


def test_whoever_is_alone_with_a_centre_is_seen_on_it():
    drawn = fuzzy.draw_centres_at_random(fuzzy.DEFAULT_FUZZINESS)
    assert drawn.sizes.min() == 1
    *_lines, centres, records = draw_membership_picture(drawn, ("x", "y")).data
    assert list(centres.x) == list(drawn.centres[:, 0])
    assert list(records.x) == list(drawn.plane.values[:, 0])
    assert list(records.marker.color).count("#D55E00") == drawn.n_below_k
    assert centres.marker.symbol.endswith("-open")


def test_bars_end_at_the_losses_and_are_hatched_beyond_the_bound():
    tried = [effort.effort_result(steps) for steps in effort.EFFORT_STEPS]
    names = [str(steps) for steps in effort.EFFORT_STEPS]
    for count in range(1, len(tried) + 1):
        least, rest = draw_effort_picture(
            tried[:count], names, effort.lesson_bounds_by_name()
        ).data
        np.testing.assert_allclose(
            np.add(least.x, rest.x), [one.loss for one in tried[:count]]
        )
        assert max(least.x) <= max(effort.lesson_bounds_by_name().values())
        assert rest.marker.pattern.shape == "/"


def test_bars_of_losses_are_printed_and_ours_side_by_side():
    now = scaling.compare_methods_on_scaling(scaling.default_scaling_table(), "none")
    names = {method: method.upper() for method in scaling.SCALING_METHODS}
    printed = {method: 10.0 for method in scaling.SCALING_METHODS}
    (shares,), losses = (
        draw_variation_shares(now).data,
        draw_scaling_losses(now, names, printed).data,
    )
    assert list(shares.x) == list(now.shares.values())
    for bar, method in zip(losses, scaling.SCALING_METHODS, strict=True):
        assert list(bar.y) == [10.0, now.losses[method]]


def test_arrows_lead_from_clean_to_noisy_centres_and_back_to_the_rule():
    found, spread = edits.compare_noisy_centres(1.5), edits.summarise_noise_draws(1.5)
    arrows = [
        one for one in draw_centre_paths(found).layout.annotations if one.showarrow
    ]
    away, back = arrows[:4], arrows[4:]
    for number, (first, second) in enumerate(zip(away, back, strict=True)):
        assert (first.ax, first.ay) == (0.0, 0.0)
        assert (second.ax, second.ay) == (first.x, first.y)
        assert abs(second.y) < abs(first.y)
        assert first.x == found.free[number, 0] - found.clean[number, 0]
    boxes = [one for one in draw_centre_distances(spread).data if one.type == "box"]
    drawn = np.array([box.y for box in boxes])
    np.testing.assert_array_equal(drawn[:4].T, spread.free)
    np.testing.assert_array_equal(drawn[4:].T, spread.ruled)


def test_every_value_leads_to_the_mean_of_its_group():
    found = one_column.group_twelve_values("hansen-mukherjee")
    assert sorted(found.means) == [6.0, 26.0, 46.0]
    assert sorted(one_column.group_twelve_values("mdav").means.round()) == [
        4,
        19,
        33,
        47,
    ]
    figure = draw_line_picture(found)
    ways = [one for one in figure.data if one.mode == "lines"]
    assert sum(len(one.x) for one in ways) == 3 * 12
    for way in ways:
        ends = set(way.x[1::3])
        assert ends == {np.mean(way.x[0::3])}


def test_loss_and_linkage_are_drawn_against_the_parameter_and_each_other():
    found, noise = fuzziness.sweep_results("m2"), fuzziness.plain_noise_results()
    _band, loss, linkage = draw_sweep_picture(found, "m2").data
    fuzzy_way, noise_way = draw_trade_off_picture(found, noise).data
    assert list(loss.x) == list(linkage.x) == [one.value for one in found]
    assert list(loss.y) == list(fuzzy_way.x) == [one.loss for one in found]
    assert list(linkage.y) == list(fuzzy_way.y) == [one.linkage for one in found]
    assert list(noise_way.x) == [one.loss for one in noise]
