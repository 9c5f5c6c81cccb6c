"""Bounds of wide points: on fewer coordinates they stay bounds on all."""

from __future__ import annotations

import numpy as np
import pytest

from engine import Plan
from engine.pipeline import bound as bounding
from engine.pipeline.prepare import Preparations
from engine.pipeline.resolved import resolve
from engine.pipeline.run import protect, run
from engine.points import branches, encode
from tests.engine.points.tables import NAMES, people


@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_bound_on_fewer_coordinates_is_at_most_that_on_all(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people(80)
    plan = resolve(Plan(method="refined", k=k, quasi_identifiers=NAMES), table)
    whole = bounding.lower_bound(plan, Preparations(table).of(plan))
    monkeypatch.setattr(bounding, "PAIRS", 0.0)
    some = bounding.lower_bound(plan, Preparations(table).of(plan))
    assert 0.0 < some.sse <= whole.sse * (1 + 1e-9)
    assert some.per_cent <= whole.per_cent * (1 + 1e-9)


@pytest.mark.parametrize("k", [2, 4])
def test_a_bound_on_principal_axes_is_at_most_that_on_all_of_them(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people(80)
    plan = resolve(Plan(method="refined", k=k, quasi_identifiers=NAMES), table)
    whole = run(plan, table)
    usual = branches.Branches.of

    def short(*given: object) -> branches.Branches:
        return usual(*given, most_axes=3)  # type: ignore[arg-type]

    monkeypatch.setattr(encode.Branches, "of", short)
    cut = Preparations(table).of(plan)
    assert cut.points.X.shape[1] == 2 + 2 + 3
    assert cut.points.sst == pytest.approx(4 * table.n_records)
    bound = bounding.lower_bound(plan, cut)
    assert 0.0 < bound.per_cent <= whole.bound.per_cent * (1 + 1e-9)
    again = protect(plan, table, cut)
    assert again.bound.per_cent <= again.information_loss
    loss = cut.points.total_squares(again.partition.labels) / cut.points.sst
    assert again.information_loss == pytest.approx(100 * loss)
    assert np.bincount(again.partition.labels).min() >= k
