"""Equal counts: k people have each combination of values equally often."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment

from engine import InfeasibleError, ParameterError, Plan, partition, read_table, run
from engine.analysis.verdict.judge_release import judge_release
from engine.bounds import equal_counts, persons_bound
from engine.bounds.equal_counts import (
    VALUES_PER_PAIRING,
    equal_counts_sse_lower_bound,
)
from engine.certificate import certify as checker
from engine.certificate.write import build_certificate
from engine.cli.parsing.parser import main
from engine.core.context import RunContext
from engine.core.typing import Values
from engine.data.persons import k_of_persons, renumber_persons
from engine.methods.base import make_method, methods
from engine.persons import group_for_k_persons, select_records_of_equal_counts
from engine.persons.equal_counts import _equal_counts
from engine.pipeline.compare import PlanRunner
from engine.points.base import Points
from engine.release.people import k_of_people
from tests.reference.persons import fewest_people, least_loss

ROLES = {"id": "identifier", "s": "confidential"} | dict.fromkeys(
    "ab", "quasi-identifier"
)


def panel(seed: int, most: int = 6) -> pd.DataFrame:
    """Return records of people with different numbers of them, with many ties."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(9, 40))
    people = np.repeat(np.arange(count), rng.integers(1, most, count))
    people = people[rng.permutation(people.size)]
    return pd.DataFrame(
        {
            "id": [f"p{person}" for person in people],
            "a": rng.integers(0, 5, people.size) + people % 3,
            "b": rng.integers(0, 4, count)[people],
            "s": rng.integers(0, 3, people.size).astype(str),
        }
    )


@pytest.mark.parametrize("seed", range(12))
def test_no_fewer_records_could_be_left_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts, k = rng.integers(1, 4, (int(rng.integers(3, 7)), 1)), 2 + seed % 2
    new_counts = _equal_counts(counts, k)
    assert (new_counts <= counts).all()
    positive_counts = [count for count in new_counts[:, 0].tolist() if count]
    assert positive_counts
    assert min(Counter(positive_counts).values()) >= k
    totals = [
        sum(choice)
        for choice in itertools.product(*(range(int(c) + 1) for c in counts[:, 0]))
        if any(choice)
        and min(Counter(filter(None, choice)).values()) >= min(k, len(counts))
    ]
    assert sum(positive_counts) == max(totals)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("stratified", [False, True])
def test_people_of_a_class_have_as_many_records_in_each_group(
    seed: int, stratified: bool
) -> None:
    frame = panel(seed)
    persons = pd.factorize(frame["id"])[0].astype(np.int64)
    strata = None
    if stratified:  # everybody has records in both
        frame = pd.concat([frame, frame], ignore_index=True)
        strata = np.repeat([0, 1], persons.size).astype(np.int64)
        persons = np.tile(persons, 2)
    points = Points.from_array(frame[["a", "b"]].to_numpy(float))
    kept_rows = select_records_of_equal_counts(points, persons, 3, strata)
    kept_persons = renumber_persons(persons[kept_rows])
    groups = group_for_k_persons(
        points.subset(kept_rows),
        kept_persons,
        make_method("mdav", 3, {}, 0),
        "counts",
        strata=None if strata is None else strata[kept_rows],
    )
    labels = groups.partition.labels
    assert (
        fewest_people(labels, kept_persons)
        == k_of_persons(labels, kept_persons, "counts")
        >= 3
    )
    if strata is not None:
        homes = pd.Series(strata[kept_rows]).groupby(labels).nunique()
        assert (homes == 1).all()


def test_the_bound_holds_for_the_best_classes_of_equal_counts() -> None:
    tight = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        k, lengths = ((2, [2, 2, 2]), (2, [3, 3]), (3, [2, 2, 2]), (2, [1, 1, 3, 3]))[
            seed % 4
        ]
        persons = rng.permutation(np.repeat(np.arange(len(lengths)), lengths))
        if seed % 3 == 0:
            persons = np.append(persons[:7], -1)
            lengths = np.bincount(persons[persons >= 0]).tolist()
            if min(Counter(lengths).values()) < k:
                continue
        X = rng.integers(0, 4, (persons.size, 2)).astype(float)
        bound = persons_bound(X, persons, k, np.zeros(2, dtype=np.bool_), counts=True)
        least_sse = least_loss(X, persons, k, "counts")
        assert bound.sse <= least_sse * (1.0 + 1e-12)
        tight += bound.sse >= least_sse * (1.0 - 1e-9)
    assert tight >= 10


def test_the_bound_of_equal_counts_looks_between_pairings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paired, looked = list[None](), list[int]()

    def pair(costs: Values) -> object:
        paired.append(None)
        return linear_sum_assignment(costs)

    monkeypatch.setattr("scipy.optimize.linear_sum_assignment", pair)
    ctx = RunContext(lambda *_: looked.append(len(paired)))
    X = np.random.default_rng(0).normal(size=(120, 3))
    for at_once in (1, 5):
        each = VALUES_PER_PAIRING + 3 * 3 * (3 + 3)
        monkeypatch.setattr("engine.core.context.VALUES_PER_LOOK", at_once * each)
        paired.clear()
        looked.clear()
        equal_counts_sse_lower_bound(X, np.repeat(np.arange(40), 3), 4, ctx)
        assert len(paired) > 40 * 3
        assert max(np.diff([*looked, len(paired)])) <= at_once
    looked.clear()


def test_the_bound_of_equal_counts_pairs_records_as_well_as_can_be(monkeypatch) -> None:
    rng = np.random.default_rng(5)
    persons = np.repeat(np.arange(30), np.repeat([4, 6], 15))
    person_means = rng.normal(size=(30, 3))
    X = person_means[persons] + rng.normal(size=(persons.size, 3))
    costs = np.full((30, 30), np.inf)
    for a, b in itertools.permutations(range(30), 2):
        history, other = X[persons == a], X[persons == b]
        if len(history) == len(other):
            table = np.square(history[:, np.newaxis] - other).sum(axis=2)
            costs[a, b] = table[linear_sum_assignment(table)].sum()
    expected = np.sort(costs, axis=1)[:, :3].sum() / (2 * 4)
    bound = equal_counts_sse_lower_bound(X, persons, 4)
    assert bound == pytest.approx(expected)
    assert bound > 1.5 * persons_bound(X, persons, 4, np.zeros(3, dtype=np.bool_)).sse
    of_nobody = np.append(persons, np.full(60, -1))
    more = np.concatenate([X, rng.normal(size=(60, 3))])
    assert equal_counts_sse_lower_bound(more, of_nobody, 4) == pytest.approx(expected)
    assert equal_counts_sse_lower_bound(X, persons, 16) == 0.0
    monkeypatch.setattr(equal_counts, "MAX_PAIRED_PER_PERSON", 1)
    assert 0.3 * expected < equal_counts_sse_lower_bound(X, persons, 4) < expected


def test_nobody_loses_records_where_all_have_as_many() -> None:
    persons = np.repeat(np.arange(8), 3)
    points = Points.from_array(np.random.default_rng(0).normal(size=(24, 2)))
    kept_rows = select_records_of_equal_counts(points, persons, 3)
    assert kept_rows.tolist() == list(range(24))


@pytest.mark.parametrize(
    "method",
    [
        info.id
        for info in methods.infos()
        if info.traits.guarantees_k
        and not (info.traits.probabilistic or info.traits.univariate)
        and not info.traits.per_attribute
        and not info.traits.time_budget
    ],
)
def test_every_method_keeps_counts(method: str) -> None:
    frame = panel(3)
    labels = partition(
        frame[["a", "b"]].to_numpy(float),
        3,
        method,
        persons=frame["id"],
        intruder_knows="all",
        counts=True,
    )
    kept_mask = labels >= 0
    assert 0 < kept_mask.sum() < kept_mask.size
    assert fewest_people(labels[kept_mask], frame["id"][kept_mask]) >= 3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"suppress": 3.0},
        {"p_sensitive": 2},
        {"strata": "s"},
        {"rounding": "precision"},
    ],
    ids=str,
)
def test_released_values_occur_equally_often(seed: int, choices: dict) -> None:
    frame = panel(seed)
    if "strata" in choices:  # everybody has records in both
        frame = pd.concat([frame.assign(s="x"), frame.assign(s="y")])
        frame = frame.reset_index(drop=True)
    table = read_table(frame, roles=ROLES)
    plan = Plan(
        k=3, method="mdav", person="id", intruder_knows="all", counts=True, **choices
    )
    outcome = run(plan, table)
    people = frame["id"].iloc[outcome.release.rows]
    values = outcome.release.frame[["a", "b"]].apply(tuple, axis=1)
    assert fewest_people(values, people) >= 3
    assert outcome.k_verified
    surplus = outcome.surplus
    gone = [one is None for one in outcome.groups(len(frame))]
    assert surplus.records == sum(gone) - outcome.suppressed
    if not outcome.suppressed:
        assert surplus.persons == frame["id"][gone].nunique()
        assert surplus.whole_persons == frame["id"].nunique() - people.nunique()
    assert outcome.bound.per_cent <= outcome.information_loss + 1e-9
    repeat_warnings = [one for one in outcome.warnings if "equally often" in one]
    assert len(repeat_warnings) == (surplus.records > 0)
    left_out_line = judge_release(outcome, table).line("left-out")
    assert ("equally often" in left_out_line.says) == (surplus.records > 0)
    summary = outcome.summary()
    assert summary["surplus"]["records"] == surplus.records


@pytest.mark.parametrize(
    "choices",
    [
        {"person": "id"},
        {"person": "none", "intruder_knows": "all"},
        {"intruder_knows": "all", "identifiers": ()},
    ],
    ids=str,
)
def test_counts_need_people_of_whom_all_is_known(choices: dict) -> None:
    table = read_table(panel(0), roles={**ROLES, "id": "other"})
    with pytest.raises(ParameterError, match=r"--counts.*--intruder-knows all"):
        run(Plan(k=3, method="mdav", counts=True, **choices), table)
    with pytest.raises(ParameterError, match="--counts"):
        partition(np.ones((9, 1)), 3, counts=True)


def test_a_file_is_checked_for_counts(tmp_path, capsys) -> None:
    ids = np.repeat(np.arange(6), 2)
    frame = pd.DataFrame({"id": ids, "a": np.tile([1, 2], 6)})
    more = pd.concat([frame, frame.iloc[:1]])  # one has a value twice
    knows = ["--person", "id", "--intruder-knows", "all", "--k", "3"]
    for name, table, code in (("same", frame, 0), ("more", more, 1)):
        path = tmp_path / f"{name}.csv"
        table.to_csv(path, index=False)
        assert k_of_people(table, ["a"], table[["id"]], "all") == 6
        assert k_of_people(table, ["a"], table[["id"]], "counts") == (1 if code else 6)
        line = ["check", str(path), "--quasi-identifiers", "a", *knows]
        assert main(line) == 0
        assert main([*line, "--counts"]) == code
    assert "how often each combination repeats" in capsys.readouterr().out


def test_a_certificate_is_of_counts(tmp_path) -> None:
    path = tmp_path / "panel.csv"
    panel(1).to_csv(path, index=False)
    table = read_table(path, roles=ROLES)
    plan = Plan(k=3, method="mdav", person="id", intruder_knows="all", counts=True)
    outcome = run(plan, table)
    assert outcome.surplus.records > 0
    text = build_certificate(outcome, table, seconds=0.0).text
    lines = checker.examine(text, path.read_bytes())[0]
    assert any("equally many in each" in line for line in lines)
    content = checker.parse_certificate(text)
    labels, who = content["labels"], content["persons"]["of"]
    gone = [i for i, label in enumerate(labels) if label == -1]
    other = next(
        (i, label)
        for i in gone
        for label, person in zip(labels, who, strict=True)
        if person == who[i] and label >= 0
    )
    labels[other[0]] = other[1]  # a record left out joins a group of its person
    with pytest.raises(checker.Refused, match="other groups"):
        checker.check_proofs(content)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("choices", [{"p_sensitive": 3}, {"t_close": 0.4}], ids=str)
def test_one_record_known_costs_no_more_after_merges(seed: int, choices: dict) -> None:
    table = read_table(panel(seed, 4), roles=ROLES)
    one_known, all_known = (
        run(
            Plan(k=3, method="mdav", person="id", intruder_knows=knows, **choices),
            table,
        ).information_loss
        for knows in ("one", "all")
    )
    assert one_known <= all_known * (1.0 + 1e-9) + 1e-9


def test_a_limit_of_records_counts_what_is_grouped() -> None:
    people = np.repeat(np.arange(60), 10)
    frame = pd.DataFrame({"id": people, "a": people % 7, "b": np.arange(600) % 5})
    table = read_table(frame, roles={n: r for n, r in ROLES.items() if n in frame})
    plan = Plan(
        k=5,
        method="genetic",
        person="id",
        intruder_knows="all",
    )
    PlanRunner(table).check_plan(plan)
    with pytest.raises(InfeasibleError, match="there are 600"):
        PlanRunner(table).check_plan(plan.replace(intruder_knows="one"))
    assert run(plan, table).k_released >= 5


def test_the_knowledge_of_counts_has_one_door() -> None:
    X, persons = np.zeros((8, 1)), np.repeat(np.arange(4), 2)
    with pytest.raises(ParameterError, match="must know 'one'"):
        partition(X, 2, persons=persons, intruder_knows="counts")
