"""Recommend one of many results, and give the reason.

Whoever follows a recommendation gets what an expert would sign:

1. k holds for whole records. Methods that group each attribute on its own are out where
   it does not, and so are groups drawn at random.
2. k is 5, unless it was not among the values that people chose: then the next larger
   one, and without one the largest. It is never the smallest only because it loses
   least.
3. Numbers stay numbers, where any result keeps them so.
4. A result that spoils the data is none that an expert would sign: it loses more than a
   limit, or leaves a column less than half of its spread. Where every result does, none
   is recommended, and what is wrong is said of the best of them.
5. Of what is left, the result that loses least; of equal ones, the first. Only one that
   loses hardly more is preferred if fewer of its columns say nothing in most records.

How near it is to the best possible is said as everywhere: how much of its loss might be
avoidable at most, in per cent of the loss (the gap).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.bounds.base import CLOSED_GAP_PERCENT
from engine.core.message import NO_MESSAGE, Message, join_messages
from engine.data.kinds import Kind
from engine.methods import methods
from engine.pipeline.outcome import Outcome

DEFAULT_K = 5
"""The k that `protect` begins with, and that is recommended if it is there."""

MAX_TRUSTED_GAP_PERCENT = 50.0
"""Per cent of the loss above which nearness to the best means little."""

NEAR_BEST_LOSS_FACTOR = 1.1
"""Times the least loss up to which a result loses hardly more."""


MAX_LOSS_PER_CENT = 30.0
"""Loss above which a result spoils the data, unless the person says another limit."""

MIN_SPREAD = 0.5
"""Share of its standard deviation that a column of amounts keeps at least."""


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The best of several results, the reason, and its defect if it has one.

    Attributes
    ----------
    outcome : Outcome
    reason : Message
        Why this one, in a sentence.
    spoils : Message
        What is wrong with it, in a sentence with the next step; empty where nothing is,
        so that it is recommended.
    """

    outcome: Outcome
    reason: Message
    spoils: Message = NO_MESSAGE


def recommend_outcome(
    outcomes: Sequence[Outcome], max_loss: float = MAX_LOSS_PER_CENT
) -> Recommendation | None:
    """Return a recommendation of one of several results; None if none keeps its k.

    Parameters
    ----------
    outcomes : sequence of Outcome
    max_loss : float
        Per cent of loss that the person allows.

    Returns
    -------
    Recommendation or None
        None where no result holds its k.
    """
    sound = [outcome for outcome in outcomes if outcome.k_verified]
    if not sound:
        return None
    k = choose_default_k([outcome.plan.k for outcome in sound])
    of_size = [outcome for outcome in sound if outcome.plan.k == k]
    numeric = [
        outcome for outcome in of_size if not _numbers_as_text(outcome)
    ] or of_size
    sound = [
        outcome for outcome in numeric if not defect_message(outcome, max_loss)
    ] or numeric
    least_lossy_outcome = min(sound, key=ranking_loss)
    near = [
        outcome
        for outcome in sound
        if ranking_loss(outcome)
        <= NEAR_BEST_LOSS_FACTOR * ranking_loss(least_lossy_outcome)
    ]
    best = min(
        near, key=lambda outcome: (_n_lost_columns(outcome), ranking_loss(outcome))
    )
    bounds = [
        outcome.bound.per_cent
        for outcome in of_size
        if not methods.info(outcome.plan.method).traits.per_attribute
    ]
    if ranking_loss(best) > ranking_loss(least_lossy_outcome):
        message = _keeps_more_message(best, least_lossy_outcome)
    else:
        message = _reason(k, len(of_size), len(numeric))
    bound = max([best.bound.per_cent, *bounds])
    if methods.info(best.plan.method).traits.per_attribute:
        bound = best.bound.per_cent  # which may lie below what whole records allow
    reason = join_messages([message, _gap_message(best, bound)], "; ")
    return Recommendation(best, reason, defect_message(best, max_loss))


def defect_message(outcome: Outcome, max_loss: float = MAX_LOSS_PER_CENT) -> Message:
    """Return how a result spoils the data, and the next step; empty if it is good.

    A column that the mean stands for keeps the share of its variance that it does not
    lose.

    Parameters
    ----------
    outcome : Outcome
    max_loss : float
        Per cent of loss that the person allows.
    """
    loss = ranking_loss(outcome)
    if loss > max_loss:
        return Message(
            "It loses {loss:.0f} % of the differences, more than {limit:g} %: "
            "protect fewer columns, take a smaller k, or give codes a hierarchy",
            loss=loss,
            limit=max_loss,
        )
    variance_shares = {
        name: 1.0 - column_loss / 100.0
        for name, column_loss in outcome.scores["information-loss"].per_column.items()
        if outcome.plan.aggregations.get(name) == "mean"
    }
    weakest = min(variance_shares, key=lambda name: variance_shares[name], default="")
    if variance_shares and variance_shares[weakest] < MIN_SPREAD**2:
        return Message(
            "It leaves {column!r} less than half of its spread: leave that out, "
            "protect fewer columns, or take a smaller k",
            column=weakest,
        )
    return NO_MESSAGE


def choose_default_k(k_values: Sequence[int]) -> int:
    """Return the smallest k of at least 5 among the given ones, else the largest."""
    return min((k for k in k_values if k >= DEFAULT_K), default=max(k_values))


def ranking_loss(outcome: Outcome) -> float:
    """Return the loss to rank results by: information loss, else certainty penalty."""
    loss = outcome.information_loss
    return outcome.scores["certainty-penalty"].value if math.isnan(loss) else loss


def _numbers_as_text(outcome: Outcome) -> bool:
    """Return whether a number or a date has become text; codes that are categories may.

    A postcode that is generalised to its first digits was no number to begin with.
    """
    kinds = outcome.plan.kinds
    return any(
        survival.has_numbers_as_text and kinds.get(name) is not Kind.NOMINAL
        for name, survival in outcome.survived.items()
    )


def _n_lost_columns(outcome: Outcome) -> int:
    return sum(survival.is_lost for survival in outcome.survived.values())


def _keeps_more_message(best: Outcome, least: Outcome) -> Message:
    """Return why a result is recommended that does not lose least."""
    return Message(
        "Keeps {count} column more at k = {k} than {method}, which loses least, and "
        "loses hardly more",
        "Keeps {count} columns more at k = {k} than {method}, which loses least, and "
        "loses hardly more",
        count=_n_lost_columns(least) - _n_lost_columns(best),
        k=best.plan.k,
        method=methods.info(least.plan.method).title,
    )


def _reason(k: int, of_size: int, numeric: int) -> Message:
    """Return what distinguishes a result from the others of its k."""
    if of_size == 1:
        return Message("The only result at k = {k}", k=k)
    if numeric < of_size:
        return Message(
            "Loses least at k = {k} of those that keep numbers as numbers", k=k
        )
    return Message("Loses least at k = {k}", k=k)


def _gap_message(outcome: Outcome, bound: float) -> Message:
    """Return how near to the optimum a result is proven to be."""
    loss = outcome.information_loss
    if math.isnan(loss) or bound <= 0.0:
        return NO_MESSAGE
    avoidable = 100.0 * (loss - bound) / loss
    if avoidable <= CLOSED_GAP_PERCENT:
        return Message("proven to be the best there is")
    if avoidable > MAX_TRUSTED_GAP_PERCENT:
        return NO_MESSAGE
    if avoidable < 0.5:
        return Message("proven to be nearly the best there is")
    digits = f"{bound:.1f}" if bound >= 1.0 else f"{bound:.2g}"
    return Message("no grouping can lose less than {bound} %", bound=digits)
