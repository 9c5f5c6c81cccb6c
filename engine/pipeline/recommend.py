"""The one result that is recommended of many, and why.

Whoever follows a recommendation gets what an expert would sign:

1. k holds for whole records. Methods that group each attribute on its own are out where
   it does not, and so are groups drawn at random.
2. k is 5, unless it was not among the values that people chose: then the next larger
   one, and without one the largest. It is never the smallest only because it loses
   least.
3. Numbers stay numbers, where any result keeps them so.
4. Of what is left, the result that loses least; of equal ones, the first. Only one that
   loses hardly more is preferred if fewer of its columns say nothing in most records.

How near it is to the best possible is said as everywhere: how much of its loss might be
avoidable at most, in per cent of the loss (the gap).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.bounds.base import CLOSED
from engine.core.message import NOTHING, Message, joined
from engine.data.kinds import Kind
from engine.methods import methods
from engine.pipeline.outcome import Outcome

USUAL_K = 5
"""The k that is recommended unless people chose otherwise."""

MOST_AVOIDABLE = 50.0
"""Per cent of the loss above which nearness to the best means little."""

HARDLY = 1.1
"""Times the least loss up to which a result loses hardly more."""


@dataclass(frozen=True, eq=False)
class Recommendation:
    """A result that is recommended.

    Attributes
    ----------
    outcome : Outcome
    reason : Message
        Why this one, in a sentence.
    """

    outcome: Outcome
    reason: Message


def recommend(outcomes: Sequence[Outcome]) -> Recommendation | None:
    """Return the recommended one of several results on one table.

    Parameters
    ----------
    outcomes : sequence of Outcome

    Returns
    -------
    Recommendation or None
        None where no result holds its k.
    """
    sound = [one for one in outcomes if one.k_verified]
    if not sound:
        return None
    k = recommended_k([one.plan.k for one in sound])
    of_size = [one for one in sound if one.plan.k == k]
    numeric = [one for one in of_size if not _numbers_as_text(one)] or of_size
    least = min(numeric, key=loss_of)
    near = [one for one in numeric if loss_of(one) <= HARDLY * loss_of(least)]
    best = min(near, key=lambda one: (_columns_lost(one), loss_of(one)))
    bounds = [
        one.bound.per_cent
        for one in of_size
        if not methods.info(one.plan.method).traits.per_attribute
    ]
    if loss_of(best) > loss_of(least):
        said = _keeps_more(best, least)
    else:
        said = _why(k, len(of_size), len(numeric))
    known = max([best.bound.per_cent, *bounds])
    if methods.info(best.plan.method).traits.per_attribute:
        known = best.bound.per_cent  # which may lie below what whole records allow
    return Recommendation(best, joined([said, _proven(best, known)], "; "))


def recommended_k(sizes: Sequence[int]) -> int:
    """Return the recommended one of several values of k; see above."""
    return min((k for k in sizes if k >= USUAL_K), default=max(sizes))


def loss_of(outcome: Outcome) -> float:
    """Return what results are ranked by: IL, or NCP where there is none."""
    loss = outcome.information_loss
    return outcome.scores["certainty-penalty"].value if math.isnan(loss) else loss


def _numbers_as_text(outcome: Outcome) -> bool:
    """Return whether a number or a date has become text; codes that are categories may.

    A postcode that is generalised to its first digits was no number to begin with.
    """
    kinds = outcome.plan.kinds
    return any(
        left.numbers_as_text and kinds.get(name) is not Kind.NOMINAL
        for name, left in outcome.survived.items()
    )


def _columns_lost(outcome: Outcome) -> int:
    return sum(left.lost for left in outcome.survived.values())


def _keeps_more(best: Outcome, least: Outcome) -> Message:
    """Return why a result is taken that does not lose least."""
    return Message(
        "Keeps {count} column more at k = {k} than {method}, which loses least, and "
        "loses hardly more",
        "Keeps {count} columns more at k = {k} than {method}, which loses least, and "
        "loses hardly more",
        count=_columns_lost(least) - _columns_lost(best),
        k=best.plan.k,
        method=methods.info(least.plan.method).title,
    )


def _why(k: int, of_size: int, numeric: int) -> Message:
    """Return what tells a result from the others of its k."""
    if of_size == 1:
        return Message("The only result at k = {k}", k=k)
    if numeric < of_size:
        return Message(
            "Loses least at k = {k} of those that keep numbers as numbers", k=k
        )
    return Message("Loses least at k = {k}", k=k)


def _proven(outcome: Outcome, bound: float) -> Message:
    """Return how near to the best possible a result is proven to be."""
    loss = outcome.information_loss
    if math.isnan(loss) or bound <= 0.0:
        return NOTHING
    avoidable = 100.0 * (loss - bound) / loss
    if avoidable <= CLOSED:
        return Message("proven to be the best there is")
    if avoidable > MOST_AVOIDABLE:
        return NOTHING
    if avoidable < 0.5:
        return Message("proven to be nearly the best there is")
    digits = f"{bound:.1f}" if bound >= 1.0 else f"{bound:.2g}"
    return Message("no grouping can lose less than {bound} %", bound=digits)
