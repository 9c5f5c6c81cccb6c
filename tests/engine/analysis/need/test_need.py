"""What is needed is found, missed by how much, proven impossible, or left open."""

from __future__ import annotations

import json
import math
import re
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from formulaic import Formula
from statsmodels.regression.linear_model import OLS

from engine.analysis.attacks import AttackScene, Knowledge, attacks
from engine.analysis.attacks import run as attack_runs
from engine.analysis.attacks.base import Matching
from engine.analysis.attacks.run import run_attacks_on_outcome
from engine.analysis.need import (
    ModelFormula,
    Need,
    Rule,
    load_rule_sets,
    need,
    read_rules_and_sets,
)
from engine.analysis.need.answer import compare_with_rules
from engine.analysis.need.held_releases import HeldReleases
from engine.analysis.need.keeps import Keep
from engine.analysis.need.models.formula import FUNCTIONS, quote_column
from engine.analysis.need.models.model_fit import ModelFit, RefittableModel
from engine.analysis.need.models.slopes import interval_overlap_per_slope
from engine.analysis.need.parsed_need import make_base_plan
from engine.analysis.need.plan_search import sizes
from engine.analysis.need.plan_search.search import PlanSearch
from engine.analysis.need.plan_search.sizes import plan_with_smallest_k
from engine.analysis.need.plan_search.trials import (
    Trial,
    methods_no_slower_than_least_loss,
)
from engine.analysis.need.subgroups import summarise_largest_losses
from engine.analysis.releases.ledger import Ledger
from engine.bounds import NO_BOUND
from engine.cli.parsing.parser import main
from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled, EngineError, ParameterError
from engine.core.message import Topic
from engine.data.table import Table
from engine.files import read_table
from engine.kernels.compilation import compiling
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run

ROLES = {"a": "quasi-identifier", "b": "quasi-identifier", "g": "quasi-identifier"}
MODEL = "linear y ~ a + b + g"


def frame_of(n: int = 150, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.lognormal(size=n)
    g = np.where(rng.random(n) < 0.3, "yes", "no")
    y = 2.0 * a - b + 3.0 * (g == "yes") + rng.normal(size=n)
    return pd.DataFrame({"a": a.round(3), "b": b.round(3), "g": g, "y": y.round(3)})


OWN_RULE_SET = """\
title="Own"
source="Us"
url="https://x.org"
year=2026
place="p. 1"
checked="source"
assumes="Nothing."
[[rule]]
measure="k"
relation=">="
limit="7"
"""


def table_of(frame: pd.DataFrame, **roles: str) -> Table:
    known = {name: "other" for name in frame} | ROLES | roles
    return read_table(frame, roles={n: role for n, role in known.items() if n in frame})


def answered(rules: list[str], keeps: list[str], **options: Any) -> Need:
    options = {"models": [MODEL], "trials": 24} | options
    table = options.pop("table", None) or table_of(frame_of())
    return need(table, rules, keeps, **options)


def weakest(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """Overlap by its formula, with a design that is made by hand."""
    limits = []
    for frame in (before, after):
        X = np.column_stack(
            [np.ones(len(frame)), frame["a"], frame["b"], frame["g"] == "yes"]
        ).astype(float)
        fit = OLS(frame["y"].to_numpy(), X).fit()
        half = 1.96 * fit.bse[1:]
        limits.append((fit.params[1:] - half, fit.params[1:] + half))
    (lower, upper), (low, high) = limits
    common = np.minimum(upper, high) - np.maximum(lower, low)
    return float((0.5 * (common / (upper - lower) + common / (high - low))).min())


def test_a_need_that_can_be_met_is_found_and_told_as_it_is() -> None:
    answer = answered(["k >= 5"], ["overlap >= 0.5"])
    assert answer.answer == "found"
    assert answer.outcome is not None
    assert answer.outcome.k_released >= 5
    (keep,) = answer.keeps
    after = answer.outcome.release.frame
    assert keep.reached == pytest.approx(weakest(frame_of(), after), abs=1e-3)
    assert keep.held
    # Of all that meet it, none that was tried loses less.
    losses = [trial.loss for trial in answer.tried if trial.margin >= 0.0]
    assert min(losses) == pytest.approx(
        next(t.loss for t in answer.tried if t.plan == answer.plan)
    )


def test_a_need_that_is_missed_says_what_is_nearest_and_what_was_tried() -> None:
    answer = answered(["k >= 20"], ["overlap >= 0.999"], trials=32)
    assert answer.answer == "nearest"
    (keep,) = answer.keeps
    assert not keep.held
    assert keep.weakest
    reached = [t.reached[0].value for t in answer.tried if t.is_feasible]
    assert keep.reached == max(reached)
    least = min(
        (t for t in answer.tried if t.is_feasible), key=lambda trial: trial.loss or 0.0
    )
    assert keep.reached >= least.reached[0].value
    assert {str(each.change) for each in answer.alternatives} >= {
        "k = 10 instead of 20",
        "leave out 5% of the records",
        "without column 'a', also in models",
    }
    first, told = answer.alternatives[0], answer.summary()["would_meet"][0]
    assert Plan(**told["plan"]) == first.plan


def test_a_column_with_a_backtick_in_its_name_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match=r"column 'a`b'.*rename"):
        quote_column("a`b")
    assert [quote_column(name) for name in ("a", 'a "b"')] == ["a", '`a "b"`']


@pytest.mark.slow
def test_each_change_is_tried_before_any_is_with_several_of_the_best_plans(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changes = []
    tried = PlanSearch.try_plan_in_time

    def watched(search: PlanSearch, plan: Plan, *others: Any) -> Trial | None:
        k = 20 if 20 <= plan.k < 30 else plan.k  # as the search itself varies it
        change = (k, plan.suppress, tuple(sorted(plan.quasi_identifiers)))
        if change != (20, 0.0, ("a", "b", "g")):
            changes.append(change)
        return tried(search, plan, *others)

    monkeypatch.setattr(PlanSearch, "try_plan_in_time", watched)
    answer = answered(["k >= 20"], ["overlap >= 0.999"], trials=80)
    n = 5 + 2 + 3  # sizes, shares of records, columns
    assert len(set(changes[:n])) == len(set(changes)) == n
    assert len(changes) > 2 * n
    (smaller,) = (
        each for each in answer.alternatives if str(each.change).startswith("k = 10 ")
    )
    best = sorted((t for t in answer.tried if t.is_feasible), key=lambda t: t.rank)[:4]
    plans = [answer.tried[0].plan, *(trial.plan for trial in best)]
    before = RefittableModel(ModelFormula.parse(MODEL), frame_of()).fit_before
    reached = []
    for plan in plans:
        released = run(plan.replace(k=10), table_of(frame_of())).release.frame
        after = RefittableModel(ModelFormula.parse(MODEL), released).fit_before
        reached.append(interval_overlap_per_slope(before, after).min())
    assert smaller.keeps[0].reached == pytest.approx(max(reached))


def test_of_several_missed_keeps_the_sentence_names_the_one_missed_most() -> None:
    keeps = ["overlap >= 0.999", "quantiles(a) <= 0.001"]
    answer = answered(["k >= 20"], keeps, trials=9)
    assert [keep.held for keep in answer.keeps] == [False, False]
    assert "'quantiles(a) <= 0.001' is missed" in answer.sentence


def test_a_column_that_is_left_out_is_in_neither_release_nor_model() -> None:
    answer = answered(["k >= 20"], ["overlap >= 0.999"], trials=9)
    (dropped,) = (
        each for each in answer.alternatives if "column 'a'" in str(each.change)
    )
    outcome = run(dropped.plan, table_of(frame_of()))
    assert "a" not in outcome.release.frame
    fits = [
        RefittableModel(ModelFormula.parse("y ~ b + g"), frame)
        for frame in (frame_of(), outcome.release.frame)
    ]
    twin = interval_overlap_per_slope(*(fit.fit_before for fit in fits)).min()
    assert dropped.keeps[0].reached == pytest.approx(twin)


def test_a_column_that_is_left_out_is_not_taken_for_the_one_of_people() -> None:
    """Its values may repeat as identifiers do."""
    frame = frame_of().assign(b=lambda f: f["b"].rank().astype(int) // 2 + 1000)
    answer = answered(
        ["k >= 20"], ["overlap >= 0.999"], trials=3, table=table_of(frame)
    )
    (dropped,) = (
        each for each in answer.alternatives if "column 'b'" in str(each.change)
    )
    assert resolve_plan(dropped.plan, table_of(frame)).person == "each"


@pytest.mark.parametrize(
    "model",
    [
        "y ~ log(b) * g * h + I(a**2) + C(`a b`):b + t",
        "y ~ 0 + g + a:b:t",
        "y ~ (a + b + h)**2",
        "log(b) ~ C(t) + sqrt(b):g:h",
        "y ~ a + o",
    ],
)
@pytest.mark.filterwarnings("ignore:Data has", "ignore:Constructing a Categorical")
def test_a_release_has_the_design_matrix_that_the_formula_gives(model: str) -> None:
    rng = np.random.default_rng(0)
    frame = frame_of(60).assign(
        **{"a b": rng.integers(1, 5, 60)},
        h=rng.choice(list("uv"), 60),
        t=rng.random(60) < 0.5,
        o=pd.Categorical(rng.choice(list("pqr"), 60)),
    )
    fitted = RefittableModel(ModelFormula.parse(model), frame)
    release = frame.assign(g=rng.choice(["yes", "new"], 60), a=frame["a"].round(1))
    release.loc[3, "h"] = release.loc[4, "b"] = None
    spec = Formula(fitted.model.regressors).get_model_matrix(
        frame, context=FUNCTIONS, na_action="ignore"
    )
    whole = spec.model_spec.get_model_matrix(
        release, context=FUNCTIONS, na_action="ignore"
    ).astype(float)
    matrix, _y, _w = fitted.build_matrices(release)
    assert len(matrix) >= 59
    pd.testing.assert_frame_equal(matrix, pd.DataFrame(whole).loc[matrix.index])


@pytest.mark.parametrize(
    ("text", "column", "left"),
    [
        ("y ~ a + b", "a", "y ~ b"),
        ("y ~ a * b + C(g)", "a", "y ~ b + C(g)"),
        ("y ~ 0 + a + log(b)", "a", "y ~ 0 + log(b)"),
        ("logit y ~ `a b` + a, weights=w", "a", "logit y ~ `a b`, weights=w"),
        ("y ~ I(a**2) + b:g + b", "a", "y ~ b + b:g"),
    ],
)
def test_terms_of_a_column_are_left_out(text: str, column: str, left: str) -> None:
    known = ["a", "b", "g", "y", "w", "a b"]
    frame = frame_of().assign(w=1.0, **{"a b": lambda f: f["b"] ** 2})
    frame["y"] = (frame["y"] > 0).astype(int)
    fits = [
        RefittableModel(model, frame)
        for model in (
            ModelFormula.parse(text).without_column(column, known),
            ModelFormula.parse(left),
        )
    ]
    assert fits[0].names == fits[1].names
    for name in ("y", "b"):
        with pytest.raises(ParameterError):
            ModelFormula.parse("y ~ b").without_column(name, known)


def test_what_is_proven_impossible_is_said_with_the_proof() -> None:
    few = answered(["k >= 200"], [], models=[])
    assert (few.answer, few.outcome) == ("impossible", None)
    assert "there are 150 records" in few.sentence
    lost = answered(["k >= 5"], ["loss <= 0.01"], models=[], trials=9)
    assert lost.answer == "impossible"
    assert "it is proven that all lose" in lost.sentence
    table = table_of(frame_of().assign(s="x"), s="confidential")
    plan = Plan(
        method="mdav", k=2, quasi_identifiers=("a", "b", "g"), confidential=("s",)
    )
    same = answered(["l >= 2"], [], models=[], table=table, base=plan)
    assert same.answer == "impossible"
    assert "has 1 value in the whole file" in same.sentence


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


def test_attacks_end_with_the_time_and_what_they_leave_unknown_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried, needed = list[str](), attack_runs._required_matching

    def wait(scene: AttackScene, name: str) -> Matching:
        tried.append(name)
        time.sleep(0.4)
        return needed(scene, name)

    monkeypatch.setattr(attack_runs, "_required_matching", wait)
    table = table_of(frame_of())
    answer = answered(["k >= 5", "attack <= 0.5"], [], trials=None, seconds=2.0)
    assert len(tried) < len(attacks)
    assert answer.counted_seconds < 3.0
    known, attack = answer.rules
    assert known.held
    assert (answer.answer, attack.reached, attack.held) == ("open", None, False)
    assert "Time was over before 'attack <= 0.5' was measured" in answer.sentence
    assert answer.summary()["rules"][1]["reached"] is None
    ctx = RunContext(cancelled=lambda: True)
    outcome = run(Plan(method="mdav", k=5), table, bound=NO_BOUND)
    rules = read_rules_and_sets(["attack <= 0.5"])
    with pytest.raises(Cancelled):  # by somebody, and not by time
        compare_with_rules(rules, outcome, table, ctx=ctx)
    (late,) = compare_with_rules(rules, outcome, table, deadline=0.0)
    assert late.reached is None


@pytest.mark.slow
def test_a_release_known_to_withstand_attacks_is_taken_when_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    needed, extend = attack_runs._required_matching, PlanSearch.extend

    def wait(scene: AttackScene, name: str) -> Matching:
        time.sleep(1.0)
        return needed(scene, name)

    def extend_then_wait(*arguments: Any, **options: Any) -> None:
        extend(*arguments, **options)
        monkeypatch.setattr(attack_runs, "_required_matching", wait)

    monkeypatch.setattr(PlanSearch, "extend", extend_then_wait)
    rules, keeps = ["k >= 5", "attack <= 1"], ["overlap >= 0.99"]
    answer = answered(rules, keeps, trials=None, seconds=5.0)
    assert answer.answer == "nearest"
    assert len(answer.tried) > 1
    assert answer.plan == answer.tried[0].plan
    assert [rule.held for rule in answer.rules] == [True, True]


def test_a_search_for_k_that_time_ends_goes_on_from_the_largest_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[int] = []

    def run_or_end(plan: Plan, *arguments: Any, **options: Any) -> Outcome:
        if len(tried) == 3:
            raise Cancelled("Time is over.")
        tried.append(plan.k)
        return run(plan, *arguments, **options)

    monkeypatch.setattr(sizes, "run", run_or_end)
    table, rules = table_of(frame_of()), read_rules_and_sets(["uniques <= 0"])
    plan = Plan(method="mdav", k=2, quasi_identifiers=("a", "b"))
    began = plan_with_smallest_k(table, plan, rules, None)
    assert began.k == max(tried) > 2


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
    least = Plan(
        method="refined", k=answer.plan.k - 1, quasi_identifiers=("a", "b", "g")
    )
    smaller = HeldReleases(run(least, table, bound=NO_BOUND), table)
    asked = Rule.parse(rule)
    assert not asked.holds(asked.measured(smaller).value)


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

    own = tmp_path / "own.toml"
    own.write_text(OWN_RULE_SET, encoding="utf-8")
    assert [rule.least_k for rule in read_file(own)] == [7]
    good = own.read_text(encoding="utf-8")
    for old, new, k in (
        ('limit="7"', 'limit=7\nunit="number"', 7),
        ('"k"\nrelation=">="\nlimit="7"', '"prosecutor"\nrelation="<="\nlimit=9', 2),
        ('"k"\nrelation=">="\nlimit="7"', '"prosecutor"\nrelation="<="\nlimit=9', 12),
    ):
        text = good.replace(old, new) + ('\nunit="per cent"' if k == 12 else "")
        own.write_text(text, encoding="utf-8")
        if k == 2:  # 9 as a share is above 1
            with pytest.raises(EngineError, match="has a rule that cannot"):
                read_file(own)
        else:
            assert [rule.least_k for rule in read_file(own)] == [k]
    for text in (
        "title = 1",
        'title = "x',
        good.replace("2026", '"2026"'),
        good.replace('checked="source"', 'checked="maybe"'),
        good + 'unit="per cent"',
        "a = " + "[" * 20_000,
        good.replace("2026", "9" * 5_000),
    ):
        own.write_text(text, encoding="utf-8")
        with pytest.raises(EngineError, match="is no rule set"):
            read_file(own)
    with pytest.raises(EngineError, match="cannot be read"):
        read_rules_and_sets(["a\0.toml"], read_files=True)
    own.write_text(good, encoding="utf-8-sig")
    assert read_file(own)
    with pytest.raises(EngineError, match="say one of"):  # whose file a server hides
        read_rules_and_sets([str(own)])
    with pytest.raises(EngineError, match="say one of"):
        need(people_table(), [str(own)], trials=1)


def test_equal_intervals_overlap_by_one_and_far_ones_by_less_than_nothing() -> None:
    one = ModelFit(np.array([1.0, 0.0]), np.array([0.1, 1.0]))
    assert interval_overlap_per_slope(one, one).tolist() == pytest.approx([1.0, 1.0])
    other = ModelFit(np.array([3.0, 0.0]), np.array([0.1, 2.0]))
    apart, half = interval_overlap_per_slope(one, other).tolist()
    assert apart == pytest.approx((0.392 - 2.0) / 0.392, rel=1e-3)
    assert half == pytest.approx(0.75)


def test_coverage_is_the_share_of_intervals_that_hold_the_original_slope() -> None:
    before = frame_of(600, 4)
    before["y"] = (before["a"] ** 2 + before["y"] / 9.0).round(3)
    answer = answered(
        ["k >= 20"],
        ["coverage >= 1"],
        table=table_of(before),
        models=["y ~ I(a**2) + b"],
        trials=3,
    )
    assert answer.outcome is not None
    fits = []
    for frame in (before, answer.outcome.release.frame):
        columns = [np.ones(600), frame["a"] ** 2, frame["b"]]
        X = np.column_stack(columns).astype(float)
        fits.append(OLS(frame["y"].to_numpy(), X).fit())
    own, after = fits
    low, high = after.conf_int(0.05)[1:].T  # of Student's t, wider by a hair
    share = ((low <= own.params[1:]) & (own.params[1:] <= high)).mean()
    (keep,) = answer.keeps
    assert keep.reached == pytest.approx(share)
    assert 0.0 < share < 1.0
    farthest = np.abs((after.params - own.params) / after.bse)[1:].argmax()
    assert keep.weakest == ("I(a ** 2)", "b")[farthest]
    assert answer.answer == "nearest"


def test_a_model_without_a_family_is_linear() -> None:
    for text in ("y ~ a + b", "log(y) ~ a", "`my y` ~ a, weights=w", "y2 ~ a"):
        assert ModelFormula.parse(text) == ModelFormula.parse(f"linear {text}")


@pytest.mark.parametrize(
    "text",
    [
        "linear y ~ __import__('os').system('true')",
        "linear y ~ a.__class__",
        "linear y ~ eval(a)",
        "linear y ~ a; b",
        "linear y ~ nowhere",
        "linear y ~ [a]",
        "linear y ~ {a}",
        "linear a",
        "probit y ~ a",
        "linear ~ a",
        "",
        "linear y ~ " + " + ".join(["a"] * 1000),
        "linear y ~ I(9**9**9)",
        "linear y ~ log(1 + I((9**9)**9))",
        "linear log(9**9**9) ~ a",
        "linear y ~ a**9**9",
        "linear y ~ (a + b)**11",
        "linear y ~ (a + b + y)**8",
        "linear y ~ " + "*".join("ab" * 20),
        "linear y ~ " + "(" * 900 + "a" + ")" * 900,
        "linear y ~ I(I)",
        "linear y ~ a b",
    ],
)
def test_a_formula_is_read_as_one_and_never_as_code(text: str) -> None:
    with pytest.raises(ParameterError):
        ModelFormula.parse(text).columns(["a", "b", "y"])


@pytest.mark.parametrize("family", ["linear", "logit", "poisson"])
def test_a_weight_of_three_is_three_equal_records(family: str) -> None:
    frame = frame_of(80).assign(w=np.random.default_rng(3).integers(0, 4, 80))
    frame["z"] = (frame["y"] > frame["a"]).astype(int)
    frame.loc[5, "w"] = np.nan
    response = {"linear": "y", "logit": "z", "poisson": "z"}[family]
    model = ModelFormula.parse(f"{family} {response} ~ a + b, weights = w")
    assert model == ModelFormula.parse(model.text)
    assert model.columns(list(frame))[-1] == "w"
    repeated = frame.loc[frame.index.repeat(frame["w"].fillna(0).astype(int))]
    plain = ModelFormula.parse(f"{family} {response} ~ a + b")
    one = RefittableModel(model, frame).fit_before
    many = RefittableModel(plain, repeated).fit_before
    np.testing.assert_allclose(one.slopes, many.slopes, rtol=1e-6)
    if family != "linear":  # there, records with weights have fewer degrees of freedom
        np.testing.assert_allclose(one.errors, many.errors, rtol=1e-6)


def test_a_weighted_model_is_kept_and_told_with_its_weights() -> None:
    frame = frame_of().assign(w=np.random.default_rng(3).uniform(1.0, 9.0, 150))
    answer = answered(
        ["k >= 5"],
        ["overlap >= 0.3"],
        models=["linear y ~ a, weights=w"],
        table=table_of(frame),
        trials=9,
    )
    (slope,) = answer.slopes
    assert slope.model == "linear y ~ a, weights=w"
    after = answer.outcome.release.frame if answer.outcome else frame
    for x, told in ((frame["a"], slope.before), (after["a"], slope.after)):
        w, y = frame["w"] / frame["w"].sum(), frame["y"]
        deviation = x - (w * x).sum()
        expected = (w * deviation * y).sum() / (w * deviation**2).sum()
        assert told == pytest.approx(expected)


def test_formulas_take_factors_interactions_and_functions() -> None:
    frame = frame_of()
    model = ModelFormula.parse("linear y ~ log(b) * g + I(a**2) + C(g):a")
    assert model.columns(list(frame)) == ("y", "b", "g", "a")
    assert len(RefittableModel(model, frame).names) >= 5
    odd = frame.rename(columns={"a": "a b"})
    quoted = ModelFormula.parse("linear y ~ `a b` + b")
    assert RefittableModel(quoted, odd).names == ("a b", "b")
    word = frame.assign(z=np.where(frame["y"] > 0, "up", "down"))
    assert len(RefittableModel(ModelFormula.parse("logit z ~ b"), word).names) == 1


def test_a_release_whose_response_does_not_vary_tells_no_slope() -> None:
    frame = frame_of()
    for model, one in (("linear y ~ a + b", 1.7), ("logit g ~ a", "yes")):
        design = RefittableModel(ModelFormula.parse(model), frame)
        fit = design.fit(frame.assign(**{design.model.response: one}))
        assert np.isnan(fit.slopes).all()


def test_slopes_of_a_linear_model_have_any_unit() -> None:
    frame = frame_of()
    plain = RefittableModel(ModelFormula.parse("linear y ~ a + b"), frame).fit_before
    frame["y"] *= 1e9
    large = RefittableModel(ModelFormula.parse("linear y ~ a + b"), frame).fit_before
    np.testing.assert_allclose(large.errors, 1e9 * plain.errors)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("linear y ~ a + b + I(a + b)", "collinear"),
        ("logit z ~ a", "separate the response perfectly"),
        ("logit y ~ a", "not 0 or 1"),
        ("logit c ~ a", "3 levels instead of two"),
        ("poisson y ~ a", "negative numbers"),
        ("linear y ~ C(a):C(b):C(z)", "more than 2,000 terms"),
        ("linear y ~ 1", "no regressor"),
        ("linear y ~ y + a", "without any error"),
        ("linear y ~ log(a - 100) + b", r"log\(a - 100\) has no value in 150 records"),
        ("linear log(n) ~ b", r"log\(n\) has no value in 1 record,"),
        ("linear y ~ sqrt(n - 1) + b", r"sqrt\(n - 1\) has no value in 1 record,"),
        ("linear y ~ C(class)", "no formula"),
        ("linear y ~ a/0", "no formula"),
        ("linear y ~ 2*a", "no formula"),
        ("linear y + n ~ a", "not one column"),
        ("linear 1 ~ a", "one value in all records"),
        ("poisson g ~ a", "in words, but a Poisson model counts"),
        ("poisson c ~ a", "in words, but a Poisson model counts"),
        ("linear y ~ a, weights=y", "not numbers of at least 0"),
        ("linear y ~ a, weights=c", "not numbers of at least 0"),
        ("linear y ~ a, weights=nowhere", "no column 'nowhere'"),
    ],
)
def test_what_cannot_be_fitted_is_said_in_a_sentence(model: str, why: str) -> None:
    frame = frame_of().assign(
        z=lambda f: (f["a"] > 0).astype(int), c=["u", "v", "w"] * 50, n=range(150)
    )
    frame["class"] = frame["c"]
    with pytest.raises(ParameterError, match=why):
        RefittableModel(ModelFormula.parse(model), frame)


@pytest.mark.parametrize(
    "options",
    [
        {"rules": ["k => 3"]},
        {"rules": ["k >= 2.5"]},
        {"rules": ["risk <= 0.1"]},
        {"rules": [f"k >= {'9' * 5_000}"]},
        {"rules": ["prosecutor <= 2"]},
        {"rules": ["prosecutor <= 0"]},
        {"rules": ["l >= 2"]},
        {"keeps": ["overlap <= 0.9"]},
        {"keeps": ["overlap >= 1.5"]},
        {"keeps": ["loss <= -1"]},
        {"keeps": ["mean(g) <= 0.1"]},
        {"keeps": ["quantiles(a,g) <= 0.1"]},
        {"keeps": ["correlation(a) <= 0.1"]},
        {"rules": ["k >= 5", "k <= 3"]},
        {"keeps": ["table(a) <= 0.1"]},
        {"keeps": ["table(a,nowhere) <= 0.1"]},
        {"keeps": ["overlap >= 0.9"], "models": []},
        {"models": ["linear nowhere ~ a"]},
        {"subgroups": ["nowhere"]},
        {"seconds": 0.0, "trials": None},
        {"seconds": math.nan, "trials": None},
        {"trials": 0},
    ],
)
def test_bad_needs_are_refused_in_one_sentence(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        answered(options.pop("rules", ["k >= 3"]), options.pop("keeps", []), **options)
    assert "\n" not in str(caught.value)


def test_the_same_seed_finds_the_same_on_any_number_of_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("COTERIE_THREADS", threads)
        summary = answered(["k >= 5"], ["overlap >= 0.99"], trials=40).summary()
        del summary["seconds"], summary["outcome"]
        found.append(json.dumps(summary))
    assert found[0] == found[1]


@pytest.mark.slow
def test_what_is_tried_does_not_depend_on_a_limit_that_nothing_reaches() -> None:
    near, far = (
        answered(["k >= 20"], [f"overlap >= {limit}"], trials=48)
        for limit in (0.97, 0.9999)
    )
    assert near.answer == far.answer == "nearest"
    assert [trial.plan for trial in near.tried] == [trial.plan for trial in far.tried]
    assert near.plan == far.plan


def test_keeps_measure_what_they_say() -> None:
    frame = frame_of(60)
    table = table_of(frame)
    keeps = ["mean <= 0.001", "correlation(a,b) <= 2", "table(a,g) <= 1"]
    keeps += ["shares(g) <= 1"]
    answer = answered(["k >= 4"], keeps, models=[], table=table, trials=9)
    assert answer.answer == "found"
    after = answer.outcome.release.frame if answer.outcome else frame
    mean, correlation, cells, shares = answer.keeps
    apart = abs(frame["a"].corr(frame["b"]) - after["a"].corr(after["b"]))
    assert correlation.reached == pytest.approx(apart)
    assert mean.reached < 1e-3  # but for the decimals that are written
    counts = [one.groupby(["a", "g"]).size() / 60 for one in (frame, after)]
    apart = counts[0].sub(counts[1], fill_value=0.0).abs().sum() / 2.0
    assert cells.reached == pytest.approx(apart)
    apart = abs((frame["g"] == "yes").mean() - (after["g"] == "yes").mean())
    assert shares.reached == pytest.approx(apart)
    assert shares.weakest in ("yes", "no")


def test_a_summary_lists_all_that_was_tried() -> None:
    answer = answered(["k >= 5"], ["overlap >= 0.5"], trials=9)
    many = replace(answer, tried=answer.tried * 50).summary()
    assert len(many["tried"]) == many["n_tried"] == 450
    (chosen,) = (
        each
        for each, trial in zip(many["tried"], answer.tried, strict=False)
        if trial.plan == answer.plan
    )
    plan = many["plan"]
    assert all(chosen[name] == plan[name] for name in chosen.keys() & plan.keys())


def test_subgroups_say_who_pays() -> None:
    answer = answered(["k >= 5"], ["overlap >= 0.2"], subgroups=["g"])
    rows = {row["value"]: row for row in answer.subgroups}
    assert {"yes", "no"} == set(rows)
    assert sum(row["n_records"] for row in rows.values()) == 150
    best = next(t for t in answer.tried if t.plan == answer.plan)
    mean = sum(row["n_records"] * row["loss"] for row in rows.values()) / 150
    assert mean == pytest.approx(best.loss)
    assert answer.largest_losses == ()  # its only column of words was asked for
    unasked = answered(["k >= 5"], ["overlap >= 0.2"])
    (worst,) = unasked.summary()["largest_losses"]
    assert unasked.subgroups == ()
    assert worst["column"] == "g"
    assert worst["n_records"] == (frame_of()["g"] == worst["value"]).sum()


def test_the_value_that_loses_most_is_told_of_columns_with_few_values() -> None:
    frame = frame_of(40).assign(
        s=["x"] * 3 + ["y"] * 17 + ["z"] * 20,
        n=np.repeat([0, 1], 20),
        m=np.arange(40) % 3,
    )
    losses, rows = np.arange(40.0)[::-1].copy(), np.arange(40)
    names = ("a", "s", "n", "m")
    told = summarise_largest_losses(table_of(frame), names, rows, losses, 5)
    # Three records are too few to be told of, and of numbers only two are classes.
    assert [(row["column"], row["value"], row["n_records"]) for row in told] == [
        ("s", "y", 17),
        ("n", "0", 20),
    ]
    assert told[0]["loss"] == losses[3:20].mean()


def test_the_command_writes_what_there_is_and_says_so_by_its_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame_of().to_csv(tmp_path / "f.csv", index=False)
    names = ("out.csv", "groups.csv", "need.json", "guide.md")
    paths = {name: tmp_path / name for name in names}
    words = ["need", str(tmp_path / "f.csv"), "--quasi-identifiers", "a,b,g"]
    words += ["--model", MODEL, "--output", str(paths["out.csv"])]
    words += ["--groups", str(paths["groups.csv"]), "--json", str(paths["need.json"])]
    words += ["--guide", str(paths["guide.md"])]
    met = ["--rule", "prosecutor <= 0.2", "--keep", "overlap >= 0.5", "--trials", "24"]
    assert main([*words, *met]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("found: ")
    assert "Note: Leaves as it is, because no option removes it: 'y'." in said.err
    content = json.loads(paths["need.json"].read_text(encoding="utf-8"))
    assert content["answer"] == "found"
    assert content["plan"]["k"] == 5
    assert {"asked", "reached", "held"} <= set(content["rules"][0])
    again = tmp_path / "again.csv"
    words_again = [str(tmp_path / "f.csv"), "--plan", str(paths["need.json"])]
    assert main(["run", *words_again, "--output", str(again)]) == 0
    assert again.read_bytes() == paths["out.csv"].read_bytes()
    capsys.readouterr()
    out = pd.read_csv(paths["out.csv"])
    assert out.groupby(["a", "b", "g"]).size().min() >= 5
    assert len(pd.read_csv(paths["groups.csv"])) == 150
    reached = content["keeps"][0]["reached"]
    assert reached == pytest.approx(weakest(frame_of(), out), abs=1e-3)
    (told,) = content["models"]
    assert [slope["name"] for slope in told["slopes"]] == ["a", "b", "g[T.yes]"]
    guide = paths["guide.md"].read_text(encoding="utf-8")
    assert f"## Your model: `{MODEL}`" in guide
    for path in paths.values():
        path.unlink()
    assert main([*words, "--rule", "k >= 500", "--trials", "9"]) == 1
    assert capsys.readouterr().err.startswith("impossible: ")
    assert [name for name, path in paths.items() if path.exists()] == ["need.json"]
    paths["need.json"].unlink()
    own = tmp_path / "own.toml"
    own.write_text(OWN_RULE_SET.replace('"7"', '"500"'), encoding="utf-8")
    assert main([*words, "--rule", str(own), "--trials", "9"]) == 1
    assert capsys.readouterr().err.startswith("impossible: ")
    paths["need.json"].unlink()
    assert main([*words, "--rule", "k >= x"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not any(path.exists() for path in paths.values())


def test_two_releases_of_one_file_open_nothing_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model must hold in one, a table in the other."""
    frame_of().to_csv(tmp_path / "f.csv", index=False)
    ledger = tmp_path / "ledger.json"
    words = ["need", str(tmp_path / "f.csv"), "--quasi-identifiers", "a,b,g"]
    words += ["--rule", "k >= 5", "--trials", "9", "--ledger", str(ledger)]
    groups = []
    for number, keep in enumerate((["--model", MODEL], ["--keep", "table(g,a) <= 1"])):
        paths = {name: tmp_path / f"{number}.{name}" for name in ("csv", "g", "json")}
        files = ["--output", str(paths["csv"]), "--groups", str(paths["g"])]
        assert main([*words, *keep, *files, "--json", str(paths["json"])]) == 0
        groups.append(pd.read_csv(paths["g"])["group"])
    content = json.loads(paths["json"].read_text(encoding="utf-8"))
    (rule, beside) = content["rules"]
    assert rule["asked"] == "k >= 5"
    assert beside["asked"] == "Opens nothing beside earlier releases"
    assert (beside["reached"], beside["held"]) == (0.0, True)
    smallest = pd.crosstab(*groups).to_numpy()
    left = int(smallest[smallest > 0].min())
    assert re.search(rf"is left with {left} records? at least", content["together"])
    assert content["together"] in capsys.readouterr().out
    assert len(Ledger.read_file(ledger).entries) == 2


def test_a_release_that_opens_records_beside_an_earlier_one_is_none() -> None:
    frame = pd.DataFrame({"a": [0.0, 0.1, 5.0, 5.1, 10.0, 10.1]})
    table = read_table(frame, roles={"a": "quasi-identifier"})
    triples = need(table, ["k >= 3"], ["loss <= 100"], trials=1)
    assert triples.outcome is not None
    ledger = Ledger.new()
    ledger = ledger.with_entry(ledger.entry_for(triples.outcome, table, "1", b"1"))
    # Pairs: of the sums of three, two are known, and so is the third record.
    pairs = need(table, ["k >= 2"], ["loss <= 100"], trials=1, ledger=ledger)
    assert (pairs.answer, pairs.outcome) == ("open", None)
    assert (pairs.rules[-1].reached, pairs.rules[-1].held) == (2.0, False)
    again = need(table, ["k >= 3"], ["loss <= 100"], trials=1, ledger=ledger)
    assert again.answer == "found"
    assert "left with 3 records" in str(again.together)


def test_a_keep_knows_its_own_side() -> None:
    assert Keep.parse("overlap >= .9") == Keep.parse("overlap >= 0.9")
    assert Keep.parse("overlap >= 0.9").margin(0.95) == pytest.approx(0.05)
    assert Keep.parse("loss <= 10").margin(12.0) == pytest.approx(-0.2)
    assert not Keep.parse("overlap >= -5").holds(math.nan)


@pytest.mark.slow
def test_what_is_kept_is_kept_within_subgroups_too() -> None:
    """The search goes by the weakest, and the answer tells it as a recomputation."""
    frame = frame_of(240).assign(s=np.where(np.arange(240) % 3, "n", "s"))
    frame.loc[:2, "s"] = "few"
    frame.loc[3:9, "s"] = None
    table = table_of(frame)
    whole, within = (
        answered(
            ["k >= 5"],
            ["overlap >= 0.8", "mean(a) <= 0.5"],
            table=table,
            trials=60,
            models=["y ~ a + b"],
            subgroups=subgroups,
        )
        for subgroups in ([], ["s"])
    )
    assert [keep.asked for keep in within.keeps] == [
        "overlap >= 0.8",
        "mean(a) <= 0.5",
        *(f"{keep} (s = {s})" for s in "ns"
          for keep in ("overlap >= 0.8", "mean(a) <= 0.5")),
    ]  # fmt: skip
    worst = []
    for answer in (whole, within):
        assert answer.outcome is not None
        after = answer.outcome.release.frame
        reached = []
        for s in "ns":
            there = (frame["s"] == s).to_numpy()
            fits = [
                RefittableModel(ModelFormula.parse("y ~ a + b"), each[there]).fit_before
                for each in (frame, after)
            ]
            reached.append(interval_overlap_per_slope(*fits).min())
        worst.append(min(reached))
    assert within.keeps[2].reached == pytest.approx(reached[0])
    assert within.keeps[4].reached == pytest.approx(reached[1])
    assert worst[1] > worst[0]
    assert sum(row["n_records"] for row in within.subgroups) == 240 - 7
    few = next(row for row in within.subgroups if row["value"] == "few")
    assert few["unasked"] == ["overlap >= 0.8", "mean(a) <= 0.5"]
    many = table_of(frame.assign(s=np.arange(240).astype("str")))
    with pytest.raises(ParameterError, match="50 in all are the most"):
        answered(["k >= 5"], [], table=many, subgroups=["s"])


def test_a_batch_ends_with_the_time_and_not_with_its_last_plan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Trials whose groups are of persons take seconds each."""
    monkeypatch.setenv("COTERIE_THREADS", "1")
    asked = (["k >= 5"], ["overlap >= 0.9"])
    whole = answered(*asked, trials=30)
    readings = iter(range(10_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(readings)))
    answer = answered(*asked, trials=None, seconds=200.0)
    assert 1 < len(answer.tried) < 30
    assert answer.tried == whole.tried[: len(answer.tried)]
    # No step after the search has its own time: each looks at the clock.
    assert next(readings) < 250


def test_the_time_of_a_search_stands_still_while_kernels_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a fresh machine its kernels compile for as long as a search lasts."""
    monkeypatch.setenv("COTERIE_THREADS", "1")
    readings, measure_plan = iter(range(100_000)), PlanSearch._measure_plan

    def compile_first(search: PlanSearch, *arguments: Any) -> Trial:
        compiling.report_compiling_begun()
        for _ in range(1000):  # far beyond all that is asked for
            time.monotonic()
        compiling.report_compiling_ended()
        return measure_plan(search, *arguments)

    monkeypatch.setattr(time, "monotonic", lambda: float(next(readings)))
    monkeypatch.setattr(PlanSearch, "_measure_plan", compile_first)
    monkeypatch.setattr(compiling, "_compiling_seconds", 0.0)  # and back at the end
    answer = answered(["k >= 5"], ["overlap >= 0.9"], trials=None, seconds=200.0)
    assert len(answer.tried) > 1
    assert answer.seconds > 1000.0  # of the wall


def test_a_model_of_an_undecided_column_is_refused() -> None:
    frame = frame_of()
    table = read_table(frame, roles={"a": "quasi-identifier", "y": "undecided"})
    base = Plan(method="mdav", k=2, quasi_identifiers=("a", "b", "g"))
    with pytest.raises(ParameterError, match="role is undecided") as refused:
        answered(["k >= 5"], [], table=table, base=base)
    assert "roles={'y': 'other'}" in str(refused.value)
    roles = {"a": "quasi-identifier", "y": "other"}
    known = read_table(frame, roles=roles)
    assert answered(["k >= 5"], [], table=known, base=base, trials=2).plan


def people_table(n_people: int = 30) -> Table:
    person = np.repeat(np.arange(n_people), 5)
    return table_of(frame_of().assign(person=person), person="identifier")


@pytest.mark.parametrize("knows", ["one", "all"])
def test_people_are_counted_as_an_independent_count_does(knows: Any) -> None:
    table = people_table()
    base = Plan(method="mdav", k=2, person=("person",), intruder_knows=knows)
    answer = answered(["k >= 4"], ["overlap >= 0.2"], table=table, trials=3, base=base)
    assert answer.outcome is not None
    out = answer.outcome.release.frame
    person = table.frame["person"]
    if knows == "one":
        fewest = person.groupby([out[name] for name in "abg"]).nunique().min()
    else:
        keys = out[["a", "b", "g"]].astype("str").agg("|".join, axis=1)
        histories = keys.groupby(person).agg(lambda each: tuple(sorted(each)))
        fewest = histories.value_counts().min()
    assert fewest >= 4
    assert answer.rules[0].reached == fewest


def test_groups_of_people_that_time_ends_are_those_of_the_outcome() -> None:
    table = people_table()
    base = Plan(method="mdav", k=2, person=("person",), intruder_knows="all")
    plan = make_base_plan(table, base, read_rules_and_sets(["k >= 4"]), 0)
    search = PlanSearch(table, plan, (), ())
    search.begin(SILENT, deadline=0.0)
    outcome = search.outcome_of(plan, NO_BOUND)
    assert any(each.topic is Topic.STOPPED for each in outcome.warnings)
    (trial,) = search.trials
    assert trial.smallest == outcome.k_released >= 4
    again = PlanSearch(table, plan, (), ())
    again.begin(SILENT)
    assert again.outcome_of(plan, NO_BOUND).warnings == tuple(
        each for each in outcome.warnings if each.topic is not Topic.STOPPED
    )
    assert again.try_plan_in_time(plan.replace(k=5), 0.0) is None


def test_the_plans_of_a_large_table_do_not_depend_on_the_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = np.random.default_rng(0).normal(size=(100_000, 5))
    frame = pd.DataFrame(numbers, columns=[*"abcde"])
    table = read_table(frame, roles=dict.fromkeys(frame, "quasi-identifier"))
    groupings = set()
    for threads in ("1", "2", "64"):
        monkeypatch.setenv("COTERIE_THREADS", threads)
        base = make_base_plan(table, None, (), 0).replace(k=40)
        groupings.add(
            tuple(
                method for method, _ in methods_no_slower_than_least_loss(table, base)
            )
        )
    assert len(groupings) == 1
