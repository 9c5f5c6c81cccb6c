import itertools

import numpy as np
import pytest

from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled
from engine.methods.variable_size import second_stage
from engine.methods.variable_size.second_stage import dissolve_and_split
from tests.engine.methods.every import sse

RNG_SEEDS = range(5)


def random_groups(seed: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and groups of k that have nothing to do with them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20 * k, 3))
    return X, rng.permutation(np.repeat(np.arange(20), k)).astype(np.int64)


@pytest.mark.parametrize("visit", ["last first", "widest first"])
@pytest.mark.parametrize("seed", RNG_SEEDS)
def test_loss_never_rises(visit: str, seed: int) -> None:
    X, labels = random_groups(seed, 4)
    assert sse(X, dissolve_and_split(X, labels, 4, SILENT, "", visit)) <= sse(X, labels)


@pytest.mark.parametrize("seed", RNG_SEEDS)
def test_groups_have_k_to_2k_minus_1_records(seed: int) -> None:
    X, labels = random_groups(seed, 4)
    sizes = np.bincount(dissolve_and_split(X, labels, 4, SILENT, "", "last first"))
    assert sizes.min() >= 4
    assert sizes.max() <= 7


def test_a_group_whose_records_belong_elsewhere_is_dissolved() -> None:
    X = np.array([[0.0], [0.1], [9.0], [9.1], [0.2], [9.2]])
    labels = np.array([0, 0, 1, 1, 2, 2])
    np.testing.assert_array_equal(
        dissolve_and_split(X, labels, 2, SILENT, "", "last first"), [0, 0, 1, 1, 0, 1]
    )


def test_a_group_stays_where_another_would_grow_too_large() -> None:
    X = np.array([[0.0], [0.1], [9.0], [9.1], [0.2], [9.2]])
    labels = np.array([0, 0, 1, 1, 2, 2])
    tuned = dissolve_and_split(X, labels, 2, SILENT, "", "last first", largest=2)
    np.testing.assert_array_equal(tuned, labels)


@pytest.mark.parametrize(
    ("visit", "expected"),
    [("last first", [3, 2, 1, 0]), ("widest first", [1, 0, 3, 2])],
)
def test_groups_are_visited_in_this_order(
    monkeypatch: pytest.MonkeyPatch, visit: str, expected: list[int]
) -> None:
    X = np.array([[0.0], [2.0], [10.0], [15.0], [20.0], [21.0], [30.0], [32.0]])
    visited: list[int] = []
    monkeypatch.setattr(
        second_stage,
        "dissolve_where_better",
        lambda groups, sequence, start, stop, largest: visited.extend(
            sequence[start:stop]
        ),
    )
    # groups 0 and 3 have equal SSE: the one created first comes first
    dissolve_and_split(X, np.repeat([3, 1, 2, 0], 2), 2, SILENT, "", visit)
    assert visited == expected


def test_equal_records_are_left_as_they_are() -> None:
    labels = np.array([0, 1, 0, 1, 2, 2])
    X = np.full((6, 2), 0.1)
    tuned = dissolve_and_split(X, labels, 2, SILENT, "", "last first")
    np.testing.assert_array_equal(tuned, labels)


def test_labels_are_left_untouched() -> None:
    X, labels = random_groups(0, 3)
    before = labels.copy()
    dissolve_and_split(X, labels, 3, SILENT, "", "widest first")
    np.testing.assert_array_equal(labels, before)


def test_visits_in_many_small_steps_give_the_same_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, labels = random_groups(1, 5)
    at_once = dissolve_and_split(X, labels, 5, SILENT, "", "last first")
    monkeypatch.setattr("engine.core.context.VALUES_PER_LOOK", 1)
    in_steps = dissolve_and_split(X, labels, 5, SILENT, "", "last first")
    np.testing.assert_array_equal(at_once, in_steps)


def test_can_be_cancelled_between_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    X, labels = random_groups(1, 5)
    monkeypatch.setattr("engine.core.context.VALUES_PER_LOOK", 1)
    counter = itertools.count()
    ctx = RunContext(cancelled=lambda: next(counter) > 3)
    with pytest.raises(Cancelled):
        dissolve_and_split(X, labels, 5, ctx, "", "last first")
