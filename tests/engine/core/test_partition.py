"""A partition has dense labels and groups of at least k, or there is none."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import EngineError, InfeasibleError, ParameterError
from engine.core.partition import Partition, check_k, concatenate_partitions


def test_sizes_and_members_follow_the_labels() -> None:
    partition = Partition(np.array([1, 0, 1, 0, 1]), 2)
    assert partition.n_records == 5
    assert partition.n_groups == 2
    np.testing.assert_array_equal(partition.sizes, [2, 3])
    np.testing.assert_array_equal(partition.members(0), [1, 3])
    np.testing.assert_array_equal(partition.members(1), [0, 2, 4])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_members_of_all_groups_are_all_records(labels: list[int]) -> None:
    dense = np.unique(labels, return_inverse=True)[1]
    partition = Partition(dense, 1)
    members = [partition.members(g) for g in range(partition.n_groups)]
    assert sorted(np.concatenate(members).tolist()) == list(range(len(labels)))
    assert [group.size for group in members] == partition.sizes.tolist()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "at least one record"),
        ([[0, 0], [0, 0]], "at least one record"),
        ([0, 0, -1], "label -1 of record 2 is negative"),
        ([0, 0, 2, 2], "No record has the label 1"),
        ([0, 0, 10**15, 10**15], "No record has the label 1"),
        ([0, 0, 0, 1], "Group 1 is too small, with 1 of at least k = 2 records"),
        ([0.5, 0.5, 0.5], "whole numbers"),
        (["a", "a"], "whole numbers"),
        ([True, True], "whole numbers"),
        ([None, None], "whole numbers"),
        ([[0], [0, 0]], "whole numbers"),
    ],
)
def test_what_is_no_partition_is_refused(labels: list[Any], message: str) -> None:
    with pytest.raises(EngineError, match=message):
        Partition(labels, 2)  # type: ignore[arg-type]


def test_a_method_that_guarantees_nothing_may_make_small_groups() -> None:
    partition = Partition(np.array([0, 0, 0, 1]), 2, guarantees_k=False)
    np.testing.assert_array_equal(partition.sizes, [3, 1])


def test_nothing_can_be_changed_afterwards() -> None:
    labels = np.array([0, 0, 1, 1])
    partition = Partition(labels, 2)
    labels[0] = 1
    np.testing.assert_array_equal(partition.labels, [0, 0, 1, 1])
    for array in (partition.labels, partition.sizes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


@pytest.mark.parametrize("group", [-1, 2])
def test_a_group_that_does_not_exist_is_named(group: int) -> None:
    with pytest.raises(
        ParameterError, match=f"no group {group}; groups run from 0 to 1"
    ):
        Partition(np.array([0, 1]), 1).members(group)


@pytest.mark.parametrize("k", [1, 0, -2, 2.0, "3", None, True])
def test_a_k_that_is_no_group_size_is_refused(k: object) -> None:
    with pytest.raises(ParameterError, match="whole number of at least 2"):
        check_k(k, 100)  # type: ignore[arg-type]


def test_fewer_records_than_k_are_refused() -> None:
    with pytest.raises(InfeasibleError, match=r"There is 1 record \(n_samples = 1\)"):
        check_k(3, 1)
    with pytest.raises(InfeasibleError, match=r"are 2 records .*than k = 3"):
        check_k(3, 2)


@pytest.mark.parametrize("k", [2, np.int64(3), 5])
def test_as_many_records_as_k_are_enough(k: int) -> None:
    check_k(k, int(k))


def test_attributes_grouped_on_their_own_give_the_records_they_do_not_tell_apart() -> (
    None
):
    attributes = np.array([[1, 1, 0, 0, 1, 0], [0, 1, 1, 1, 0, 0]])
    partition = Partition.by_attribute(attributes, 3)
    np.testing.assert_array_equal(partition.labels, [0, 1, 2, 2, 0, 3])
    assert not partition.guarantees_k
    assert partition.sizes.min() == 1
    with pytest.raises(ValueError, match="read-only"):
        partition.attributes[0, 0] = 5


@pytest.mark.parametrize(
    "attributes", [[[0, 0, 0, 1, 1]], [[0, 0, 0, 0, 0], [0, 0, 2, 2, 2]]]
)
def test_every_attribute_keeps_k(attributes: list[list[int]]) -> None:
    with pytest.raises(EngineError, match=r"Group 1 is|the label 1"):
        Partition.by_attribute(np.array(attributes), 3)


def test_merging_numbers_later_parts_after_earlier_ones() -> None:
    first = Partition(np.array([1, 0, 1, 0]), 2)
    second = Partition(np.array([0, 0]), 2)
    whole = concatenate_partitions(
        [(np.array([5, 0, 3, 1]), first), (np.array([2, 4]), second)]
    )
    np.testing.assert_array_equal(whole.labels, [0, 0, 2, 1, 2, 1])
    assert whole.guarantees_k


def test_merging_keeps_the_groups_of_every_attribute() -> None:
    first = Partition.by_attribute(np.array([[0, 0, 1, 1], [1, 0, 0, 1]]), 2)
    second = Partition.by_attribute(np.array([[0, 0], [0, 0]]), 2)
    whole = concatenate_partitions(
        [(np.array([0, 2, 4, 5]), first), (np.array([1, 3]), second)]
    )
    np.testing.assert_array_equal(whole.attributes[0], [0, 2, 0, 2, 1, 1])
    np.testing.assert_array_equal(whole.attributes[1], [1, 2, 0, 2, 0, 1])
    assert not whole.guarantees_k
