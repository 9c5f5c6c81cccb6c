"""Answers to whether groups that lose less than a limit exist: yes, no or open.

The decision problem of microaggregation, which is NP-complete for several attributes
(Oganian & Domingo-Ferrer 2001). Groups that lose less answer it with yes, a lower bound
of at least the limit with no; between the two it is open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.methods import methods
from engine.pipeline.outcome import Outcome

Answer = Literal["yes", "no", "open"]


@dataclass(frozen=True)
class LimitDecision:
    """Answer to whether groups of k or more can lose less than a limit, or open.

    Attributes
    ----------
    k : int
    limit : float
        Information loss in per cent.
    bound : float
        Per cent that no grouping stays below.
    loss : float
        Least information loss of a result with this k or a larger one, per cent.
    method : str
        Name of the method with this loss.
    """

    k: int
    limit: float
    bound: float
    loss: float
    method: str

    @property
    def answer(self) -> Answer:
        """Whether such groups exist: yes, no or open."""
        if self.loss < self.limit:
            return "yes"
        return "no" if self.bound >= self.limit else "open"

    @property
    def to_message(self) -> Message:
        """The answer in a sentence."""
        if self.answer == "yes":
            return Message(
                "Yes: with k = {k} there are groups that lose less than {limit:g} %; "
                "those of {method} lose {loss:.4f} %.",
                k=self.k,
                limit=self.limit,
                method=self.method,
                loss=self.loss,
            )
        if self.answer == "no":
            return Message(
                "No: with k = {k} no groups lose less than {limit:g} %; the proven "
                "lower bound is {bound:.4f} %.",
                k=self.k,
                limit=self.limit,
                bound=self.bound,
            )
        return Message(
            "Open: with k = {k} the least loss found is {loss:.4f} % ({method}) and "
            "the proven lower bound {bound:.4f} %; optimal with more seconds may tell "
            "whether groups lose less than {limit:g} %.",
            k=self.k,
            loss=self.loss,
            method=self.method,
            bound=self.bound,
            limit=self.limit,
        )

    def summary(self) -> dict[str, Any]:
        """Return the decision as plain values, ready for JSON."""
        return {"k": self.k, "limit": self.limit, "answer": self.answer}


def decide_reachable_loss_per_k(
    outcomes: Iterable[Outcome], max_loss: float
) -> tuple[LimitDecision, ...]:
    """Return for each k of results whether groups can lose less than a limit, or open.

    Groups for a larger k are groups for a smaller one too, and a bound for a smaller k
    holds for a larger one.

    Parameters
    ----------
    outcomes : iterable of Outcome
        Of one table with one scaling; those whose groups are not of whole records, or
        may be smaller than k, say nothing.
    max_loss : float
        Information loss in per cent.

    Raises
    ------
    ParameterError
        If the limit is not above 0 and up to 100, or losses cannot be compared.
    """
    check_max_loss(max_loss)
    results = [result for result in outcomes if _of_whole_records(result)]
    measured = {(result.fingerprint, *_basis_key(result)) for result in results}
    if len(measured) > 1:
        raise ParameterError(
            "The results differ in table, columns, scaling, weights, strata or "
            "records, so that their losses cannot be compared: give those of one "
            "comparison."
        )
    decisions = []
    for k in sorted({result.plan.k for result in results}):
        best = min(
            (result for result in results if result.plan.k >= k),
            key=lambda result: result.information_loss,
        )
        bound = max(result.bound.per_cent for result in results if result.plan.k <= k)
        loss, name = best.information_loss, best.plan.name
        decisions.append(LimitDecision(k, max_loss, bound, loss, name))
    return tuple(decisions)


def loss_limit_messages(
    outcomes: Iterable[Outcome], max_loss: float
) -> tuple[Message, ...]:
    """Return an answer per k as messages, or one message on why there is none."""
    messages = tuple(
        answer.to_message for answer in decide_reachable_loss_per_k(outcomes, max_loss)
    )
    nothing = Message(
        "Whether groups lose less than {limit:g} % cannot be told: no result has "
        "groups of whole records of at least k, and columns of numbers: choose another "
        "method.",
        limit=max_loss,
    )
    return messages or (nothing,)


def check_max_loss(max_loss: float | None) -> None:
    """Raise unless a limit of information loss is above 0 and at most 100, or None.

    Raises
    ------
    ParameterError
    """
    if max_loss is not None and not 0.0 < max_loss <= 100.0:
        raise ParameterError(
            "Groups lose between 0 and 100 %, so that {limit:g} % is no limit to ask "
            "about: name one above 0, up to 100.",
            limit=max_loss,
        )


def _of_whole_records(outcome: Outcome) -> bool:
    traits = methods.info(outcome.plan.method).traits
    whole = traits.guarantees_k and not traits.per_attribute and not outcome.plan.blocks
    loss = outcome.information_loss
    return whole and loss == loss  # NaN where no column is a number


_BASIS_FIELDS = (
    "quasi_identifiers",
    "kinds",
    "scaling",
    "attribute_weights",
    "transforms",
    "weights",
    "strata",
    "household",
    "missing",
    "suppress",
)


def _basis_key(outcome: Outcome) -> tuple[str, ...]:
    return tuple(repr(getattr(outcome.plan, name)) for name in _BASIS_FIELDS)
