"""Attacks: certain on the table itself, as their control on noise, and known cases."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from engine import Plan, read_table, run
from engine.analysis.attacks import AttackResult, AttackScene, Knowledge, attacks
from engine.analysis.attacks.disclosed_attributes import (
    chance_of_near_agreement_per_class,
)
from engine.analysis.attacks.guessing import guess_columns_from_nearest
from engine.analysis.attacks.membership import _dist_without_self
from engine.analysis.attacks.run import run_attacks, run_attacks_on_outcome
from engine.analysis.attacks.shared_space import (
    embed_records,
    linkage_probability_per_target,
)
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.core.errors import ParameterError
from engine.data.persons import code_persons
from engine.data.table import Table
from tests import casc

N = 400
NAMES = ("age", "income", "region")
EVERY = list(attacks)
ON_CLASSES = ("minimality", "disclosed-attributes")
"""A class of one record, or of one size, says no more than its size does."""


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(5)
    age = rng.normal(45, 12, N)
    frame = pd.DataFrame(
        {
            "age": age,
            "income": 900 + 20 * age + rng.gamma(2, 300, N),
            "region": rng.choice(["north", "south", "west"], N),
            "illness": rng.choice([f"i{i}" for i in range(8)], N),
        }
    )
    return read_table(frame)


def scene(table: Table, frame: pd.DataFrame, **choices: object) -> AttackScene:
    release = ReleaseWithOrigins("release", frame, np.arange(len(frame)))
    return AttackScene(table, release, Knowledge(NAMES), ("illness",), **choices)


def attack(scene: AttackScene, name: str) -> AttackResult:
    (attack_result,) = run_attacks(scene, [name])
    assert attack_result.attack == name
    return attack_result


@pytest.mark.parametrize("name", [x for x in EVERY if x not in ON_CLASSES])
def test_on_the_table_itself_every_attack_succeeds(name: str, table: Table) -> None:
    attack_result = attack(scene(table, table.frame), name)
    assert attack_result.rate == pytest.approx(1.0, abs=0.02)
    assert attack_result.has_succeeded


@pytest.mark.parametrize("control_attempts", [0, 500])
def test_the_best_of_many_columns_seldom_succeeds_by_chance(
    control_attempts: int,
) -> None:
    """Guesses as good as their control: the best of 90 succeeds in 5 % at most."""
    rng, n_columns, n_targets, n_files = np.random.default_rng(1), 90, 500, 300
    alarms = dict.fromkeys((1, n_columns), 0)
    for _ in range(n_files):
        chance = rng.uniform(0.05, 0.5, n_columns)
        rates = rng.binomial(n_targets, chance) / n_targets
        controls = chance
        if control_attempts:
            controls = rng.binomial(control_attempts, chance) / control_attempts
        for count in alarms:
            alarms[count] += any(
                AttackResult(
                    "inference",
                    float(rate),
                    n_targets,
                    float(control),
                    control_attempts=control_attempts,
                    n_columns=count,
                ).has_succeeded
                for rate, control in zip(rates, controls, strict=True)
            )
    assert alarms[n_columns] <= 0.05 * n_files
    assert alarms[1] > 0.05 * n_files  # one column's interval is not enough


def test_what_classes_share_by_chance_is_seldom_an_alarm() -> None:
    """All of a class share a value, or none: each class is one observation."""
    rng, n_files, alarms, alarms_of_people = np.random.default_rng(3), 20, 0, 0
    secrets = tuple(f"s{j}" for j in range(40))
    groups = np.repeat(np.arange(60.0), 5)
    for _ in range(n_files):
        values = rng.choice(["a", "b", "c"], (groups.size, len(secrets)))
        frame = pd.DataFrame(
            {"age": groups, **dict(zip(secrets, values.T, strict=True))}
        )
        original = read_table(frame)
        itself = ReleaseWithOrigins("means", original.frame, np.arange(groups.size))
        shared_scene = AttackScene(original, itself, Knowledge(("age",)), secrets)
        attack_result = attack(shared_scene, "disclosed-attributes")
        assert attack_result.n_independent == 60
        alarms += attack_result.has_succeeded
        alarms_of_people += replace(attack_result, n_independent=0).has_succeeded
    assert alarms <= 1
    assert alarms_of_people > 1  # people of a class are no independent attempts


def test_what_is_guessed_best_of_several_columns_says_of_how_many(table: Table) -> None:
    more = read_table(table.frame.assign(ward=table.frame["illness"] + "w"))
    attack_results = [
        attack(replace(scene(more, more.frame), confidential=secrets), name)
        for secrets in (("illness",), ("illness", "ward"))
        for name in ("attribute-inference", "inference", "disclosed-attributes")
    ]
    assert [attack_result.n_columns for attack_result in attack_results] == [1] * 3 + [
        2
    ] * 3
    single, several = attack_results[0], attack_results[3]
    assert several.rate == single.rate
    assert several.interval[0] < single.interval[0]
    assert AttackResult.from_json(several.to_json()).n_columns == 2


@pytest.mark.parametrize("name", EVERY)
def test_on_noise_no_attack_is_better_than_its_control(name: str, table: Table) -> None:
    rng = np.random.default_rng(1)
    noise = pd.DataFrame(
        {name: rng.permutation(column) for name, column in table.frame.items()}
    )
    attack_result = attack(scene(table, noise), name)
    assert not attack_result.has_succeeded
    if attack_result.attempts:
        low, high = attack_result.interval
        assert low - 0.03 <= attack_result.control <= high + 0.03


def test_whoever_is_found_is_one_of_k(table: Table) -> None:
    for k in (3, 8):
        plan = Plan(k=k, quasi_identifiers=NAMES, confidential=("illness",))
        outcome = run(plan, table)
        released = scene(table, outcome.release.frame)
        for name in EVERY:
            if name.startswith("record-linkage"):
                # At most one in k is found, whoever looks: chance on top.
                assert attack(released, name).rate <= 1 / k + 0.06
        assert attack(released, "certain-claims").rate == 0.0
        few = replace(released, knowledge=Knowledge(NAMES, about=60))
        assert attack(few, "record-linkage-assignment").rate <= 1 / k + 1e-9


def test_distances_are_those_of_every_pair(table: Table) -> None:
    outcome = run(Plan(k=4, quasi_identifiers=NAMES), table)
    pair = embed_records(scene(table, outcome.release.frame), list(NAMES))
    release_points = pair.seen[pair.classes]
    right = []
    for i, known_point in enumerate(pair.known):
        distances = np.square(release_points - known_point).sum(axis=1)
        near = distances <= distances.min() * (1 + 1e-9)
        right.append(near[i] / near.sum())
    assert linkage_probability_per_target(pair) == pytest.approx(np.array(right))


def test_two_records_as_near_are_both_guessed_however_far_from_zero() -> None:
    positions = np.arange(40.0) * 3
    for offset in (0.0, 1e6, 1e9):
        original = read_table(pd.DataFrame({"x": positions + offset}))
        moved = pd.DataFrame({"x": positions + offset + 1.5})
        attack_scene = AttackScene(
            original,
            ReleaseWithOrigins("moved", moved, np.arange(40)),
            Knowledge(("x",)),
        )
        # All but the first have another record's value as near as their own.
        rate = attack(attack_scene, "record-linkage-distance").rate
        assert rate == pytest.approx((1 + 39 / 2) / 40)


def test_blocks_leave_many_a_single_candidate() -> None:
    original = read_table(casc.path("tarragona"))
    names = tuple(map(str, original.frame.columns))
    blocks = (names[:5], names[5:9], names[9:])
    plan = Plan(k=3, quasi_identifiers=names, blocks=blocks)
    outcome = run(plan, original)
    released = ReleaseWithOrigins.from_outcome(outcome)
    attack_result = attack(
        AttackScene(original, released, Knowledge(names)), "certain-claims"
    )
    singleton_mask = run(plan, original).partition.sizes == 1
    assert attack_result.rate * 834 == pytest.approx(singleton_mask.sum())
    assert attack_result.rate > 0.8


def test_what_holds_of_everybody_alike_is_no_disclosure() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "sign": np.where(x > 0, "plus", "minus")})
    original = read_table(frame)
    plan = Plan(k=5, quasi_identifiers=("x",), confidential=("sign",))
    outcome = run(plan, original)
    attack_scene = AttackScene(
        original, ReleaseWithOrigins.from_outcome(outcome), Knowledge(("x",)), ("sign",)
    )
    guessed, learnt = run_attacks(attack_scene, ["inference", "attribute-inference"])
    assert guessed.has_succeeded
    assert not learnt.has_succeeded


def test_outsiders_are_told_from_people_in_the_file(table: Table) -> None:
    rng = np.random.default_rng(9)
    far = table.frame.assign(age=rng.normal(500, 3, N)).iloc[:200]
    outside = read_table(far.reset_index(drop=True))
    outcome = run(Plan(k=3, quasi_identifiers=NAMES), table)
    attack_result = attack(
        scene(table, outcome.release.frame, outsiders=outside), "membership"
    )
    assert attack_result.rate > 0.95


def test_whoever_knows_less_finds_fewer(table: Table) -> None:
    exact = scene(table, table.frame[["age", "income"]])
    rates, linking = [], "record-linkage-distance"
    for way in ("exact", "rounded", "near"):
        knowledge = Knowledge(("age", "income"), way)
        rates.append(attack(replace(exact, knowledge=knowledge), linking).rate)
    assert rates[0] == 1.0
    assert max(rates[1:]) < 0.9
    age_scene = replace(exact, knowledge=Knowledge(("age",), about=50))
    assert attack(age_scene, "record-linkage-rank").attempts == 50


def test_merged_groups_tell_what_they_were_merged_for() -> None:
    ages = np.repeat(np.arange(30.0), 3)
    ages[:12] = 0.0  # one group of twelve among groups of three
    illness = np.array([f"i{i % 7}" for i in range(90)])
    illness[:11] = "rare"
    original = read_table(pd.DataFrame({"age": ages, "illness": illness}))
    itself = ReleaseWithOrigins("merged", original.frame, np.arange(90))
    attack_result = attack(
        AttackScene(original, itself, Knowledge(("age",)), ("illness",)), "minimality"
    )
    assert attack_result.rate == pytest.approx(11 / 12)
    assert attack_result.fallen.tolist() == list(range(11))
    assert attack_result.has_succeeded


def test_a_release_without_what_is_known_is_refused(table: Table) -> None:
    with pytest.raises(ParameterError, match="none of the columns"):
        run_attacks(scene(table, table.frame[["illness"]]))


def test_verdicts_follow_from_rate_and_control() -> None:
    def verdict(rate: float, control: float) -> str:
        return AttackResult("inference", rate, 1000, control).verdict_text

    assert verdict(0.29, 0.29).startswith("No better")
    assert "no more than chance: 30.0 % against 29.0" in verdict(0.30, 0.29)
    assert verdict(0.30, 0.25).startswith("Slightly")
    assert verdict(0.50, 0.25).startswith("Clearly")
    assert verdict(0.95, 0.25).startswith("Succeeds")


def test_what_attacks_came_to_can_be_written_and_read(table: Table) -> None:
    outcome = run(Plan(k=3, quasi_identifiers=NAMES, confidential=("illness",)), table)
    for attack_result in run_attacks_on_outcome(
        outcome, table, Knowledge(NAMES, about=50)
    ):
        parsed_result = AttackResult.from_json(
            json.loads(json.dumps(attack_result.to_json()))
        )
        assert parsed_result.summary() == attack_result.summary()
        assert parsed_result.fallen.tolist() == attack_result.fallen.tolist()


def test_descriptions_are_tried_alike_in_parts(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    attack_scene = scene(table, table.frame)
    whole = attack(attack_scene, "singling-out")
    monkeypatch.setattr(
        "engine.analysis.attacks.singling_out.MAX_DIFFERENCES_PER_CALL", 7 * N
    )
    parts = attack(attack_scene, "singling-out")
    assert (parts.rate, parts.control) == (whole.rate, whole.control)
    assert parts.fallen.tolist() == whole.fallen.tolist()


@pytest.mark.parametrize("near", [0.0, 0.6])
def test_classes_at_random_say_values_as_often_as_all_sets_of_values(
    near: float,
) -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 4, 9).astype(float)
    sizes = np.array([1, 2, 3, 5, 9], dtype=np.int64)
    chances = chance_of_near_agreement_per_class(values, near, sizes)
    for size, chance in zip(sizes.tolist(), chances.tolist(), strict=True):
        drawn = [np.ptp(some) <= 2 * near for some in combinations(values, size)]
        assert chance == pytest.approx(np.mean(drawn))


def test_classes_at_random_are_no_disclosure_whatever_their_size() -> None:
    rng = np.random.default_rng(4)
    n = 3_000
    frame = pd.DataFrame(
        {"area": np.arange(n) // 3, "ill": rng.choice(["yes", "no"], n, p=[0.1, 0.9])}
    )
    original = read_table(frame)
    itself = ReleaseWithOrigins("itself", original.frame, np.arange(n))
    attack_scene = AttackScene(
        original, itself, Knowledge(("area",), about=n), ("ill",)
    )
    chance = attack(attack_scene, "disclosed-attributes")
    assert chance.rate == pytest.approx(0.9**3 + 0.1**3, abs=0.03)
    assert not chance.has_succeeded
    wide = frame["area"] // 2 * 2 + frame["area"] % 2 * (frame["area"] % 40 < 20)
    merged = ReleaseWithOrigins("merged", frame.assign(area=wide), np.arange(n))
    attack_result = attack(replace(attack_scene, release=merged), "minimality")
    assert attack_result.attempts
    assert not attack_result.has_succeeded
    same = frame.assign(ill=np.where(frame["area"] % 2 == 0, "yes", "no"))
    same_release = ReleaseWithOrigins("told", same, np.arange(n))
    attack_scene = replace(
        attack_scene, original=read_table(same), release=same_release
    )
    assert attack(attack_scene, "disclosed-attributes").rate == 1.0
    assert attack(attack_scene, "disclosed-attributes").has_succeeded


def test_people_and_not_rows_are_disclosed() -> None:
    """Somebody with many records in a class that says their illness is one person."""
    frame = pd.DataFrame(
        {
            "area": [1] * 10 + [2] * 4 + [3] * 4,
            "who": ["a"] * 8 + ["b", "c"] + list("defg") + list("hijk"),
            "ill": ["x"] * 10 + ["x", "y", "x", "y"] + ["x", "x", "y", "y"],
        }
    )
    original = read_table(frame)
    itself = ReleaseWithOrigins("itself", original.frame, np.arange(18))
    of_people = AttackScene(
        original,
        itself,
        Knowledge(("area",)),
        ("ill",),
        persons=code_persons(frame, ["who"]),
    )
    assert attack(of_people, "disclosed-attributes").rate == pytest.approx(3 / 11)
    assert attack(of_people, "disclosed-attributes").attempts == 11
    shuffled = replace(of_people, matching="values")
    assert attack(shuffled, "disclosed-attributes").attempts == 0


def test_without_a_person_a_mean_is_that_of_the_others_records() -> None:
    debts = [5.0, 100.0, 0.0, 10.0]
    frame = pd.DataFrame(
        {"area": [1] * 4 + [2] * 4, "who": [*"aabcddef"], "debt": debts * 2}
    )
    released = frame.assign(debt=np.mean(debts))
    attack_scene = AttackScene(
        read_table(frame),
        ReleaseWithOrigins("means", released, np.arange(8)),
        Knowledge(("area",)),
        ("debt",),
        persons=code_persons(frame, ["who"]),
    )
    (record,) = guess_columns_from_nearest(attack_scene)
    of_a = attack_scene.target_rows().tolist().index(0)
    # The others' mean is 5, as is what is guessed at; with one record less it is 40.
    assert record.without[of_a]
    assert not record.right[of_a]


def panel_scene(n_persons: int = 60) -> tuple[AttackScene, pd.DataFrame]:
    """Return an attack on a release of people with three records each."""
    rng = np.random.default_rng(9)
    frame = pd.DataFrame({"who": np.repeat(np.arange(n_persons), 3)})
    frame["age"] = rng.normal(40, 9, n_persons)[frame["who"]].round(1)
    frame["income"] = rng.gamma(2, 300, len(frame)).round()
    frame["illness"] = rng.choice(list("abcd"), len(frame))
    original = read_table(frame)
    names = ("age", "income")
    plan = Plan(k=3, quasi_identifiers=names, person="who", rounding="none")
    release = ReleaseWithOrigins.from_outcome(run(plan, original))
    persons = frame["who"].to_numpy().astype(np.int64)
    knowledge = Knowledge(names)
    attack_scene = AttackScene(
        original, release, knowledge, ("illness",), persons=persons
    )
    return attack_scene, frame


def test_a_file_without_a_person_has_none_of_their_records() -> None:
    attack_scene, frame = panel_scene()
    names = ["age", "income"]
    unit = frame[names].std(ddof=0)
    actual = _dist_without_self(attack_scene, embed_records(attack_scene, names))
    expected = []
    for row in attack_scene.target_rows():
        rest = frame[names][frame["who"] != frame["who"][row]]
        of = attack_scene.release.groups[rest.index]
        centres = (rest / unit).groupby(of).mean()
        distances = ((centres - frame[names].loc[row] / unit) ** 2).sum(axis=1)
        expected.append(distances.min())
    assert len(expected) == 60
    np.testing.assert_allclose(actual, expected, rtol=1e-9)


def test_people_who_are_not_in_the_file_are_asked_about_once() -> None:
    attack_scene, frame = panel_scene()
    outside = frame.assign(who=frame["who"] // 2)
    attack_scene = replace(
        attack_scene,
        outsiders=read_table(outside),
        outside_persons=outside["who"].to_numpy().astype(np.int64),
    )
    attack_result = attack(attack_scene, "membership")
    assert attack_result.attempts == 60 // 2 + 30 // 2


def test_membership_is_not_told_by_rounding() -> None:
    # Groups of equal records: without somebody, those that are left are the same.
    rng = np.random.default_rng(4)
    columns = {name: np.repeat(rng.integers(1, 99, 12) / 10, 3) for name in NAMES}
    frame = pd.DataFrame(columns).assign(illness=["x", "y", "z"] * 12)
    table = read_table(frame).assign(
        dict.fromkeys(NAMES, "quasi-identifier") | {"illness": "confidential"},
        dict.fromkeys(NAMES, "continuous"),
    )
    raw_scene = scene(table, frame)
    pair = embed_records(raw_scene, raw_scene.known_columns)
    assert 0.0 < _dist_without_self(raw_scene, pair).max() < 1e-15  # if it were exact
    assert attack(raw_scene, "membership").rate == 0.5
