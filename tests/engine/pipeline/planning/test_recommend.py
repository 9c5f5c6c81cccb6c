"""One result is recommended: k holds, numbers stay numbers, little is lost."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.cli.parsing.parser import main
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy.build import from_prefixes
from engine.pipeline.compare import compare, grid
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning import recommend as recommendation
from engine.pipeline.planning.recommend import choose_default_k, recommend_outcome


def numbers(n: int = 60) -> Table:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.lognormal(3, 1, (n, 3)), columns=["a", "b", "c"])
    columns = (Column(c, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for c in frame)
    return Table.from_frame(frame, Schema(tuple(columns)))


def outcomes(
    table: Table, names: list[str], sizes: list[int], base: Plan | None = None
) -> list[Outcome]:
    results = compare(grid(base or Plan(), names, sizes), table)
    assert all(isinstance(result, Outcome) for result in results)
    return [result for result in results if isinstance(result, Outcome)]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [([3, 5, 10], 5), ([3, 10], 10), ([2, 3, 4], 4), ([20, 7], 7), ([5], 5)],
)
def test_the_smallest_k_is_never_taken_only_because_it_loses_least(
    sizes: list[int], expected: int
) -> None:
    assert choose_default_k(sizes) == expected
    best = recommend_outcome(outcomes(numbers(), ["mdav"], sizes))
    assert best is not None
    assert best.outcome.plan.k == expected


def test_it_loses_least_of_its_k_and_says_how_near_to_the_best() -> None:
    candidates = outcomes(numbers(), ["md", "mdav", "refined", "vmdav"], [3, 5])
    best = recommend_outcome(candidates)
    assert best is not None
    of_five = [outcome for outcome in candidates if outcome.plan.k == 5]
    lowest_loss = min(outcome.information_loss for outcome in of_five)
    assert best.outcome.information_loss == lowest_loss
    bound = max(outcome.bound.per_cent for outcome in of_five)
    bound_text = best.reason.values["part1"]
    assert str(best.reason).startswith("Loses least at k = 5")
    assert f"no grouping can lose less than {bound:.1f} %" in str(bound_text)


def test_methods_that_do_not_keep_k_are_never_recommended() -> None:
    table = numbers()
    weak = outcomes(table, ["individual-ranking"], [5])
    assert not weak[0].k_verified
    assert recommend_outcome(weak) is None
    both = [*weak, *outcomes(table, ["md"], [5])]
    assert weak[0].information_loss < both[1].information_loss
    best = recommend_outcome(both)
    assert best is not None
    assert best.outcome is both[1]


def test_numbers_stay_numbers_where_any_result_keeps_them() -> None:
    table = numbers()
    text = outcomes(table, ["refined"], [5], Plan(aggregations={"c": "interval"}))
    numeric = outcomes(table, ["pca-projection"], [5])
    assert text[0].information_loss < numeric[0].information_loss
    best = recommend_outcome([*text, *numeric])
    assert best is not None
    assert best.outcome is numeric[0]
    assert "numbers as numbers" in best.reason
    text_recommendation = recommend_outcome(text)
    assert text_recommendation is not None
    assert text_recommendation.outcome is text[0]


@pytest.mark.parametrize(("hardly", "taken"), [(1.0, 0), (4.0, 1)])
def test_a_result_that_keeps_more_columns_may_lose_hardly_more(
    hardly: float, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = outcomes(numbers(), ["refined", "pca-projection"], [5])
    assert pair[0].information_loss < pair[1].information_loss
    monkeypatch.setattr(recommendation, "NEAR_BEST_LOSS_FACTOR", hardly)
    monkeypatch.setattr(recommendation, "MIN_SPREAD", 0.0)
    monkeypatch.setattr(
        recommendation, "_n_lost_columns", lambda outcome: int(outcome is pair[0])
    )
    best = recommend_outcome(pair, max_loss=100.0)
    assert best is not None
    assert best.outcome is pair[taken]
    prefix = "Keeps 1 column more at k = 5 than" if taken else "Loses least at k = 5"
    assert str(best.reason).startswith(prefix)


def test_of_equal_results_the_first_is_recommended() -> None:
    [first_outcome] = outcomes(numbers(), ["mdav"], [5])
    [same] = outcomes(numbers(), ["mdav"], [5])
    for pair in ([first_outcome, same], [same, first_outcome]):
        best = recommend_outcome(pair)
        assert best is not None
        assert best.outcome is pair[0]


@pytest.mark.parametrize(("max_loss", "spread"), [(0.0, 0.0), (100.0, 1.0)])
def test_what_spoils_the_data_is_not_recommended(
    max_loss: float, spread: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = outcomes(numbers(), ["refined", "pca-projection"], [5])
    fine = recommend_outcome(pair)
    assert fine is not None
    assert not fine.spoils
    monkeypatch.setattr(recommendation, "MIN_SPREAD", spread)
    spoilt = recommend_outcome(pair, max_loss)
    assert spoilt is not None
    assert spoilt.outcome is fine.outcome
    assert "fewer columns" in str(spoilt.spoils)


def test_one_that_does_not_spoil_goes_before_one_that_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair = outcomes(numbers(), ["refined", "pca-projection"], [5])
    halfway = sum(outcome.information_loss for outcome in pair) / 2
    monkeypatch.setattr(recommendation, "NEAR_BEST_LOSS_FACTOR", 100.0)
    best = recommend_outcome(pair, max_loss=halfway)
    assert best is not None
    assert best.outcome is pair[0]


def test_the_command_marks_one_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, json_path = tmp_path / "t.csv", tmp_path / "t.json"
    numbers().frame.to_csv(source, index=False)
    command = ["compare", str(source), "--all-numeric", "--methods", "md,mdav,refined"]
    assert main([*command, "--k", "3,5", "--json", str(json_path)]) == 0
    rows = json.loads(json_path.read_text())
    [row] = [row for row in rows if row["recommended"]]
    assert row["k"] == 5
    assert row["information_loss"] == min(
        row["information_loss"] for row in rows if row["k"] == 5
    )
    assert f"Recommended: {row['method']}, k = 5. {row['reason']}." in (
        capsys.readouterr().out
    )
    assert all(row["reason"] is None for row in rows if not row["recommended"])


def test_codes_that_are_generalised_were_no_numbers() -> None:
    rng = np.random.default_rng(6)
    frame = numbers(80).frame.assign(code=rng.choice([80331, 80335, 85221, 85356], 80))
    columns = [Column(c, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for c in "abc"]
    tree = from_prefixes(frame["code"], (2,))
    code = Column("code", Kind.NOMINAL, Role.QUASI_IDENTIFIER, hierarchy=tree)
    table = Table.from_frame(frame, Schema((*columns, code)))
    best = recommend_outcome(outcomes(table, ["refined", "mdav-mixed"], [5]))
    assert best is not None
    assert best.outcome.plan.method == "refined"
    assert "numbers as numbers" not in str(best.reason)
