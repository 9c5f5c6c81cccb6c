"""Reports on groups that were drawn promise no group size and know no bound."""

import numpy as np
import pandas as pd
import pytest

from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.report import facts_to_html, facts_to_markdown, report_facts


@pytest.fixture(scope="module")
def table() -> Table:
    X = np.random.default_rng(0).lognormal(3.0, 1.0, (50, 2))
    frame = pd.DataFrame(X, columns=["staff", "sales"])
    return read_table(frame).assign(
        roles=dict.fromkeys(frame.columns, "quasi-identifier")
    )


@pytest.fixture(scope="module")
def outcome(table: Table) -> Outcome:
    return run(Plan(method="fuzzy", k=4, seed=60187), table)


@pytest.mark.parametrize("audience", ["internal", "external"])
@pytest.mark.parametrize("make", [facts_to_html, facts_to_markdown])
def test_the_page_says_what_was_expected_and_what_came(
    outcome: Outcome, table: Table, audience, make
) -> None:
    checks = release_bytes_and_checks(outcome, table).checks
    text = make(report_facts(outcome, table, checks=checks, audience=audience))
    drawn = outcome.probabilistic
    assert drawn is not None
    assert "with an expected group size of 4.167" in text
    assert "of the records are in groups of fewer than 4" in text
    assert "shares its quasi-identifiers with at least" not in text
    assert "can lose less than" not in text
    assert "shares its values with at least" not in text
    assert ("60187" in text) == (audience == "internal")


def test_the_check_of_the_file_passes_without_promising_k(
    outcome: Outcome, table: Table
) -> None:
    written = release_bytes_and_checks(outcome, table)
    assert not written.failed_checks
    (check,) = (file_check for file_check in written.checks if file_check.id == "k")
    assert check.title == "Groups are probabilistic: expected group size 4.17"
    assert check.detail.startswith("No group size is promised.")
    assert written.k == outcome.k_released < 4


def test_the_public_facts_have_no_figures_of_single_groups(
    outcome: Outcome, table: Table
) -> None:
    inside, outside = (
        report_facts(outcome, table, audience=audience)["groups"]["drawn"]
        for audience in ("internal", "external")
    )
    assert "realised_size" in inside
    assert set(outside) == {"words", "expected_group_size", "share_below_k"}
