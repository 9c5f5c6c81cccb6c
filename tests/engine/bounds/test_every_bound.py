"""What every lower bound promises: no groups lose less, with ties, in any unit."""

from collections.abc import Callable

import numpy as np
import pytest

from engine.bounds import edge_cover_bound, nearest_bound, persons_bound
from engine.bounds.base import LowerBound
from engine.bounds.linear_programme.column_generation import column_generation_bound
from engine.bounds.per_attribute import per_attribute_bound
from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled
from engine.core.typing import Values
from tests.engine.bounds.tables import solved_tables, tied_tables
from tests.reference.brute_force import least_sse

Bound = Callable[..., LowerBound]

RISING = (nearest_bound, edge_cover_bound, column_generation_bound)
"""Bounds of groups of whole records, from the lowest to the highest."""


def _bound_of_persons(*constant: bool, counts: bool = False) -> Bound:
    """Return the bound for persons of three records, by columns constant in each."""

    def bound(X: Values, k: int, ctx: RunContext = SILENT) -> LowerBound:
        persons, mask = np.arange(len(X)) // 3, np.array(constant) if constant else None
        return persons_bound(X, persons, k, mask, ctx, counts)

    return bound


OF_PERSONS = {
    "one record is known": _bound_of_persons(),
    "all records are known": _bound_of_persons(False, False, True, True),
    "how often is known": _bound_of_persons(*[False] * 4, counts=True),
}

every_bound = pytest.mark.parametrize("bound", [*RISING, per_attribute_bound])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", range(4, 10))
def test_they_rise_and_none_is_above_brute_force(k: int, n: int) -> None:
    for X, optimum in solved_tables(24, n, k):
        bounds = [*(bound(X, k).sse for bound in RISING), optimum]
        assert bounds == sorted(bounds)


@tied_tables
def test_never_above_brute_force_where_distances_tie(
    X: np.ndarray, k: int, exact: np.ndarray
) -> None:
    for bound in RISING:
        assert bound(X, k).sse <= least_sse(exact, k) * (1 + 1e-15)


@pytest.mark.parametrize("bound", [edge_cover_bound, column_generation_bound])
@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize(
    "unit", [1e-7, *(pytest.param(unit, marks=pytest.mark.slow) for unit in (1.0, 1e7))]
)
def test_neither_offset_nor_unit_matter(
    bound: Bound, offset: float, unit: float
) -> None:
    X = np.random.default_rng(0).integers(0, 1000, (100, 3)) / 64.0
    plain, moved = bound(X, 3), bound((X + offset) * unit, 3)
    assert moved.per_cent == pytest.approx(plain.per_cent, rel=1e-5)
    assert moved.sse <= plain.sse * unit**2 * (1 + 1e-5)


@every_bound
def test_equal_records_have_nothing_to_lose(bound: Bound) -> None:
    for X in (np.full((10, 2), 0.1), np.repeat([[1.0], [2.0], [9.0]], 4, axis=0)):
        assert (bound(X, 4).sse, bound(X, 4).per_cent) == (0.0, 0.0)


@pytest.mark.parametrize("bound", RISING)
def test_exact_where_groups_are_pairs_of_neighbours(bound: Bound) -> None:
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    assert bound(X, 2).sse == pytest.approx(1.0)


@pytest.mark.parametrize(
    "bound",
    [
        *RISING,
        per_attribute_bound,
        *(pytest.param(each, id=name) for name, each in OF_PERSONS.items()),
    ],
)
def test_progress_rises_to_one_and_cancel_is_answered(bound: Bound) -> None:
    X = np.random.default_rng(0).standard_normal((120, 4))
    shares: list[float] = []
    bound(X, 3, RunContext(lambda share, _: shares.append(share)))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    for ticks in {0, len(shares) // 2}:
        answers = iter([False] * ticks + [True])
        with pytest.raises(Cancelled):
            bound(X, 3, RunContext(cancelled=lambda it=answers: next(it)))


@pytest.mark.parametrize("bound", OF_PERSONS.values(), ids=OF_PERSONS)
def test_the_one_limit_says_how_often_bounds_of_persons_look(
    bound: Bound, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = np.random.default_rng(0).standard_normal((120, 4))
    looks = list[float]()
    monkeypatch.setattr("engine.core.context.VALUES_PER_LOOK", 1)
    bound(X, 3, RunContext(lambda share, _: looks.append(share)))
    assert len(looks) >= len(X)  # of which each is a step
