"""Rules are read from texts and rule sets, compared exactly, and met by the least k."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.analysis.attacks import Knowledge
from engine.analysis.attacks.run import run_attacks_on_outcome
from engine.analysis.need import Rule, load_rule_sets, need, read_rules_and_sets
from engine.analysis.need.held_releases import HeldReleases
from engine.analysis.need.plan_search.sizes import plan_with_smallest_k
from engine.bounds import NO_BOUND
from engine.core.context import SILENT, RunContext
from engine.core.errors import EngineError, ParameterError
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.analysis.need.cases import (
    OWN_RULE_SET,
    answered,
    frame_of,
    people_table,
    table_of,
)


def test_rules_on_the_population_and_on_attacks_are_measured() -> None:
    weights = np.random.default_rng(1).integers(1, 4, 150)
    frame = frame_of().assign(w=weights)
    plan = Plan(method="mdav", k=2, weights="w")
    rules = ["kmap >= 12", "attack <= 0.5"]
    answer = answered(rules, [], models=[], trials=3, table=table_of(frame), base=plan)
    assert answer.outcome is not None
    kmap, attack = answer.rules
    sums = np.bincount(answer.outcome.partition.labels, weights=weights)
    assert kmap.reached == sums.min() >= 12
    knowledge = Knowledge(("a", "b", "g"))
    results = run_attacks_on_outcome(answer.outcome, table_of(frame), knowledge)
    gains = {r.attack: r.gain for r in results}
    assert attack.reached == pytest.approx(max(0.0, *gains.values()))
    assert attack.summary()["weakest"] == max(gains, key=gains.__getitem__)
    with pytest.raises(ParameterError, match="nothing says how many a record stands"):
        answered(["kmap >= 12"], [], models=[], trials=3)


def test_rules_that_nothing_met_are_open() -> None:
    table = table_of(frame_of().assign(number=np.arange(150)))
    rules = ["k >= 5", "uniques <= 0"]
    # What leaves as it is tells everybody apart, in whatever groups.
    unmet = answered(rules, [], models=[], table=table, trials=9)
    assert (unmet.answer, unmet.outcome) == ("impossible", None)
    assert "if all records were one group" in unmet.sentence
    # Nor does it help to join people, who may be told apart by one of their records.
    panel = table_of(frame_of().assign(number=np.arange(150), who=np.arange(150) // 5))
    for knows in ("one", "all"):
        plan = Plan(method="mdav", k=2, person="who", intruder_knows=knows)
        people = answered(rules, [], models=[], table=panel, trials=2, base=plan)
        assert people.answer == "impossible"
        assert "it would still be 1" in people.sentence
        lone = answered(["k >= 5"], [], models=[], table=panel, trials=2, base=plan)
        assert lone.answer == "found"
    # Nothing is proven where the ones that stand alone might be left out.
    plan = Plan(method="mdav", k=2, suppress=0.01)
    answer = answered(rules, [], models=[], table=table, trials=9, base=plan)
    assert (answer.answer, answer.outcome) == ("open", None)
    assert "nothing proves that none can" in answer.sentence


@pytest.mark.parametrize("rule", ["marketer <= 0.05", "uniques <= 0.05"])
def test_the_smallest_k_is_searched_where_a_rule_says_none(rule: str) -> None:
    words = np.random.default_rng(2).choice(list("pqrst"), 150)
    table = table_of(frame_of().drop(columns="y").assign(word=words))
    answer = answered(["k >= 2", rule], [], models=[], table=table, trials=3)
    assert answer.answer == "found"
    assert answer.plan is not None
    assert all(each.held for each in answer.rules)
    assert answer.plan.k > 2
    smaller_plan = Plan(
        method="refined", k=answer.plan.k - 1, quasi_identifiers=("a", "b", "g")
    )
    smaller = HeldReleases(run(smaller_plan, table, bound=NO_BOUND), table)
    parsed_rule = Rule.parse(rule)
    assert not parsed_rule.holds(parsed_rule.measured(smaller).value)


def test_the_smallest_k_of_people_is_that_of_whole_groups() -> None:
    rng = np.random.default_rng(14)
    columns = {"person": 20, "a": 8, "b": 6}
    frame = pd.DataFrame({name: rng.integers(0, n, 60) for name, n in columns.items()})
    table = table_of(frame, person="identifier")
    base = Plan(
        method="mdav",
        k=2,
        person=("person",),
        intruder_knows="all",
        quasi_identifiers=("a", "b"),
    )
    (rule,) = rules = read_rules_and_sets(["marketer <= 0.2"])

    def holds(k: int, ctx: RunContext = SILENT) -> bool:
        outcome = run(base.replace(k=k), table, ctx, bound=NO_BOUND)
        return rule.holds(rule.measured(HeldReleases(outcome, table)).value)

    k = plan_with_smallest_k(table, base, rules, None).k
    assert k > 2
    assert holds(k)
    assert not holds(k - 1)
    # Groups that are only begun say another k.
    assert holds(k - 1, RunContext(enough=lambda: True))


@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("prosecutor <= 0.09", 12),
        ("prosecutor <= 9%", 12),
        ("prosecutor <= 0.0909", 12),
        ("prosecutor <= 0.091", 11),
        ("prosecutor <= 0.1", 10),
        ("prosecutor <= .2", 5),
        ("cells >= 11", 11),
        ("k >= 3", 3),
        ("uniques <= 0", 2),
    ],
)
def test_limits_are_compared_exactly(text: str, k: int) -> None:
    rule = Rule.parse(text)
    assert rule.least_k == k
    if rule.measure == "prosecutor":
        assert rule.holds(Fraction(1, k))
        assert not rule.holds(Fraction(1, k - 1))


def test_rule_sets_name_source_and_whether_it_was_looked_up(tmp_path: Path) -> None:
    assert {"cms-cell-size", "ema-policy-0070", "hipaa-expert"} <= set(load_rule_sets())
    for each in load_rule_sets().values():
        assert each.title
        assert each.source
        assert each.url.startswith("https://")
        assert each.year > 2000
        assert each.checked in ("source", "secondary", "no")
        assert each.assumes
    (rule,) = read_rules_and_sets(["ema-policy-0070"])
    assert rule.least_k == 12
    with pytest.raises(ParameterError, match="gives no number"):
        read_rules_and_sets(["hipaa-expert"])

    def read_file(path: Path) -> tuple[Rule, ...]:
        return read_rules_and_sets([str(path)], read_files=True)

    rule_file = tmp_path / "own.toml"
    rule_file.write_text(OWN_RULE_SET, encoding="utf-8")
    assert [rule.least_k for rule in read_file(rule_file)] == [7]
    good = rule_file.read_text(encoding="utf-8")
    for old, new, k in (
        ('limit="7"', 'limit=7\nunit="number"', 7),
        ('"k"\nrelation=">="\nlimit="7"', '"prosecutor"\nrelation="<="\nlimit=9', 2),
        ('"k"\nrelation=">="\nlimit="7"', '"prosecutor"\nrelation="<="\nlimit=9', 12),
    ):
        text = good.replace(old, new) + ('\nunit="per cent"' if k == 12 else "")
        rule_file.write_text(text, encoding="utf-8")
        if k == 2:  # 9 as a share is above 1
            with pytest.raises(EngineError, match="has a rule that cannot"):
                read_file(rule_file)
        else:
            assert [rule.least_k for rule in read_file(rule_file)] == [k]
    for text in (
        "title = 1",
        'title = "x',
        good.replace("2026", '"2026"'),
        good.replace('checked="source"', 'checked="maybe"'),
        good + 'unit="per cent"',
        "a = " + "[" * 20_000,
        good.replace("2026", "9" * 5_000),
    ):
        rule_file.write_text(text, encoding="utf-8")
        with pytest.raises(EngineError, match="is no rule set"):
            read_file(rule_file)
    with pytest.raises(EngineError, match="cannot be read"):
        read_rules_and_sets(["a\0.toml"], read_files=True)
    rule_file.write_text(good, encoding="utf-8-sig")
    assert read_file(rule_file)
    with pytest.raises(EngineError, match="say one of"):  # whose file a server hides
        read_rules_and_sets([str(rule_file)])
    with pytest.raises(EngineError, match="say one of"):
        need(people_table(), [str(rule_file)], trials=1)
