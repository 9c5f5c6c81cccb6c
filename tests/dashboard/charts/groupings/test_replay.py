"""Replays show every record at every step, and groups in their order."""

import numpy as np

from dashboard.charts.comparisons.shares import draw_loss_share_bars
from dashboard.charts.groupings.replay import (
    MAX_STEPS,
    count_groups_after_steps,
    draw_replay,
)
from tests.dashboard.charts.examples import view


def test_every_record_is_in_every_frame() -> None:
    group_view = view(n=30, k=3)
    figure = draw_replay(group_view, start_points=[0, 3])
    assert len(figure.frames) == 11
    for step, frame in enumerate(figure.frames):
        n_remaining, before, now, started = (
            int(np.isfinite(trace.x).sum()) for trace in frame.data
        )
        assert n_remaining + before + now == 30
        assert n_remaining == 30 - 3 * step
        assert now == (3 if step else 0)
        assert started == (1 if step in (1, 2) else 0)


def test_every_record_answers_a_click_at_every_step() -> None:
    group_view = view(n=30, k=3)
    figure = draw_replay(group_view, start_points=[0, 3])
    answering = figure.data[-1]
    assert len(figure.data) == len(figure.frames[0].data) + 1
    np.testing.assert_allclose(answering.x, group_view.points[:, 0])
    np.testing.assert_array_equal(answering.customdata[:, 0], group_view.numbers)
    np.testing.assert_array_equal(answering.customdata[:, 1], group_view.labels + 1)


def test_it_can_begin_where_a_group_is_formed() -> None:
    group_view = view(n=30, k=3)
    figure = draw_replay(group_view, start_points=[], start_at_group=4)
    assert figure.layout.sliders[0].active == 4
    now = figure.data[2]
    places = np.column_stack([now.x, now.y])[:-1]
    members = group_view.points[group_view.labels == 3]
    np.testing.assert_allclose(places, members, atol=1e-4)
    assert (
        draw_replay(group_view, start_points=[], start_at_group=99)
        .layout.sliders[0]
        .active
        == 0
    )


def test_many_groups_share_steps() -> None:
    stops = count_groups_after_steps(1000)
    assert len(stops) == MAX_STEPS + 1
    assert stops[0] == 0
    assert stops[-1] == 1000
    assert (np.diff(stops) > 0).all()
    assert count_groups_after_steps(3) == [0, 1, 2, 3]


def test_the_slider_says_how_many_groups_there_are() -> None:
    figure = draw_replay(view(n=12, k=3), start_points=[])
    labels = [step.label for step in figure.layout.sliders[0].steps]
    assert labels == ["0", "1", "2", "3", "4"]
    assert [button.method for button in figure.layout.updatemenus[0].buttons] == [
        "animate",
        "animate",
    ]


def test_shares_are_drawn_as_they_are() -> None:
    figure = draw_loss_share_bars({"a": 70.0, "b": 30.0})
    assert list(figure.data[0].x) == [70.0, 30.0]
    assert list(figure.data[0].y) == ["a", "b"]
