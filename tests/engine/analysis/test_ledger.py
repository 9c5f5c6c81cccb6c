"""Whatever chain of releases a ledger allows gives no record back."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from engine import Plan, read_table, run
from engine.analysis.composition.compose import find_jointly_revealed_records
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.analysis.releases.ledger import Ledger
from engine.core.errors import EngineError, InfeasibleError, InputError
from engine.core.partition import Partition
from engine.core.typing import Integers
from engine.data.kinds import Kind
from engine.data.persons import code_persons
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolve_plan import resolve_plan
from tests.engine.analysis.composition.test_determined_unknowns import (
    by_rank_of_persons,
    sums_of_few_by_rank,
)

N = 60

NAMES = ("age", "income", "region", "visit")

ONE = {"quasi_identifiers": NAMES, "kinds": {"region": Kind.NOMINAL}}

NUMBERS = {"quasi_identifiers": NAMES[:2], "kinds": {}}


def table(gaps: bool = False) -> Table:
    rng = np.random.default_rng(8)
    days = pd.to_timedelta(rng.integers(0, 900, N), unit="D")
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 12, N).round(1),
            "income": rng.lognormal(7, 1, N).round(0),
            "region": rng.choice([f"r{i}" for i in range(9)], N),
            "visit": pd.Timestamp("2020-01-01") + days,
            "part": np.where(np.arange(N) < 25, "a", "b"),
            "home": np.repeat(np.arange(N // 2), 2),
            "weight": rng.uniform(1, 4, N).round(2),
        }
    )
    if gaps:
        frame.loc[rng.choice(N, 8, replace=False), "income"] = np.nan
    return read_table(frame)


KINDS_OF_CHAINS = {
    "numbers": [NUMBERS],
    "strata": [NUMBERS, {**NUMBERS, "strata": "part"}],
    "weights": [{**NUMBERS, "weights": "weight"}, NUMBERS],
    "people": [{**NUMBERS, "person": "home"}],
    "histories": [{**NUMBERS, "person": "home", "intruder_knows": "all"}],
    "households": [{**NUMBERS, "household": "home"}],
    "gaps": [{**ONE, "missing": way} for way in ("keep-or-fill", "median", "drop")],
    "mixed": [ONE, {**ONE, "aggregations": {"region": "mode"}}],
    "words": [{**ONE, "aggregation": "interval"}, ONE],
    "medians": [{**NUMBERS, "aggregation": "median"}],
    "apart": [{**NUMBERS, "method": "individual-ranking"}, NUMBERS],
    "left out": [{**ONE, "suppress": 5}, {**ONE, "suppress": 6, "suppress_cells": 1}],
}


@pytest.mark.parametrize("kind", KINDS_OF_CHAINS)
def test_no_chain_that_is_allowed_gives_a_record_back(kind: str) -> None:
    original = table(kind == "gaps")
    ledger, chain, refused = Ledger.new(), list[ReleaseWithOrigins](), 0
    for step, k in enumerate((4, 3, 5, 3, 6, 4, 5, 3, 4)):
        choices = KINDS_OF_CHAINS[kind][step % len(KINDS_OF_CHAINS[kind])]
        plan = resolve_plan(Plan(k=k, **choices), original)
        way = ("", "same", "coarsen")[step % 3] if step else ""
        try:
            groups = ledger.regroup_like_earlier(original, plan, way) if way else None
            outcome = run(plan, original, regroup=groups)
        except EngineError:
            assert way
            continue
        entry = ledger.entry_for(outcome, original, str(step), bytes([step]))
        if ledger.check_release(entry, original, outcome.release.rows).n_opened:
            refused += 1
            continue
        ledger = Ledger.from_bytes(ledger.with_entry(entry).to_bytes(), "again")
        chain.append(ReleaseWithOrigins.from_outcome(outcome, str(step)))
    choices = KINDS_OF_CHAINS[kind][0]
    whose = code_persons(original.frame, ["home"]) if "person" in choices else None
    names = choices["quasi_identifiers"]
    composition = find_jointly_revealed_records(original, chain, names, persons=whose)
    assert composition.recovered.sum() == 0
    assert composition.people in (
        None,
        (0, composition.people and composition.people[1]),
    )
    assert len(chain) > 1 or kind in ("households", "apart", "medians", "histories")
    assert refused


@pytest.mark.parametrize("wrong", [0.5, True, "0", None, 1e30])
@pytest.mark.parametrize("what", ["label", "k"])
def test_numbers_of_a_ledger_are_whole_or_it_is_none(what: str, wrong: object) -> None:
    table = read_table(pd.DataFrame({"a": [1, 2, 3, 4, 5, 6]})).assign(
        {"a": "quasi-identifier"}
    )
    ledger = Ledger.new()
    entry = ledger.entry_for(run(Plan(k=3), table), table, "x.csv", b"")
    content = json.loads(replace(ledger, entries=(entry,)).to_bytes())
    assert Ledger.from_bytes(json.dumps(content).encode(), "l.json").entries
    release = content["releases"][0]
    if what == "k":
        release["k"] = wrong
    else:
        release["groups"][0]["labels"][0] = wrong
    with pytest.raises(InputError, match="no ledger"):
        Ledger.from_bytes(json.dumps(content).encode(), "l.json")


def test_a_sum_of_one_persons_records_counts_as_opened() -> None:
    original, ledger = table(), Ledger.new()
    plan = resolve_plan(Plan(**NUMBERS, k=3, person="home"), original)
    before = np.arange(N) // 10  # five people each
    after = before.copy()
    after[:2] = 1  # both records of the first one move together

    def release(labels: Integers) -> Outcome:
        return run(plan, original, regroup=lambda _: Partition(labels, 3))

    first = release(before)
    ledger = ledger.with_entry(ledger.entry_for(first, original, "first", b"1"))
    parsed_ledger = Ledger.from_bytes(ledger.to_bytes(), "again")
    entry = parsed_ledger.entry_for(release(after), original, "next", b"2")
    release_check = parsed_ledger.check_release(entry, original, first.release.rows)
    assert release_check.opened.tolist() == [0, 1]
    assert release_check.n_people == 1
    assert "1 person" in str(release_check.to_message)
    # Two values that nobody tells apart, where the records are of two people.
    without = replace(entry, persons=())
    earlier = replace(
        parsed_ledger, entries=(replace(parsed_ledger.entries[0], persons=()),)
    )
    assert earlier.check_release(without, original, first.release.rows).opened.size == 0


def test_unions_of_earlier_groups_hold_k_people() -> None:
    original = table()
    ledger = Ledger.new()
    plan = resolve_plan(Plan(**NUMBERS, k=3, person="home"), original)
    first = run(plan, original)
    ledger = ledger.with_entry(ledger.entry_for(first, original, "first", b"1"))
    plan = resolve_plan(plan.replace(k=6), original)
    with pytest.raises(InfeasibleError, match="people at least"):
        run(plan, original, regroup=ledger.regroup_like_earlier(original, plan, "same"))
    unions = ledger.regroup_like_earlier(original, plan, "coarsen")
    coarser_outcome = run(plan, original, regroup=unions)
    assert coarser_outcome.k_released >= 6
    pairs = set(
        zip(first.partition.labels, coarser_outcome.partition.labels, strict=True)
    )
    assert len(pairs) == first.partition.n_groups
    entry = ledger.entry_for(coarser_outcome, original, "next", b"2")
    assert not ledger.check_release(
        entry, original, coarser_outcome.release.rows
    ).n_opened
    plan = resolve_plan(plan.replace(intruder_knows="all"), original)
    with pytest.raises(InfeasibleError, match="--regroup same"):
        run(
            plan,
            original,
            regroup=ledger.regroup_like_earlier(original, plan, "coarsen"),
        )


@pytest.mark.parametrize("by_person", [False, True])
def test_who_withdraws_is_given_back_where_the_sums_of_fewer_than_k_people_say_so(
    by_person: bool,
) -> None:
    rng = np.random.default_rng(5)
    n, k = 18, 3
    refused = allowed = 0
    for _ in range(16):
        frame = pd.DataFrame(
            {  # few values, so that most records equal others
                "a": rng.integers(0, 3, n),
                "b": rng.integers(0, 2, n),
                "home": np.repeat(np.arange(n // 2), 2) if by_person else np.arange(n),
                "note": np.arange(n),
            }
        )
        choices = {"quasi_identifiers": ("a", "b"), "k": k}
        if by_person:
            choices["person"] = "home"

        def release(
            some: pd.DataFrame, labels: Integers, choices: dict = choices
        ) -> tuple[Table, Outcome]:
            original = read_table(some)
            plan = resolve_plan(Plan(**choices), original)
            groups = Partition(np.unique(labels, return_inverse=True)[1], k)
            return original, run(plan, original, regroup=lambda _: groups)

        before = np.arange(n) // 6
        if not by_person:
            before = rng.permutation(before)
        ledger = Ledger.new()
        original, first = release(frame, before)
        ledger = ledger.with_entry(ledger.entry_for(first, original, "1", b"1"))
        stay = rng.permutation(n)[rng.integers(1, 7) :]
        after = before[stay]
        if rng.random() < 0.5:
            after = np.where(after == 2, 1, after)
        homes = frame["home"].to_numpy()
        if min(np.unique(homes[stay][after == g]).size for g in set(after)) < k:
            continue
        original, second = release(frame.iloc[stay], after)
        entry = ledger.entry_for(second, original, "2", b"2")
        release_check = ledger.check_release(entry, original, second.release.rows)
        labels = np.array([before, np.full(n, -1)])
        labels[1, stay] = after
        few = sums_of_few_by_rank(labels, k, homes)
        follows = few | by_rank_of_persons(labels, homes)
        assert release_check.n_opened == follows.sum()
        if by_person:
            assert release_check.n_people == np.unique(homes[follows]).size
        refused += bool(release_check.n_opened)
        allowed += not release_check.n_opened
    assert refused
    assert allowed


def test_groups_without_any_that_somebody_left_are_allowed_again() -> None:
    original, ledger = table(), Ledger.new()
    plan = resolve_plan(Plan(**NUMBERS, k=4), original)
    first = run(plan, original)
    ledger = ledger.with_entry(ledger.entry_for(first, original, "first", b"1"))
    gone = 17
    group = first.partition.labels == first.partition.labels[gone]

    def rows_kept(kept: np.ndarray) -> Table:
        return read_table(original.frame[kept].reset_index(drop=True))

    fewer = rows_kept(np.arange(N) != gone)
    second_outcome = run(plan, fewer)
    entry = ledger.entry_for(second_outcome, fewer, "next", b"2")
    release_check = ledger.check_release(entry, fewer, second_outcome.release.rows)
    assert release_check.n_differing
    assert "fewer than k people" in str(release_check.to_message)
    fewer = rows_kept(~group)
    assert release_check.has_earlier_groups
    more = read_table(pd.concat([original.frame, original.frame[:5].assign(age=1.5)]))
    of_more = run(plan, more)
    entry = ledger.entry_for(of_more, more, "next", b"3")
    release_check = ledger.check_release(entry, more, of_more.release.rows)
    assert not release_check.has_earlier_groups
    with pytest.raises(InputError, match="new people as a table of their own"):
        ledger.earlier_groups(more, of_more.release.rows, plan.quasi_identifiers)
    same = run(plan, fewer, regroup=ledger.regroup_like_earlier(fewer, plan, "same"))
    entry = ledger.entry_for(same, fewer, "next", b"2")
    assert ledger.check_release(entry, fewer, same.release.rows).n_opened == 0


@pytest.mark.parametrize("version", [1, 2])
def test_numbers_are_known_again_however_they_are_stored(version: int) -> None:
    rng = np.random.default_rng(5)
    whole = pd.DataFrame({"id": np.arange(20) // 2, "age": rng.integers(20, 80, 20)})
    plan = Plan(k=3, quasi_identifiers=("age",), person="id", intruder_knows="one")
    ledger = Ledger.from_bytes(replace(Ledger.new(), version=version).to_bytes(), "l")
    assert ledger.version == version
    entries = []
    for dtype in ("int64", "float64", "Int64"):
        table = read_table(whole.astype(dtype)).assign({"id": "identifier"})
        outcome = run(plan, table)
        entries.append(ledger.entry_for(outcome, table, dtype, dtype.encode()))
    for entry_values in (entries[0].persons, entries[0].records, entries[0].contents):
        assert len({*entry_values}) > 1
    for name in ("persons", "records", "contents"):
        values_per_entry = [getattr(entry, name) for entry in entries]
        assert (values_per_entry[0] == values_per_entry[1]) == (version == 2)
        assert values_per_entry[0] == values_per_entry[2]


def test_people_with_equal_values_are_known_again_by_who_they_are() -> None:
    """Whatever their order, and though all of their other values have changed."""
    first = pd.DataFrame(
        {
            "who": list("abcdefgh"),
            "age": [40, 40, 20, 21, 22, 60, 61, 62],
            "note": [f"then {i}" for i in range(8)],
        }
    )
    second = first.iloc[[1, 0, *range(2, 8)]].reset_index(drop=True)
    second["note"] = [f"now {i}" for i in range(8)]
    ledger, checks = Ledger.new(), []
    groups = dict(zip("abcdefgh", [0, 1, 0, 0, 0, 1, 1, 1], strict=True))
    for frame in (first, second):
        some = read_table(frame)
        labels = frame["who"].map(groups).to_numpy()
        plan = Plan(quasi_identifiers=("age",), identifiers=("who",), person="who", k=3)
        outcome = run(
            resolve_plan(plan, some),
            some,
            regroup=lambda _, labels=labels: Partition(labels, 3),
        )
        entry = ledger.entry_for(outcome, some, "a", b"1")
        checks.append(ledger.check_release(entry, some, outcome.release.rows))
        ledger = ledger.with_entry(entry)
    assert checks[1].n_opened == 0
    assert checks[1].smallest_class == 4  # both releases have the same groups
