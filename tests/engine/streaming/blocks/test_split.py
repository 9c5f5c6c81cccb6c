"""Split points part all records evenly, whatever values they share."""

import json

import numpy as np
import pytest

from engine.streaming.blocks.split import (
    BernoulliHashSample,
    SplitTree,
    grow_split_tree,
    leaves_of_each_block,
)


def naive_leaves(tree: SplitTree, values: np.ndarray, numbers: np.ndarray) -> list[int]:
    leaf_numbers = []
    for record, number in zip(values, numbers, strict=True):
        node = 0 if tree.n_leaves > 1 else -1
        while node >= 0:
            key = (record[tree.attribute[node]], number)
            smaller = key < (tree.value[node], tree.number[node])
            node = int(tree.children[node, 0 if smaller else 1])
        leaf_numbers.append(-1 - node)
    return leaf_numbers


def grown(values: np.ndarray, leaves: int) -> tuple[SplitTree, np.ndarray]:
    numbers = np.arange(len(values))
    tree = grow_split_tree(values, numbers, values, leaves)
    return tree, tree.leaves_of(values, numbers)


@pytest.mark.parametrize("leaves", [1, 2, 3, 7, 16, 50])
def test_a_tree_of_all_records_parts_them_evenly(leaves: int) -> None:
    values = np.random.default_rng(0).normal(size=(1000, 3))
    tree, leaf_numbers = grown(values, leaves)
    sizes = np.bincount(leaf_numbers, minlength=leaves)
    assert tree.n_leaves == leaves == sizes.size
    assert sizes.sum() == 1000
    assert sizes.max() - sizes.min() <= 6


def test_leaves_are_those_of_the_naive_twin() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(0, 4, (400, 2)).astype(float)
    tree, leaf_numbers = grown(values, 13)
    assert leaf_numbers.tolist() == naive_leaves(tree, values, np.arange(400))


@pytest.mark.parametrize("distinct", [1, 2, 3])
def test_equal_records_part_evenly_by_their_numbers(distinct: int) -> None:
    values = (np.arange(900) % distinct).astype(float)[:, np.newaxis]
    sizes = np.bincount(grown(values, 9)[1], minlength=9)
    assert sizes.tolist() == [100] * 9


def test_each_side_is_split_by_its_own_widest_attribute() -> None:
    rng = np.random.default_rng(2)
    values = np.column_stack([rng.random(512) * 10, rng.random(512)])
    values[values[:, 0] > 5, 1] *= 100
    tree, _ = grown(values, 4)
    assert tree.attribute.tolist() == [1, 0, 1]  # by range, 100 beats 10
    scaled = grow_split_tree(values, np.arange(512), values / [1.0, 1000.0], 4)
    assert scaled.attribute.tolist()[0] == 0


def test_a_sample_is_chosen_by_numbers_alone() -> None:
    values = np.random.default_rng(3).normal(size=(50_000, 2))
    numbers = np.arange(50_000)

    def chosen(step: int, seed: int = 0) -> np.ndarray:
        sample = BernoulliHashSample(0.02, seed)
        for start in range(0, 50_000, step):
            part = slice(start, start + step)
            sample.add_records(values[part], numbers[part])
        return sample.chosen_records()[1]

    whole_sample = chosen(50_000)
    np.testing.assert_array_equal(whole_sample, chosen(777))
    assert 850 < whole_sample.size < 1150  # five standard deviations
    assert not np.array_equal(whole_sample, chosen(50_000, seed=1))
    assert abs(whole_sample.mean() - 25_000) < 5 * 50_000 / np.sqrt(
        12 * whole_sample.size
    )


def test_a_share_of_one_takes_all() -> None:
    sample = BernoulliHashSample(1.5, 0)
    sample.add_records(np.zeros((10, 1)), np.arange(10))
    assert sample.chosen_records()[1].tolist() == list(range(10))


def test_a_sample_misleads_by_little() -> None:
    rng = np.random.default_rng(4)
    values, numbers = rng.lognormal(size=(100_000, 3)), np.arange(100_000)
    sample = BernoulliHashSample(256 * 10 / 100_000, 0)
    sample.add_records(values, numbers)
    sample_values, chosen = sample.chosen_records()
    tree = grow_split_tree(sample_values, chosen, sample_values, 10)
    sizes = np.bincount(tree.leaves_of(values, numbers), minlength=10)
    assert sizes.min() > 7000
    assert sizes.max() < 13_000


def test_a_tree_comes_back_from_json_to_the_last_bit() -> None:
    values = np.random.default_rng(5).normal(size=(300, 2)) / 3
    tree, leaf_numbers = grown(values, 11)
    back = SplitTree.from_json(json.loads(json.dumps(tree.to_json())))
    np.testing.assert_array_equal(back.value, tree.value)
    np.testing.assert_array_equal(back.leaves_of(values, np.arange(300)), leaf_numbers)


@pytest.mark.parametrize(
    ("sizes", "blocks"),
    [
        ([5, 6, 7], ((0,), (1,), (2,))),
        ([2, 6, 7], ((0, 1), (2,))),
        ([5, 2, 0], ((0, 1, 2),)),
        ([0, 0, 5], ((0, 1, 2),)),
        ([5, 2, 2, 9, 1], ((0,), (1, 2, 3, 4))),
        ([5], ((0,),)),
    ],
)
def test_no_block_has_fewer_than_k_records(
    sizes: list[int], blocks: tuple[tuple[int, ...], ...]
) -> None:
    assert leaves_of_each_block(np.array(sizes), 5) == blocks
    assert sorted(sum(blocks, ())) == list(range(len(sizes)))
