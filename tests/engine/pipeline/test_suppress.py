"""A budget for outliers: who is left out, what it saves, and its lower bound."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from engine import Plan, read_table, run
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.statistics import group_sse
from engine.pipeline.suppress import resolve_budget, suppress_outliers
from engine.points.base import Points
from tests import casc
from tests.reference.brute_force import labellings

NAMES = ("a", "b")


def table(n: int = 60, outliers: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(n, 2)).round(3), columns=NAMES)
    frame["stratum"] = np.where(np.arange(n) % 2, "odd", "even")
    frame.loc[: outliers - 1, "a"] = 100.0 * np.arange(1, outliers + 1)
    return frame


def plan(**choices: object) -> Plan:
    return Plan(k=3, quasi_identifiers=NAMES, **choices)


@pytest.mark.parametrize(("k", "count", "seed"), [(2, 1, 0), (2, 2, 1), (3, 2, 2)])
def test_no_choice_of_records_and_groups_stays_below_the_bound(
    k: int, count: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2))
    X[0] *= 9.0
    points = Points.from_array(X)
    found = suppress_outliers(points, [((0, 1), [np.arange(8)])], k, count)
    best = np.inf
    for left_out in range(count + 1):
        for kept in itertools.combinations(range(8), 8 - left_out):
            some = X[list(kept)]
            for labels in labellings(len(kept), k):
                best = min(best, group_sse(some, labels))
    assert 0.0 <= found.sse <= best + 1e-9
    assert found.count == count
    assert 0 not in found.kept


def test_eight_records_of_tarragona_cost_half_of_what_the_others_lose() -> None:
    original = read_table(casc.path("tarragona"))
    names = tuple(map(str, original.frame.columns))
    outcome = run(Plan(k=3, quasi_identifiers=names, suppress=8), original)
    Z = casc.zscored("tarragona")
    kept = Z[outcome.release.rows]
    assert len(kept) == 826
    sse = group_sse(kept, outcome.partition.labels)
    assert 100 * sse / np.square(Z).sum() < 8.7
    assert 0 < outcome.bound.sse <= sse
    assert outcome.k_verified


def test_outliers_are_left_out_and_nobody_says_which() -> None:
    original = read_table(table())
    outcome = run(plan(suppress=4), original)
    assert outcome.release.rows.tolist() == list(range(4, 60))
    (said,) = [one for one in outcome.warnings if "budget" in one]
    assert said.startswith("4 records were left out")
    assert outcome.groups(60)[:4] == [None] * 4
    assert outcome.information_loss < run(plan(), original).information_loss


def test_without_a_budget_nothing_changes() -> None:
    original = read_table(table())
    plain, none = run(plan(), original), run(plan(suppress=0.01), original)
    pd.testing.assert_frame_equal(plain.release.frame, none.release.frame)
    assert none.bound == plain.bound


@pytest.mark.parametrize("choices", [{"strata": "stratum"}, {"blocks": (("a",),)}])
def test_strata_and_blocks_keep_k(choices: dict[str, object]) -> None:
    frame = table(outliers=0)
    frame["stratum"] = np.where(np.arange(60) < 4, "few", "many")
    frame.loc[:3, "b"] = [50.0, -90.0, 130.0, -170.0]
    original = read_table(frame)
    outcome = run(plan(suppress="10%", **choices), original)
    assert len(outcome.release.frame) == 54
    if "strata" in choices:
        assert (outcome.release.rows < 4).sum() == 3
    assert outcome.information_loss < run(plan(**choices), original).information_loss


def test_a_budget_is_a_share_or_a_number() -> None:
    assert resolve_budget(0.01, 834) == 8
    assert resolve_budget(8.0, 834) == 8
    assert 0.29 * 100 < 29 == resolve_budget(0.29, 100)  # whatever rounding does to it
    assert plan(suppress="1%").suppress == 0.01
    assert plan(suppress="8").suppress == 8.0
    for wrong in ("many", "-1", "100%", "nan"):
        with pytest.raises(ParameterError, match="budget for outliers"):
            plan(suppress=wrong)
    with pytest.raises(InfeasibleError, match="budget of 58"):
        run(plan(suppress=58), read_table(table()))
