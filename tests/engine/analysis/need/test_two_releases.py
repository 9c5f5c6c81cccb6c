"""Two releases of one file: each keeps its own, and both together keep the rules."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.analysis.need import Need, need
from engine.analysis.need.held_releases import HeldReleases
from engine.analysis.need.rules import RULE_MEASURES, Rule
from engine.analysis.releases.ledger import Ledger
from engine.cli.parsing.parser import main
from engine.core.errors import ParameterError
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

NAMES = ("a", "b", "g")
MODEL = "linear y ~ a + b + g"


def frame_of(n: int = 160) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=n).round(2), rng.lognormal(sigma=1.5, size=n).round(2)
    g = np.where(rng.random(n) < 0.4, "yes", "no")
    y = (2.0 * a - b + 3.0 * (g == "yes") + rng.normal(size=n)).round(2)
    secret = rng.integers(0, 4, n).astype(str)
    return pd.DataFrame({"a": a, "b": b, "g": g, "y": y, "s": secret})


def table_of(frame: pd.DataFrame) -> Table:
    roles = dict.fromkeys(frame, "other") | dict.fromkeys(NAMES, "quasi-identifier")
    return read_table(frame, roles=roles | {"s": "confidential"})


def released(method: str, k: int, **choices: Any) -> Outcome:
    plan = Plan(
        method=method, k=k, quasi_identifiers=NAMES, confidential=("s",), **choices
    )
    return run(plan, table_of(frame_of()))


def classes_of_both(first: Outcome, second: Outcome) -> pd.Series:
    """Class of each record by the values of both, with pandas alone."""
    texts = [
        outcome.release.frame[list(NAMES)].astype(str).agg("|".join, axis=1)
        for outcome in (first, second)
    ]
    return texts[0] + "||" + texts[1]


def answered(**options: Any) -> Need:
    default_options: dict[str, Any] = {
        "models": [MODEL],
        "trials": 24,
        "second_keeps": ["quantiles(b) <= 0.4", "table(g,s) <= 0.1"],
        "base": Plan(method="mdav", k=2, quasi_identifiers=NAMES, confidential=("s",)),
    }
    rules = options.pop("rules", ["k >= 5", "l >= 2", "journalist <= 0.2"])
    return need(
        table_of(frame_of()), rules, ["overlap >= 0.3"], **default_options | options
    )


def test_both_keep_their_own_and_the_rules_hold_for_each_and_together() -> None:
    answer = answered()
    assert answer.answer == "found"
    first, second = answer.outcome, answer.second_outcome
    assert first is not None
    assert second is not None
    assert [keep.release for keep in answer.keeps] == [1, 2, 2]
    numbers = [(rule.asked, rule.release) for rule in answer.rules]
    rule_texts = ["k >= 5", "l >= 2", "journalist <= 0.2"]
    expected_pairs = [(text, release) for release in (1, 2, 0) for text in rule_texts]
    assert numbers == [*expected_pairs, ("Opens nothing beside earlier releases", 0)]
    assert all(rule.held for rule in answer.rules)
    both = classes_of_both(first, second)
    assert both.map(both.value_counts()).min() >= 5
    assert frame_of()["s"].groupby(both.to_numpy()).nunique().min() >= 2
    before, after = (
        frame["b"].quantile([0.1, 0.25, 0.5, 0.75, 0.9])
        for frame in (frame_of(), second.release.frame)
    )
    quantile_shift = (before - after).abs().max() / frame_of()["b"].std()
    assert answer.keeps[1].reached == pytest.approx(quantile_shift)
    assert "left with 5 records at least" in str(answer.together)


def test_each_may_have_common_values_of_its_own() -> None:
    """A mean of skewed values keeps the one, a median of them the other."""
    frame = frame_of()
    answer = need(
        table_of(frame),
        ["k >= 20"],
        ["mean(b) <= 0.001"],
        second_keeps=["quantiles(b) <= 0.0001"],
        base=Plan(method="mdav", k=2, quasi_identifiers=NAMES),
        trials=1,
    )
    assert answer.second_outcome is not None
    assert answer.outcome is not None
    single_need = need(
        table_of(frame),
        ["k >= 20"],
        ["mean(b) <= 0.001", "quantiles(b) <= 0.0001"],
        base=Plan(method="mdav", k=2, quasi_identifiers=NAMES),
        trials=1,
    )
    (_, quantiles), (_, single_quantiles) = answer.keeps, single_need.keeps
    assert answer.keeps[0].held
    assert quantiles.reached is not None
    assert single_quantiles.reached is not None
    assert quantiles.reached < single_quantiles.reached
    same = (answer.outcome.partition.labels, answer.second_outcome.partition.labels)
    np.testing.assert_array_equal(*same)


def test_groups_that_cross_are_counted_where_they_cross() -> None:
    """Each has groups of five; who holds both finds somebody alone."""
    first = released("mdav", 5)
    second = released("mdav", 5, attribute_weights={"a": 30.0})
    held_releases = HeldReleases(first, table_of(frame_of()), second)
    classes = classes_of_both(first, second)
    sizes = classes.map(classes.value_counts())
    assert sizes.min() < 5
    reached = {
        text: Rule.parse(text).measured(held_releases).value
        for text in (
            "k >= 5",
            "prosecutor <= 0.2",
            "marketer <= 0.2",
            "l >= 2",
            "uniques <= 0",
            "attack <= 0.1",
        )
    }
    assert reached["k >= 5"] == sizes.min()
    assert reached["prosecutor <= 0.2"] == pytest.approx(1.0 / sizes.min())
    assert float(reached["marketer <= 0.2"]) == pytest.approx((1.0 / sizes).mean())
    values = frame_of()["s"].groupby(classes.to_numpy()).nunique().min()
    assert reached["l >= 2"] == values
    more = classes + "|" + frame_of()["y"].astype(str)
    unique = (more.map(more.value_counts()) == 1).mean()
    assert float(reached["uniques <= 0"]) == pytest.approx(unique)
    single_attack = (
        Rule.parse("attack <= 0.1")
        .measured(HeldReleases(first, table_of(frame_of())))
        .value
    )
    assert reached["attack <= 0.1"] >= single_attack


@pytest.mark.parametrize("measure", sorted(RULE_MEASURES))
def test_a_release_beside_itself_tells_what_it_told(measure: str) -> None:
    outcome = released("mdav", 5, sampling_fraction=0.1)
    rule = Rule.parse(
        f"{measure} {RULE_MEASURES[measure].relation} "
        f"{2 if RULE_MEASURES[measure].whole else 1}"
    )
    table = table_of(frame_of())
    single_value = rule.measured(HeldReleases(outcome, table)).value
    twice = rule.measured(HeldReleases(outcome, table, outcome)).value
    assert float(twice) == pytest.approx(float(single_value), abs=0.02)


def test_the_same_seed_finds_the_same_two_on_any_number_of_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = []
    for threads in ("1", "2"):
        monkeypatch.setenv("COTERIE_THREADS", threads)
        summary = answered(trials=20, rules=["k >= 5"]).summary()
        del summary["seconds"], summary["outcome"], summary["second"]["outcome"]
        texts.append(json.dumps(summary))
    assert texts[0] == texts[1]


def test_one_command_writes_both_and_enters_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame_of().to_csv(tmp_path / "f.csv", index=False)
    paths = {n: tmp_path / n for n in ("1.csv", "2.csv", "n.json", "ledger")}
    words = ["need", str(tmp_path / "f.csv"), "--quasi-identifiers", "a,b,g"]
    words += ["--rule", "k >= 5", "--trials", "9", "--model", MODEL]
    words += ["--keep", "overlap >= 0.1", "--output", str(paths["1.csv"])]
    words += ["--second-output", str(paths["2.csv"]), "--json", str(paths["n.json"])]
    words += ["--ledger", str(paths["ledger"])]
    assert main([*words, "--second-keep", "quantiles(b) <= 9"]) == 0
    console_text = capsys.readouterr().out
    assert "holds: both together: k >= 5" in console_text
    content = json.loads(paths["n.json"].read_text(encoding="utf-8"))
    assert content["answer"] == "found"
    assert content["keeps"][1]["release"] == 2
    assert content["second"]["outcome"]["k_verified"]
    files = [pd.read_csv(paths[name]) for name in ("1.csv", "2.csv")]
    both = pd.concat(
        [files[0][list(NAMES)], files[1][list(NAMES)].add_suffix("2")], axis=1
    )
    assert both.groupby(list(both)).size().min() >= 5
    assert len(Ledger.read_file(paths["ledger"]).entries) == 2
    for path in paths.values():
        path.unlink()
    assert main(words) == 2
    assert "asked for by what it must keep" in capsys.readouterr().err
    assert not any(path.exists() for path in paths.values())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"second_keeps": ["overlap >= 0.9"]}, "--second-model"),
        ({"second_keeps": ["mean(nowhere) <= 1"]}, "does not leave"),
        ({"second_models": ["linear y ~ a + b + I(a + b)"]}, "collinear"),
    ],
)
def test_a_bad_second_need_is_refused_in_one_sentence(
    options: dict[str, Any], why: str
) -> None:
    with pytest.raises(ParameterError, match=why) as caught:
        answered(**options)
    assert "\n" not in str(caught.value)


def test_a_second_release_needs_a_first_with_something_to_keep() -> None:
    with pytest.raises(ParameterError, match="something to keep each"):
        need(table_of(frame_of()), ["k >= 3"], [], second_keeps=["loss <= 90"])
