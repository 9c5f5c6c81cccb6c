"""Is there a grouping below a limit: answered by groups, by a bound, or open."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine import ParameterError, Plan, Table, read_table, run
from engine.analysis.curves.loss_limit import (
    decide_reachable_loss_per_k,
    loss_limit_messages,
)
from engine.cli.parsing.parser import main
from engine.pipeline.outcome import Outcome
from tests.reference.brute_force import least_sse


def firms(n: int = 9) -> Table:
    X = np.random.default_rng(3).normal(size=(n, 2)).round(2)
    frame = pd.DataFrame(X, columns=["x", "y"])
    return read_table(frame).assign(
        roles=dict.fromkeys(frame.columns, "quasi-identifier")
    )


def outcome(method: str, k: int = 3, **choices: object) -> Outcome:
    return run(
        Plan(**{"method": method, "k": k, "rounding": "none", **choices}), firms()
    )


def test_answers_agree_with_the_best_of_all_groupings() -> None:
    best = outcome("optimal", parameters={"iterations": 50})
    outcomes = [outcome("mdav"), best]
    best_loss = best.information_loss
    assert decide_reachable_loss_per_k(outcomes, 1.001 * best_loss)[0].answer == "yes"
    assert (
        decide_reachable_loss_per_k(outcomes, 0.999 * best.bound.per_cent)[0].answer
        == "no"
    )
    # What is proven to be the best answers for every limit, its own loss among them.
    assert decide_reachable_loss_per_k(outcomes, best_loss)[0].answer == "no"
    X = firms().frame.to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert best_loss == pytest.approx(100 * least_sse(X, 3) / X.size)


def test_between_groups_and_bound_it_is_open() -> None:
    simple_outcome = outcome("simple")
    limit = (simple_outcome.information_loss + simple_outcome.bound.per_cent) / 2
    (decision,) = decide_reachable_loss_per_k([simple_outcome], limit)
    assert decision.answer == "open"
    assert f"{simple_outcome.information_loss:.4f} %" in decision.to_message
    assert f"{simple_outcome.bound.per_cent:.4f} %" in decision.to_message


def test_groups_serve_smaller_k_and_bounds_larger_ones() -> None:
    three, four = outcome("simple", 3), outcome("refined", 4)
    four = replace(four, bound=replace(four.bound, per_cent=1.0))
    assert four.information_loss < three.information_loss
    assert four.bound.per_cent < three.bound.per_cent
    for_three, for_four = decide_reachable_loss_per_k([three, four], 50.0)
    assert for_three.loss == for_four.loss == four.information_loss
    assert for_three.bound == for_four.bound == three.bound.per_cent


def test_groups_that_promise_no_k_are_no_witness() -> None:
    none = [outcome("fuzzy"), outcome("individual-ranking")]
    assert decide_reachable_loss_per_k(none, 50.0) == ()
    (message,) = loss_limit_messages(none, 50.0)
    assert "cannot be told" in str(message)


def test_what_is_measured_differently_is_not_compared() -> None:
    with pytest.raises(ParameterError, match="cannot be compared"):
        decide_reachable_loss_per_k(
            [outcome("mdav"), outcome("mdav", scaling="none")], 10.0
        )
    with pytest.raises(ParameterError, match="above 0, up to 100"):
        decide_reachable_loss_per_k([outcome("mdav")], 0.0)


def test_a_command_line_asks_before_it_runs_and_writes_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    firms().frame.to_csv(tmp_path / "t.csv", index=False)
    words = [str(tmp_path / "t.csv"), "--all-numeric", "--below", "99"]
    out = tmp_path / "o.json"
    assert main(["compare", *words, "--methods", "mdav", "--json", str(out)]) == 0
    assert json.loads(out.read_text())[0]["below"]["answer"] == "yes"
    assert main(["run", *words, "--k", "3"]) == 0
    assert capsys.readouterr().out.count("Yes: with k = 3") == 2
    assert main(["run", *words[:-1], "-1", "--k", "3"]) == 2
