"""Loss and linkage against a parameter, and the baseline of plain noise."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine import ParameterError, Plan, Table, evaluate, run
from engine.analysis.curves.sweep import noise_baseline, sweep_parameter
from engine.cli.parsing.parser import main
from engine.files import read_table
from tests.engine.methods.fuzzy.tables import RULE, as_table, expenditure, matrix


def test_each_value_is_the_mean_of_runs_with_it() -> None:
    table, plan = as_table(matrix(40)), Plan(method="fuzzy", k=4, seed=3, seeds=2)
    (sweep_point,) = sweep_parameter(plan, table, "m2", ["2.0"])
    runs = [
        run(Plan(method="fuzzy", k=4, seed=seed, parameters={"m2": 2.0}), table)
        for seed in (3, 4)
    ]
    losses = [outcome.information_loss for outcome in runs]
    linked = [evaluate(outcome, table)["record-linkage"].value for outcome in runs]
    assert sweep_point.value == 2.0
    assert sweep_point.loss == pytest.approx(np.mean(losses))
    assert (sweep_point.least, sweep_point.most) == (min(losses), max(losses))
    assert sweep_point.linkage == pytest.approx(np.mean(linked))
    assert sweep_point.k_released == min(outcome.k_released for outcome in runs)


def test_loss_rises_with_m1_and_m2_and_falls_with_lambda() -> None:
    table, plan = as_table(matrix(60)), Plan(method="fuzzy", k=4, seeds=3)
    for name, values in (("m1", (1.0, 3.0)), ("m2", (1.0, 3.0))):
        low, high = sweep_parameter(plan, table, name, values)
        assert low.loss < high.loss
    crisp = plan.replace(parameters={"algorithm": "efcm"})
    low, high = sweep_parameter(crisp, table, "lambda2", (0.1, 20.0))
    assert low.loss > high.loss


def test_a_value_or_name_that_cannot_be_is_refused_before_anything_runs() -> None:
    table, plan = as_table(matrix(20)), Plan(method="fuzzy", k=4)
    with pytest.raises(ParameterError, match="m2"):
        sweep_parameter(plan, table, "m2", (1.0, 0.5))
    with pytest.raises(ParameterError, match="no parameter called 'gamma'"):
        sweep_parameter(plan, table, "gamma", (1.0,))


def test_noise_loses_what_was_added_and_hides_nothing_where_there_is_none() -> None:
    table, plan = as_table(matrix(400)), Plan(k=4)
    none, some = noise_baseline(plan, table, (0.0, 0.5))
    assert (none.loss, none.linkage) == (0.0, 100.0)
    assert some.loss == pytest.approx(25.0, rel=0.2)  # the variance that was added
    assert some.linkage < 100.0


def test_noise_keeps_the_same_edits() -> None:
    table = expenditure()
    free, ruled = (
        noise_baseline(
            Plan(k=3, constraints=rules, seeds=5, scaling="none"), table, (0.5,)
        )[0]
        for rules in ((), (RULE,))
    )
    # Clean records keep the rule: on its plane, noisy ones are nearer to them.
    assert ruled.loss < free.loss
    assert ruled.most < free.most


def test_noise_is_added_to_numbers_only() -> None:
    frame = as_table(matrix(20)).frame.assign(sex=["f", "m"] * 10)
    table: Table = read_table(frame).assign(
        roles=dict.fromkeys(frame.columns, "quasi-identifier")
    )
    with pytest.raises(ParameterError, match="'sex' holds no numbers"):
        noise_baseline(Plan(k=3), table, (0.1,))


def test_a_command_line_writes_values_and_noise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    as_table(matrix(30)).frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["sweep", str(tmp_path / "t.csv"), "--all-numeric", "--k", "3"]
    words += ["--method", "vmdav", "--vary", "lambda=0,1.5", "--noise", "0.2"]
    assert main([*words, "--json", str(tmp_path / "o.json")]) == 0
    content = json.loads((tmp_path / "o.json").read_text())
    assert [row["value"] for row in content["values"]] == [0.0, 1.5]
    assert [row["value"] for row in content["noise"]] == [0.2]
    assert "found %" in capsys.readouterr().out
    assert main([*words[:-4], "--vary", "lambda"]) == 2
