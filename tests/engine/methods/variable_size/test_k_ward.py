import itertools

import numpy as np
import pytest

from engine.core.context import RunContext
from engine.core.errors import Cancelled
from engine.methods.variable_size.k_ward import KWard
from engine.points.base import Points
from tests.casc import information_loss, zscored
from tests.reference.k_ward import k_ward as naive


def test_two_groups_that_both_have_k_records_never_merge() -> None:
    # the ends' groups are {0, 1} and {1000, 1001}; 10 and 11, then 12 and 13 pair up
    X = np.array([0.0, 1.0, 10.0, 11.0, 12.0, 13.0, 1000.0, 1001.0])[:, None]
    labels = KWard(2).fit(X).labels_
    np.testing.assert_array_equal(labels, [0, 0, 1, 1, 2, 2, 3, 3])


def test_a_single_record_joins_where_the_sum_of_squares_rises_least() -> None:
    # 6 lies nearer to the centroid of the three on the left, but two are cheaper to
    # join: 3/4 * 5^2 = 18.75 against 2/3 * 5.1^2 = 17.34
    X = np.array([0.0, 1.0, 2.0, 11.0, 11.2, 6.0])[:, None]
    labels = KWard(2).fit(X).labels_
    np.testing.assert_array_equal(labels, [0, 0, 0, 1, 1, 1])


def test_large_groups_are_divided() -> None:
    X = np.random.default_rng(0).lognormal(0.0, 2.0, (300, 2))
    assert np.bincount(KWard(4).fit(X).labels_).max() < 8


def test_equal_records_are_cut_into_runs() -> None:
    labels = KWard(3).fit(np.full((11, 2), 0.1)).labels_
    np.testing.assert_array_equal(labels, [0] * 3 + [1] * 3 + [2] * 5)


@pytest.mark.parametrize("ends", ["grown", "z-scores", "component"])
@pytest.mark.parametrize("duplicates", [1, 4])
def test_equals_its_twin_whatever_it_begins_with(ends: str, duplicates: int) -> None:
    X = np.random.default_rng(9).lognormal(0.0, 1.0, (160 // duplicates, 3))
    X = np.repeat(X, duplicates, axis=0)
    labels = KWard(4, ends=ends).fit(X).labels_
    np.testing.assert_array_equal(labels, naive(X, 4, ends))


@pytest.mark.parametrize(
    ("ends", "k", "printed"),
    [
        ("z-scores", 3, "19.16"),
        ("z-scores", 4, "24.31"),
        ("z-scores", 5, "27.6"),
        ("component", 3, "15.87"),
        ("component", 4, "21.58"),
        ("component", 5, "23.69"),
        ("grown", 4, "21.13"),
    ],
)
def test_loses_on_tarragona_what_its_paper_prints(
    ends: str, k: int, printed: str
) -> None:
    X = zscored("tarragona")
    loss = information_loss(X, KWard(k, ends=ends).fit(X).labels_)
    assert f"{loss:.{len(printed.partition('.')[2])}f}" == printed


def test_small_steps_give_the_same_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(1).standard_normal((200, 3))
    at_once = KWard(3).fit(X).labels_
    monkeypatch.setattr("engine.core.context.VALUES_PER_LOOK", 1)
    np.testing.assert_array_equal(KWard(3).fit(X).labels_, at_once)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4, 0.7, 0.99])
def test_can_be_cancelled_at_every_stage(
    monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    monkeypatch.setattr("engine.core.context.VALUES_PER_LOOK", 1)
    points = Points.from_array(np.random.default_rng(1).standard_normal((100, 3)))
    shares: list[float] = []
    KWard(3).partition(points, RunContext(lambda done, _: shares.append(done)))
    counter = itertools.count()
    ctx = RunContext(cancelled=lambda: shares[next(counter)] >= share)
    with pytest.raises(Cancelled):
        KWard(3).partition(points, ctx)
    assert next(counter) == np.searchsorted(shares, share) + 1
