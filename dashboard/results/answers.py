"""Answers: what a result means for people, in sentences with a verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from dashboard.i18n.language import _, n_
from dashboard.results.digits import shown
from dashboard.results.facts import facts
from engine.measures import MeasureInfo, Score
from engine.pipeline.outcome import Outcome

Sign = Literal["good", "watch", "bad", "open"]
"""As it should be; a little worse than its comparison; much worse; not measured."""

LITTLE, MUCH = 1.1, 2.0
"""How many times its comparison a figure may be before it is worse, and much worse."""

NEAR, POINTS = 1.25, 2.0
"""Times the lower bound, or per cent above it, up to which a loss is near to it."""

FAR = 10.0
"""Per cent beyond which sums and averages of a column are no longer nearly right."""


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes
    ----------
    question, words : str
    sign : Sign
    """

    question: str
    words: str
    sign: Sign


def answers(outcome: Outcome) -> list[Answer]:
    """Return what people ask first of a result, with the answers that are known."""
    return [
        Answer(question, *answer(outcome))
        for question, answer in (
            (_("Can somebody be told apart?"), _apart),
            (_("Can an intruder find a record?"), _found),
            (_("Do the other columns give people away?"), _given_away),
            (_("Can something confidential be learnt?"), _learnt),
            (_("How much detail is lost?"), _detail),
            (_("Are sums, averages and relations still right?"), _right),
        )
    ]


LEADING = 2
"""How many of the answers stand above the others, as one."""


def leading(outcome: Outcome) -> Answer:
    """Return the first answers as one: who can be told apart, and who is found."""
    first = answers(outcome)[:LEADING]
    known = [one for one in first if one.sign != "open"] or first
    worst = max((one.sign for one in known), key=("open", "good", "watch", "bad").index)
    return Answer("", " ".join(one.words for one in known), worst)


def _apart(outcome: Outcome) -> tuple[str, Sign]:
    drawn = outcome.probabilistic
    if drawn is not None:
        share = f"{100.0 * drawn.share_below:.0f}"
        return _(
            "Nobody is promised a group: {share} in 100 records are in groups of fewer "
            "than {k}."
        ).format(share=share, k=outcome.plan.k), "bad"
    k = outcome.k_released
    if outcome.k_verified:
        return n_(
            "By what is protected, nobody can be told from fewer than {others} other.",
            "By what is protected, nobody can be told from fewer than {others} others.",
            k - 1,
        ).format(others=f"{k - 1:,}"), "good"
    return _(
        "Some records share what is protected with fewer than {asked} others: the "
        "smallest group has {smallest}."
    ).format(asked=outcome.plan.k - 1, smallest=k), "bad"


def _found(outcome: Outcome) -> tuple[str, Sign]:
    score = outcome.scores.get("record-linkage")
    if score is None:
        return _("Not measured yet."), "open"
    words = _(
        "An intruder who knows these values exactly finds {found} in 100; by guessing "
        "among those who share them, {guessed}."
    ).format(found=in_100(score.value), guessed=in_100(score.baseline or 0.0))
    return words, sign_of(score.value, score.baseline, lower=True)


def _given_away(outcome: Outcome) -> tuple[str, Sign]:
    found = outcome.uniqueness
    if found.unique == 0 and found.fewer == 0:
        return _(
            "No: with the columns that leave as they are, but for confidential ones, "
            "nobody is easier to tell apart."
        ), "good"
    words = n_(
        "With all columns that leave but the confidential ones, {count} record is the "
        "only one with its values, and {fewer} share them with too few.",
        "With all columns that leave but the confidential ones, {count} records are "
        "the only ones with their values, and {fewer} share them with too few.",
        found.unique,
    )
    words = words.format(count=f"{found.unique:,}", fewer=f"{found.fewer:,}")
    return words, "bad" if found.unique else "watch"


def _learnt(outcome: Outcome) -> tuple[str, Sign]:
    if not outcome.plan.confidential:
        return _("No column is named as confidential."), "open"
    score = outcome.scores.get("attribute-disclosure")
    if score is None or score.baseline is None or math.isnan(score.value):
        return _("Not measured yet."), "open"
    words = _(
        "Whoever knows somebody's group guesses a confidential value right {found} in "
        "100 times; whoever knows nothing of them, {guessed} in 100."
    ).format(found=in_100(score.value), guessed=in_100(score.baseline))
    return words, sign_of(score.value, score.baseline, lower=True)


def _detail(outcome: Outcome) -> tuple[str, Sign]:
    loss = outcome.information_loss
    if math.isnan(loss):
        penalty = outcome.scores["certainty-penalty"].value
        return _("Values are less certain by {penalty} in 100.").format(
            penalty=in_100(penalty)
        ), "open"
    row = facts(outcome)
    words = _("{loss} % of what tells the records apart is lost").format(
        loss=shown(loss)
    )
    if not row.of_whole_records or row.bound <= 0.0:
        return f"{words}.", "open"
    words += _("; no groups of {k} can lose less than {bound} %.").format(
        k=row.k, bound=shown(row.bound)
    )
    # No groups may come near to the bound: far from it is not known to be bad.
    near = loss <= max(NEAR * row.bound, row.bound + POINTS)
    return words, "good" if near else "watch"


def _right(outcome: Outcome) -> tuple[str, Sign]:
    names = ("means", "variances", "correlations")
    scores = [outcome.scores.get(name) for name in names]
    known = [one.value for one in scores if one is not None]
    if len(known) < len(names):
        return _("Not measured yet."), "open"
    if any(map(math.isnan, known)):
        return _("There are too few columns of numbers to say."), "open"
    means, variances, correlations = known
    words = _(
        "Averages moved by {means} % of the spread, the spread itself changed by "
        "{variances} %, and correlations moved by {correlations}."
    ).format(
        means=shown(means) if means >= 0.05 else _("less than 0.1"),
        variances=shown(variances),
        correlations=shown(correlations),
    )
    worst = max(means, variances, 100.0 * correlations)
    return words, "good" if worst <= FAR else "watch" if worst <= 3 * FAR else "bad"


def in_100(share: float) -> str:
    """Return a share in per cent as people count: ``3``, or ``less than 1``."""
    if 0.0 < share < 0.5:
        return _("less than 1")
    return f"{share:.0f}"


def sign_of(value: float, baseline: float | None, lower: bool) -> Sign:
    """Return how a figure stands beside its comparison.

    Parameters
    ----------
    value : float
    baseline : float or None
    lower : bool
        Whether lower is better.
    """
    if baseline is None or math.isnan(value) or math.isnan(baseline):
        return "open"
    worse, better = (value, baseline) if lower else (baseline, value)
    if worse <= better * LITTLE + 1e-9:
        return "good"
    return "watch" if worse <= better * MUCH else "bad"


def verdict_words(info: MeasureInfo, score: Score) -> tuple[str, Sign]:
    """Return how a figure stands beside its comparison, in few words.

    Empty where there is nothing to compare it with.
    """
    base, value = score.baseline, score.value
    sign = sign_of(value, base, info.direction == "lower is better")
    if base is None or sign == "open" or math.isinf(value) or math.isinf(base):
        return "", "open"
    if base == value or (base and abs(value / base - 1.0) < 0.05):
        return _("as its comparison, {base}").format(base=shown(base)), sign
    if value < base:
        return _("below its comparison, {base}").format(base=shown(base)), sign
    if base <= 0.0:
        return _("above its comparison, {base}").format(base=shown(base)), sign
    return _("{times} times its comparison, {base}").format(
        times=shown(value / base), base=shown(base)
    ), sign
