"""The distance of mixed records, and what a class of them has in common."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.kinds import Kind
from engine.hierarchy import Hierarchy
from engine.kernels.mixed.tuples import (
    QueryTuple,
    TupleSlots,
    set_query_to_slot,
    widen_query_if_outside,
    write_tuple_distances,
)
from engine.methods.mixed.tuples import MixedRecords
from tests.engine.methods.mixed.tables import Drawn, attributes, mixed_tables, prepared
from tests.reference.mixed import distance

PLACES = Hierarchy(
    (
        ("4350", "435*", "43**", "*"),
        ("4351", "435*", "43**", "*"),
        ("4360", "436*", "43**", "*"),
        ("1000", "100*", "10**", "*"),
    )
)
AGES = Drawn(Kind.CONTINUOUS, (20.0, 45.0, 52.0, 70.0))


def distances(records: MixedRecords, tuples: TupleSlots, slot: int) -> np.ndarray:
    query = records.make_query()
    set_query_to_slot(query, tuples, slot)
    write_tuple_distances(tuples, query)
    return tuples.distance.copy()


def ages_and_places() -> MixedRecords:
    return MixedRecords.from_points(
        prepared([AGES, Drawn(Kind.NOMINAL, PLACES.leaves, PLACES)])
    )


def test_distances_of_records_by_hand() -> None:
    records = ages_and_places()
    tuple_distances = distances(records, records.singleton_tuples(), 0)
    # ages 25, 32 and 50 of 50 years apart; one, two and three of three levels up
    expected = [0, (25 / 50 + 1 / 3) / 2, (32 / 50 + 2 / 3) / 2, 1]
    np.testing.assert_allclose(tuple_distances, expected, rtol=1e-15)


def test_distances_of_classes_by_hand() -> None:
    records = ages_and_places()
    classes = records.class_tuples(np.array([0, 0, 1, 1]))
    # ages [20, 45] and [52, 70] become [20, 70]: 25 and 32 years wider.
    # 435* climbs two of its two levels, and the root none.
    expected = ((25 + 32) / 2 / 50 + (2 / 2 + 0) / 2) / 2
    assert distances(records, classes, 0)[1] == pytest.approx(expected)


def test_categories_count_by_their_rank_where_they_have_an_order() -> None:
    grades = (5.0, 1.0, 100.0, 5.0)
    records = MixedRecords.from_points(prepared([Drawn(Kind.ORDINAL, grades)]))
    tuple_distances = distances(records, records.singleton_tuples(), 1)
    np.testing.assert_array_equal(tuple_distances, [0.5, 0.0, 1.0, 0.5])


def test_a_stratum_keeps_the_ranges_and_ranks_of_the_table() -> None:
    points = prepared([AGES, Drawn(Kind.ORDINAL, (5.0, 1.0, 100.0, 7.0))])
    records = MixedRecords.from_points(points.subset(np.array([0, 3])))
    assert distances(records, records.singleton_tuples(), 0)[1] == (1 + 1 / 3) / 2


def test_a_constant_attribute_and_a_single_category_are_no_distance() -> None:
    lone = Hierarchy((("only", "*"),))
    drawn = [
        Drawn(Kind.CONTINUOUS, (7.0, 7.0)),
        Drawn(Kind.ORDINAL, (7.0, 7.0)),
        Drawn(Kind.NOMINAL, ("only", "only"), lone),
    ]
    records = MixedRecords.from_points(prepared(drawn))
    assert not distances(records, records.singleton_tuples(), 0).any()


@given(mixed_tables())
def test_distances_are_symmetric_and_from_0_to_1(
    table: tuple[int, list[Drawn]],
) -> None:
    records = MixedRecords.from_points(prepared(table[1]))
    tuples = records.singleton_tuples()
    n = records.n_records
    distance_matrix = np.array([distances(records, tuples, i) for i in range(n)])
    np.testing.assert_array_equal(distance_matrix, distance_matrix.T)
    assert not distance_matrix.diagonal().any()
    assert 0.0 <= distance_matrix.min() <= distance_matrix.max() <= 1.0 + 1e-15
    rows = list(zip(*(column.values for column in table[1]), strict=True))
    for i in range(n):
        for j in range(n):
            assert (distance_matrix[i, j] == 0.0) == (rows[i] == rows[j])


@given(mixed_tables(), st.data())
def test_classes_equal_their_plain_definition(
    table: tuple[int, list[Drawn]], data: st.DataObject
) -> None:
    _, drawn = table
    records, n = MixedRecords.from_points(prepared(drawn)), len(drawn[0].values)
    draw = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    _, labels = np.unique(draw, return_inverse=True)
    classes = records.class_tuples(labels)
    members = [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]
    assert classes.size.tolist() == [len(group) for group in members]
    assert classes.first.tolist() == [group[0] for group in members]
    for row, values in enumerate(records.numbers):
        assert classes.low[row].tolist() == [min(values[g]) for g in members]
        assert classes.high[row].tolist() == [max(values[g]) for g in members]
    for row, tree in enumerate(records.hierarchies):
        expected = [tree.common_ancestor(records.codes[row, g]) for g in members]
        assert classes.node[row].tolist() == expected
    for g in range(len(members)):
        plain = [distance(attributes(drawn), members[g], other) for other in members]
        np.testing.assert_array_equal(distances(records, classes, g), plain)


@given(mixed_tables())
def test_a_focus_widened_record_by_record_is_the_class(
    table: tuple[int, list[Drawn]],
) -> None:
    records = MixedRecords.from_points(prepared(table[1]))
    tuples, query = records.singleton_tuples(), records.make_query()
    set_query_to_slot(query, tuples, 0)
    for i in range(records.n_records):
        before = query.low.copy(), query.high.copy(), query.node.copy()
        grew = widen_query_if_outside(query, tuples, i)
        changed = not all(
            np.array_equal(a, b)
            for a, b in zip(before, (query.low, query.high, query.node), strict=True)
        )
        assert grew == changed
    whole = records.class_tuples(np.zeros(records.n_records, dtype=np.int64))
    np.testing.assert_array_equal(query.low, whole.low[:, 0])
    np.testing.assert_array_equal(query.high, whole.high[:, 0])
    np.testing.assert_array_equal(query.node, whole.node[:, 0])
    assert _same_distances(records, query, whole)


def _same_distances(
    records: MixedRecords, query: QueryTuple, whole: TupleSlots
) -> bool:
    """Whether a widened query measures as one put on the whole class does."""
    tuples = records.singleton_tuples()
    write_tuple_distances(tuples, query)
    query_distances = tuples.distance.copy()
    set_query_to_slot(query, whole, 0)
    write_tuple_distances(tuples, query)
    return bool(np.array_equal(tuples.distance, query_distances))


@given(mixed_tables())
def test_records_are_equal_where_all_values_are(table: tuple[int, list[Drawn]]) -> None:
    records = MixedRecords.from_points(prepared(table[1]))
    rows = list(zip(*(column.values for column in table[1]), strict=True))
    order = list(dict.fromkeys(rows))
    assert records.equal_record_classes().tolist() == [order.index(row) for row in rows]


def test_the_centroid_is_mean_lower_median_and_mode() -> None:
    tree = Hierarchy((("b", "*"), ("a", "*"), ("c", "*")))
    drawn = [
        Drawn(Kind.CONTINUOUS, (1.0, 2.0, 6.0, 7.0, 100.0)),
        Drawn(Kind.ORDINAL, (10.0, 1.0, 3.0, 2.0, 50.0)),
        Drawn(Kind.NOMINAL, ("c", "a", "c", "a", "b"), tree),
    ]
    records = MixedRecords.from_points(prepared(drawn))
    centroids = records.centroid_tuples(np.array([0, 0, 0, 0, -1]))
    np.testing.assert_array_equal(centroids.low[:, 0], [4.0, 1.0])  # rank of 2
    assert centroids.node[0, 0] == 1  # "a" and "c" as often: the lower leaf
