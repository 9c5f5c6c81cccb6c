"""Messages on rules that cannot be met together or rounded; precision in words."""

from __future__ import annotations

from collections.abc import Sequence

from engine.constraints.linear import Bound
from engine.constraints.parsing.syntax import Member
from engine.core.message import Message, join_with_and


def contradiction_message(conflicting_rules: Sequence[Member]) -> Message:
    """Return the message that no record can satisfy these rules together."""
    *others, last = (member.text for member in conflicting_rules)
    if not others:
        return Message(
            "The rule {rule!r} can never hold: its lower bound is above its upper "
            "bound.",
            rule=last,
        )
    if all(isinstance(member, Bound) for member in conflicting_rules):
        return Message(
            "The bounds {bounds} exclude each other: no value lies between them.",
            bounds=join_with_and([*others, last], quoted=True),
        )
    return Message(
        "The rule {rule!r} contradicts {others}: no record can satisfy both.",
        "The rule {rule!r} contradicts {others}: no record can satisfy them all.",
        count=len(others),
        rule=last,
        others=join_with_and(others, quoted=True),
    )


def no_rounding_message(
    conflicting_rules: Sequence[Member], columns: Sequence[str], decimals: Sequence[int]
) -> Message:
    """Return the message that no rounded values can satisfy these rules."""
    bound = sorted({j for member in conflicting_rules for j in member.support})
    first, *others = (j for j in bound if decimals[j] >= 0)
    how = [
        Message(
            "{column!r} is rounded to {precision}",
            column=columns[first],
            precision=precision_text(decimals[first]),
        )
    ]
    how += [
        Message(
            "{column!r} to {precision}",
            column=columns[j],
            precision=precision_text(decimals[j]),
        )
        for j in others
    ]
    return Message(
        "The rule {rules} leaves no value when {how}: round to more decimals, or not "
        "at all.",
        "The rules {rules} leave no value when {how}: round to more decimals, or not "
        "at all.",
        count=len(conflicting_rules),
        rules=join_with_and([member.text for member in conflicting_rules], quoted=True),
        how=join_with_and(how),
    )


def precision_text(decimals: int) -> Message:
    """Return a number of decimals in words, such as ``2 decimals``."""
    if decimals == 0:
        return Message("whole numbers")
    return Message("{count} decimal", "{count} decimals", count=decimals)
