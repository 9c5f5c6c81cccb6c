"""Several seeds: each is a run of its own, and what draws no lots runs once."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine import ParameterError, Plan, Table, run
from engine.cli.parsing.parser import main
from engine.core.errors import EngineError
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.methods import methods
from engine.pipeline.planning.cost import expected_seconds
from engine.pipeline.planning.limits import MAX_SEED
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.planning.seeds import is_randomised, summarise_spread
from engine.report import facts_to_html, facts_to_markdown, report_facts
from engine.storage.figures import OutcomeFigures

FUZZY = Plan(method="fuzzy", k=4, seed=3, seeds=4)


def table(columns: int = 2) -> Table:
    values = np.random.default_rng(5).normal(size=(60, columns)).round(3)
    frame = pd.DataFrame(values, columns=list("abc")[:columns])
    schema_columns = (Column(c, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for c in frame)
    return Table.from_frame(frame, Schema(tuple(schema_columns)))


def test_each_seed_is_a_run_of_its_own() -> None:
    many = run(FUZZY, table())
    for place, seed_figures in enumerate(many.by_seed):
        single_run = run(FUZZY.replace(seed=3 + place, seeds=1), table())
        assert seed_figures.seed == 3 + place
        assert seed_figures.information_loss == single_run.information_loss
        assert (
            seed_figures.certainty_penalty
            == single_run.scores["certainty-penalty"].value
        )
        assert seed_figures.n_groups == single_run.partition.n_groups
    assert len({seed_figures.information_loss for seed_figures in many.by_seed}) > 1
    first = run(FUZZY.replace(seeds=1), table())
    pd.testing.assert_frame_equal(many.release.frame, first.release.frame)
    assert first.by_seed == ()
    assert first.spreads == {}


def test_spread_is_that_of_a_sample() -> None:
    values = [3.0, 4.5, 9.0, 2.5]
    spread = summarise_spread(values)
    assert spread.mean == pytest.approx(np.mean(values))
    assert spread.deviation == pytest.approx(np.std(values, ddof=1))
    assert (spread.least, spread.most) == (2.5, 9.0)


def test_what_draws_no_lots_runs_once_and_is_the_same_plan() -> None:
    ten = resolve_plan(Plan(method="mdav", k=4, seeds=10), table())
    assert ten == resolve_plan(Plan(method="mdav", k=4), table())
    assert run(ten, table()).by_seed == ()
    assert expected_seconds(ten, table()) < expected_seconds(
        Plan(method="fuzzy", k=4, seeds=10), table()
    )


@pytest.mark.parametrize("name", sorted(methods))
def test_only_what_says_so_depends_on_the_seed(name: str) -> None:
    info = methods.info(name)
    plan = Plan(method=name, k=3)
    if is_randomised(plan):
        pytest.skip("it says so")
    data = table(1 if info.traits.univariate else 2)
    outcome, other = (run(plan.replace(seed=seed), data) for seed in (0, 77))
    assert (outcome.partition.labels == other.partition.labels).all()


def test_a_search_draws_lots_where_its_start_does() -> None:
    drawing = [
        info.id
        for info in methods.infos()
        if info.traits.uses_seed and info.can_be_refined
    ]
    try:
        plan = Plan(method="blocked", parameters={"start": drawing[0]})
    except EngineError:
        pytest.skip("no method that draws lots can be a start")
    assert is_randomised(plan)
    assert not is_randomised(Plan(method="blocked"))


def test_figures_by_seed_are_kept_and_told() -> None:
    outcome = run(FUZZY, table())
    content = json.loads(
        json.dumps(OutcomeFigures.from_outcome(outcome).to_json(), default=list)
    )
    assert OutcomeFigures.from_json(content).by_seed == outcome.by_seed
    facts = report_facts(outcome, table())
    for page in (facts_to_html(facts), facts_to_markdown(facts)):
        assert "it was run with 4 seeds" in page
    public = facts_to_html(report_facts(outcome, table(), audience="external"))
    assert "it was run with" not in public
    summary = outcome.summary()
    assert [figures["seed"] for figures in summary["by_seed"]] == [3, 4, 5, 6]
    losses = [figures["information_loss"] for figures in summary["by_seed"]]
    assert summary["spread"]["information_loss"]["mean"] == pytest.approx(
        np.mean(losses)
    )


def test_seeds_end_at_the_largest() -> None:
    with pytest.raises(ParameterError, match="largest seed"):
        Plan(seed=MAX_SEED, seeds=2)
    with pytest.raises(ParameterError, match="at least 1"):
        Plan(seeds=0)


def test_a_command_line_compares_over_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path
    table().frame.to_csv(folder / "t.csv", index=False)
    words = ["compare", str(folder / "t.csv"), "--all-numeric", "--k", "4"]
    words += ["--methods", "mdav,fuzzy", "--seeds", "3"]
    assert main([*words, "--json", str(folder / "o.json")]) == 0
    mdav, fuzzy = json.loads((folder / "o.json").read_text())
    assert mdav["by_seed"] == []
    assert len(fuzzy["by_seed"]) == 3
    mean = fuzzy["spread"]["information_loss"]["mean"]
    assert f"{mean:.4f} ±" in capsys.readouterr().out
