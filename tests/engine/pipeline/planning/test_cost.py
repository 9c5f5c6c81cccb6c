"""What a run is expected to take."""

import numpy as np
import pandas as pd
import pytest

from engine import Plan, Table
from engine.data.kinds import Kind
from engine.data.schema import Column, Schema
from engine.methods import methods
from engine.methods.search.refined import MAX_REASSIGNED_K
from engine.pipeline.planning import cost
from engine.pipeline.planning.cost import (
    expected_bound_seconds,
    expected_seconds,
    expected_seconds_each,
)

NAMES = ("age", "job")


def people(n: int, jobs: int) -> Table:
    rng = np.random.default_rng(0)
    words = [f"job {number}" for number in rng.integers(0, jobs, n)]
    frame = pd.DataFrame({"age": rng.normal(40, 9, n), "job": words})
    kinds = (Kind.CONTINUOUS, Kind.NOMINAL)
    columns = zip(NAMES, kinds, strict=True)
    return Table.from_frame(frame, Schema(tuple(Column(a, b) for a, b in columns)))


@pytest.fixture(autouse=True)
def reference_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "machine_slowdown", lambda: 1.0)


def plan(method: str, k: int = 5) -> Plan:
    return Plan(method=method, k=k, quasi_identifiers=NAMES)


def test_categories_cost_coordinates_but_not_the_methods_with_their_own_distance() -> (
    None
):
    few, many = people(2000, 3), people(2000, 60)
    for name in ("mdav", "blocked", "mst"):
        cheap, dear = (
            expected_seconds(plan(name), table, with_bound=False)
            for table in (few, many)
        )
        assert cheap < dear < 10 * cheap  # though there are fifteen times as many
    caat_seconds = [
        expected_seconds(plan("caat"), table, with_bound=False) for table in (few, many)
    ]
    assert caat_seconds[0] == caat_seconds[1]


def test_plans_of_one_k_share_a_bound() -> None:
    table = people(3000, 60)
    plans = [plan("mdav"), plan("refined"), plan("mdav", 6)]
    each = expected_seconds_each(plans, table)
    bound = expected_bound_seconds(plans[0], table)
    assert bound > 0.0
    single_seconds = [expected_seconds(candidate, table) for candidate in plans]
    assert each == pytest.approx(
        [single_seconds[0], single_seconds[1] - bound, single_seconds[2]]
    )


def test_a_search_takes_the_seconds_it_was_given() -> None:
    search_plan = plan("iterated").replace(parameters={"seconds": 7.0})
    assert expected_seconds(search_plan, people(100, 3)) == 7.0
    assert methods.info("iterated").traits.time_budget == "seconds"


def test_parts_side_by_side_share_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    table = people(100_000, 3)
    seconds = []
    for threads in (1, 2, 4, 64):
        monkeypatch.setattr(cost, "max_run_threads", lambda count=threads: count)
        seconds.append(expected_seconds(plan("blocked"), table, with_bound=False))
    assert seconds[0] > 1.5 * seconds[1] > 2.0 * seconds[2]
    assert seconds[2] == seconds[3]  # four regions


@pytest.mark.parametrize("name", ["mdav", "vmdav", "blocked", "caat"])
def test_more_records_take_longer(name: str) -> None:
    few, many = (expected_seconds(plan(name), people(n, 9)) for n in (500, 5000))
    assert few < many


@pytest.mark.parametrize("name", ["refined", "blocked", "mdav"])
def test_searches_take_less_where_groups_are_not_dealt_anew(name: str) -> None:
    table = people(3000, 9)
    polish = name == "mdav"
    dealt, not_dealt = (
        expected_seconds(plan(name, k).replace(polish=polish), table, with_bound=False)
        for k in (MAX_REASSIGNED_K, MAX_REASSIGNED_K + 1)
    )
    assert not_dealt < dealt


def test_counting_persons_takes_longer_and_longest_where_all_is_known() -> None:
    table = people(3000, 3)
    records = plan("mdav")
    person_plan = records.replace(person=("id",), intruder_knows="one")
    each = [
        records,
        person_plan,
        person_plan.replace(polish=True),
        person_plan.replace(intruder_knows="all"),
    ]
    seconds = [expected_seconds(this, table, with_bound=False) for this in each]
    assert seconds == sorted(seconds)
    assert seconds[1] > 5 * seconds[0]
