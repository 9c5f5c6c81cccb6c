"""What is needed is found, missed by how much, proven impossible, or left open."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.analysis.need.keeps import Keep
from engine.cli.parsing.parser import main
from engine.core.errors import ParameterError
from engine.pipeline.plan import Plan
from tests.engine.analysis.need.cases import (
    MODEL,
    OWN_RULE_SET,
    answered,
    frame_of,
    people_table,
    table_of,
    weakest,
)


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
    best_trial = min(
        (t for t in answer.tried if t.is_feasible), key=lambda trial: trial.loss or 0.0
    )
    assert keep.reached >= best_trial.reached[0].value
    assert {str(each.change) for each in answer.alternatives} >= {
        "k = 10 instead of 20",
        "leave out 5% of the records",
        "without column 'a', also in models",
    }
    first, summary_entry = answer.alternatives[0], answer.summary()["would_meet"][0]
    assert Plan(**summary_entry["plan"]) == first.plan


def test_of_several_missed_keeps_the_sentence_names_the_one_missed_most() -> None:
    keeps = ["overlap >= 0.999", "quantiles(a) <= 0.001"]
    answer = answered(["k >= 20"], keeps, trials=9)
    assert [keep.held for keep in answer.keeps] == [False, False]
    assert "'quantiles(a) <= 0.001' is missed" in answer.sentence


def test_what_is_proven_impossible_is_said_with_the_proof() -> None:
    few = answered(["k >= 200"], [], models=[])
    assert (few.answer, few.outcome) == ("impossible", None)
    assert "there are 150 records" in few.sentence
    loss_answer = answered(["k >= 5"], ["loss <= 0.01"], models=[], trials=9)
    assert loss_answer.answer == "impossible"
    assert "it is proven that all lose" in loss_answer.sentence
    table = table_of(frame_of().assign(s="x"), s="confidential")
    plan = Plan(
        method="mdav", k=2, quasi_identifiers=("a", "b", "g"), confidential=("s",)
    )
    same = answered(["l >= 2"], [], models=[], table=table, base=plan)
    assert same.answer == "impossible"
    assert "has 1 value in the whole file" in same.sentence


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
    summaries = []
    for threads in ("1", "2"):
        monkeypatch.setenv("COTERIE_THREADS", threads)
        summary = answered(["k >= 5"], ["overlap >= 0.99"], trials=20).summary()
        del summary["seconds"], summary["outcome"]
        summaries.append(json.dumps(summary))
    assert summaries[0] == summaries[1]


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
    difference = abs(frame["a"].corr(frame["b"]) - after["a"].corr(after["b"]))
    assert correlation.reached == pytest.approx(difference)
    assert mean.reached < 1e-3  # but for the decimals that are written
    counts = [
        compared_frame.groupby(["a", "g"]).size() / 60
        for compared_frame in (frame, after)
    ]
    difference = counts[0].sub(counts[1], fill_value=0.0).abs().sum() / 2.0
    assert cells.reached == pytest.approx(difference)
    difference = abs((frame["g"] == "yes").mean() - (after["g"] == "yes").mean())
    assert shares.reached == pytest.approx(difference)
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
    easy_options = [
        "--rule",
        "prosecutor <= 0.2",
        "--keep",
        "overlap >= 0.5",
        "--trials",
        "24",
    ]
    assert main([*words, *easy_options]) == 0
    console_output = capsys.readouterr()
    assert console_output.out.startswith("found: ")
    assert (
        "Note: Leaves as it is, because no option removes it: 'y'."
        in console_output.err
    )
    content = json.loads(paths["need.json"].read_text(encoding="utf-8"))
    assert content["answer"] == "found"
    assert content["plan"]["k"] == 5
    assert {"asked", "reached", "held"} <= set(content["rules"][0])
    second_path = tmp_path / "again.csv"
    words_again = [str(tmp_path / "f.csv"), "--plan", str(paths["need.json"])]
    assert main(["run", *words_again, "--output", str(second_path)]) == 0
    assert second_path.read_bytes() == paths["out.csv"].read_bytes()
    capsys.readouterr()
    out = pd.read_csv(paths["out.csv"])
    assert out.groupby(["a", "b", "g"]).size().min() >= 5
    assert len(pd.read_csv(paths["groups.csv"])) == 150
    reached = content["keeps"][0]["reached"]
    assert reached == pytest.approx(weakest(frame_of(), out), abs=1e-3)
    (model_summary,) = content["models"]
    assert [slope["name"] for slope in model_summary["slopes"]] == [
        "a",
        "b",
        "g[T.yes]",
    ]
    guide = paths["guide.md"].read_text(encoding="utf-8")
    assert f"## Your model: `{MODEL}`" in guide
    for path in paths.values():
        path.unlink()
    assert main([*words, "--rule", "k >= 500", "--trials", "9"]) == 1
    assert capsys.readouterr().err.startswith("impossible: ")
    assert [name for name, path in paths.items() if path.exists()] == ["need.json"]
    paths["need.json"].unlink()
    rule_file = tmp_path / "own.toml"
    rule_file.write_text(OWN_RULE_SET.replace('"7"', '"500"'), encoding="utf-8")
    assert main([*words, "--rule", str(rule_file), "--trials", "9"]) == 1
    assert capsys.readouterr().err.startswith("impossible: ")
    paths["need.json"].unlink()
    assert main([*words, "--rule", "k >= x"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not any(path.exists() for path in paths.values())


def test_a_keep_knows_its_own_side() -> None:
    assert Keep.parse("overlap >= .9") == Keep.parse("overlap >= 0.9")
    assert Keep.parse("overlap >= 0.9").margin(0.95) == pytest.approx(0.05)
    assert Keep.parse("loss <= 10").margin(12.0) == pytest.approx(-0.2)
    assert not Keep.parse("overlap >= -5").holds(math.nan)


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
