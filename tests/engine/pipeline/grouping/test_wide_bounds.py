"""Bounds of wide points: on fewer coordinates they stay bounds on all."""

import numpy as np
import pytest

from engine import Plan
from engine.pipeline.grouping import bound as bounding
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import protect_prepared, run
from engine.points import branches, encode
from tests.engine.points.tables import NAMES, people


@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_bound_on_fewer_coordinates_is_at_most_that_on_all(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people(80)
    plan = resolve_plan(Plan(method="refined", k=k, quasi_identifiers=NAMES), table)
    whole = bounding.lower_bound(plan, PreparationCache(table).get(plan))
    monkeypatch.setattr(bounding, "MAX_LB1_PAIR_VALUES", 0.0)
    some = bounding.lower_bound(plan, PreparationCache(table).get(plan))
    assert 0.0 < some.sse <= whole.sse * (1 + 1e-9)
    assert some.per_cent <= whole.per_cent * (1 + 1e-9)


@pytest.mark.parametrize("k", [2, 4])
def test_a_bound_on_principal_axes_is_at_most_that_on_all_of_them(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people(80)
    plan = resolve_plan(Plan(method="refined", k=k, quasi_identifiers=NAMES), table)
    whole = run(plan, table)
    usual = branches.CategoryCoordinates.from_counts

    def short(*given: object) -> branches.CategoryCoordinates:
        return usual(*given, most_axes=3)  # type: ignore[arg-type]

    monkeypatch.setattr(encode.CategoryCoordinates, "from_counts", short)
    cut = PreparationCache(table).get(plan)
    assert cut.points.X.shape[1] == 2 + 2 + 3
    assert cut.points.sst == pytest.approx(4 * table.n_records)
    bound = bounding.lower_bound(plan, cut)
    assert 0.0 < bound.per_cent <= whole.bound.per_cent * (1 + 1e-9)
    outcome = protect_prepared(plan, table, cut)
    assert outcome.bound.per_cent <= outcome.information_loss
    loss = cut.points.sse(outcome.partition.labels) / cut.points.sst
    assert outcome.information_loss == pytest.approx(100 * loss)
    assert np.bincount(outcome.partition.labels).min() >= k
