"""Categories as points: distances are paths of the tree, walked here by hand."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from engine.core.errors import InputError
from engine.core.numerics.statistics import within_group_sse
from engine.core.typing import Values
from engine.hierarchy import Hierarchy
from engine.points import branches
from engine.points.branches import CategoryCoordinates, tree_path_lengths
from engine.points.scaling import scalings

PLACES = Hierarchy(
    (
        ("4350", "435*", "4***", "*"),
        ("4351", "435*", "4***", "*"),
        ("4411", "441*", "4***", "*"),
        ("1000", "100*", "1***", "*"),
        ("1001", "100*", "1***", "*"),
        ("9999", "999*", "9***", "*"),
    )
)


def walked(tree: Hierarchy, leaf: int, level: int, other: int) -> int:
    """Edges from a leaf up until the other's way is met, and down to a level of it."""
    path, other_path = tree.rows[leaf], tree.rows[other]
    up = next(
        steps
        for steps in range(tree.height + 1)
        if steps >= level and path[steps:] == other_path[steps:]
    )
    return up + (up - level)


def node(tree: Hierarchy, leaf: int, level: int) -> int:
    return int(tree.ancestors[leaf, level])


def test_paths_are_those_walked_by_hand() -> None:
    for leaf, other in product(range(6), repeat=2):
        for level in range(PLACES.height + 1):
            lengths = tree_path_lengths(
                PLACES, np.array([leaf]), np.array([node(PLACES, other, level)])
            )
            assert lengths[0] == walked(PLACES, leaf, level, other)


def test_a_few_paths_in_numbers() -> None:
    leaf, inner = np.array([0, 0, 0, 0, 0]), [0, 1, 2, 3, node(PLACES, 0, 3)]
    assert tree_path_lengths(PLACES, leaf, np.array(inner)).tolist() == [0, 2, 4, 6, 3]


counts = st.lists(st.integers(0, 4), min_size=6, max_size=6).filter(any)


@given(counts, st.sampled_from(list(scalings)))
def test_squared_distances_are_paths(records: list[int], scaling: str) -> None:
    coordinates = CategoryCoordinates.from_counts(
        PLACES, np.array(records), scaling, "place"
    )
    categories = np.flatnonzero(records)
    for a, b in product(categories.tolist(), repeat=2):
        sq_dist = np.square(coordinates.corners[a] - coordinates.corners[b]).sum()
        assert sq_dist == pytest.approx(walked(PLACES, a, 0, b) / coordinates.scale**2)


@given(counts)
def test_the_total_variance_is_one(records: list[int]) -> None:
    coordinates = CategoryCoordinates.from_counts(
        PLACES, np.array(records), "zscore", "place"
    )
    X = coordinates.corners[np.repeat(np.arange(6), records)]
    variance = np.square(X - X.mean(axis=0)).sum(axis=1).mean()
    assert variance == pytest.approx(float(np.count_nonzero(records) > 1))
    np.testing.assert_allclose(coordinates.middle, X.mean(axis=0), atol=1e-12)


@given(counts)
def test_by_range_the_widest_squared_distance_is_one(records: list[int]) -> None:
    coordinates = CategoryCoordinates.from_counts(
        PLACES, np.array(records), "range", "place"
    )
    X = coordinates.corners[np.flatnonzero(records)]
    widest = np.square(X[:, None] - X[None]).sum(axis=2).max()
    assert widest == pytest.approx(float(np.count_nonzero(records) > 1))


@given(st.data())
def test_sums_of_squares_are_those_of_points(data: st.DataObject) -> None:
    codes = np.array(data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=12)))
    labels = np.array([data.draw(st.integers(0, 2)) for _ in codes])
    labels = np.unique(labels, return_inverse=True)[1]
    coordinates = CategoryCoordinates.from_counts(
        PLACES, np.bincount(codes, minlength=6), "none", "place"
    )
    expected = within_group_sse(coordinates.corners[codes], labels)
    assert coordinates.sse(codes, labels) == pytest.approx(expected)
    twice = np.concatenate([codes, codes]), np.concatenate([labels, labels])
    weighed = coordinates.sse(codes, labels, np.full(codes.size, 2.0))
    assert weighed == pytest.approx(coordinates.sse(*twice))


def test_what_is_written_is_as_far_as_its_path() -> None:
    coordinates = CategoryCoordinates.from_counts(
        PLACES, np.ones(6, np.int64), "none", "place"
    )
    nodes = np.array([0, node(PLACES, 0, 1), node(PLACES, 0, 2), node(PLACES, 0, 3)])
    squared = coordinates.sq_dist_to_nodes(np.zeros(4, np.int64), nodes)
    assert squared.tolist() == [0.0, 1.0, 2.0, 3.0]  # coarser is farther


def flat(size: int) -> Hierarchy:
    return Hierarchy(tuple((f"c{i:04d}", "*") for i in range(size)))


def test_sixty_categories_keep_every_distance_and_more_are_shortened() -> None:
    rng = np.random.default_rng(0)
    many = rng.integers(1, 50, 90)
    whole = CategoryCoordinates.from_counts(
        flat(90), many, "zscore", "job", most_axes=90
    )
    some = CategoryCoordinates.from_counts(flat(90), many, "zscore", "job")
    assert whole.exact
    assert not some.exact
    assert some.n_coordinates == branches.MAX_CATEGORY_AXES
    for a, b in product(range(0, 90, 7), repeat=2):
        short = np.square(some.corners[a] - some.corners[b]).sum()
        long = np.square(whole.corners[a] - whole.corners[b]).sum()
        assert short <= long * (1 + 1e-12) + 1e-12
    # Principal axes keep more than any other 64 coordinates would.
    shares = many / many.sum()
    variance = shares @ np.square(some.corners - some.middle).sum(axis=1)
    largest = (
        np.sort(shares * (1 - shares))[-branches.MAX_CATEGORY_AXES :].sum()
        / whole.scale**2
    )
    assert largest <= variance <= 1.0


def test_too_many_categories_are_named_with_the_way_out() -> None:
    size = branches.MAX_CATEGORIES + 1
    with pytest.raises(InputError, match=r"'zip' has 50,001 categories.*coarser"):
        CategoryCoordinates.from_counts(
            flat(size), np.ones(size, np.int64), "zscore", "zip"
        )


@pytest.mark.usefixtures("two_threads_of_linear_algebra")
def test_axes_of_many_categories_do_not_wait_for_busy_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As from Python, where numpy is imported before anything could limit it."""
    threads: list[int] = []
    decompose = np.linalg.eigh

    def eigh(matrix: Values) -> object:
        threads.extend(threads_of_linear_algebra())
        return decompose(matrix)

    monkeypatch.setattr(np.linalg, "eigh", eigh)
    CategoryCoordinates.from_counts(flat(90), np.arange(1, 91), "zscore", "town")
    assert set(threads) == {1}
    assert set(threads_of_linear_algebra()) == {2}


def threads_of_linear_algebra() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info()]


@pytest.fixture
def two_threads_of_linear_algebra() -> Iterator[None]:
    with threadpool_limits(2):
        yield
