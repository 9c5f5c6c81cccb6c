import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.bounds import edge_cover_bound
from engine.core.context import RunContext
from engine.core.errors import Cancelled, InfeasibleError
from engine.core.typing import Values
from engine.methods.search import annealing, iterated
from engine.methods.search.annealing import anneal_groups
from engine.methods.search.iterated import MAX_ITERATED_K, Iterated
from engine.methods.search.refined import Refined
from engine.points.base import Points
from tests.casc import information_loss, zscored
from tests.engine.methods.every import sse
from tests.reference import iterated as twin
from tests.reference.brute_force import least_sse


def scattered(n: int = 120, p: int = 3, seed: int = 0) -> Values:
    return np.random.default_rng(seed).normal(size=(n, p))


@given(data=st.data(), k=st.integers(2, 4), p=st.integers(1, 3), seed=st.integers(0, 9))
def test_bounds_hold_on_tables_with_ties(
    data: st.DataObject, k: int, p: int, seed: int
) -> None:
    n = data.draw(st.integers(2 * k, 24))
    X = data.draw(arrays(np.float64, (n, p), elements=st.integers(-3, 3)))
    labels = Iterated(k, iterations=200, seed=seed).fit(X).labels_
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert sse(X, labels) <= sse(X, Refined(k).fit(X).labels_) + 1e-9
    assert sse(X, labels) >= edge_cover_bound(X, k).sse - 1e-9
    if n <= 9:
        assert sse(X, labels) >= least_sse(X, k) - 1e-9


@pytest.mark.parametrize(
    ("k", "n"), [(k, n) for k in (2, 3, 4) for n in range(2 * k, 10)]
)
def test_finds_the_optimum_of_a_few_records(k: int, n: int) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for X in (
            rng.standard_normal((n, 3)),
            rng.lognormal(0.0, 2.0, (n, 2)),
            rng.integers(0, 3, (n, 3)).astype(np.float64),
        ):
            labels = Iterated(k, iterations=2000, seed=seed).fit(X).labels_
            assert sse(X, labels) == pytest.approx(least_sse(X, k), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 10])
def test_the_same_steps_and_seed_give_the_same_groups(k: int) -> None:
    X = scattered()
    first, two, other = (
        Iterated(k, iterations=3000, seed=seed).fit(X).labels_ for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first, two)
    assert (first != other).any()


def test_more_steps_never_lose_more() -> None:
    X = scattered()
    losses = [
        sse(X, Iterated(4, iterations=steps).fit(X).labels_)
        for steps in (1, 100, 2000, 30_000)
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


def test_steps_taken_by_the_clock_give_the_same_groups_by_number() -> None:
    X = scattered(300)
    by_clock = Iterated(3, seconds=0.3).fit(X)
    assert by_clock.n_iter_ > 0
    by_number = Iterated(3, iterations=by_clock.n_iter_).fit(X)
    np.testing.assert_array_equal(by_clock.labels_, by_number.labels_)
    assert by_number.n_iter_ == by_clock.n_iter_


class Clock:
    """Goes on by a hundredth of a second whenever somebody looks at it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def perf_counter(self) -> float:
        self.seconds += 0.01
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake_clock = Clock()
    for module in (annealing, iterated):
        monkeypatch.setattr(module, "time", fake_clock)
    return fake_clock


def test_the_clock_is_kept(clock: Clock) -> None:
    Iterated(3, seconds=0.5).fit(scattered(400))
    assert 0.5 <= clock.seconds < 0.6


def test_it_ends_by_itself_where_nothing_is_left_to_find(clock: Clock) -> None:
    X = np.repeat(np.arange(10.0), 4)[:, np.newaxis] * 100.0
    method = Iterated(4, seconds=600.0).fit(X)
    assert sse(X, method.labels_) == 0.0
    X = scattered(12, 2)
    Iterated(3, seconds=600.0).fit(X)
    assert clock.seconds < 60.0


def test_enough_keeps_the_best_so_far_and_cancel_nothing() -> None:
    X = Points.from_array(scattered(300))
    sse_values: list[float] = []
    enough = RunContext(
        enough=lambda: len(sse_values) > 3,
        hear=lambda name, value: sse_values.append(value) if name == "sse" else None,
    )
    method = Iterated(3, seconds=600.0)
    labels = method.partition(X, enough).labels
    assert len(sse_values) == 4
    assert sse_values == sorted(sse_values, reverse=True)
    assert sse(X.X, labels) == pytest.approx(sse_values[-1])
    assert np.bincount(labels).min() >= 3

    sse_values.clear()
    cancel = RunContext(
        cancelled=lambda: len(sse_values) > 3,
        hear=lambda _, value: sse_values.append(value),
    )
    with pytest.raises(Cancelled):
        Iterated(3, seconds=600.0).partition(X, cancel)


def test_enough_before_the_first_step_still_gives_refined_groups() -> None:
    X = scattered(100)
    ctx = RunContext(enough=lambda: True)
    labels = Iterated(3).partition(Points.from_array(X), ctx).labels
    assert sse(X, labels) <= sse(X, Refined(3).fit(X).labels_) * (1 + 1e-12)


def test_what_it_reports_is_what_it_returns() -> None:
    X = scattered(200)
    first = Refined(3).fit(X).labels_
    outcome = anneal_groups(X, first, 3, seed=1, iterations=5000)
    assert outcome.sse == pytest.approx(sse(X, outcome.labels))
    assert outcome.iterations == 5000
    seconds, steps, values = map(list, zip(*outcome.trace, strict=True))
    assert seconds == sorted(seconds)
    assert steps == sorted(steps)
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(sse(X, first), rel=1e-3)
    assert values[-1] == outcome.sse


@pytest.mark.parametrize("rounds", [0, 6])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_regions_are_those_of_the_naive_twin(
    monkeypatch: pytest.MonkeyPatch, k: int, ties: bool, rounds: int
) -> None:
    X = scattered(61)
    X = np.rint(2.0 * X) if ties else X
    monkeypatch.setattr(annealing, "MIN_REGION_GROUPS", 4)
    monkeypatch.setattr(twin, "FEWEST", 4)
    for module in (annealing, twin):
        monkeypatch.setattr(module, "STEPS_PER_GROUP", 2)
        monkeypatch.setattr(module, "ROUNDS", rounds)
    labels = Iterated(k, iterations=150).fit(X).labels_
    twin_labels = twin.iterated(X, k, 0, 150)
    # Numbers of groups may differ, records of one group may not.
    assert len(set(zip(labels, twin_labels, strict=True))) == len(set(labels))
    assert len(set(labels)) == len(set(twin_labels))


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    X, label_lists = scattered(400), []
    for threads in (1, 2, 5):
        monkeypatch.setenv("COTERIE_THREADS", str(threads))
        label_lists.append(Iterated(3, iterations=9_000).fit(X).labels_)
    assert (label_lists[0] == label_lists[1]).all()
    assert (label_lists[0] == label_lists[2]).all()


def test_groups_too_large_to_be_rebuilt_are_refused() -> None:
    X = scattered(2 * MAX_ITERATED_K + 2, 1)
    with pytest.raises(InfeasibleError, match="up to 500"):
        Iterated(MAX_ITERATED_K + 1, iterations=1).fit(X)
    assert (
        np.bincount(Iterated(MAX_ITERATED_K, iterations=3).fit(X).labels_).min() >= 500
    )


@pytest.mark.parametrize(
    ("name", "k", "most"),
    [
        ("census", 3, 4.81),
        pytest.param("tarragona", 10, 30.40, marks=pytest.mark.slow),
    ],
)
def test_loses_little_on_the_reference_tables(name: str, k: int, most: float) -> None:
    X = zscored(name)
    labels = Iterated(k, iterations=200_000).fit(X).labels_
    assert information_loss(X, labels) < most
