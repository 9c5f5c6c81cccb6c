import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.core.partition import Labels
from engine.core.typing import Values
from engine.kernels.variable_size.gather import give_each_centre_k_records
from engine.methods.variable_size.r_gather import RGather
from tests.reference.brute_force import partitions


def distances(X: Values) -> Values:
    return np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))


def radius(distance: Values, members: Labels) -> float:
    """Smallest radius of a group around one of its records."""
    return float(distance[np.ix_(members, members)].max(axis=1).min())


@given(data=st.data())
def test_no_record_is_farther_from_its_centre_than_the_narrowest_groups_are_wide(
    data: st.DataObject,
) -> None:
    k = data.draw(st.integers(2, 3))
    n = data.draw(st.integers(k, 8))
    X = data.draw(arrays(np.float64, (n, 2), elements=st.integers(0, 4)))
    distance = distances(X)
    labels = RGather(k).fit(X).labels_
    largest = max(
        radius(distance, np.flatnonzero(labels == g)) for g in range(labels.max() + 1)
    )
    # Two records of a group of radius R are at most 2R apart, so the narrowest groups
    # of all partitions are at most twice the smallest possible radius wide.
    narrowest = min(
        max(distance[np.ix_(group, group)].max() for group in map(list, groups))
        for groups in partitions(list(range(n)), k)
    )
    assert largest <= narrowest + 1e-9


def flow(near: list[list[int]], k: int, n: int) -> Labels | None:
    starts = np.cumsum([0, *map(len, near)])
    centre_of = np.full(n, -1, dtype=np.int64)
    filled = give_each_centre_k_records(starts, np.concatenate(near), k, centre_of)
    return centre_of if filled else None


@given(
    near=st.lists(
        st.lists(st.integers(0, 7), min_size=1, max_size=8, unique=True), min_size=1
    ),
    k=st.integers(1, 3),
)
def test_centres_get_k_records_whenever_a_maximum_flow_gives_them(
    near: list[list[int]], k: int
) -> None:
    from scipy.sparse import lil_array
    from scipy.sparse.csgraph import maximum_flow

    centres, n = len(near), 8
    capacity = lil_array((centres + n + 2, centres + n + 2), dtype=np.int32)
    source, sink = centres + n, centres + n + 1
    for centre, records in enumerate(near):
        capacity[source, centre] = k
        for record in records:
            capacity[centre, centres + record] = 1
            capacity[centres + record, sink] = 1
    max_flow = maximum_flow(capacity.tocsr(), source, sink).flow_value
    owner = flow(near, k, n)
    assert (owner is not None) == (max_flow == k * centres)
    if owner is not None:
        for centre, records in enumerate(near):
            centre_records = np.flatnonzero(owner == centre).tolist()
            assert len(centre_records) == k
            assert set(centre_records) <= set(records)


def test_outlying_records_decide_the_radius() -> None:
    X = np.array([[0.0], [1.0], [10.0], [11.0], [100.0], [130.0]])
    assert RGather(2).fit(X).labels_.tolist() == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("k", [2, 5])
def test_records_in_one_place_are_one_group(k: int) -> None:
    X = np.repeat(np.arange(4.0), k)[:, None]
    assert RGather(k).fit(X).labels_.tolist() == np.repeat(np.arange(4), k).tolist()
