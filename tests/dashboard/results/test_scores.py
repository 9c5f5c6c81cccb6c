"""The map's points are the results' figures, and the efficient ones are not beaten."""

import math
from itertools import pairwise

import numpy as np
import pytest

from dashboard.app_pages.compare.result_charts.risk_map import risk_ceiling_sentence
from dashboard.charts.inputs import RiskUtilityPoint, pareto_points
from dashboard.i18n.text_measures import UNDER_NONE
from dashboard.results import scores
from dashboard.results.scores import risk_utility_points, risk_utility_table
from dashboard.state import session
from engine.measures import Score, measures
from tests.dashboard.pages import small_table, with_measures, with_runs


def point(risk, loss, key="", keeps_k=True):
    return RiskUtilityPoint(
        key or f"{risk}-{loss}", "mdav", "MDAV", 3, risk, loss, None, keeps_k
    )


@pytest.fixture(scope="module")
def outcomes():
    ws = with_measures(with_runs(small_table()), "record-linkage", "variances")
    return session.requested_outcomes(ws)


def test_no_efficient_point_is_beaten_and_every_other_one_is():
    rng = np.random.default_rng(4)
    points = [point(*pair) for pair in rng.integers(0, 12, (40, 2)).tolist()]
    best = pareto_points(points)

    def beats(one, other):
        return (
            one.risk <= other.risk
            and one.loss <= other.loss
            and (one.risk, one.loss) != (other.risk, other.loss)
        )

    assert not any(beats(one, other) for one in points for other in best)
    best_pairs = {(one.risk, one.loss) for one in best}
    for other in points:
        if (other.risk, other.loss) not in best_pairs:
            assert any(beats(one, other) for one in best)
    for one, other in pairwise(best):
        assert one.risk < other.risk
        assert one.loss > other.loss


def test_a_result_that_does_not_keep_k_is_not_efficient():
    weak, safe_point = point(1.0, 1.0, keeps_k=False), point(2.0, 2.0)
    assert pareto_points([weak, safe_point]) == [safe_point]


def test_points_are_the_figures_of_results_that_have_both(outcomes):
    points = risk_utility_points(outcomes, "record-linkage", "variances")
    for outcome_point, outcome in zip(points, outcomes, strict=True):
        assert outcome_point.risk == outcome.scores["record-linkage"].value
        assert outcome_point.loss == outcome.scores["variances"].value
    assert risk_utility_points(outcomes, "record-linkage", "wasserstein") == []
    risks, losses = scores.measured_risk_and_loss_infos(outcomes)
    assert [info.id for info in risks] == ["record-linkage"]
    assert {"information-loss", "variances"} <= {info.id for info in losses}
    frame = risk_utility_table(
        points, measures.info("record-linkage"), measures.info("variances")
    )
    assert frame["Record linkage by distance (%)"].is_monotonic_increasing
    assert frame["Efficient"].any()


def test_a_ceiling_leaves_the_most_useful_result_within_it():
    risk, loss = measures.info("record-linkage"), measures.info("information-loss")
    points = [point(10.0, 5.0), point(20.0, 3.0), point(30.0, 1.0)]
    words = risk_ceiling_sentence(points, risk, loss, 25.0)
    assert "2 of 3 results" in words
    assert "Information loss (IL) 3 %" in words
    assert risk_ceiling_sentence(points, risk, loss, 5.0) == UNDER_NONE


def test_figures_are_said_with_unit_interval_baseline_and_note(outcomes):
    info = measures.info("record-linkage")
    score = Score(info.id, 12.5, interval=(10.0, 15.0), baseline=20.0, note="Sampled.")
    assert scores.score_text(info, score.value) == "12.5 %"
    assert scores.interval_text(info, score) == "95 %: 10 to 15 %"
    words = scores.score_comparison_text(outcomes[0], info, score)
    assert words.startswith("Compare with 20 %: an intruder links every record")
    assert words.endswith("Sampled.")
    assert scores.score_text(info, math.nan) == "does not apply"
    assert scores.score_text(info, math.inf) == "infinite"
    assert info.reference in scores.measure_formula_tooltip(info)


def test_the_table_of_figures_has_every_score_and_every_column(outcomes):
    outcome = outcomes[0]
    frame = scores.score_table(outcome)
    whole = frame[frame["Column"] == "all"]
    assert len(whole) == len(outcome.scores)
    rows = frame[frame["Measure"] == "Change of variances"]
    assert list(rows["Column"]) == ["all", "size", "sales"]
    assert list(rows["Value"][1:]) == list(
        outcome.scores["variances"].per_column.values()
    )
