"""p-sensitive and t-close groups: the promise, the order of merges, refusals."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import read_table
from engine.core.context import RunContext
from engine.core.errors import Cancelled, InfeasibleError, ParameterError
from engine.core.partition import Partition
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.measures.privacy.t_closeness import TableDistribution
from engine.pipeline.evaluate import evaluate
from engine.pipeline.grouping.merge import (
    ConfidentialAttribute,
    Requirements,
    merge_until_requirements_met,
)
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.points.base import Points
from tests.reference import risks
from tests.reference.merging import merged


def patients(n: int = 90, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    age = rng.normal(50, 15, n)
    frame = pd.DataFrame(
        {
            "age": age,
            "weight": rng.normal(70, 10, n),
            "ward": rng.choice(["north", "south"], n),
            "illness": np.where(age + rng.normal(0, 8, n) > 60, "heart", "flu"),
            "cost": np.round(np.exp(rng.normal(7, 1, n))),
        }
    )
    quasi, secret = Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL
    columns = (
        Column("age", Kind.CONTINUOUS, quasi),
        Column("weight", Kind.CONTINUOUS, quasi),
        Column("ward", Kind.NOMINAL, Role.OTHER),
        Column("illness", Kind.NOMINAL, secret),
        Column("cost", Kind.CONTINUOUS, secret),
    )
    return Table.from_frame(frame, Schema(columns))


records = st.lists(
    st.tuples(
        st.integers(0, 9), st.integers(0, 9), st.integers(0, 2), st.integers(0, 3)
    ),
    min_size=4,
    max_size=18,
)


@given(records, st.integers(1, 3), st.sampled_from([0.0, 0.2, 0.35]), st.booleans())
def test_merges_are_those_of_the_naive_twin(
    rows: list[tuple[int, int, int, int]], p: int, t: float, two_strata: bool
) -> None:
    data = np.array(rows, dtype=float)
    rng = np.random.default_rng(len(rows))
    # Costs without ties: what rounding does to them is no matter here.
    X = data[:, :2] + rng.random((len(rows), 2)) / 7
    weights = rng.random(len(rows)) + 0.5
    points = Points.from_array(X)
    object.__setattr__(points, "weights", weights)
    labels = np.arange(len(rows)) // 2
    half = len(rows) // 4 * 2 if two_strata else 0
    strata = [part for part in np.split(np.arange(len(rows)), [half]) if part.size]
    secrets = []
    for column, ordered in ((2, False), (3, True)):
        codes = pd.factorize(data[:, column], sort=True)[0].astype(np.int64)
        secrets.append(
            ConfidentialAttribute(
                f"s{column}", codes, TableDistribution.from_codes(codes, ordered)
            )
        )
    requirements = Requirements(p, t, tuple(secrets))
    before = Partition(labels, 1)
    try:
        merged_partition = merge_until_requirements_met(
            requirements, points, before, strata
        )
    except InfeasibleError:
        assert any(requirements.shortfall(part) > (0, 0.0) for part in strata)
        return
    for group in range(merged_partition.n_groups):
        assert requirements.shortfall(merged_partition.members(group)) == (0, 0.0)
    where = np.repeat(np.arange(len(strata)), [part.size for part in strata])
    expected = merged(
        X,
        weights,
        labels.tolist(),
        where.tolist(),
        [(each.codes.tolist(), each.reference.ordered) for each in secrets],
        p,
        t,
        list(range(len(rows))),
    )
    assert merged_partition.labels.tolist() == expected


def test_merges_for_values_of_different_persons_are_those_of_the_naive_twin() -> None:
    n_feasible = 0
    for seed in range(45):
        rng = np.random.default_rng(seed)
        n = 2 * int(rng.integers(3, 8))
        X, persons = rng.random((n, 2)), rng.integers(-1, 9, n // 2).repeat(2)
        values = pd.factorize(rng.integers(0, 3, n))[0]
        table = TableDistribution.from_codes(values, False)
        secret = ConfidentialAttribute("s", values, table)
        requirements = Requirements(2, 0.0, (secret,), persons=persons)
        before = Partition(np.arange(n) // 2, 1)
        try:
            merged_partition = merge_until_requirements_met(
                requirements, Points.from_array(X), before, [np.arange(n)]
            )
        except InfeasibleError:
            continue
        labels, secrets = before.labels.tolist(), [(values.tolist(), False)]
        arguments = np.ones(n), labels, [0] * n, secrets, 2, 0.0, persons.tolist()
        assert merged_partition.labels.tolist() == merged(X, *arguments)
        n_feasible += 1
    assert n_feasible > 30


@pytest.mark.parametrize("knows", ["one", "all"])
def test_the_loss_told_of_merging_is_that_of_what_is_released(knows: str) -> None:
    """Also where attributes constant for everybody take the value of a class."""
    quasi, wishes = ("age", "weight"), {"p_sensitive": 3, "t_close": 0.4}
    for seed in range(2):
        rng = np.random.default_rng(seed)
        persons = rng.permutation(np.repeat(np.arange(24), 3))
        frame = pd.DataFrame({"id": persons, "age": rng.integers(0, 20, 24)[persons]})
        frame["weight"] = rng.integers(0, 9, 72)
        frame["illness"] = rng.integers(0, 3, 72)
        roles = dict.fromkeys(quasi, "quasi-identifier") | {"illness": "confidential"}
        table = read_table(frame, roles=roles | {"id": "identifier"})
        plan = Plan(k=3, person="id", intruder_knows=knows, rounding="none")
        plan = plan.replace(method="mdav", confidential=("illness",))
        plain = run(plan, table).information_loss
        merged = run(plan.replace(**wishes), table)
        text = " ".join(map(str, merged.warnings))
        match = re.search(r"rose from ([\d.]+) % to ([\d.]+) %", text)
        assert match is not None
        assert match.groups() == (f"{plain:.2f}", f"{merged.information_loss:.2f}")
        single_outcomes = [
            run(plan.replace(**{name: wishes[name]}), table) for name in wishes
        ]
        assert re.findall(r"cost ([\d.]+) percentage", text) == [
            f"{each.information_loss - plain:.2f}" for each in single_outcomes
        ]


@pytest.mark.parametrize("method", ["mdav", "vmdav", "mdav-generic"])
def test_a_release_has_the_p_and_t_that_were_asked_for(method: str) -> None:
    table = patients()
    plain = run(Plan(method=method, k=4), table)
    figures = evaluate(plain, table, ["p-sensitive", "t-closeness"])
    assert figures["p-sensitive"].per_column["illness"] == 1
    plan = Plan(method=method, k=4, p_sensitive=2, t_close=0.3)
    outcome = run(plan, table)
    scores = evaluate(outcome, table, ["p-sensitive", "t-closeness", "k-anonymity"])
    assert scores["p-sensitive"].value >= 2
    assert scores["t-closeness"].value <= 0.3 + 1e-9
    assert scores["k-anonymity"].value >= 4
    assert outcome.information_loss > plain.information_loss
    assert outcome.information_loss >= outcome.bound.per_cent
    merges = [text for text in outcome.warnings if "were merged" in text]
    assert len(merges) == 1
    assert "p = 2 and t = 0.3" in merges[0]
    assert f"rose from {plain.information_loss:.2f} %" in merges[0]
    assert f"to {outcome.information_loss:.2f} %" in merges[0]


def test_groups_that_are_as_wanted_stay_as_they_are() -> None:
    table = patients()
    plain = run(Plan(k=30), table)
    outcome = run(Plan(k=30, t_close=0.9), table)
    np.testing.assert_array_equal(outcome.partition.labels, plain.partition.labels)
    assert any("none was merged" in text for text in outcome.warnings)
    np.testing.assert_array_equal(
        run(Plan(k=3, p_sensitive=1), table).partition.labels,
        run(Plan(k=3), table).partition.labels,
    )


def test_groups_are_merged_within_strata() -> None:
    table = patients()
    outcome = run(Plan(k=3, strata="ward", p_sensitive=2), table)
    wards = outcome.release.frame["ward"].to_numpy()
    for group in range(outcome.partition.n_groups):
        assert len(set(wards[outcome.partition.members(group)])) == 1
    score = evaluate(outcome, table, ["p-sensitive"])["p-sensitive"]
    assert score.value >= 2


def test_seeds_of_merged_groups_are_those_of_the_first() -> None:
    codes = np.array([0, 0, 1, 1, 0, 1])
    requirements = Requirements(
        2,
        0.0,
        (
            ConfidentialAttribute(
                "s", codes, TableDistribution.from_codes(codes, False)
            ),
        ),
    )
    points = Points.from_array(np.array([[0.0], [1.0], [2.0], [3.0], [9.0], [9.0]]))
    before = Partition(np.array([0, 0, 1, 1, 2, 2]), 2, seeds=np.array([1, 3, 5]))
    merged_partition = merge_until_requirements_met(
        requirements, points, before, [np.arange(6)]
    )
    assert merged_partition.labels.tolist() == [0, 0, 0, 0, 1, 1]
    assert merged_partition.seeds is not None
    assert merged_partition.seeds.tolist() == [1, 5]


def test_what_cannot_be_is_refused_in_one_sentence() -> None:
    table = patients()
    with pytest.raises(
        InfeasibleError, match="'illness' has 2 different values in all"
    ):
        run(Plan(k=3, p_sensitive=3), table)
    frame = table.frame.assign(
        illness=np.where(table.frame["ward"] == "north", "flu", "heart")
    )
    split = Table.from_frame(frame, table.schema)
    with pytest.raises(InfeasibleError, match="in a stratum of"):
        run(Plan(k=3, strata="ward", p_sensitive=2), split)
    with pytest.raises(InfeasibleError, match=r"more than t = 0\.1"):
        run(Plan(k=3, strata="ward", t_close=0.1), split)
    with pytest.raises(ParameterError, match="need a confidential column"):
        run(Plan(k=3, p_sensitive=2, confidential=()), table)
    for choices in (
        {"method": "individual-ranking"},
        {"blocks": (("age",), ("weight",))},
    ):
        with pytest.raises(ParameterError, match="whole records are merged"):
            Plan(k=3, p_sensitive=2, **choices)
    for wrong in ({"p_sensitive": -1}, {"t_close": 1.5}):
        with pytest.raises(ParameterError):
            Plan(**wrong)


def test_a_cancel_between_merges_leaves_nothing() -> None:
    stages = list[str]()

    def stop() -> bool:
        return "Merging groups" in stages

    ctx = RunContext(lambda share, stage: stages.append(stage), stop)
    with pytest.raises(Cancelled):
        run(Plan(k=3, p_sensitive=2), patients(), ctx)


@pytest.mark.parametrize(
    ("choices", "measure", "holds"),
    [
        ({"entropy_l": 1.8}, "entropy-l-diversity", lambda l: l >= 1.8 - 1e-9),
        ({"recursive_c": 3.0}, "recursive-l-diversity", lambda c: c < 3.0),
    ],
)
def test_groups_are_l_diverse_where_that_is_wanted(choices, measure, holds) -> None:
    table = patients()
    before = run(Plan(k=3), table)
    after = run(Plan(k=3, **choices), table)
    scores = [evaluate(one, table, [measure])[measure] for one in (before, after)]
    assert not all(map(holds, scores[0].per_column.values()))
    assert all(map(holds, scores[1].per_column.values()))
    assert after.partition.n_groups < before.partition.n_groups
    (merge_warning,) = [one for one in after.warnings if one.topic == "merged"]
    assert "l = 1.8" in merge_warning or "c = 3" in merge_warning


def test_each_wish_has_its_price_where_there_are_several() -> None:
    table = patients()
    wishes = {"p_sensitive": 2, "entropy_l": 1.7, "recursive_c": 3.0, "t_close": 0.4}
    both = run(Plan(k=3, **wishes), table)
    merge_warnings = [warning for warning in both.warnings if warning.topic == "merged"]
    assert len(merge_warnings) == 5
    for name, warning in zip(
        ("p_sensitive", "t_close", "entropy_l", "recursive_c"),
        merge_warnings[1:],
        strict=True,
    ):
        single_outcome = run(Plan(k=3, **{name: wishes[name]}), table)
        message_values = next(
            warning for warning in single_outcome.warnings if warning.topic == "merged"
        ).values
        cost = (
            message_values["high"] - message_values["low"]
            if "high" in message_values
            else 0.0
        )
        assert warning.values["cost"] == pytest.approx(cost)


def test_values_that_cannot_be_l_diverse_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="not l-diverse enough"):
        run(Plan(k=3, entropy_l=2.5), patients())
    with pytest.raises(ParameterError, match="l-diverse"):
        Plan(k=3, entropy_l=2.0, blocks=(("age",),))


def recursive_naive(table, outcome, l: int) -> float:
    """The definition, class by class with pandas."""
    frame = outcome.release.frame
    names = list(outcome.plan.quasi_identifiers)
    worst = 0.0
    for name in outcome.plan.confidential:
        for _, members in frame.groupby(names):
            counts = members[name].value_counts().tolist()
            rest = sum(counts[l - 1 :])
            worst = max(worst, counts[0] / rest if rest else np.inf)
    return worst


@pytest.mark.parametrize("l", [2, 3])
def test_the_l_of_recursive_diversity_is_chosen(l: int) -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {"age": rng.normal(size=120), "ill": rng.choice(list("aaabbcd"), 120)}
    )
    table = read_table(frame, roles={"ill": "confidential", "age": "quasi-identifier"})
    plan = Plan(k=3, recursive_c=2.0, recursive_l=l)
    outcome = run(plan, table)
    name = "recursive-l-diversity"
    largest_ratio = evaluate(outcome, table, [name])[name].value
    assert largest_ratio == pytest.approx(recursive_naive(table, outcome, l))
    assert largest_ratio < 2.0
    (merge_warning,) = [
        warning for warning in outcome.warnings if warning.topic == "merged"
    ]
    assert f"l = {l}" in merge_warning


def people(**choices: object) -> tuple[Plan, Table]:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "age": rng.normal(size=200),
            "income": rng.normal(size=200),
            "part": rng.choice(["a", "b"], 200),
            "weight": rng.uniform(1, 30, 200),
        }
    )
    roles = {"age": "quasi-identifier", "income": "quasi-identifier", "part": "other"}
    roles["weight"] = "weight" if choices.pop("weighted", False) else "other"
    return Plan(k=3, **choices), read_table(frame, roles=roles)


@pytest.mark.parametrize(
    "choices",
    [
        {"sampling_fraction": 0.1},
        {"weighted": True},
        {"weighted": True, "strata": "part"},
    ],
)
def test_every_group_stands_for_as_many_people_as_wanted(choices) -> None:
    plan, table = people(**choices, k_map=70)
    before, after = run(plan.replace(k_map=0), table), run(plan, table)
    names = list(after.plan.quasi_identifiers)
    each = np.full(200, 10.0)
    if choices.get("weighted"):
        each = table.frame["weight"].to_numpy()

    def smallest(outcome) -> float:
        groups = outcome.release.frame.assign(people=each).groupby(names)
        return float(groups["people"].sum().min())

    assert smallest(before) < 70 <= smallest(after) + 1e-9
    assert after.k_verified
    if "strata" in choices:
        labels, part = after.partition.labels, table.frame["part"]
        assert (part.groupby(labels).nunique() == 1).all()
    (merge_warning,) = [
        warning for warning in after.warnings if warning.topic == "merged"
    ]
    assert merge_warning.values["high"] > merge_warning.values["low"]
    assert "k-map = 70 people" in merge_warning
    risk = evaluate(after, table, ["journalist-risk"])["journalist-risk"]
    groups = after.release.frame.assign(people=each).groupby(names)["people"]
    chances = risks.shares(
        groups.ngroup().tolist(), np.broadcast_to(each, 200).tolist()
    )
    assert risk.value == pytest.approx(100.0 * max(chances), rel=1e-5)


def test_population_uniques_are_those_of_the_sample_by_their_chance() -> None:
    plan, table = people(sampling_fraction=0.1)
    outcome = run(plan, table)
    scores = evaluate(outcome, table, ["population-uniqueness"])
    score = scores["population-uniqueness"]
    # Numbers of which no two are alike in the table are so in the population too.
    assert (score.value, score.baseline) == (0.0, pytest.approx(100.0, abs=0.1))
    plan, table = people(weighted=True, method="individual-ranking")
    outcome = run(plan, table)
    score = evaluate(outcome, table, ["population-uniqueness"])["population-uniqueness"]
    names = list(outcome.plan.quasi_identifiers)
    unique_mask = ~outcome.release.frame.duplicated(names, keep=False)
    by_weights = 100.0 * (unique_mask / table.frame["weight"]).sum() / 200
    assert by_weights < score.value <= 100.0 * unique_mask.mean()


def test_a_population_is_told_once_and_has_enough_people() -> None:
    plan, table = people(k_map=20)
    with pytest.raises(ParameterError, match="nothing says how many a record stands"):
        run(plan, table)
    plan, table = people(k_map=20, weighted=True, sampling_fraction=0.5)
    with pytest.raises(ParameterError, match="both say how many"):
        run(plan, table)
    plan, table = people(k_map=500, sampling_fraction=0.5)
    with pytest.raises(InfeasibleError, match="400 people for all 200 records"):
        run(plan, table)
    with pytest.raises(ParameterError, match="individual-ranking, because groups"):
        Plan(k=3, k_map=20, method="individual-ranking")
