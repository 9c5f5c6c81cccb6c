"""Weights of records are told from those of bodies, and from codes."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.core.errors import ParameterError
from engine.data.kinds import Role
from engine.data.propose import suggest_columns, suggest_schema
from tests.engine.data.propose.columns import (
    QUASI,
    REALS,
    RNG,
    UNDECIDED,
    WORDS,
    N,
    propose,
)

WEIGHTS = (1 + np.round(RNG.lognormal(3, 0.5, N), 3)).tolist()


@pytest.mark.parametrize(
    "name",
    [
        "sample_weight",
        "SurveyWeight",
        "household weight",
        "wgt",
        "fnlwgt",
        "Hochrechnungsfaktor",
        "wegingsfactor",
        "factor_expansion",
        "pondération",
        "peso muestral",
        "w8",
        "finalwt",
        "HHWT",
        "perwt",
        "PWEIGHT2",
        "WTINT2YR",
    ],
)
def test_weights_of_a_survey_are_recognised_by_name_and_values(name: str) -> None:
    assert propose(name, WEIGHTS).column.role is Role.WEIGHT


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("weight", WEIGHTS),
        ("Gewicht", WEIGHTS),
        ("peso", WEIGHTS),
        ("birth_weight", WEIGHTS),
        ("weight (kg)", WEIGHTS),
        ("factor", WEIGHTS),
        ("pond", WEIGHTS),
        ("sample_weight", [None, *WEIGHTS[1:]]),
        ("sample_weight", [0.0, *WEIGHTS[1:]]),
        ("sample_weight", [-1.0, *WEIGHTS[1:]]),
        ("sample_weight", [1.0] * N),
        ("sample_weight", WORDS),
    ],
)
def test_no_weight_of_records_is_proposed_without_strong_evidence(
    name: str, values: Any
) -> None:
    assert propose(name, values).column.role is not Role.WEIGHT


BODIES = np.round(RNG.normal(72.0, 12.0, N), 1).tolist()


@pytest.mark.parametrize("name", ["wgt", "WGT2", "w8", "wght"])
@pytest.mark.parametrize("values", [BODIES, np.rint(BODIES).tolist(), WEIGHTS])
def test_what_is_called_a_weight_for_short_is_no_quasi_identifier(
    name: str, values: Any
) -> None:
    suggestion = propose(name, values)
    assert suggestion.about == "weight"
    assert suggestion.column.role is (Role.WEIGHT if values is WEIGHTS else UNDECIDED)


def test_few_whole_numbers_are_codes_and_no_weights() -> None:
    codes = np.resize([1, 2, 3, 4, 5], N).tolist()
    for name in ("wgt", "w8", "weight", "sample_weight"):
        assert propose(name, codes).about != "weight"


def test_only_one_column_is_proposed_to_weigh_records() -> None:
    frame = pd.DataFrame({"x": REALS, "wgt": WEIGHTS, "sample weight": WEIGHTS})
    schema = suggest_schema(frame)
    assert schema.with_role(Role.WEIGHT) == schema.with_role("weight") == ("wgt",)
    with pytest.raises(ParameterError, match="no role called 'wait'"):
        schema.with_role("wait")
    assert schema["sample weight"].role is UNDECIDED


def test_weights_that_no_body_has_are_those_of_records() -> None:
    few, many = RNG.gamma(4, 0.4, N), RNG.gamma(4, 200, N)
    bodies = RNG.normal(75.5, 12, N)
    assert propose("wt", few).column.role is Role.WEIGHT
    assert propose("waga", many).column.role is UNDECIDED
    assert propose("waga", bodies).column.role is QUASI


def test_a_weight_beside_other_figures_of_a_body_is_its_own() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"Wt": rng.lognormal(0, 0.6, 200).round(1) + 0.1, "dose": rng.normal(3, 1, 200)}
    )
    roles = {
        suggestion.column.name: suggestion.column.role
        for suggestion in suggest_columns(frame)
    }
    assert roles["Wt"] is Role.QUASI_IDENTIFIER
    roles = {
        suggestion.column.name: suggestion.column.role
        for suggestion in suggest_columns(frame.rename(columns={"Wt": "survey_wt"}))
    }
    assert roles["survey_wt"] is Role.WEIGHT
