import itertools

import numpy as np
import pytest

from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.methods.fixed_size import density
from engine.methods.fixed_size.density import form_neighbourhoods
from engine.methods.steps.remaining import RemainingRecords
from engine.points.base import Points
from tests.reference.density import by_density


def _group_by_density(
    X: Values, k: int, sign: float, ctx: RunContext = SILENT
) -> Labels:
    remaining = RemainingRecords(Points.from_array(X), k, ctx, "")
    form_neighbourhoods(remaining, sign)
    return remaining.labels


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("length", [4, 5, 99])
def test_how_many_candidates_are_listed_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, length: int, sign: float
) -> None:
    X = np.random.default_rng(1).standard_normal((100, 3))
    make = density.allocate_neighbourhoods
    monkeypatch.setattr(
        density, "allocate_neighbourhoods", lambda X, **_: make(X, length)
    )
    np.testing.assert_array_equal(_group_by_density(X, 5, sign), by_density(X, 5, sign))


def test_equal_records_are_neighbours_in_rising_order() -> None:
    X = np.repeat([[0.0], [7.0]], 20, axis=0)[::-1].copy()
    np.testing.assert_array_equal(
        _group_by_density(X, 4, 1.0), np.repeat(np.arange(10), 4)
    )


def test_can_be_cancelled_while_neighbours_are_sought(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.core.context.VALUES_PER_LOOK", 1)
    counter = itertools.count()
    X = np.random.default_rng(1).standard_normal((100, 3))
    with pytest.raises(Cancelled):
        _group_by_density(X, 3, 1.0, RunContext(cancelled=lambda: next(counter) > 4))
