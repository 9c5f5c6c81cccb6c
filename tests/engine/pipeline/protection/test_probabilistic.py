import json

import numpy as np
import pandas as pd
import pytest

from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.protection.probabilistic import ProbabilisticSizes
from engine.pipeline.run import run
from engine.storage.outcomes import load_outcome, save_outcome

SIZES = ProbabilisticSizes(
    k=4,
    n_centres=6,
    expected=np.array([2.5, 3.5, 4.0, 9.0]),
    realised=np.array([1, 3, 4, 12], dtype=np.int64),
)


@pytest.fixture
def table() -> Table:
    X = np.random.default_rng(0).standard_normal((60, 2))
    frame = pd.DataFrame(X, columns=["x", "y"])
    return read_table(frame).assign(
        roles=dict.fromkeys(frame.columns, "quasi-identifier")
    )


@pytest.fixture
def outcome(table: Table) -> Outcome:
    return run(Plan(method="fuzzy", k=4), table)


def test_the_expected_size_counts_groups_that_nobody_drew() -> None:
    assert SIZES.mean_expected_size == 20 / 6
    assert SIZES.kind_message == "probabilistic: expected group size 3.33"


def test_the_share_below_k_is_one_of_records_and_not_of_groups() -> None:
    assert SIZES.share_below == 4 / 20


def test_says_both_kinds_of_sizes() -> None:
    assert SIZES.sizes_message == (
        "20.0 % of the records are in groups of fewer than 4. Groups have 1 to 12 "
        "records; 2.5 to 9.0 were expected."
    )
    assert SIZES.kind_message in SIZES.warning
    assert SIZES.sizes_message in SIZES.warning


def test_figures_are_plain_values() -> None:
    content = json.loads(json.dumps(SIZES.summary()))
    assert content["realised_size"] == {"min": 1, "mean": 5.0, "max": 12}
    assert content["expected_size"] == {"min": 2.5, "mean": 4.75, "max": 9.0}


def test_an_outcome_stored_is_as_probabilistic_as_before(
    outcome: Outcome, table: Table, tmp_path
) -> None:
    save_outcome(outcome, tmp_path / "one", table)
    loaded = load_outcome(tmp_path / "one", table)
    assert isinstance(loaded, Outcome)
    assert loaded.summary() == outcome.summary()
    assert loaded.probabilistic is not None
    assert outcome.probabilistic is not None
    np.testing.assert_array_equal(
        loaded.probabilistic.expected, outcome.probabilistic.expected
    )


def test_methods_that_keep_k_are_not_probabilistic(table: Table) -> None:
    for method in ("mdav", "fcm-adaptive"):
        run_outcome = run(Plan(method=method, k=4), table)
        assert run_outcome.probabilistic is None
        assert run_outcome.summary()["probabilistic"] is None
        assert run_outcome.k_verified
