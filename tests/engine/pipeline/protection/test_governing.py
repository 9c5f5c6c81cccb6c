"""Rules that depend on columns that leave as they are, or tie blocks together."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine import Plan, run
from engine.cli.parsing.parser import main
from engine.core.errors import EngineError
from engine.data.kinds import Role
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.release.verify import release_bytes_and_checks

Record = dict[str, Any]

QUASI = ("kids", "gross", "net", "x")

GONE: dict[str, Any] = {"identifiers": ("sex",), "person": "none"}

METHODS = ("mdav", "vmdav", "fuzzy", "fcm-adaptive", "refined", "individual-ranking")

RULES: dict[str, tuple[tuple[str, ...], Callable[[Record], tuple[bool, ...] | None]]]
RULES = {
    # By rule: its governing columns, and which of what it asks of the other columns
    # it leaves to be kept. None where nothing is left, as where a value is missing.
    "if sex = m then kids = 0": (
        ("sex",),
        lambda r: None if r["sex"] != "m" else (True,),
    ),
    "if age < 30 and sex = f then gross <= 400 or net <= 200": (
        ("age", "sex"),
        lambda r: None if r["age"] >= 30 or r["sex"] != "f" else (True, True),
    ),
    "if gross > 500 then net >= 250 or age <= 20": (
        ("age",),
        lambda r: None if r["age"] <= 20 else (True,),
    ),
    "if x >= 10 and job = none then gross <= 300": (
        ("job",),
        lambda r: None if r["job"] != "none" else (True,),
    ),
}

KEPT: dict[str, Callable[[Record], bool]] = {
    "if sex = m then kids = 0": lambda r: r["sex"] != "m" or r["kids"] == 0,
    "if age < 30 and sex = f then gross <= 400 or net <= 200": lambda r: (
        r["age"] >= 30 or r["sex"] != "f" or r["gross"] <= 400 or r["net"] <= 200
    ),
    "if gross > 500 then net >= 250 or age <= 20": lambda r: (
        r["gross"] <= 500 or r["net"] >= 250 or r["age"] <= 20
    ),
    "if x >= 10 and job = none then gross <= 300": lambda r: (
        r["x"] < 10 or r["job"] != "none" or r["gross"] <= 300
    ),
}


def people(n: int = 120, gaps: bool = False) -> pd.DataFrame:
    """Records that break every rule now and then."""
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["m", "f"], n),
            "age": rng.integers(15, 60, n),
            "job": rng.choice(["none", "clerk", "smith"], n),
            "kids": rng.integers(0, 4, n),
            "gross": rng.integers(100, 900, n),
            "net": rng.integers(50, 500, n),
            "x": rng.integers(0, 20, n),
        }
    )
    if gaps:
        frame.loc[rng.choice(n, n // 2, replace=False), "sex"] = None
    return frame


def as_table(frame: pd.DataFrame, quasi: Iterable[str] = QUASI, **roles: str) -> Table:
    default_roles = dict.fromkeys(frame.columns, "other") | dict.fromkeys(
        quasi, "quasi-identifier"
    )
    return read_table(frame, roles=default_roles | roles)


def part_of(record: Record, rules: Iterable[str]) -> tuple[Any, ...]:
    """Return what rules leave of a record's alternatives, read from the text alone."""
    parts = []
    for rule in rules:
        columns, part_function = RULES[rule]
        lacks = any(pd.isna(record[name]) for name in columns)
        parts.append(None if lacks else part_function(record))
    return tuple(parts)


def assert_rules_and_k_hold(
    outcome: Outcome, table: pd.DataFrame, rules: tuple[str, ...], k: int
) -> None:
    released = outcome.release.frame
    for name in table.columns.difference(QUASI):
        pd.testing.assert_series_equal(released[name], table[name])
    records = released.to_dict("records")
    for record in records:
        for rule in rules:
            lacks = any(pd.isna(record[name]) for name in RULES[rule][0])
            assert lacks or KEPT[rule](record), (rule, record)
    parts = [part_of(record, rules) for record in records]
    separately = outcome.partition.attributes
    rows = [outcome.partition.labels] if separately is None else list(separately)
    if "kids" in released and outcome.partition.guarantees_k:
        for labels in rows:
            assert min(Counter(labels.tolist()).values()) >= k
            label_parts = set(zip(labels.tolist(), parts, strict=True))
            assert len(label_parts) == len(set(labels.tolist()))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("gaps", [False, True])
def test_every_record_keeps_them_and_every_part_has_its_k(
    method: str, gaps: bool
) -> None:
    frame = people(700, gaps)
    rules = tuple(RULES)[: 1 if method == "individual-ranking" else None]
    plan = Plan(method=method, k=3, constraints=rules)
    outcome = run(plan, as_table(frame))
    assert_rules_and_k_hold(outcome, frame, rules, 3)
    broken = {
        rule: sum(
            not any(pd.isna(record[name]) for name in RULES[rule][0])
            and not KEPT[rule](record)
            for record in frame.to_dict("records")
        )
        for rule in rules
    }
    assert dict(outcome.rules_broken) == broken
    assert min(broken.values()) > 0
    if outcome.partition.guarantees_k and outcome.partition.attributes is None:
        assert outcome.k_verified


@pytest.mark.parametrize("method", ["mdav", "cbfs", "vmdav", "k-ward"])
def test_groups_and_values_are_those_of_each_part_protected_alone(method: str) -> None:
    """The naive twin: a table for men with the rest of the rule, one for the others."""
    frame = people(gaps=True)
    options: dict[str, Any] = {"method": method, "k": 4, "scaling": "none"}
    whole = run(
        Plan(constraints=("if sex = m then kids = 0", "net <= gross"), **options),
        as_table(frame),
    )
    men = (frame["sex"] == "m").to_numpy()
    for part, rules in ((men, ("kids = 0", "net <= gross")), (~men, ("net <= gross",))):
        part_frame = frame[part].reset_index(drop=True)
        part_outcome = run(Plan(constraints=rules, **options), as_table(part_frame))
        pd.testing.assert_frame_equal(
            whole.release.frame[part].reset_index(drop=True), part_outcome.release.frame
        )
    assert any("2 parts" in text for text in whole.warnings)


def test_records_to_which_rules_say_the_same_share_groups() -> None:
    """Nobody is divided by age as such, only by what the rule leaves."""
    frame = people(60)
    rule = "if age < 30 then gross <= 400"
    divided_outcome = run(Plan(k=3, constraints=(rule,)), as_table(frame))
    young = (frame["age"] < 30).to_numpy()
    by_hand = run(Plan(k=3, strata="young"), as_table(frame.assign(young=young)))
    np.testing.assert_array_equal(
        divided_outcome.partition.labels, by_hand.partition.labels
    )
    assert (divided_outcome.release.frame["gross"][young] <= 400).all()
    assert (divided_outcome.release.frame["gross"][~young] > 400).any()


@pytest.mark.parametrize("method", ["mdav", "fuzzy"])
def test_blocks_that_a_rule_ties_together_are_one(method: str) -> None:
    frame = people()
    options: dict[str, Any] = {
        "method": method,
        "k": 4,
        "constraints": ("net <= gross", "if sex = m then kids = 0"),
    }
    tied = Plan(blocks=(("gross",), ("kids",), ("net", "x")), **options)
    merged = Plan(blocks=(("gross", "net", "x"), ("kids",)), **options)
    outcome, expected = (run(plan, as_table(frame)) for plan in (tied, merged))
    assert outcome.plan.blocks == (("gross", "net", "x"), ("kids",))
    pd.testing.assert_frame_equal(outcome.release.frame, expected.release.frame)
    assert_rules_and_k_hold(outcome, frame, ("if sex = m then kids = 0",), 4)
    assert (outcome.release.frame["net"] <= outcome.release.frame["gross"]).all()
    if method == "mdav":
        for block in outcome.plan.blocks:
            assert outcome.release.frame.groupby(list(block)).size().min() >= 4
    second_plan = resolve_plan(outcome.plan, as_table(frame))
    assert second_plan.to_json() == outcome.plan.to_json()


@pytest.mark.parametrize("method", ["mdav", "fuzzy"])
def test_blocks_that_are_all_tied_together_are_as_none(method: str) -> None:
    rules = ("net <= gross", "x <= gross", "kids <= x")
    table = as_table(people())
    blocks = tuple((name,) for name in QUASI)
    tied = run(Plan(method=method, k=4, constraints=rules, blocks=blocks), table)
    whole = run(Plan(method=method, k=4, constraints=rules), table)
    released, expected = tied.release.frame, whole.release.frame
    pd.testing.assert_frame_equal(released, expected)
    assert any("grouped as one" in text for text in tied.warnings)
    assert tied.k_released == whole.k_released
    second_plan = resolve_plan(tied.plan, table)
    assert second_plan.to_json() == tied.plan.to_json()


def test_a_condition_on_a_column_that_stays_ties_no_blocks_together() -> None:
    rules = ("if sex = m then kids = 0", "if sex = m then x >= 5")
    plan = Plan(k=4, constraints=rules, blocks=(("kids", "net"), ("x", "gross")))
    outcome = run(plan, as_table(people()))
    assert outcome.plan.blocks == plan.blocks
    released = outcome.release.frame
    men = released["sex"] == "m"
    assert (released["kids"][men] == 0).all()
    assert (released["x"][men] >= 5).all()
    for block in plan.blocks:
        assert released.groupby(list(block)).size().min() >= 4


def test_k_counts_persons_in_every_part() -> None:
    frame = people(160).assign(who=np.arange(160) // 2)
    rule = "if sex = m then kids = 0"
    outcome = run(
        Plan(k=4, constraints=(rule,), person=("who",)),
        as_table(frame, who=Role.IDENTIFIER),
    )
    persons = frame.groupby(outcome.partition.labels)["who"].nunique()
    assert persons.min() >= 4
    assert_rules_and_k_hold(outcome, frame.drop(columns="who"), (rule,), 4)


VISIT_RULES: dict[str, Callable[[Record], bool]] = {
    "if visit = 1 then age <= 2 or age >= 9": lambda r: (
        r["visit"] != 1 or r["age"] <= 2 or r["age"] >= 9
    ),
    "if visit = 2 then age <= 6": lambda r: r["visit"] != 2 or r["age"] <= 6,
    "if visit = 3 then age >= 7": lambda r: r["visit"] != 3 or r["age"] >= 7,
    "age <= base": lambda r: pd.isna(r["base"]) or r["age"] <= r["base"],
}


@pytest.mark.parametrize("rules", [(0,), (1,), (2,), (3,), (0, 1), (1, 2), (0, 3)])
def test_a_constant_keeps_what_rules_ask_of_each_record_of_a_class(
    rules: tuple[int, ...],
) -> None:
    """And stays constant, unless no value keeps the rules in all visits."""
    several, texts = 0, tuple(list(VISIT_RULES)[at] for at in rules)

    def kept(record: Record) -> bool:
        return all(VISIT_RULES[text](record) for text in texts)

    for seed in range(4):
        rng = np.random.default_rng(seed)
        persons = rng.permutation(np.repeat(np.arange(9), 3))
        frame = pd.DataFrame({"who": persons, "age": rng.integers(0, 13, 9)[persons]})
        frame["visit"] = 1 + frame.groupby("who").cumcount()
        frame["base"] = np.where(frame["visit"] == rng.integers(1, 4), np.nan, 8.0)
        frame["x"] = rng.integers(0, 4, 27)
        plan = Plan(
            k=3, person="who", intruder_knows="all", missing="keep", constraints=texts
        )
        table = as_table(frame, ("age", "base", "x"), who=Role.IDENTIFIER)
        outcome = run(plan, table)
        released = outcome.release.frame
        assert outcome.k_verified
        records = released.to_dict("records")
        assert all(kept(record) for record in records)
        for _, person_frame in released.groupby(frame["who"]):
            if person_frame["age"].nunique() > 1:
                several, visits = several + 1, person_frame.to_dict("records")
                for age in range(13):
                    assert not all(kept({**visit, "age": age}) for visit in visits)
    assert (several > 0) == (rules == (1, 2)), "only two rules contradict each other"


def test_a_certificate_and_the_written_file_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, release = tmp_path / "people.csv", tmp_path / "released.csv"
    people(60).to_csv(path, index=False)
    certificate = str(tmp_path / "certificate.json")
    command = ["run", str(path), "--quasi-identifiers", ",".join(QUASI), "--k", "3"]
    command += ["--constraint", "if sex = m then kids = 0", "--output", str(release)]
    assert main([*command, "--certificate", certificate]) == 0
    released = pd.read_csv(release)
    assert (released["kids"][released["sex"] == "m"] == 0).all()
    capsys.readouterr()
    assert main(["certify", certificate, str(path)]) == 0
    assert "within strata of 'sex'" in capsys.readouterr().out
    table = as_table(people(60))
    plan = Plan(k=3, constraints=("if sex = m then kids = 0",))
    outcome = run(plan, table)
    assert not release_bytes_and_checks(outcome, table).failed_checks
    broken = outcome.release.frame.assign(kids=3)
    spoilt = replace(outcome, release=replace(outcome.release, frame=broken))
    (failed,) = release_bytes_and_checks(spoilt, table).failed_checks
    assert failed.id == "rules"


@pytest.mark.parametrize(
    ("rule", "plan", "words"),
    [
        ("net + x = age", {}, "calculates with 'age', which leaves as it is"),
        ("if kids*age > 3 then x = 0", {}, "calculates with 'age'"),
        ("net <= age", {}, "calculates with 'age'"),
        ("age >= 18", {}, "names no quasi-identifier"),
        ("if sex = m then age >= 18", {}, "names no quasi-identifier"),
        ("if sex = m then kids = 0 and age >= 0", {"k": 70}, "fewer than k = 70"),
        ("if sex = m then kids = 0 and age >= 30", {}, "leave as they are: correct"),
        ("if job > 3 then kids = 0", {}, "calculates with column 'job'"),
        (
            "if sex = m then kids = 0",
            {"identifiers": ("sex",), "person": "none"},
            "not a quasi-",
        ),
        ("if sex = m then kids = 0", {"household": "home"}, "several values"),
        (
            "if sex = m then kids = net",
            {"method": "individual-ranking"},
            "would break up its groups",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused_with_the_reason(
    rule: str, plan: dict[str, Any], words: str
) -> None:
    frame = people().assign(home=np.arange(120) // 3)
    with pytest.raises(EngineError, match=words):
        run(Plan(**{"k": 3, "constraints": (rule,), **plan}), as_table(frame))


def test_a_word_that_no_record_has_governs_nobody() -> None:
    table = as_table(people())
    governed = Plan(k=3, constraints=("if sex = other then kids = 0",))
    released, plain = (run(plan, table).release.frame for plan in (governed, Plan(k=3)))
    pd.testing.assert_frame_equal(released, plain)
