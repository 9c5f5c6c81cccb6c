"""What goes between two looks at progress and cancel is bounded, however many records.

Counted in distances and steps, for time is another on every machine.
"""

import numpy as np
import pytest

from engine.core.context import RunContext, steps_per_look
from engine.core.typing import Values
from engine.kernels.index import blocks
from engine.kernels.index.blocks import BlockIndex
from engine.methods.base import make_method, methods
from engine.points.base import Points
from tests.engine.methods.every import brief

LIMIT = "engine.core.context.VALUES_PER_LOOK"

WITHOUT_PIECES = {
    "simple": "cuts an order",
    "single": "cuts an order",
    "pca": "cuts an order",
    "mcdpca": "cuts an order",
    "individual-ranking": "cuts an order",
    "influence": "cuts an order",
    "even-sized": "an assignment by SciPy is a step",
    "imhm": "an assignment by SciPy is a step",
    "r-gather": "a flow is a step",
    "blocked": "a block of some hundred records is a step",
    "iterated": "steps are counted",
    "optimal": "steps are counted",
}
"""Methods whose steps do not grow with the table, or cannot be divided."""

IN_PIECES = [name for name in methods if name not in WITHOUT_PIECES]


def looks(name: str, X: Values) -> tuple[list[int], int]:
    """Return the labels, and how often the method looked whether to go on."""
    asked = []

    def cancelled() -> bool:
        asked.append(None)
        return False

    ctx = RunContext(cancelled=cancelled)
    method = make_method(name, 3, brief(name))
    labels = method.partition(Points.from_array(X), ctx).labels
    return labels.tolist(), len(asked)


def draw(name: str, n: int) -> Values:
    p = 1 if methods.info(name).traits.univariate else 2
    values = np.random.default_rng(n).normal(size=(n, p))
    return values.round(1)  # with ties


@pytest.mark.parametrize("name", IN_PIECES)
def test_the_one_limit_bounds_pieces_and_changes_no_label(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = draw(name, 90)
    labels, _ = looks(name, X)
    monkeypatch.setattr(LIMIT, 1)
    in_steps, asked = looks(name, X)
    assert in_steps == labels
    n_groups = len({*labels})
    assert asked >= n_groups // 2  # a step forms two groups at most


QUERIES = {
    "mdav": 4,
    "cbfs": 2,
    "tfrp1": 1,
    "rmd": 1,
    "pairwise-systematic": 2 * 4,
    "vmdav": 2 + 5 * 10,
    "md": 4,
    "npn-mhm": 1,
    "mu-approx": 1,
    "tour-mhm": 1,
}
"""Searches among all records that a step takes at most, for k = 5."""


@pytest.mark.parametrize("name", QUERIES)
def test_distances_between_two_looks_are_bounded_for_growing_tables(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit, p = 100_000, 4
    monkeypatch.setattr(LIMIT, limit)
    made: list[BlockIndex] = []
    allocate = blocks.allocate_block_index

    def keep(*arguments: object) -> BlockIndex:
        made.append(allocate(*arguments))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(blocks, "allocate_block_index", keep)
    for n in (500, 1000, 2000, 4000):
        made.clear()
        counts = [0]

        def look(counts: list[int] = counts) -> bool:
            counts.append(sum(int(index.count[3]) for index in made))
            return False

        points = Points.from_array(np.random.default_rng(n).normal(size=(n, p)))
        make_method(name, 5).partition(points, RunContext(cancelled=look))
        most = int(np.diff(counts).max())
        assert most <= limit // p + QUERIES[name] * n
    assert counts[-1] > 4 * limit // p  # or else no limit was reached


@pytest.mark.parametrize("values", [1, 10, 3e4, 1e12])
def test_steps_between_two_looks_read_no_more_than_the_limit(values: float) -> None:
    steps = steps_per_look(values)
    assert steps >= 1
    assert steps == 1 or steps * values <= steps_per_look()
