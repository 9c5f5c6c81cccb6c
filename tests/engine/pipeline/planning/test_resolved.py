"""A plan is settled once, for one table, and by itself alone."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import engine
from engine.cli.parsing.parser import main
from engine.core.errors import ParameterError
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.files import read_table
from engine.methods import methods
from engine.pipeline.compare import PlanRunner
from engine.pipeline.evaluate import evaluate
from engine.pipeline.grouping import prepare as preparation
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import ResolvedPlan, resolve_plan
from engine.pipeline.run import run

N = 60
COLUMNS = ("age", "income", "sex")
FIGURES = ("information_loss", "certainty_penalty", "n_groups", "kinds", "aggregations")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, N),
            "income": rng.lognormal(8, 1, N).round(1),
            "sex": rng.integers(1, 3, N),
            "zip": range(10_000, 10_000 + N),
            "word": ["north", "south"] * (N // 2),
        }
    )


@pytest.fixture(scope="module")
def table(frame: pd.DataFrame) -> Table:
    loaded_table = read_table(frame)
    assert (
        loaded_table.schema["sex"].kind
        is loaded_table.schema["zip"].kind
        is Kind.NOMINAL
    )
    return loaded_table


def test_codes_that_a_plan_names_are_numbers_to_methods_for_numbers(
    table: Table,
) -> None:
    plan = resolve_plan(Plan(method="mdav", quasi_identifiers=COLUMNS), table)
    assert plan.kinds["sex"] is Kind.ORDINAL
    mixed = resolve_plan(
        Plan(method="caat", quasi_identifiers=(*COLUMNS, "word")), table
    )
    assert mixed.kinds["sex"] is mixed.kinds["word"] is Kind.NOMINAL


def test_numbers_that_seemed_to_identify_are_numbers_to_mixed_methods_too() -> None:
    table = read_table(pd.DataFrame({"x": range(N), "y": [0.5, 1.5] * (N // 2)}))
    assert table.schema["x"].kind is Kind.NOMINAL
    plan = Plan(method="caat", quasi_identifiers=("x", "y"))
    assert resolve_plan(plan, table).kinds["x"] is Kind.CONTINUOUS
    nominal_plan = plan.replace(kinds={"x": Kind.NOMINAL})
    assert resolve_plan(nominal_plan, table).kinds["x"] is Kind.NOMINAL


def test_a_kind_that_somebody_said_stays(table: Table) -> None:
    nominal_table = table.assign(kinds={"sex": "nominal"})
    plan = Plan(method="mdav", quasi_identifiers=COLUMNS)
    assert resolve_plan(plan, nominal_table).kinds["sex"] is Kind.NOMINAL
    assert run(plan, nominal_table).k_verified


def test_a_kind_that_only_its_role_makes_count_stays(table: Table) -> None:
    roles = dict.fromkeys(table.schema.names, "other")
    chosen = table.assign(roles={**roles, **dict.fromkeys(COLUMNS, "quasi-identifier")})
    assert resolve_plan(Plan(), chosen).kinds["sex"] is Kind.NOMINAL


def test_a_resolved_plan_is_a_plan_that_resolves_to_itself(table: Table) -> None:
    plan = Plan(method="mdav", quasi_identifiers=COLUMNS, blocks=[["age"]])
    resolved_plan = resolve_plan(plan, table)
    assert resolved_plan.blocks == (("age",), ("income", "sex"))
    assert (
        resolve_plan(resolved_plan, table)
        == resolved_plan
        == resolve_plan(Plan.from_json(resolved_plan.to_json()), table)
    )
    assert (
        ResolvedPlan.from_json(resolved_plan.to_json()).digest()
        == resolved_plan.digest()
    )
    assert list(json.loads(resolved_plan.to_json())) == [*Plan.model_fields, "version"]
    assert type(resolved_plan.replace(k=5)) is Plan


def test_a_plan_that_has_been_used_is_copied_as_widgets_do(table: Table) -> None:
    resolved_plan = resolve_plan(Plan(quasi_identifiers=COLUMNS), table)
    assert not resolved_plan.trees
    assert copy.deepcopy({"chosen": resolved_plan}) == {"chosen": resolved_plan}


def test_plans_are_resolved_where_runs_begin_and_nowhere_else() -> None:
    root = Path(engine.__file__).parent
    paths = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(
            r"(?<![.\w])(?<!def )resolve_plan\(", path.read_text(encoding="utf-8")
        )
    }
    paths -= {
        "pipeline/planning/resolve_plan.py",
        "report/script.py",
    }  # the latter writes scripts
    begin = {"pipeline/run.py", "pipeline/compare.py", "streaming/run.py"}
    begin |= {
        "analysis/curves/timing.py",
        "analysis/curves/suppression_curve.py",
        "analysis/curves/sweep.py",
    }
    begin |= {
        "analysis/need/parsed_need.py",
        "analysis/need/plan_search/search.py",
        "analysis/need/proofs.py",
        "cli/need.py",
    }
    assert paths == begin | {"cli/run.py"}


@pytest.mark.parametrize("open_", ["quasi_identifiers", "kinds", "aggregations"])
def test_a_plan_that_leaves_something_open_is_not_resolved(
    table: Table, open_: str
) -> None:
    choices = resolve_plan(Plan(quasi_identifiers=COLUMNS), table).model_dump()
    del choices[open_]
    with pytest.raises(ParameterError, match="not resolved"):
        ResolvedPlan(**choices)


def test_a_table_is_prepared_once_for_a_run_and_what_is_asked_of_it(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared_plans: list[ResolvedPlan] = []
    prepare = preparation.prepare_table

    def counted(plan: ResolvedPlan, table: Table) -> Any:
        prepared_plans.append(plan)
        return prepare(plan, table)

    monkeypatch.setattr(preparation, "prepare_table", counted)
    preparations = PreparationCache(table, max_entries=1)
    plan = Plan(quasi_identifiers=COLUMNS)
    outcome = run(plan, table, preparations=preparations)
    evaluate(outcome, table, ["means"], preparations=preparations)
    run(plan.replace(k=5), table, preparations=preparations)
    assert len(prepared_plans) == 1
    run(plan.replace(scaling="range"), table, preparations=preparations)
    run(plan, table, preparations=preparations)
    assert len(prepared_plans) == 3  # one is remembered at a time


@pytest.fixture(scope="module")
def alone(table: Table) -> dict[str, dict[str, Any]]:
    """What each method gives that can run on the table, with no other beside it."""
    summaries = {}
    for info in methods.infos():
        parameters = {each.name for each in info.parameters} & {"iterations"}
        plan = Plan(
            method=info.id,
            quasi_identifiers=COLUMNS,
            parameters=dict.fromkeys(parameters, 2),
        )
        if info.traits.univariate or (info.traits.time_budget and not parameters):
            continue
        summaries[info.id] = PlanRunner(table).run_plan(plan).summary()
    assert len(summaries) > 25
    return summaries


@pytest.mark.slow
@pytest.mark.parametrize("backwards", [False, True])
def test_figures_of_a_method_are_equal_whatever_runs_beside_it(
    alone: dict[str, dict[str, Any]],
    frame: pd.DataFrame,
    tmp_path: Path,
    backwards: bool,
) -> None:
    """Every pair of methods is there, in one order or the other."""
    frame.to_csv(tmp_path / "people.csv", index=False)
    names = sorted(alone, reverse=backwards)
    words = ["compare", str(tmp_path / "people.csv"), "--methods", ",".join(names)]
    words += ["--quasi-identifiers", ",".join(COLUMNS), "--param", "iterations=2"]
    assert main([*words, "--json", str(tmp_path / "table.json")]) == 0
    rows = json.loads((tmp_path / "table.json").read_text())
    for row in rows:
        summary = alone[row["method"]]
        assert {name: row[name] for name in FIGURES} == {
            name: summary[name] for name in FIGURES
        }
