"""Answers in words: they say what was counted, and how it stands beside a guess."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from dashboard.results.answers import (
    SIGN_OF_COLOUR,
    ResultAnswer,
    comparison_baseline_of_score,
    list_result_answers,
    rounded_share_text,
    score_verdict_and_sign,
    sign_of_score,
)
from dashboard.results.digits import format_short
from dashboard.results.scores import exact_score_text
from engine import Plan, Table, run
from engine.analysis.verdict.judge_release import judge_release
from engine.analysis.verdict.usefulness import judge_usefulness
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.measures import Score, measures
from engine.pipeline.evaluate import evaluate
from engine.pipeline.outcome import Outcome


def table(extra: bool = False) -> Table:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60, 2)).round(3), columns=["a", "b"])
    columns = [Column(c, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for c in frame]
    if extra:
        frame["c"] = np.arange(60)
        columns.append(Column("c", Kind.CONTINUOUS, Role.OTHER))
    return Table.from_frame(frame, Schema(tuple(columns)))


def said(outcome: Outcome, max_loss: float = 30.0) -> list[ResultAnswer]:
    useful = judge_usefulness(outcome, table(), max_loss)
    return list_result_answers(outcome, useful)


def with_score(outcome: Outcome, score: Score) -> Outcome:
    scores = MappingProxyType({**outcome.scores, score.measure: score})
    return replace(outcome, scores=scores)


def test_k_is_said_as_how_many_others_there_are() -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    apart, *_rest = said(outcome)
    others = outcome.k_released - 1
    assert f"fewer than {others} others" in apart.words
    assert apart.sign == "good"


def test_groups_that_were_drawn_promise_nothing() -> None:
    outcome = run(Plan(method="fuzzy", k=5), table())
    apart, *_rest = said(outcome)
    assert outcome.probabilistic is not None
    assert f"{100 * outcome.probabilistic.share_below:.0f} in 100" in apart.words
    assert apart.sign == "bad"


def test_an_intruder_stands_beside_a_guess() -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    assert said(outcome)[1].sign == "open"
    for value, sign in ((3.0, "good"), (30.0, "watch"), (60.0, "bad")):
        score = Score("record-linkage", value, baseline=20.0)
        found = said(with_score(outcome, score))[1]
        assert f"{value:.0f} in 100" in found.words
        assert found.words.endswith(", 20.")
        assert found.sign == sign


def test_columns_that_leave_as_they_are_give_people_away() -> None:
    safe = said(run(Plan(method="mdav", k=5), table()))[2]
    outcome = run(Plan(method="mdav", k=5), table(extra=True))
    told = said(outcome)[2]
    assert (safe.sign, told.sign) == ("good", "bad")
    assert f"{outcome.uniqueness.unique:,} records" in told.words


def test_the_loss_stands_beside_its_bound() -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    detail = said(outcome)[4]
    assert f"{outcome.information_loss:.1f} %" in detail.words.replace("\\", "")
    assert format_short(outcome.bound.per_cent) in detail.words


@pytest.mark.parametrize(
    ("max_loss", "sign"), [(100.0, "good"), (0.1, "bad")], ids=["allowed", "too-much"]
)
def test_what_is_left_has_the_verdicts_colour(max_loss: float, sign: str) -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    line = judge_release(outcome, table(), attack_results=(), max_loss=max_loss).line(
        "useful"
    )
    answer = said(outcome, max_loss)[4]
    assert answer.question == str(line.asks)
    assert str(line.says) in answer.words.replace("\\", "")
    assert answer.sign == sign == SIGN_OF_COLOUR[line.colour]


def test_changes_without_a_limit_are_for_the_reader_to_judge() -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    names = ["means", "variances", "correlations"]
    scores = {**outcome.scores, **evaluate(outcome, table(), names)}
    scores["variances"] = replace(scores["variances"], value=25.0, baseline=1.0)
    measured = replace(outcome, scores=MappingProxyType(scores))
    assert sign_of_score(measured, scores["variances"]) == "watch"
    assert said(measured)[5].sign == "open"


def test_a_verdict_is_in_few_words() -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    for value, base, words in (
        (40.0, 20.0, "2 times what chance gives: 20"),
        (5.0, 20.0, "below what chance gives: 20"),
        (20.3, 20.0, "about what chance gives: 20"),
        (20.0, 20.0, "exactly what chance gives: 20"),
        (3.0, 0.0, "above what chance gives: 0"),
        (3.0, -1.0, "above what chance gives: -1"),
        (-3.0, 1.0, "below what chance gives: 1"),
        (3.0, None, ""),
    ):
        score = Score("record-linkage", value, baseline=base)
        assert score_verdict_and_sign(outcome, score)[0] == words


def test_propensity_scores_are_good_only_together() -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    logistic = Score("propensity-logistic", 1.0, baseline=1.0)
    boosting = Score("propensity-boosting", 20.0, baseline=1.0)
    assert sign_of_score(outcome, logistic) == "open"
    assert sign_of_score(outcome, boosting) == "watch"
    for first, second in ((logistic, boosting), (boosting, logistic)):
        assert sign_of_score(with_score(outcome, first), second) == "watch"
    alike = with_score(outcome, replace(boosting, value=1.2))
    assert sign_of_score(alike, logistic) == "good"


def test_every_figure_has_a_verdict() -> None:
    frame = table().frame.assign(c=np.arange(60) % 4)
    schema = Schema(
        (
            *table().schema.columns,
            Column("c", Kind.NOMINAL, Role.CONFIDENTIAL),
        )
    )
    whole = Table.from_frame(frame, schema)
    outcome = run(Plan(method="mdav", k=5, sampling_fraction=1.0), whole)
    found = evaluate(
        outcome, whole, [name for name in measures if "propensity" not in name]
    )
    for name, score in found.items():
        words, sign = score_verdict_and_sign(outcome, score)
        assert words, name
        assert sign != "open", name


def test_a_loss_stands_beside_its_bound_or_beside_random_groups() -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    info, score = measures.info("information-loss"), outcome.scores["information-loss"]
    assert (
        comparison_baseline_of_score(outcome, info, score).value
        == outcome.bound.per_cent
    )
    alone = run(Plan(method="individual-ranking", k=5), table())
    score = alone.scores["information-loss"]
    assert comparison_baseline_of_score(alone, info, score).value == score.baseline
    assert f"{outcome.bound.per_cent!r} %" in exact_score_text(
        outcome, info, outcome.scores["information-loss"]
    )


def test_figures_have_the_digits_that_mean_something() -> None:
    found = [
        format_short(value) for value in (18.8917, 6.5065, 0.4675, 5.0, 12345.67, 0.0)
    ]
    assert found == ["18.9", "6.5", "0.47", "5", "12,346", "0"]
    score = Score("record-linkage", 6.5065, baseline=15.5125)
    outcome = run(Plan(method="mdav", k=5), table())
    exact = exact_score_text(outcome, measures.info("record-linkage"), score)
    assert "6.5065 %" in exact
    assert "15.5125 %" in exact


def test_shares_are_counted_in_a_hundred() -> None:
    assert [rounded_share_text(share) for share in (0.0, 0.3, 2.6, 81.0)] == [
        "0",
        "less than 1",
        "3",
        "81",
    ]
