"""Released values that are multiples of a number."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cli.parsing.parser import main
from engine.core.errors import ParameterError
from engine.core.platform.shell import quote_argument
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.protection.aggregate import round_to_multiples
from engine.pipeline.run import run
from engine.report.command_line import command_line


def make_table() -> Table:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 60),
            "income": rng.lognormal(10, 0.5, 60).round(2),
            "share": rng.random(60).round(3),
            "job": rng.choice(["a", "b", "c"], 60),
        }
    )
    return read_table(frame).assign(
        roles=dict.fromkeys(frame.columns, "quasi-identifier")
    )


@given(st.floats(-1e6, 1e6), st.sampled_from([5.0, 100.0, 0.05, 0.25, 3.0]))
def test_a_value_becomes_the_nearest_multiple(value: float, base: float) -> None:
    (multiple,) = round_to_multiples(np.array([value]), base)
    assert abs(multiple - value) <= base / 2 * (1 + 1e-9) + 1e-6
    assert abs(multiple / base - round(multiple / base)) < 1e-6


def test_columns_are_rounded_each_to_its_own_base() -> None:
    bases = {"age": 5, "income": 100, "share": 0.05}
    outcome = run(Plan(k=4, rounding_base=bases), make_table())
    released = outcome.release.frame
    assert (released["age"] % 5 == 0).all()
    assert released["age"].dtype == np.int64
    assert (released["income"] % 100 == 0).all()
    assert set(released["share"]) <= {round(0.05 * step, 2) for step in range(21)}
    assert outcome.k_verified
    plain = run(Plan(k=4), make_table())
    loss = "released-loss"
    assert outcome.scores[loss].value > plain.scores[loss].value
    assert outcome.information_loss == plain.information_loss


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"rounding_base": {"age": 0}}, "above 0"),
        ({"rounding_base": {"age": "many"}}, "above 0"),
        ({"rounding_base": {"job": 5}}, "no numbers"),
        ({"rounding_base": {"age": 5}, "aggregations": {"age": "interval"}}, "numbers"),
        ({"rounding_base": {"age": 5}, "constraints": ("age >= 18",)}, "break it"),
        ({"rounding_base": {"size": 5}}, "not a quasi-identifier"),
    ],
    ids=str,
)
def test_what_cannot_be_rounded_is_said(choices: dict, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        run(Plan(k=4, **choices), make_table())


def test_the_command_line_takes_bases_and_repeats_them(tmp_path: Path) -> None:
    table = make_table()
    table.frame.to_csv(tmp_path / "in.csv", index=False)
    line = ["run", str(tmp_path / "in.csv"), "--quasi-identifiers", "age,income"]
    line += ["--rounding-base", "age=5,income=1234.5678901", "--k", "4"]
    assert main([*line, "--output", str(tmp_path / "out.csv")]) == 0
    assert (pd.read_csv(tmp_path / "out.csv")["age"] % 5 == 0).all()
    bases = {"age": 5.0, "income": 1234.5678901}
    outcome = run(Plan(k=4, rounding_base=bases), table)
    words = command_line(outcome.plan, table)
    quoted = quote_argument("age=5,income=1234.5678901")  # as the shell here needs
    assert f"--rounding-base {quoted}" in words
