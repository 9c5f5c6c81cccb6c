import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.bounds import edge_cover_bound
from engine.core.context import RunContext
from engine.core.errors import Cancelled, InfeasibleError
from engine.core.parallel import THREADS_VARIABLE
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.data.kinds import Kind
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.methods.base import make_method, methods
from engine.methods.search.blocked import Blocked
from engine.methods.search.refined import Refined
from engine.pipeline.labels import partition
from engine.points.base import Points
from engine.points.encode import encode_points
from tests.casc import information_loss
from tests.engine.methods.every import sse
from tests.properties import share_of_examples
from tests.reference import blocked as slow

STARTS = methods.info("blocked").parameters[0].options  # type: ignore[attr-defined]


def group(X: Values, k: int, **parameters: object) -> Labels:
    return Blocked(k, **parameters).partition(Points.from_array(X)).labels  # type: ignore[arg-type]


def assert_sizes(labels: Labels, k: int) -> None:
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def clustered(n: int, p: int, seed: int = 0) -> Values:
    rng = np.random.default_rng(seed)
    centres = 3.0 * rng.standard_normal((40, p))
    return centres[rng.integers(40, size=n)] + rng.standard_normal((n, p))


@settings(max_examples=share_of_examples(0.5))
@given(
    data=st.data(),
    k=st.integers(2, 3),
    p=st.integers(1, 3),
    together=st.integers(1, 3),
    passes=st.integers(1, 4),
)
def test_equals_its_naive_twin_in_several_regions_of_tables_with_ties(
    data: st.DataObject, k: int, p: int, together: int, passes: int
) -> None:
    n = data.draw(st.integers(2 * k, 70))
    X = data.draw(arrays(np.float64, (n, p), elements=st.integers(-3, 3)))
    labels = group(X, k, block_size=4, together=together, passes=passes)
    expected = slow.blocked(X, k, 4, together, passes)
    np.testing.assert_array_equal(labels, expected)
    assert_sizes(labels, k)
    assert sse(X, labels) >= edge_cover_bound(X, k).sse - 1e-9


@pytest.mark.parametrize("k", [2, 3, 5])
def test_equals_its_naive_twin_when_groups_are_dealt_anew(k: int) -> None:
    X = np.random.default_rng(k).standard_normal((100, 2))
    labels = group(X, k, block_size=20, together=2, deal="always")
    np.testing.assert_array_equal(labels, slow.blocked(X, k, 20, 2, deal=True))


@pytest.mark.parametrize("k", [3, 5])
def test_one_block_is_refined_mdav(k: int) -> None:
    X = clustered(400, 3)
    expected = Refined(k, deal="never").fit(X).labels_
    np.testing.assert_array_equal(group(X, k), expected)


@pytest.mark.parametrize("start", STARTS)
def test_any_method_can_group_inside_the_blocks(start: str) -> None:
    X = clustered(150, 2)
    labels = group(X, 3, start=start, block_size=30, together=2)
    assert_sizes(labels, 3)
    assert int(labels.max()) + 1 > 20


def test_every_further_pass_loses_less_where_borders_part_clusters() -> None:
    X = clustered(4000, 4)
    losses = [
        information_loss(X, group(X, 5, block_size=100, together=2, passes=passes))
        for passes in (1, 2, 3, 4)
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[1] < 0.99 * losses[0]


@pytest.mark.parametrize("shape", ["clustered", "uniform"])
def test_loses_less_than_mdav_of_the_whole_table(shape: str) -> None:
    rng = np.random.default_rng(4)
    X = clustered(12_000, 5) if shape == "clustered" else rng.random((12_000, 5))
    mdav = make_method("mdav", 5).partition(Points.from_array(X)).labels
    labels = group(X, 5, together=4)
    assert_sizes(labels, 5)
    assert information_loss(X, labels) < 0.95 * information_loss(X, mdav)


@pytest.mark.parametrize("ties", [False, True])
def test_threads_make_no_difference(monkeypatch, ties: bool) -> None:
    X = clustered(20_000, 3)
    X = np.rint(X) if ties else X
    label_lists, distances = [], []
    for threads in (1, 2, 4):
        monkeypatch.setenv(THREADS_VARIABLE, str(threads))
        heard: list[float] = []

        def hear(name: str, value: float, heard: list[float] = heard) -> None:
            assert name == "distances"
            heard.append(value)

        method = Blocked(4, block_size=200, together=5)
        ctx = RunContext(hear=hear)
        label_lists.append(method.partition(Points.from_array(X), ctx).labels)
        distances.append(sum(heard))
    np.testing.assert_array_equal(label_lists[0], label_lists[1])
    np.testing.assert_array_equal(label_lists[0], label_lists[2])
    assert distances[0] == distances[1] == distances[2] > 0


@pytest.mark.slow
def test_distances_measured_per_record_stay_the_same() -> None:
    measured = []
    for n in (24_000, 96_000):  # regions beyond the tables with exact neighbours
        distance_counts: list[float] = []
        ctx = RunContext(
            hear=lambda _, value, distance_counts=distance_counts: (
                distance_counts.append(value)
            )
        )
        X = Points.from_array(np.random.default_rng(0).standard_normal((n, 6)))
        Blocked(5, block_size=250, together=24).partition(X, ctx)
        measured.append(sum(distance_counts) / n)
    assert measured[1] == pytest.approx(measured[0], rel=0.1)


def test_large_groups_raise_the_size_of_the_blocks() -> None:
    X = clustered(1000, 2)
    np.testing.assert_array_equal(
        group(X, 60, block_size=4, together=2), group(X, 60, block_size=240, together=2)
    )
    assert_sizes(group(X, 60, block_size=4, together=2), 60)


def test_what_the_start_method_refuses_is_said() -> None:
    with pytest.raises(InfeasibleError, match="k-ward takes at most"):
        group(np.zeros((50_001, 1)), 3, start="k-ward", block_size=60_000)


@pytest.mark.parametrize("ticks", [1, 5, 25])
def test_a_cancel_between_and_inside_the_passes_leaves_nothing(ticks: int) -> None:
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > ticks

    method = Blocked(3, block_size=100, together=2)
    X = Points.from_array(clustered(6000, 3))
    with pytest.raises(Cancelled):
        method.partition(X, RunContext(cancelled=cancelled))
    assert asked == ticks + 1


@pytest.mark.slow
def test_a_cancel_is_answered_at_once(monkeypatch) -> None:
    # With several threads, how far each is when another one tells is chance.
    monkeypatch.setenv(THREADS_VARIABLE, "1")
    shares = [0.0]
    ctx = RunContext(lambda share, _: shares.append(share), cancelled=lambda: False)
    # So many that what a slow machine does between two looks is a small part of all.
    Blocked(3).partition(Points.from_array(clustered(180_000, 6)), ctx)
    # It asks whenever it says how far it is: some hundredths of the work apart.
    assert len(shares) > 25
    assert np.diff(shares).max() < 0.25


@pytest.mark.slow
def test_memory_beside_the_data_stays_below_the_data() -> None:
    X = clustered(100_000, 10)
    few = {"block_size": 300, "together": 4}
    partition(X[:5000], k=5, method="blocked", **few)  # compiles
    tracemalloc.start()
    try:
        partition(X, k=5, method="blocked", **few)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2.0 * X.nbytes  # the scaled values, and what groups them


def test_groups_with_categories_are_dealt_anew_and_numbers_only_on_request() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.normal(size=600).round(1),
            "job": [f"job {number}" for number in rng.integers(0, 30, 600)],
        }
    )
    columns = (Column("age", Kind.CONTINUOUS), Column("job", Kind.NOMINAL))
    points = encode_points(Table.from_frame(frame, Schema(columns)), ("age", "job"))
    auto, always, never = (
        Blocked(4, deal=deal).partition(points).labels
        for deal in ("auto", "always", "never")
    )
    assert auto.tolist() == always.tolist()
    assert points.sse(auto) < points.sse(never)
    X = clustered(600, 3)
    assert group(X, 4).tolist() == group(X, 4, deal="never").tolist()
