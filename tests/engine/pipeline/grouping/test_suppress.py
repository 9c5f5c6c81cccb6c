"""A budget for outliers: who is left out, what it saves, and its lower bound."""

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from engine import Plan, read_table, run
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.numerics.statistics import within_group_sse
from engine.core.typing import Integers, Values
from engine.pipeline.grouping.suppress import budget_as_count, suppress_outliers
from engine.pipeline.grouping.suppressible_records import RemainingStratumCounts
from engine.points.base import Points
from tests import casc
from tests.reference.brute_force import labellings
from tests.reference.persons import least_loss

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
    suppression = suppress_outliers(points, [((0, 1), [np.arange(8)])], k, count)
    best = np.inf
    for n_left_out in range(count + 1):
        for kept_rows in itertools.combinations(range(8), 8 - n_left_out):
            some = X[list(kept_rows)]
            for labels in labellings(len(kept_rows), k):
                best = min(best, within_group_sse(some, labels))
    assert 0.0 <= suppression.sse <= best + 1e-9
    assert suppression.count == count
    assert 0 not in suppression.kept


def test_eight_records_of_tarragona_cost_half_of_what_the_others_lose() -> None:
    original = read_table(casc.path("tarragona"))
    names = tuple(map(str, original.frame.columns))
    outcome = run(Plan(k=3, quasi_identifiers=names, suppress=8), original)
    Z = casc.zscored("tarragona")
    coordinates = Z[outcome.release.rows]
    assert len(coordinates) == 826
    sse = within_group_sse(coordinates, outcome.partition.labels)
    assert 100 * sse / np.square(Z).sum() < 8.7
    assert 0 < outcome.bound.sse <= sse
    assert outcome.k_verified


def test_outliers_are_left_out_and_nobody_says_which() -> None:
    original = read_table(table())
    outcome = run(plan(suppress=4), original)
    assert outcome.release.rows.tolist() == list(range(4, 60))
    (budget_warning,) = [warning for warning in outcome.warnings if "budget" in warning]
    assert budget_warning.startswith("4 records were left out")
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
    assert budget_as_count(0.01, 834) == 8
    assert budget_as_count(8.0, 834) == 8
    assert 0.29 * 100 < 29 == budget_as_count(0.29, 100)  # whatever rounding does to it
    assert plan(suppress="1%").suppress == 0.01
    assert plan(suppress="8").suppress == 8.0
    for wrong in ("many", "-1", "100%", "nan", "2.5", 2.5):
        with pytest.raises(ParameterError, match="budget for outliers"):
            plan(suppress=wrong)
    with pytest.raises(InfeasibleError, match=r"58 of 60 records, .* fewer than k = 3"):
        run(plan(suppress=58), read_table(table()))


def small_panels() -> Iterator[tuple[Values, Integers]]:
    """Records of four people, one of them far away, with ties and one of nobody."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        persons = np.array([0, 0, 1, 1, 2, 3, 3, -1 if seed % 2 else 2])
        X = rng.integers(0, 4, (8, 2)).astype(float)
        X[persons == 1] += 20.0
        yield X, persons


@pytest.mark.parametrize("knows", ["one", "all"])
@pytest.mark.parametrize("by", ["record", "person"])
def test_no_choice_of_people_and_groups_stays_below_the_bound(
    by: str, knows: str
) -> None:
    for X, persons in small_panels():
        parts = [((0, 1), [np.arange(8)])]
        points = Points.from_array(X)
        suppression = suppress_outliers(points, parts, 2, 1.0, persons, knows, by)
        units = np.arange(8) if by == "record" else persons
        best = np.inf
        for gone in {-2, *units.tolist()} - {-1}:
            kept_rows = np.flatnonzero(units != gone)
            best = min(best, least_loss(X[kept_rows], persons[kept_rows], 2, knows))
        assert 0.0 <= suppression.sse <= best + 1e-9
        suppressed_rows = np.setdiff1d(np.arange(8), suppression.kept)
        assert len(set(units[suppressed_rows].tolist())) == 1
        assert suppression.count == suppressed_rows.size
        whole = int(
            (persons == persons[suppressed_rows[0]]).sum() == suppressed_rows.size
        )
        assert (suppression.persons, suppression.whole_persons) == (1, whole)
        if by == "person":
            assert suppressed_rows.tolist() == np.flatnonzero(persons == 1).tolist()


@pytest.mark.parametrize("knows", ["one", "all"])
@pytest.mark.parametrize("by", ["record", "person"])
def test_what_stays_has_k_people_in_every_stratum(by: str, knows: str) -> None:
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(16), 4)
    frame = pd.DataFrame(rng.normal(size=(64, 2)).round(2), columns=NAMES)
    frame["who"] = person
    frame["stratum"] = np.where(np.arange(64) % 2, "odd", "even")
    frame["stratum"] = frame["stratum"].where(person < 13, "rest")  # has 3 people
    frame.loc[person >= 13, "a"] += 50.0
    frame.loc[person == 4, "b"] -= 30.0
    choices = {"person": "who", "intruder_knows": knows, "strata": "stratum"}
    person_plan = plan(suppress=0.2, suppress_by=by, **choices)
    outcome = run(person_plan, read_table(frame))
    gone = np.setdiff1d(np.arange(64), outcome.release.rows)
    assert set(person[outcome.release.rows]) >= {13, 14, 15}
    assert 4 in person[gone]
    counts = outcome.summary()["suppressed"]
    assert counts == {
        "records": gone.size,
        "cells": {},
        "persons": len(set(person[gone])),
        "whole_persons": int((np.bincount(person[gone]) == 4).sum()),
    }
    assert gone.size == (12 if by == "record" else 3 * 4)
    assert outcome.k_released >= 3
    text = " ".join(
        warning for warning in outcome.warnings if warning.topic == "suppressed"
    )
    assert f"{counts['persons']} people; {counts['whole_persons']} left" in text


def test_cells_are_left_out_in_groups_of_k_people() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90).round(1)})
    frame["town"] = rng.choice(["x", "y", "z"], 90, p=[0.8, 0.1, 0.1])
    frame["who"] = np.arange(90) // 3
    kinds = {"town": "nominal"}
    choices = {"person": "who", "suppress": 0.1, "suppress_cells": True}
    cell_plan = Plan(k=3, quasi_identifiers=("a", "town"), kinds=kinds, **choices)
    outcome = run(cell_plan, read_table(frame))
    assert outcome.suppressed_cells["town"] > 0
    assert outcome.k_verified
    with pytest.raises(ParameterError, match="--intruder-knows one"):
        run(cell_plan.replace(intruder_knows="all"), read_table(frame))


def test_people_are_left_out_where_somebody_says_who_they_are() -> None:
    frame = table().assign(who=np.arange(60) // 2)
    person_plan = plan(suppress=2.0, suppress_by="person")
    assert run(person_plan, read_table(frame.drop(columns="who"))).suppressed == 2
    with pytest.raises(ParameterError, match="--person"):
        run(person_plan.replace(person="none"), read_table(frame))
    with pytest.raises(ParameterError, match="--suppress-cells"):
        run(person_plan.replace(person="who", suppress_cells=True), read_table(frame))
    with pytest.raises(InfeasibleError, match=r"28 of 30 people, .* fewer than k = 3"):
        run(person_plan.replace(person="who", suppress=28.0), read_table(frame))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_each_part_keeps_its_persons_where_all_is_known(order: tuple[int, int]) -> None:
    # Persons 0 and 1, and 2 and 3, share strata of the first attribute; all share
    # those of the second.
    persons = np.arange(4)
    strata = [
        ([0], [np.array([0, 1]), np.array([2, 3])]),
        ([1], [np.arange(4)]),
    ]
    parts = [strata[number] for number in order]
    remaining = RemainingStratumCounts(parts, 4, 2, persons, "all")
    assert not any(remaining.take([i]) for i in range(4))
    remaining = RemainingStratumCounts([strata[1]], 4, 2, persons, "all")
    assert [remaining.take([i]) for i in range(4)] == [True, True, False, False]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_histories_across_strata_keep_k_persons(order: tuple[int, int]) -> None:
    # Persons 0 and 1 have records in both strata of the first attribute, 2 to 5 in one.
    persons = np.array([0, 0, 1, 1, 2, 3, 4, 5])
    first = [np.array([0, 2, 4, 5]), np.array([1, 3, 6, 7])]
    strata = [([0], first), ([1], [np.arange(8)])]
    parts = [strata[number] for number in order]
    remaining = RemainingStratumCounts(parts, 8, 2, persons, "all")
    # Each stratum would keep two persons, but the history would be of one alone.
    assert not remaining.take([0, 1])
