"""A guide says of somebody's model how often its intervals hold the truth."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.analysis.need import ModelFormula
from engine.analysis.need.models.coverage import (
    MIN_USABLE_COVERAGE,
    ModelCoverage,
    SlopeCoverage,
    simulate_coverage,
)
from engine.bounds import NO_BOUND
from engine.cli.parsing.parser import main
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.report.model_guide import describe_interval_coverage


def frame_of(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    x = rng.normal(size=n)
    z = 0.5 * x + rng.normal(size=n)
    y = 1.0 + x - 0.5 * z + rng.exponential(size=n)
    frame = pd.DataFrame({"x": x, "z": z, "y": y})
    return frame.assign(
        word=np.where(y > np.median(y), "high", "low"), number=rng.poisson(np.exp(x))
    )


def coverage_of(
    model: str, quasi: str, k: int = 6, method: str = "mdav", **choices: object
) -> ModelCoverage:
    frame = frame_of()
    names = tuple(quasi.split(","))
    roles = {
        name: "quasi-identifier" if name in names else "other" for name in frame.columns
    }
    table = read_table(frame, roles=roles)
    plan = Plan(method=method, k=k, quasi_identifiers=names).replace(**choices)
    outcome = run(plan, table, bound=NO_BOUND)
    return simulate_coverage(outcome, table, ModelFormula.parse(model))


def test_means_of_regressors_that_form_the_groups_bias_nothing() -> None:
    coverage = coverage_of("linear y ~ x + z", "x,z")
    assert (coverage.n_draws, coverage.is_grouped, coverage.problem) == (
        200,
        False,
        None,
    )
    for slope in coverage.slopes:
        # 200 draws: three standard errors of a share of .95 are .046.
        assert 90 <= slope.coverage <= 100
        assert abs(slope.bias) < 0.5
        assert slope.advice == "use"


def test_a_response_that_formed_the_groups_makes_slopes_too_large() -> None:
    coverage = coverage_of("linear y ~ x + z", "x,z,y", k=12)
    assert coverage.is_grouped
    x, z = coverage.slopes
    assert x.share > 3
    assert min(x.coverage, z.coverage) < MIN_USABLE_COVERAGE
    text = describe_interval_coverage(coverage)
    assert "The response took part in forming the groups." in text
    assert "too far from 0" in text


def test_groups_that_know_nothing_of_a_category_take_its_slope() -> None:
    weights = {"x": 1.0, "word": 1e-3}
    model = "linear y ~ word"
    (slope,) = coverage_of(model, "x,word", k=10, attribute_weights=weights).slopes
    assert slope.share < -20  # a mode is often of the other word
    assert slope.advice == "avoid"


@pytest.mark.parametrize(
    ("model", "quasi", "is_grouped"),
    [
        ("logit word ~ x", "x,word", True),
        ("linear y ~ x, weights=number", "x", False),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                ("logit word ~ x + z", "x,z", False),
                ("poisson number ~ x", "x,number", True),
                ("linear log1p(number) ~ x", "x,number", True),
            )
        ),
    ],
)
def test_every_family_is_drawn(model: str, quasi: str, is_grouped: bool) -> None:
    coverage = coverage_of(model, quasi)
    assert coverage.is_grouped is is_grouped
    assert coverage.problem is None
    assert all(0 <= slope.coverage <= 100 for slope in coverage.slopes)
    assert coverage == coverage_of(model, quasi)  # the same seed, the same guide


@pytest.mark.parametrize(
    ("model", "method", "why"),
    [
        ("linear y ~ x", "iterated", "takes as long as it may"),
        ("linear log(y + 9) ~ x", "mdav", "more than one function"),
    ],
)
def test_what_cannot_be_simulated_is_said(model: str, method: str, why: str) -> None:
    parameters = {"seconds": 0.1} if method == "iterated" else {}
    coverage = coverage_of(model, "x,y", method=method, parameters=parameters)
    assert coverage.problem is not None
    assert why in coverage.problem
    assert "was not simulated" in describe_interval_coverage(coverage)


def test_a_bias_is_told_by_its_side() -> None:
    description = describe_interval_coverage(
        ModelCoverage(
            "linear y ~ a",
            200,
            (
                SlopeCoverage("a|b", 95, 0.01, 0),
                SlopeCoverage("c", 80, -0.5, -12),
                SlopeCoverage("d", 10, -4.0, -130),
            ),
        )
    )
    assert "| `a/b` | 95 % | none to be seen | fit it as it is |" in description
    assert "| too near to 0, by 12 % (0.5 standard errors) |" in description
    assert "its sign turns" in description


def test_the_command_writes_what_to_expect_of_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame_of().to_csv(tmp_path / "f.csv", index=False)
    guide, figures = tmp_path / "g.md", tmp_path / "o.json"
    words = ["run", str(tmp_path / "f.csv"), "--quasi-identifiers", "x,z", "--k", "5"]
    guide_options = ["--guide", str(guide), "--guide-model", "linear y ~ x + z"]
    assert main([*words, *guide_options, "--json", str(figures)]) == 0
    assert "## Your model: `linear y ~ x + z`" in guide.read_text(encoding="utf-8")
    (model_summary,) = json.loads(figures.read_text(encoding="utf-8"))["models"]
    assert [slope["name"] for slope in model_summary["slopes"]] == ["x", "z"]
    guide.unlink()
    for wrong in (
        ["--guide-model", "linear y ~ x"],
        ["--guide", str(guide), "--guide-model", "linear y ~ nowhere"],
        ["--guide", str(guide), "--guide-model", "probit y ~ x"],
    ):
        capsys.readouterr()
        assert main([*words, *wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1
        assert not guide.exists()
