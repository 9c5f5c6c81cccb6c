"""What every aggregation promises, and what each of them means."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.aggregate import GroupedAttribute, aggregations
from engine.aggregate.ancestor import common_ancestors_or_modes
from engine.aggregate.generalise import generalise_groups
from engine.aggregate.interval import group_intervals
from engine.core.errors import ParameterError
from engine.data.kinds import Kind
from engine.hierarchy import Hierarchy
from tests.reference.common_values import one_step, trimmed

NAMES = ("mean", "median", "mode", "trimmed-mean", "one-step")

every = pytest.mark.parametrize("name", NAMES)


def common(
    name: str, values: np.ndarray, labels: np.ndarray, n_groups: int
) -> np.ndarray:
    """Return the common values of each group, one column per attribute."""
    columns = [
        aggregations.get(name)(
            GroupedAttribute(f"x{j}", Kind.CONTINUOUS, values[:, j], labels, n_groups)
        ).values
        for j in range(values.shape[1])
    ]
    return np.column_stack(columns)


TWINS = {
    "trimmed-mean": trimmed,
    "one-step": one_step,
    "mean": statistics.fmean,
    "median": statistics.median,
    "mode": lambda values: min(statistics.multimode(values)),
}


@st.composite
def grouped(draw: st.DrawFn, elements: st.SearchStrategy[float]) -> tuple:
    labels = draw(st.lists(st.integers(0, 3), min_size=1, max_size=20))
    dense = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    values = draw(arrays(np.float64, (len(labels), 2), elements=elements))
    return values, dense, int(dense.max()) + 1


numbers = st.floats(-1e9, 1e9, allow_subnormal=False)
ties = st.integers(-2, 2).map(float)


@every
@given(case=grouped(numbers | ties))
def test_equals_its_definition(name: str, case: tuple) -> None:
    values, labels, n_groups = case
    group_values = common(name, values, labels, n_groups)
    assert group_values.shape == (n_groups, 2)
    for g in range(n_groups):
        for j in range(2):
            expected = TWINS[name](values[labels == g, j].tolist())
            assert group_values[g, j] == pytest.approx(expected, rel=1e-9, abs=1e-6)


@every
@given(case=grouped(numbers))
def test_stays_within_the_range_of_the_group(name: str, case: tuple) -> None:
    values, labels, n_groups = case
    group_values = common(name, values, labels, n_groups)
    for g in range(n_groups):
        members = values[labels == g]
        assert (members.min(axis=0) <= group_values[g]).all()
        assert (group_values[g] <= members.max(axis=0)).all()


@every
@given(value=st.floats(-1e9, 1e9), size=st.integers(1, 9))
def test_equal_values_stay_as_they_are(name: str, value: float, size: int) -> None:
    values = np.array([[value]] * size + [[-3.0], [5.0]])
    labels = np.array([0] * size + [1, 1])
    assert common(name, values, labels, 2)[0, 0] == value


@every
@given(case=grouped(numbers), seed=st.integers(0, 9))
def test_the_order_of_the_records_does_not_matter(
    name: str, case: tuple, seed: int
) -> None:
    values, labels, n_groups = case
    order = np.random.default_rng(seed).permutation(len(labels))
    np.testing.assert_allclose(
        common(name, values[order], labels[order], n_groups),
        common(name, values, labels, n_groups),
        rtol=1e-12,
        atol=1e-6,
    )


@every
def test_input_is_untouched(name: str) -> None:
    values = np.random.default_rng(0).standard_normal((30, 3))
    values.flags.writeable = False
    labels = np.repeat(np.arange(10), 3)
    labels.flags.writeable = False
    common(name, values, labels, 10)


def test_means_keep_the_mean_of_the_column() -> None:
    rng = np.random.default_rng(1)
    values, labels = rng.lognormal(8, 2, (60, 2)), rng.permutation(np.arange(60) // 5)
    means = common("mean", values, labels, 12)
    np.testing.assert_allclose(means[labels].mean(axis=0), values.mean(axis=0))


def test_a_large_offset_costs_the_mean_no_digits() -> None:
    values = 1e15 + np.array([[0.0], [1.0], [5.0], [0.0], [0.0], [3.0]])
    labels = np.array([0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(
        common("mean", values, labels, 2), [[1e15 + 2], [1e15 + 1]]
    )


def test_an_even_group_s_median_lies_between_its_middle_values() -> None:
    values = np.array([[1.0], [100.0], [3.0], [2.0]])
    labels = np.zeros(4, dtype=np.int64)
    assert common("median", values, labels, 1)[0, 0] == 2.5


def test_of_equally_frequent_values_the_mode_is_the_smallest() -> None:
    values = np.array([[5.0], [2.0], [5.0], [2.0], [9.0]])
    labels = np.zeros(5, dtype=np.int64)
    assert common("mode", values, labels, 1)[0, 0] == 2.0


def test_a_mean_is_weighted_where_records_have_weights() -> None:
    members = GroupedAttribute(
        "x",
        Kind.CONTINUOUS,
        np.array([1.0, 4.0, 10.0, 20.0]),
        np.array([0, 0, 1, 1]),
        2,
        weights=np.array([2.0, 1.0, 1.0, 3.0]),
    )
    group_values = aggregations.get("mean")(members).values
    np.testing.assert_allclose(group_values, [2.0, 17.5])


@given(case=grouped(st.floats(1e-6, 1e9)))
def test_the_geometric_mean_equals_its_definition(case: tuple) -> None:
    values, labels, n_groups = case
    group_values = common("geometric-mean", values, labels, n_groups)
    for g in range(n_groups):
        members = values[labels == g, 0]
        expected = statistics.geometric_mean(members.tolist())
        assert group_values[g, 0] == pytest.approx(expected, rel=1e-9)
        assert members.min() <= group_values[g, 0] <= members.max()


def test_there_is_no_geometric_mean_of_zero() -> None:
    members = GroupedAttribute(
        "debt", Kind.CONTINUOUS, np.array([0.0, 2.0]), np.zeros(2, np.int64), 1
    )
    with pytest.raises(ParameterError, match="'debt' has values of 0 or below"):
        aggregations.get("geometric-mean")(members)


def test_an_outlier_moves_robust_values_little() -> None:
    values = np.array([[1.0], [2.0], [3.0], [4.0], [1000.0]])
    labels = np.zeros(5, dtype=np.int64)
    value_by_name = {name: common(name, values, labels, 1)[0, 0] for name in NAMES}
    assert value_by_name["trimmed-mean"] == 3.0
    # R: 3 +- 3 / 1.486 * mad(c(1, 2, 3, 4, 1000)), then the mean
    assert value_by_name["one-step"] == pytest.approx(
        (1 + 2 + 3 + 4 + 5.993136) / 5, abs=1e-4
    )
    assert value_by_name["mean"] == 202.0


@given(case=grouped(ties))
def test_an_interval_runs_from_the_smallest_member_to_the_largest(case: tuple) -> None:
    values, labels, n_groups = case
    members = GroupedAttribute("x", Kind.CONTINUOUS, values[:, 0], labels, n_groups)
    intervals = group_intervals(members)
    for g in range(n_groups):
        group = values[labels == g, 0].tolist()
        assert (intervals.low[g], intervals.high[g]) == (min(group), max(group))
        assert intervals.values[g] == (min(group) + max(group)) / 2


def test_an_interval_s_midpoint_lies_in_it_also_far_from_zero() -> None:
    values = np.array([1.7e308, 1.6e308, -1.7e308, -1.6e308])
    members = GroupedAttribute("x", Kind.CONTINUOUS, values, np.array([0, 0, 1, 1]), 2)
    intervals = group_intervals(members)
    assert (values[[1, 2]] <= intervals.values).all()
    assert (intervals.values <= values[[0, 3]]).all()


PLACES = Hierarchy(
    (
        ("4350", "435*", "43**", "*"),
        ("4351", "435*", "43**", "*"),
        ("4360", "436*", "43**", "*"),
        ("1000", "100*", "10**", "*"),
    )
)


def generalised(
    leaves: np.ndarray, labels: np.ndarray, n_groups: int
) -> GroupedAttribute:
    codes = leaves.astype(np.int64)
    return GroupedAttribute(
        "place", Kind.NOMINAL, leaves, labels, n_groups, PLACES, leaves=codes
    )


def test_categories_become_their_nearest_common_ancestor() -> None:
    leaves = np.array([0, 1, 1, 2, 3, 0, 3, 3], dtype=np.float64)
    labels = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    ancestors = generalise_groups(generalised(leaves, labels, 4))
    names = [PLACES.nodes[node] for node in ancestors.nodes]
    assert names == ["435*", "43**", "*", "1000"]
    np.testing.assert_array_equal(ancestors.values, ancestors.nodes)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_a_common_ancestor_is_that_of_the_hierarchy(
    rows: list[tuple[int, int]],
) -> None:
    leaves = np.array([leaf for leaf, _ in rows], dtype=np.float64)
    labels = np.unique([g for _, g in rows], return_inverse=True)[1]
    n_groups = int(labels.max()) + 1
    ancestors = generalise_groups(generalised(leaves, labels, n_groups))
    for g in range(n_groups):
        expected = PLACES.common_ancestor(leaves[labels == g].astype(int).tolist())
        assert ancestors.nodes[g] == expected


def test_no_group_is_given_the_value_of_a_single_record() -> None:
    leaves = np.array([0, 3, 1, 2, 1, 3], dtype=np.float64)
    labels = np.array([0, 0, 1, 1, 2, 2])
    categories = common_ancestors_or_modes(generalised(leaves, labels, 3))
    # 4350 belongs to one record; 4351 to two, so that it names neither.
    assert [PLACES.nodes[node] for node in categories.nodes] == ["*", "43**", "4351"]


def test_a_column_without_a_hierarchy_is_not_generalised() -> None:
    members = GroupedAttribute(
        "place", Kind.NOMINAL, np.zeros(2), np.zeros(2, np.int64), 1
    )
    with pytest.raises(ParameterError, match="'place' has no hierarchy"):
        generalise_groups(members)
