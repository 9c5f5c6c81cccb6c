"""An index is arranged in steps, between which somebody may cancel."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.core.context import Look
from engine.core.errors import Cancelled
from engine.core.typing import Values
from engine.kernels.index.blocks import (
    compact_blocks,
    make_block_index,
    remove_from_blocks,
)
from engine.kernels.index.boxes import BOX_WIDTH
from engine.kernels.index.leaves import FANOUT, make_leaf_tree

LIMIT = "engine.core.context.VALUES_PER_LOOK"


def remaining_blocks(X: Values, look: Look) -> Any:
    """Return an index from which most records are gone, arranged anew."""
    blocks = make_block_index(X)
    for i in range(0, len(X), 3):
        remove_from_blocks(blocks, i)
    compact_blocks(blocks, look)
    return blocks


INDEXES: dict[str, tuple[Callable[[Values, Look], Any], int]] = {
    "blocks": (lambda X, look: make_block_index(X, (), look), BOX_WIDTH),
    "remaining blocks": (remaining_blocks, BOX_WIDTH),
    "leaves": (make_leaf_tree, FANOUT),
}
"""What makes an index, and how many records share a leaf of it."""

every_index = pytest.mark.parametrize("name", INDEXES)


def arrays_of(index: Any) -> list[np.ndarray]:
    """Return all arrays of an index but for scratch."""
    scratch = ("stack", "bound", "block_sq_dists", "code_sq_dists")
    parts = [part for name, part in index._asdict().items() if name not in scratch]
    flat = [each if isinstance(each, tuple) else (each,) for each in parts]
    return [np.asarray(array) for each in flat for array in each]


@every_index
def test_an_index_in_steps_is_the_same_as_at_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, leaf_size = INDEXES[name]
    n, looks = 3_000, list[None]()
    X = np.random.default_rng(0).normal(size=(n, 3)).round(1)  # with ties
    at_once = arrays_of(make(X, lambda: looks.append(None)))
    few = len(looks)
    for limit in (1, 2_000):
        monkeypatch.setattr(LIMIT, limit)
        looks.clear()
        in_steps = arrays_of(make(X, lambda: looks.append(None)))
        for a, b in zip(at_once, in_steps, strict=True):
            np.testing.assert_array_equal(a, b)
        if limit == 1:  # each halving is a step, and each leaf that is filled
            n_leaves = (2 * n // 3 if "remaining" in name else n) // leaf_size
            assert len(looks) >= 2 * n_leaves
    assert few < len(looks)


@every_index
def test_looks_grow_with_the_table(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIMIT, 20_000)
    looks = list[int]()
    for n in (2_000, 8_000, 32_000):
        made = list[None]()
        INDEXES[name][0](np.random.default_rng(n).normal(size=(n, 2)), make_look(made))
        looks.append(len(made))
    assert looks[2] > 2 * looks[1] > 4 * looks[0] > 0


def make_look(made: list[None]) -> Look:
    return lambda: made.append(None)


@every_index
def test_a_cancelled_index_is_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIMIT, 1)
    left = [3]

    def cancel() -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Cancelled("enough")

    with pytest.raises(Cancelled, match="enough"):
        INDEXES[name][0](np.random.default_rng(0).normal(size=(500, 2)), cancel)
    assert left == [0]
