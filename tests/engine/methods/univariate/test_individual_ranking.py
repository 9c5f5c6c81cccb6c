import numpy as np
import pandas as pd
import pytest

from engine.data.table import Table
from engine.files import read_table
from engine.methods.univariate.individual_ranking import IndividualRanking
from engine.pipeline.compare import compare, grid
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.points.base import Points
from tests.reference.brute_force import least_sse


def make_table(n: int = 60, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 40, n),
            "income": np.round(rng.lognormal(8, 1, n), 2),
            "visits": rng.integers(0, 4, n),
            "region": rng.choice(["north", "south"], n),
        }
    )
    roles = dict.fromkeys(("age", "income", "visits"), "quasi-identifier")
    return read_table(frame).assign(roles={**roles, "region": "other"})


def protect(table: Table, **choices: object) -> Outcome:
    return run(Plan(method="individual-ranking", **{"k": 4, **choices}), table)


NAMES = ["age", "income", "visits"]


def sizes_of(frame: pd.DataFrame, columns: list[str]) -> pd.Series:
    return frame.groupby(columns).size()


@pytest.mark.parametrize("runs", ["fixed", "optimal"])
def test_every_value_is_shared_by_k_records_and_records_are_not(runs: str) -> None:
    outcome = protect(make_table(), parameters={"runs": runs})
    release = outcome.release.frame
    for name in NAMES:
        assert sizes_of(release, [name]).min() >= 4
    assert sizes_of(release, NAMES).min() == outcome.k_released == 1
    assert not outcome.k_verified


def test_the_outcome_says_that_k_does_not_hold_and_which_one_does() -> None:
    outcome = protect(make_table())
    attribute_k = min(sizes_of(outcome.release.frame, [name]).min() for name in NAMES)
    (warning,) = (text for text in outcome.warnings if "on its own" in text)
    assert "k-anonymity does not hold for the records as a whole" in warning
    assert f"is 1 for records, and {attribute_k} for each attribute" in warning
    assert warning in outcome.summary()["warnings"]
    assert outcome.summary()["k_verified"] is False


def test_k_holds_where_the_attributes_happen_to_agree() -> None:
    age = np.repeat([20, 30, 40], 4)
    frame = pd.DataFrame({"age": age, "income": age * 100})
    table = read_table(frame).assign(
        roles=dict.fromkeys(("age", "income"), "quasi-identifier")
    )
    outcome = protect(table)
    assert outcome.k_verified
    assert outcome.k_released == 4
    assert any("is not promised" in warning for warning in outcome.warnings)


def test_groups_are_the_records_that_share_all_released_values() -> None:
    outcome = protect(make_table())
    release = outcome.release.frame
    by_values = release.groupby(NAMES, sort=False).ngroup().to_numpy()
    np.testing.assert_array_equal(outcome.partition.labels, by_values)
    assert outcome.groups(60) == by_values.tolist()
    sizes = outcome.summary()["group_size"]
    assert sizes["min"] == 1
    assert sizes["max"] == sizes_of(release, NAMES).max()


def test_fixed_runs_are_k_sorted_values_and_the_last_takes_the_rest() -> None:
    X = np.array([[5.0], [1.0], [4.0], [2.0], [2.0], [9.0], [8.0], [7.0]])
    labels = IndividualRanking(3).fit(X).labels_
    np.testing.assert_array_equal(labels, [0, 1, 0, 1, 1, 0, 0, 0])


def test_each_attribute_has_groups_of_its_own() -> None:
    X = np.random.default_rng(1).standard_normal((50, 3))
    attribute_labels = IndividualRanking(4).partition(Points.from_array(X)).attributes
    assert attribute_labels is not None
    assert attribute_labels.shape == (3, 50)
    for column, groups in zip(X.T, attribute_labels, strict=True):
        ordered = groups[np.argsort(column)]
        assert (np.diff(ordered) >= 0).all()
        assert np.bincount(groups).tolist() == [4] * 11 + [6]


def test_optimal_runs_lose_the_least_that_each_attribute_can() -> None:
    for seed in range(4):
        X = np.random.default_rng(seed).standard_normal((9, 2))
        method = IndividualRanking(2, runs="optimal")
        attribute_labels = method.partition(Points.from_array(X)).attributes
        assert attribute_labels is not None
        for column, groups in zip(X.T, attribute_labels, strict=True):
            members = [column[groups == g] for g in range(groups.max() + 1)]
            sse = sum(((each - each.mean()) ** 2).sum() for each in members)
            assert sse == pytest.approx(least_sse(column[:, None], 2))


def test_the_bound_is_that_of_attributes_grouped_on_their_own() -> None:
    table = make_table(200)
    fixed, optimal = (
        protect(table, parameters={"runs": runs}) for runs in ("fixed", "optimal")
    )
    assert optimal.gap == pytest.approx(0.0, abs=1e-6)
    assert fixed.bound.per_cent == pytest.approx(optimal.bound.per_cent, rel=1e-12)
    assert optimal.bound.per_cent < fixed.information_loss


def test_a_comparison_keeps_both_kinds_of_bounds_apart() -> None:
    table = make_table(200)
    plans = grid(Plan(), ["individual-ranking", "mdav"], [4])
    ranking, mdav = compare(plans, table)
    other_mdav, first = compare(plans[::-1], table)
    assert isinstance(ranking, Outcome)
    assert isinstance(mdav, Outcome)
    assert ranking.bound != mdav.bound
    assert (ranking.bound, mdav.bound) == (first.bound, other_mdav.bound)
    assert ranking.bound.per_cent <= ranking.information_loss


def test_strata_keep_every_value_shared_inside_each() -> None:
    outcome = protect(make_table(), strata="region")
    for _, part in outcome.release.frame.groupby("region"):
        for name in NAMES:
            assert sizes_of(part, [name]).min() >= 4


@pytest.mark.parametrize("aggregation", ["mean", "median", "mode"])
def test_column_by_column_aggregation_is_that_of_the_column_alone(
    aggregation: str,
) -> None:
    table = make_table()
    joint_frame = protect(table, aggregation=aggregation).release.frame
    for name in NAMES:
        single_outcome = protect(
            table, aggregation=aggregation, quasi_identifiers=(name,)
        )
        pd.testing.assert_series_equal(
            joint_frame[name], single_outcome.release.frame[name]
        )


def test_one_attribute_alone_keeps_k() -> None:
    outcome = protect(make_table(), quasi_identifiers=("income",))
    assert outcome.k_verified
    assert outcome.k_released >= 4
