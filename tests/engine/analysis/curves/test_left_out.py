"""Loss against records left out: falls with the budget, and stays above its bound."""

import numpy as np
import pandas as pd
import pytest

from engine import Plan, read_table
from engine.analysis.curves.suppression_curve import loss_per_suppression_budget
from engine.core.numerics.statistics import within_group_sse
from engine.pipeline.run import run
from tests import casc


def test_losses_are_those_of_the_whole_table_and_stay_above_their_bounds() -> None:
    original = read_table(casc.path("tarragona"))
    names = tuple(map(str, original.frame.columns))
    plan = Plan(k=3, quasi_identifiers=names)
    budget_losses = loss_per_suppression_budget(plan, original, (0.0, 0.01, 0.05))
    assert [budget_loss.count for budget_loss in budget_losses] == [0, 8, 41]
    assert budget_losses[0].loss == pytest.approx(16.93, abs=0.01)
    Z = casc.zscored("tarragona")
    outcome = run(plan.replace(suppress=0.01), original)
    sse = within_group_sse(Z[outcome.release.rows], outcome.partition.labels)
    # What is lost by rounding to own decimals lies below this.
    assert budget_losses[1].loss == pytest.approx(
        100 * sse / np.square(Z).sum(), rel=1e-3
    )
    for budget_loss in budget_losses:
        assert 0.0 <= budget_loss.bound <= budget_loss.loss
    assert budget_losses[2].loss < budget_losses[1].loss < budget_losses[0].loss


def test_a_budget_that_cannot_be_had_is_said_and_the_others_stay() -> None:
    rng = np.random.default_rng(0)
    table = read_table(pd.DataFrame(rng.normal(size=(8, 2)), columns=["a", "b"]))
    plan = Plan(k=4, quasi_identifiers=("a", "b"))
    budget_losses = loss_per_suppression_budget(plan, table, (0.0, 0.7))
    assert budget_losses[0].message == ""
    assert "budget" in budget_losses[1].message
