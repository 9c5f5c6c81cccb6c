"""Answers in words: they say what was counted, and how it stands beside a guess."""

from dataclasses import replace
from itertools import product
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from dashboard.results.answers import (
    SIGN_OF_COLOUR,
    VERDICT_QUESTIONS,
    ResultAnswer,
    comparison_baseline_of_score,
    list_result_answers,
    score_verdict_and_sign,
    sign_of_score,
)
from dashboard.results.digits import format_short
from dashboard.results.scores import exact_score_text
from engine import Plan, Table, run
from engine.analysis.verdict import Colour, Verdict, VerdictLine
from engine.analysis.verdict.judge_release import judge_release
from engine.core.message import Message
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


def judged(outcome: Outcome, max_loss: float = 30.0) -> Verdict:
    return judge_release(
        outcome, table(), attack_results=(), shuffled=True, max_loss=max_loss
    )


def said(outcome: Outcome, max_loss: float = 30.0) -> list[ResultAnswer]:
    return list_result_answers(outcome, judged(outcome, max_loss))


def with_score(outcome: Outcome, score: Score) -> Outcome:
    scores = MappingProxyType({**outcome.scores, score.measure: score})
    return replace(outcome, scores=scores)


@pytest.mark.parametrize("colours", [*product(SIGN_OF_COLOUR, repeat=2)])
def test_what_the_verdict_judges_is_said_in_its_words_and_colours(
    colours: tuple[Colour, Colour],
) -> None:
    """So that neither page is greener than the other, whatever was measured."""
    outcome = run(Plan(method="mdav", k=5), table())
    scores = [
        Score("record-linkage", 60.0, baseline=20.0),
        Score("attribute-disclosure", 90.0, {"c": 90.0}, baseline=20.0),
        Score("probabilistic-linkage", 1.0, baseline=20.0),
    ]
    for score in scores:
        outcome = with_score(outcome, score)
    verdict = Verdict(
        tuple(
            VerdictLine(id, Message(f"{id}?"), colour, Message(f"{id} it is."))
            for id, colour in zip(
                ("found", "guessed", "useful", "exact", "left-out"),
                (*colours, *colours[::-1], "red"),
                strict=True,
            )
        )
    )
    answers = {
        result_answer.question: result_answer
        for result_answer in list_result_answers(outcome, verdict)
    }
    for id in VERDICT_QUESTIONS:
        line = verdict.line(id)
        answer = answers[f"{id}?"]
        assert answer.words.startswith(f"{id} it is.")
        assert answer.sign == SIGN_OF_COLOUR[line.colour]
    beside = [
        ("found", "3 times what chance gives: 20"),
        ("guessed", "4.5 times what chance gives: 20"),
        ("found", "below what chance gives: 20"),
    ]
    for score, (id, words) in zip(scores, beside, strict=True):
        sign = SIGN_OF_COLOUR[verdict.line(id).colour]
        assert score_verdict_and_sign(outcome, score, verdict) == (words, sign)


def test_groups_that_were_drawn_promise_nothing() -> None:
    outcome = run(Plan(method="fuzzy", k=5), table())
    assert outcome.probabilistic is not None
    assert said(outcome)[0].sign == "bad"


def test_the_loss_stands_beside_its_bound() -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    detail = said(outcome)[3]
    assert f"{outcome.information_loss:.1f} %" in detail.words.replace("\\", "")
    assert format_short(outcome.bound.per_cent) in detail.words


@pytest.mark.parametrize(
    ("max_loss", "sign"), [(100.0, "good"), (0.1, "bad")], ids=["allowed", "too-much"]
)
def test_what_is_left_has_the_verdicts_colour(max_loss: float, sign: str) -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    line = judged(outcome, max_loss).line("useful")
    answer = said(outcome, max_loss)[3]
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
    assert said(measured)[4].sign == "open"


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
        assert score_verdict_and_sign(outcome, score, judged(outcome))[0] == words


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
    scores = evaluate(
        outcome, whole, [name for name in measures if "propensity" not in name]
    )
    verdict = judge_release(outcome, whole)
    for name, score in scores.items():
        words, sign = score_verdict_and_sign(outcome, score, verdict)
        assert words, name
        assert sign != "open", name


def test_a_loss_stands_beside_its_bound_or_beside_random_groups() -> None:
    outcome = run(Plan(method="mdav", k=5), table())
    info, score = measures.info("information-loss"), outcome.scores["information-loss"]
    assert (
        comparison_baseline_of_score(outcome, info, score).value
        == outcome.bound.per_cent
    )
    ranking_outcome = run(Plan(method="individual-ranking", k=5), table())
    score = ranking_outcome.scores["information-loss"]
    assert (
        comparison_baseline_of_score(ranking_outcome, info, score).value
        == score.baseline
    )
    assert f"{outcome.bound.per_cent!r} %" in exact_score_text(
        outcome, info, outcome.scores["information-loss"]
    )


def test_figures_have_the_digits_that_mean_something() -> None:
    texts = [
        format_short(value) for value in (18.8917, 6.5065, 0.4675, 5.0, 12345.67, 0.0)
    ]
    assert texts == ["18.9", "6.5", "0.47", "5", "12,346", "0"]
    score = Score("record-linkage", 6.5065, baseline=15.5125)
    outcome = run(Plan(method="mdav", k=5), table())
    exact = exact_score_text(outcome, measures.info("record-linkage"), score)
    assert "6.5065 %" in exact
    assert "15.5125 %" in exact
