from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.typing import Values
from engine.kernels.index.blocks import (
    BLOCKS_PER_BUNDLE,
    BlockIndex,
    compact_blocks,
    make_block_index,
    remove_from_blocks,
)
from engine.kernels.index.boxes import BOX_WIDTH
from engine.kernels.index.queries import farthest_record, write_nearest
from engine.kernels.index.shared import RepeatedCoordinates
from tests.reference import steps

MANY = 3 * BOX_WIDTH * BLOCKS_PER_BUNDLE + 5
"""Records for four bundles, the last of one short block."""

TABLES = {
    "scattered": lambda rng, n: rng.standard_normal((n, 4)),
    "heavy tails": lambda rng, n: rng.lognormal(0.0, 2.0, (n, 3)),
    "far from zero": lambda rng, n: 1e9 + rng.standard_normal((n, 2)),
    "tiny": lambda rng, n: 1e-160 * rng.standard_normal((n, 2)),
    "huge": lambda rng, n: 1e150 * rng.standard_normal((n, 2)),
    "many ties": lambda rng, n: rng.integers(0, 4, (n, 3)).astype(np.float64),
    "all records equal": lambda rng, n: np.full((n, 2), 0.1),
    "one column": lambda rng, n: rng.integers(0, 500, (n, 1)).astype(np.float64),
    "rise and fall": lambda rng, n: np.abs(np.arange(n) - n / 2)[:, None],
}
every_table = pytest.mark.parametrize("table", TABLES)


def draw(table: str, n: int) -> Values:
    return np.ascontiguousarray(TABLES[table](np.random.default_rng(n), n))


def found_nearest(blocks: BlockIndex, point: Values, m: int) -> list[tuple[float, int]]:
    neighbours, squared = np.empty(m, dtype=np.int64), np.empty(m)
    write_nearest(blocks, point, neighbours, squared)
    return sorted(zip(squared.tolist(), neighbours.tolist(), strict=True))


def check_queries(blocks: BlockIndex, left: list[int], points: Values) -> None:
    """Compare with plain scans of the records left."""
    X = np.asarray(blocks.X)
    for t, point in enumerate(points):
        assert farthest_record(blocks, point, t % 2 == 0) == steps.farthest(
            X, left, point
        )
        m = min(1 + t, len(left))
        expected = steps.nearest(X, left, point, m)
        distance = steps.squared_distances(X, point)
        assert found_nearest(blocks, point, m) == [(distance[i], i) for i in expected]


@every_table
@pytest.mark.parametrize(
    "n", [1, 2, BOX_WIDTH, BOX_WIDTH + 1, BOX_WIDTH * BLOCKS_PER_BUNDLE + 1, MANY]
)
def test_queries_equal_plain_scans_while_records_leave(table: str, n: int) -> None:
    X, rng = draw(table, n), np.random.default_rng(1)
    blocks, remaining_records = make_block_index(X), list(range(n))
    while remaining_records:
        inside = X[rng.choice(remaining_records, size=3)]
        outside = 3 * X[rng.integers(0, n, size=2)] - 2 * X.mean(axis=0)
        middle = X[remaining_records].mean(axis=0) + 1e-3 * X.std(axis=0) * rng.random(
            (3, 1)
        )
        check_queries(
            blocks, remaining_records, np.concatenate([middle, inside, outside])
        )
        for i in rng.permutation(remaining_records)[
            : -(-len(remaining_records) // 3)
        ].tolist():
            remove_from_blocks(blocks, i)
            remaining_records.remove(i)
        if blocks.count[0] < blocks.count[1] // 3:
            compact_blocks(blocks)


@given(data=st.data())
def test_queries_equal_plain_scans_for_any_finite_numbers(data: st.DataObject) -> None:
    number = st.floats(-1e100, 1e100) | st.sampled_from([0.0, 1.0, 5e-324, -1e-160])
    p = data.draw(st.integers(1, 3))
    rows = st.lists(st.lists(number, min_size=p, max_size=p), min_size=1, max_size=20)
    X = np.repeat(np.array(data.draw(rows)), 5, axis=0)
    points = np.array(data.draw(rows))
    blocks, remaining_records = make_block_index(X), list(range(len(X)))
    while remaining_records:
        check_queries(blocks, remaining_records, points)
        for i in remaining_records[::2]:
            remove_from_blocks(blocks, i)
        remaining_records = remaining_records[1::2]


@every_table
def test_every_remaining_record_is_in_one_slot(table: str) -> None:
    X = draw(table, MANY)
    blocks, remaining_records = make_block_index(X), set(range(MANY))
    for step in range(3):
        for i in sorted(remaining_records)[step::2]:
            remove_from_blocks(blocks, i)
            remaining_records.remove(i)
        if step == 1:
            compact_blocks(blocks)
        record_slots = [
            (int(blocks.records[b, place]), b * BOX_WIDTH + place)
            for b in range(blocks.count[2])
            for place in range(blocks.live[b])
        ]
        assert sorted(record for record, _ in record_slots) == sorted(remaining_records)
        assert len(remaining_records) == blocks.count[0]
        for record, slot in record_slots:
            assert blocks.slot[record] == slot
            values = blocks.values[slot // BOX_WIDTH, :, slot % BOX_WIDTH]
            np.testing.assert_array_equal(values, X[record])
        assert {i for i in range(MANY) if blocks.slot[i] < 0} == set(
            range(MANY)
        ) - remaining_records


@pytest.mark.parametrize("table", ["scattered", "heavy tails", "far from zero"])
def test_the_centroid_does_not_depend_on_what_left_before(table: str) -> None:
    X = draw(table, 500)
    X[7] = 1e17  # its removal must not cost the others their digits
    blocks = make_block_index(X)
    for i in range(400):
        remove_from_blocks(blocks, i)
    middle = blocks.total.sum(axis=0) / blocks.count[0]
    expected = [fsum(column) / 100 for column in X[400:].T]
    np.testing.assert_allclose(middle, expected, rtol=1e-13)  # 1e17 has steps of 16


def test_near_records_share_a_block() -> None:
    n = 40 * BOX_WIDTH
    X = np.random.default_rng(0).random((n, 2))
    blocks = make_block_index(X)
    area = np.prod(blocks.high[:, :40] - blocks.low[:, :40], axis=0)
    assert area.sum() <= 1.0  # boxes of a k-d tree do not overlap
    assert area.max() < 3 / 40


def shared_coordinates(n: int) -> tuple[Values, list[RepeatedCoordinates]]:
    """Return two numbers, twelve categories, five corners anywhere, another number."""
    rng = np.random.default_rng(n)
    corners = [0.7 * np.eye(12), rng.standard_normal((5, 6))]
    codes = [rng.integers(0, len(each), n) for each in corners]
    ahead, behind = rng.integers(0, 9, (n, 2)).astype(float), rng.standard_normal(n)
    parts = [each[code] for each, code in zip(corners, codes, strict=True)]
    X = np.ascontiguousarray(np.column_stack([ahead, *parts, behind]))
    return X, [
        RepeatedCoordinates(2, codes[0], corners[0]),
        RepeatedCoordinates(14, codes[1], corners[1]),
    ]


@pytest.mark.parametrize("n", [20, BOX_WIDTH + 1, MANY])
def test_codes_change_nothing_but_the_time(n: int) -> None:
    X, shared = shared_coordinates(n)
    rng, remaining_records = np.random.default_rng(1), list(range(n))
    coded, plain = make_block_index(X, shared), make_block_index(X)
    assert coded.uncoded.size < plain.uncoded.size == X.shape[1]
    while remaining_records:
        inside = X[rng.choice(remaining_records, size=3)]
        check_queries(
            coded,
            remaining_records,
            np.concatenate([X[remaining_records].mean(axis=0)[None], inside]),
        )
        gone = rng.permutation(remaining_records)[
            : -(-len(remaining_records) // 3)
        ].tolist()
        for blocks in (coded, plain):
            for i in gone:
                remove_from_blocks(blocks, i)
            if blocks.count[0] < blocks.count[1] // 3:
                compact_blocks(blocks)
        remaining_records = sorted(set(remaining_records) - set(gone))
        # The same boxes: records come in the same order, down to the last bit.
        np.testing.assert_array_equal(coded.low, plain.low)
        np.testing.assert_array_equal(coded.high, plain.high)
        np.testing.assert_array_equal(coded.total, plain.total)


@given(data=st.data())
def test_codes_find_the_same_for_any_finite_numbers(data: st.DataObject) -> None:
    number = st.floats(-1e100, 1e100) | st.sampled_from([0.0, 1.0, 5e-324, -1e-160])
    row = st.lists(number, min_size=5, max_size=5)
    corners = np.array(data.draw(st.lists(row, min_size=2, max_size=4)))
    codes = np.arange(40) % len(corners)
    first = np.array(data.draw(st.lists(number, min_size=8, max_size=8)))
    X = np.column_stack([np.repeat(first, 5), corners[codes]])
    blocks = make_block_index(X, [RepeatedCoordinates(1, codes, corners)])
    assert blocks.uncoded.tolist() == [0]
    points = np.array(data.draw(st.lists(row, min_size=1, max_size=3)))
    points = np.vstack([np.column_stack([first[: len(points)], points]), X[:1]])
    remaining_records = list(range(40))
    while remaining_records:
        check_queries(blocks, remaining_records, points)
        for i in remaining_records[::2]:
            remove_from_blocks(blocks, i)
        remaining_records = remaining_records[1::2]


def test_codes_are_left_where_they_save_nothing() -> None:
    X, shared = shared_coordinates(40)
    blocks = make_block_index(
        X, shared
    )  # twelve categories of forty records are too many
    assert blocks.uncoded.tolist() == [*range(14), 20]
