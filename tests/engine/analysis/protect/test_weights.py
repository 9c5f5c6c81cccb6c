"""Weights of a survey leave unless they tell of a protected column."""

import numpy as np
import pandas as pd
import pytest

from engine.analysis.protect import protect
from engine.measures.classes import smallest_class_size
from tests.engine.analysis.protect.cases import RNG, N, people


def survey_weighted_by_region(weights: str) -> pd.DataFrame:
    """Return a survey in which each region has a weight of its own."""
    rng = np.random.default_rng(3)
    by_region = pd.Series(
        {"north": 1520.5, "south": 980.25, "east": 733.1, "west": 41.7}
    )
    region = rng.choice(by_region.index, 600, p=[0.4, 0.3, 0.2, 0.1])
    return pd.DataFrame(
        {
            "region": region,
            "age": rng.integers(18, 90, 600),
            "income": rng.lognormal(10, 0.6, 600).round(),
            weights: by_region[region].to_numpy(),
        }
    )


def test_weights_that_tell_a_protected_region_are_averaged_in_groups() -> None:
    frame = survey_weighted_by_region("survey_weight")
    done = protect(frame, k=5)
    released = done.release["survey_weight"]
    plan = done.outcome.plan
    assert plan.weights is None
    assert "survey_weight" in plan.quasi_identifiers
    groups = pd.Series(done.outcome.partition.labels)
    means = frame["survey_weight"].groupby(groups).transform("mean")
    np.testing.assert_allclose(np.sort(released), np.sort(means))
    assert released.sum() == pytest.approx(frame["survey_weight"].sum())
    assert smallest_class_size(done.release, plan.quasi_identifiers) >= 5


def test_weights_that_tell_nothing_leave_as_they_are() -> None:
    frame = survey_weighted_by_region("survey_weight")
    rng = np.random.default_rng(4)
    frame["survey_weight"] = rng.choice(frame["survey_weight"].unique(), len(frame))
    done = protect(frame, k=5)
    assert done.outcome.plan.weights == "survey_weight"
    released = np.sort(done.release["survey_weight"])
    np.testing.assert_array_equal(released, np.sort(frame["survey_weight"]))


def test_what_may_be_weights_and_has_few_values_is_protected_and_not_left_out() -> None:
    frame = survey_weighted_by_region("weight")
    done = protect(frame, k=5)
    assert not done.left_out
    assert smallest_class_size(done.release, [*done.release]) >= 5


@pytest.mark.parametrize("n_values", [3, 300])
def test_many_weights_are_asked_about_as_weights(n_values: int) -> None:
    """Also where each alone tells nobody apart: all together do."""
    weights = {f"PWGTP{n}": RNG.integers(1, 1 + n_values, N) for n in range(1, 21)}
    frame = people()[["age", "race"]].assign(PWGTP=RNG.integers(1, 300, N), **weights)
    protection = protect(frame)
    topic_by_column = {
        name: question.about
        for question in protection.questions
        for name in question.columns
    }
    assert {topic_by_column[name] for name in weights} == {"weight"}
    assert not {*weights} & {*protection.release}
