from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from engine.kernels.fixed_size.md import (
    find_farthest_pair,
    make_farthest_partner_bounds,
)
from engine.kernels.index.blocks import make_block_index, remove_from_blocks

TABLES = {
    "scattered": lambda rng: rng.standard_normal((90, 3)),
    "heavy tails": lambda rng: rng.lognormal(0.0, 2.0, (90, 3)),
    "many ties": lambda rng: rng.integers(0, 3, (90, 3)).astype(np.float64),
    "mostly equal": lambda rng: np.where(
        rng.random((90, 1)) < 0.8, 0.1, rng.random((90, 3))
    ),
    "all equal": lambda rng: np.full((90, 2), 0.1),
}


def naive_pair(X: np.ndarray, left: list[int]) -> tuple[int, int]:
    def squared(pair: tuple[int, int]) -> float:
        total = 0.0
        for difference in X[pair[0]] - X[pair[1]]:
            total += difference * difference
        return total

    return min(combinations(left, 2), key=lambda pair: (-squared(pair), pair))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("most", [1, 10**9])
def test_finds_the_farthest_pair_after_any_removals(table: str, most: int) -> None:
    rng = np.random.default_rng(0)
    X = np.ascontiguousarray(TABLES[table](rng))
    blocks, partners = make_block_index(X), make_farthest_partner_bounds(X)
    remaining_records = list(range(90))
    while len(remaining_records) > 1:
        pair = -1, -1
        while pair == (-1, -1):
            limit = int(blocks.count[4]) + most
            pair = find_farthest_pair(blocks, partners, limit)
        assert pair == naive_pair(X, remaining_records)
        gone = {
            pair[0],
            int(rng.choice(remaining_records)),
            int(rng.choice(remaining_records)),
        }
        for i in gone:
            remove_from_blocks(blocks, i)
        remaining_records = [i for i in remaining_records if i not in gone]
