"""What an outcome says of groups that were drawn."""

import numpy as np
import pandas as pd

from engine.files import read_table
from engine.methods.fuzzy import clustering
from engine.pipeline.compare import compare
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.methods.fuzzy.tables import as_table, matrix, protect


def test_k_is_never_verified_even_where_it_holds_by_chance() -> None:
    outcome = protect(as_table(matrix(60)), parameters={"c": 1})
    assert outcome.k_released == 60
    assert not outcome.k_verified
    assert outcome.summary()["k_verified"] is False


def test_the_bound_on_groups_of_k_is_not_lent_to_groups_of_any_size() -> None:
    table = as_table(matrix(90))
    crisp, crisper = (
        Plan(method="fuzzy", k=5, parameters={"m1": m, "m2": 1.0}) for m in (1.05, 1.0)
    )
    plans = [crisp, Plan(method="mdav", k=5), crisper]
    first, mdav, last = compare(plans, table)
    assert first.bound.kind == last.bound.kind == "none"
    assert first.bound.per_cent == last.bound.per_cent == 0.0
    assert mdav.bound.per_cent > 0.0
    assert run(crisp, table).bound.kind == "none"


def test_strata_are_drawn_each_on_its_own() -> None:
    frame = pd.DataFrame(matrix(100, 2), columns=["x", "y"])
    frame["region"] = ["north"] * 4 + ["south"] * 96
    table = read_table(frame).assign(
        roles={"x": "quasi-identifier", "y": "quasi-identifier", "region": "other"}
    )
    outcome = protect(table, strata="region", k=4, rounding="none")
    drawn = outcome.probabilistic
    assert drawn is not None
    assert drawn.n_centres == 1 + 24
    assert drawn.expected.size == drawn.realised.size == outcome.partition.n_groups
    assert drawn.realised[0] == drawn.expected[0] == 4
    assert outcome.release.frame.iloc[:4].drop_duplicates().shape[0] == 1


def test_weights_count_in_the_centres() -> None:
    X = matrix(60, 2)
    frame = pd.DataFrame(X, columns=["x", "y"])
    frame["w"] = np.random.default_rng(1).uniform(1.0, 9.0, 60)
    table = read_table(frame).assign(
        roles={"x": "quasi-identifier", "y": "quasi-identifier", "w": "weight"}
    )
    outcome = protect(table, parameters={"c": 1}, rounding="none", weights="w")
    mean = np.average(X, axis=0, weights=frame["w"])
    np.testing.assert_allclose(outcome.release.frame[["x", "y"]].iloc[0], mean)


def test_says_when_the_clusters_still_moved(monkeypatch) -> None:
    assert not any(
        "still moved" in text for text in protect(as_table(matrix())).warnings
    )
    monkeypatch.setattr(clustering, "MAX_ITERATIONS", 2)
    outcome = protect(as_table(matrix()))
    assert any("still moved after 2 steps" in text for text in outcome.warnings)
