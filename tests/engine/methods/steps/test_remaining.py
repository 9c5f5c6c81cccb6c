"""What is known of a group's making: the record that it was formed around."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.partition import concatenate_partitions
from engine.methods.base import make_method, methods
from engine.points.base import Points

AROUND = (
    "cbfs",
    "dba1",
    "dbfs",
    "gsms",
    "ldf",
    "md",
    "mdav",
    "mdav1",
    "mdav-generic",
    "tfrp1",
)
"""Methods whose groups are a record and the k-1 nearest of those that remain."""


@pytest.mark.parametrize("name", AROUND)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=6, max_size=30
    )
)
def test_a_group_is_its_seed_and_the_nearest_of_what_remained(
    name: str, rows: list[tuple[int, int]]
) -> None:
    X, k = np.array(rows, dtype=np.float64), 3
    partition = make_method(name, k).partition(Points.from_array(X))
    assert partition.seeds is not None
    assert partition.seeds.shape == (partition.n_groups,)
    remaining_mask = np.ones(len(X), dtype=bool)
    for g, seed in enumerate(partition.seeds.tolist()):
        if seed < 0:
            assert g == partition.n_groups - 1
            continue
        assert partition.labels[seed] == g
        members = partition.members(g)
        squared = np.square(X - X[seed]).sum(axis=1)
        # Of MD's pair the other one is taken, though its group is formed later.
        nearest = np.sort(squared[remaining_mask])[:k]
        member_sq_dists = np.sort(squared[members])[:k]
        if name not in ("md", "dbfs"):
            np.testing.assert_array_equal(member_sq_dists, nearest)
        remaining_mask[members] = False


def test_mdav_begins_with_the_record_farthest_from_the_centre() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    partition = make_method("mdav", 4).partition(Points.from_array(X))
    assert partition.seeds is not None
    far = np.square(X - X.mean(axis=0)).sum(axis=1).argmax()
    assert partition.seeds[0] == far
    assert partition.seeds[1] == np.square(X - X[far]).sum(axis=1).argmax()


def test_strata_keep_their_seeds_as_records_of_the_table() -> None:
    X = np.random.default_rng(1).normal(size=(40, 2))
    parts = []
    for rows in (np.arange(0, 40, 2), np.arange(1, 34, 2), np.arange(35, 40, 2)):
        partition = make_method("mdav", 3).partition(Points.from_array(X[rows]))
        parts.append((rows, partition))
    whole = concatenate_partitions(parts)
    assert whole.seeds is not None
    assert whole.seeds[-1] == -1
    for g, seed in enumerate(whole.seeds.tolist()):
        assert seed < 0 or whole.labels[seed] == g


def test_methods_that_do_not_form_groups_around_records_say_so() -> None:
    X = np.random.default_rng(2).normal(size=(30, 2))
    for name in ("mst", "k-ward", "refined"):
        assert name in methods
        assert make_method(name, 3).partition(Points.from_array(X)).seeds is None
