"""Answers to questions about a result, each with a sign, and signs of scores."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from dashboard.i18n import text_measures
from dashboard.i18n.language import _, capitalize_first
from dashboard.i18n.markdown import escape_text, quote_name
from dashboard.results.digits import format_short
from dashboard.results.figures import optimality_text_or_none, result_figures
from engine.analysis.verdict import Colour, Verdict
from engine.measures import MeasureInfo, Score, measures
from engine.measures.judge import PERCENT_LOSS_JUDGE, BaselineJudge, Sign
from engine.pipeline.outcome import Outcome
from engine.report.survival import format_per_cent

SMALL_CHANGE_WITHIN_SHARE = 0.1
"""Change of the variance within persons up to which an answer is good."""

SIGN_OF_COLOUR: dict[Colour, Sign] = {"green": "good", "amber": "watch", "red": "bad"}
"""Signs of the colours of a verdict's lines."""


@dataclass(frozen=True)
class ResultAnswer:
    """A question about a result, with its answer in words and a sign."""

    question: str
    words: str
    sign: Sign


JUDGING_LINES = {
    "record-linkage": "found",
    "probabilistic-linkage": "found",
    "attribute-disclosure": "guessed",
}
"""Lines of the verdict that judge what measures measure, by the measure."""

VERDICT_QUESTIONS = ("found", "exact", "guessed", "useful")
"""Lines of the verdict that are about a result, the first of which leads."""


def list_result_answers(
    outcome: Outcome, verdict: Verdict, awaiting_lines: Collection[str] = ()
) -> list[ResultAnswer]:
    """Return answers to set questions about a result, each with question and sign.

    What the verdict on the release answers is said in its words and colours, so that no
    page is greener than another; of changes for which it has no limit, the reader is
    the judge.

    Parameters
    ----------
    awaiting_lines : collection of str
        Lines of the verdict that are not known before attacks have been tried.
    """
    answers = []
    optimality = optimality_text_or_none(result_figures(outcome))
    for id in VERDICT_QUESTIONS:
        line = verdict.line(id)
        if id in awaiting_lines:
            words = _("Attacks are being tried.")
            answers.append(ResultAnswer(_(line.asks), words, "open"))
            continue
        words = escape_text(_(line.says))
        if id == "useful" and optimality is not None:
            words += f" {capitalize_first(optimality)}."
        answers.append(ResultAnswer(_(line.asks), words, SIGN_OF_COLOUR[line.colour]))
    question = _("Are sums, averages and relations still right?")
    answers.append(ResultAnswer(question, *_correctness_answer(outcome)))
    if _shares_within_persons(outcome):
        question = _("Do people still change over time?")
        answers.append(ResultAnswer(question, *_within_answer(outcome)))
    return answers


def _correctness_answer(outcome: Outcome) -> tuple[str, Sign]:
    names = ("means", "variances", "correlations")
    scores = [outcome.scores.get(name) for name in names]
    known_scores = [score for score in scores if score is not None]
    if len(known_scores) < len(names):
        return _("Not measured yet."), "open"
    if any(math.isnan(score.value) for score in known_scores):
        return _("There are too few columns of numbers to say."), "open"
    means, variances, correlations = (score.value for score in known_scores)
    words = _(
        "Averages moved by {means} % of the spread, the spread itself changed by "
        "{variances} %, and correlations moved by {correlations}."
    ).format(
        means=format_short(means) if means >= 0.05 else _("less than 0.1"),
        variances=format_short(variances),
        correlations=format_short(correlations),
    )
    signs = {sign_of_score(outcome, score) for score in known_scores}
    return words, "good" if signs == {"good"} else "open"


def _shares_within_persons(outcome: Outcome) -> dict[str, float]:
    """Return the share of the variance within persons that each number keeps."""
    shares = {name: fate.within_persons for name, fate in outcome.survived.items()}
    return {name: share for name, share in shares.items() if share is not None}


def _within_answer(outcome: Outcome) -> tuple[str, Sign]:
    """Say what is left of the variance within persons, which models of change need."""
    shares = _shares_within_persons(outcome)
    words = _(
        "Within persons the variance is, in per cent of what it was: {columns}. Models "
        "of change within persons see what is left of it."
    ).format(
        columns=", ".join(
            f"{quote_name(name)} {_(format_per_cent(share))}"
            for name, share in shares.items()
        )
    )
    largest_change = max(abs(1.0 - share) for share in shares.values())
    return words, "open" if largest_change > SMALL_CHANGE_WITHIN_SHARE else "good"


@dataclass(frozen=True)
class ComparisonBaseline:
    """The value to compare a figure with, the value's meaning, and the judging rule.

    Attributes
    ----------
    value : float or None
    meaning : str
        As a sentence, in English.
    judge : BaselineJudge
    """

    value: float | None
    meaning: str
    judge: BaselineJudge


def comparison_baseline_of_score(
    outcome: Outcome, measure_info: MeasureInfo, score: Score
) -> ComparisonBaseline:
    """Return what to compare a score with: a known lower bound or else its baseline."""
    if measure_info.bounded:
        row = result_figures(outcome)
        if row.has_whole_record_bound and row.bound > 0.0:
            return ComparisonBaseline(
                row.bound, text_measures.LEAST, PERCENT_LOSS_JUDGE
            )
    return ComparisonBaseline(score.baseline, measure_info.baseline, measure_info.judge)


def sign_of_score(outcome: Outcome, score: Score) -> Sign:
    """Return the sign of a score: how good it is against its comparison.

    Of two that are judged together, the worse; good is neither before both are known.
    """
    sign = _judge_alone(outcome, score)
    other = measures.info(score.measure).judged_with
    if not other or sign == "open":
        return sign
    partner = outcome.scores.get(other)
    beside: Sign = "open" if partner is None else _judge_alone(outcome, partner)
    if beside == "open":
        return "open" if sign == "good" else sign
    return max(sign, beside, key=("open", "good", "watch", "bad").index)  # the worse


def _judge_alone(outcome: Outcome, score: Score) -> Sign:
    info = measures.info(score.measure)
    beside = comparison_baseline_of_score(outcome, info, score)
    lower = info.direction == "lower is better"
    return beside.judge.verdict(score.value, beside.value, lower)


def score_verdict_and_sign(
    outcome: Outcome, score: Score, verdict: Verdict
) -> tuple[str, Sign]:
    """Return words comparing a score with its baseline, or "", and its sign.

    Empty where there is nothing to compare it with. What a line of the verdict judges
    has that line's colour: only its rule says what is too much.
    """
    sign, value = sign_of_score(outcome, score), score.value
    beside = comparison_baseline_of_score(outcome, measures.info(score.measure), score)
    base = beside.value
    if base is None or sign == "open":
        return "", "open"
    what, shown_base = _(beside.judge.against), _("infinite")
    if math.isfinite(base):
        shown_base = format_short(base)
    if base == value:
        words = _("exactly {what}: {base}")
    elif base and abs(value / base - 1.0) < 0.05:
        words = _("about {what}: {base}")
    elif value < base:
        words = _("below {what}: {base}")
    elif base > 0.0 and math.isfinite(value) and value / base >= 1.1:
        words = _("{times} times {what}: {base}")
    else:
        words = _("above {what}: {base}")
    times = format_short(value / base) if base else ""
    words = words.format(what=what, base=shown_base, times=times)
    if line := JUDGING_LINES.get(score.measure):
        sign = SIGN_OF_COLOUR[verdict.line(line).colour]
    elif sign != _judge_alone(outcome, score):
        other = _(measures.info(measures.info(score.measure).judged_with).title)
        words = _("{words}, but not by this: {other}").format(words=words, other=other)
    return words, sign
