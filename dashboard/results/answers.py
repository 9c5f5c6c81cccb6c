"""Answers to questions about a result, each with a sign, and signs of scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dashboard.i18n import text_measures
from dashboard.i18n.language import _, capitalize_first, n_
from dashboard.i18n.markdown import escape_text, quote_name
from dashboard.results.digits import format_short
from dashboard.results.figures import optimality_text_or_none, result_figures
from engine.analysis.verdict import Colour, VerdictLine
from engine.measures import MeasureInfo, Score, measures
from engine.measures.judge import PERCENT_LOSS_JUDGE, BaselineJudge, Sign
from engine.pipeline.fields.records import NO_PERSON
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


def list_result_answers(outcome: Outcome, useful: VerdictLine) -> list[ResultAnswer]:
    """Return answers to set questions about a result, each with question and sign.

    What is left of the data is answered as by the verdict on the release, so that no
    page is greener than another; of changes for which the verdict has no limit, the
    reader is the judge.

    Parameters
    ----------
    useful : VerdictLine
        The verdict's line on what is left of the data.
    """
    asked = [
        (_("Can somebody be told apart?"), _uniqueness_answer(outcome)),
        (_("Can an intruder find a record?"), _linkage_answer(outcome)),
        (_("Do the other columns give people away?"), _disclosure_answer(outcome)),
        (_("Can something confidential be learnt?"), _inference_answer(outcome)),
        (_(useful.asks), _usefulness_answer(outcome, useful)),
        (
            _("Are sums, averages and relations still right?"),
            _correctness_answer(outcome),
        ),
    ]
    if _shares_within_persons(outcome):
        asked.append((_("Do people still change over time?"), _within_answer(outcome)))
    return [ResultAnswer(question, *answer) for question, answer in asked]


N_LEADING_ANSWERS = 2
"""How many of the answers stand above the others, as one."""


def joined_leading_answer(answers: Sequence[ResultAnswer]) -> ResultAnswer:
    """Return the first two answers as one, leaving out an open one unless both are."""
    first = answers[:N_LEADING_ANSWERS]
    known = [one for one in first if one.sign != "open"] or first
    sign = worst_sign(one.sign for one in known)
    return ResultAnswer("", " ".join(one.words for one in known), sign)


def _uniqueness_answer(outcome: Outcome) -> tuple[str, Sign]:
    drawn = outcome.probabilistic
    if drawn is not None:
        share = f"{100.0 * drawn.share_below:.0f}"
        return _(
            "Nobody is promised a group: {share} in 100 records are in groups of fewer "
            "than {k}."
        ).format(share=share, k=outcome.plan.k), "bad"
    k = outcome.k_released
    if outcome.k_verified and outcome.plan.person == NO_PERSON:
        return _(
            "Records cannot be told apart by what is protected, but somebody may have "
            "several of them: k counts records."
        ), "watch"
    if outcome.k_verified:
        return n_(
            "By what is protected, nobody can be told from fewer than {others} other.",
            "By what is protected, nobody can be told from fewer than {others} others.",
            k - 1,
        ).format(others=f"{k - 1:,}"), "good"
    return n_(
        "Some records share what is protected with fewer than {asked} other: the "
        "smallest group has {smallest}.",
        "Some records share what is protected with fewer than {asked} others: the "
        "smallest group has {smallest}.",
        outcome.plan.k - 1,
    ).format(asked=outcome.plan.k - 1, smallest=k), "bad"


def _linkage_answer(outcome: Outcome) -> tuple[str, Sign]:
    score = outcome.scores.get("record-linkage")
    if score is None:
        return _("Not measured yet."), "open"
    words = _(
        "An intruder who knows these values exactly finds {found} in 100; by guessing "
        "among those who share them, {guessed}."
    ).format(
        found=rounded_share_text(score.value),
        guessed=rounded_share_text(score.baseline or 0.0),
    )
    return words, sign_of_score(outcome, score)


def _disclosure_answer(outcome: Outcome) -> tuple[str, Sign]:
    found = outcome.uniqueness
    if found.unique == 0 and found.fewer == 0:
        return _(
            "No: with the columns that leave as they are, but for confidential ones, "
            "nobody is easier to tell apart."
        ), "good"
    if found.n_persons:
        words = n_(
            "With all columns that leave but the confidential ones, {count} person is "
            "the only one with some values, and {fewer} share some with too few.",
            "With all columns that leave but the confidential ones, {count} people are "
            "the only ones with some values, and {fewer} share some with too few.",
            found.unique,
        ).format(count=f"{found.unique:,}", fewer=f"{found.fewer:,}")
        return words, "bad" if found.unique else "watch"
    words = n_(
        "With all columns that leave but the confidential ones, {count} record is the "
        "only one with its values, and {fewer} share them with too few.",
        "With all columns that leave but the confidential ones, {count} records are "
        "the only ones with their values, and {fewer} share them with too few.",
        found.unique,
    )
    words = words.format(count=f"{found.unique:,}", fewer=f"{found.fewer:,}")
    return words, "bad" if found.unique else "watch"


def _inference_answer(outcome: Outcome) -> tuple[str, Sign]:
    if not outcome.plan.confidential:
        return _("No column is named as confidential."), "open"
    score = outcome.scores.get("attribute-disclosure")
    if score is None or score.baseline is None or math.isnan(score.value):
        return _("Not measured yet."), "open"
    words = _(
        "Whoever knows somebody's group guesses {column} right {found} in 100 times; "
        "in groups as large, but drawn at random, {guessed} in 100."
    ).format(
        column=quote_name(max(score.per_column, key=score.per_column.__getitem__)),
        found=rounded_share_text(score.value),
        guessed=rounded_share_text(score.baseline),
    )
    return words, sign_of_score(outcome, score)


def _usefulness_answer(outcome: Outcome, line: VerdictLine) -> tuple[str, Sign]:
    words = escape_text(_(line.says))
    optimality = optimality_text_or_none(result_figures(outcome))
    if optimality is not None:
        words += f" {capitalize_first(optimality)}."
    return words, SIGN_OF_COLOUR[line.colour]


def _correctness_answer(outcome: Outcome) -> tuple[str, Sign]:
    names = ("means", "variances", "correlations")
    scores = [outcome.scores.get(name) for name in names]
    known = [one for one in scores if one is not None]
    if len(known) < len(names):
        return _("Not measured yet."), "open"
    if any(math.isnan(one.value) for one in known):
        return _("There are too few columns of numbers to say."), "open"
    means, variances, correlations = (one.value for one in known)
    words = _(
        "Averages moved by {means} % of the spread, the spread itself changed by "
        "{variances} %, and correlations moved by {correlations}."
    ).format(
        means=format_short(means) if means >= 0.05 else _("less than 0.1"),
        variances=format_short(variances),
        correlations=format_short(correlations),
    )
    signs = {sign_of_score(outcome, one) for one in known}
    return words, "good" if signs == {"good"} else "open"


def _shares_within_persons(outcome: Outcome) -> dict[str, float]:
    """Return the share of the variance within persons that each number keeps."""
    found = {name: one.within_persons for name, one in outcome.survived.items()}
    return {name: share for name, share in found.items() if share is not None}


def _within_answer(outcome: Outcome) -> tuple[str, Sign]:
    """Say what is left of the variance within persons, which models of change need."""
    found = _shares_within_persons(outcome)
    words = _(
        "Within persons the variance is, in per cent of what it was: {columns}. Models "
        "of change within persons see what is left of it."
    ).format(
        columns=", ".join(
            f"{quote_name(name)} {_(format_per_cent(share))}"
            for name, share in found.items()
        )
    )
    apart = max(abs(1.0 - share) for share in found.values())
    return words, "open" if apart > SMALL_CHANGE_WITHIN_SHARE else "good"


def worst_sign(signs: Iterable[Sign]) -> Sign:
    """Return the worst of the signs ``open``, ``good``, ``watch`` and ``bad``."""
    return max(signs, key=("open", "good", "watch", "bad").index)


def rounded_share_text(per_cent: float) -> str:
    """Return a percentage as a whole number in 100: ``3``, or ``less than 1``."""
    if 0.0 < per_cent < 0.5:
        return _("less than 1")
    return f"{per_cent:.0f}"


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
    return worst_sign([sign, beside])


def _judge_alone(outcome: Outcome, score: Score) -> Sign:
    info = measures.info(score.measure)
    beside = comparison_baseline_of_score(outcome, info, score)
    lower = info.direction == "lower is better"
    return beside.judge.verdict(score.value, beside.value, lower)


def score_verdict_and_sign(outcome: Outcome, score: Score) -> tuple[str, Sign]:
    """Return words comparing a score with its baseline, or "", and its sign.

    Empty where there is nothing to compare it with.
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
    if sign != _judge_alone(outcome, score):
        other = _(measures.info(measures.info(score.measure).judged_with).title)
        words = _("{words}, but not by this: {other}").format(words=words, other=other)
    return words, sign
