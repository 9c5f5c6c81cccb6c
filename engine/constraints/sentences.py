"""What is said of rules that cannot be met together."""

from __future__ import annotations

from collections.abc import Sequence

from engine.constraints.linear import Bound
from engine.constraints.syntax import Member
from engine.core.message import Message, all_of


def contradiction(wrong: Sequence[Member]) -> Message:
    """Return the sentence about rules that no record can satisfy together."""
    *others, last = (member.text for member in wrong)
    if not others:
        return Message(
            "The rule {rule!r} can never hold: its lower bound is above its upper "
            "bound.",
            rule=last,
        )
    if all(isinstance(member, Bound) for member in wrong):
        return Message(
            "The bounds {bounds} exclude each other: no value lies between them.",
            bounds=all_of([*others, last], quoted=True),
        )
    return Message(
        "The rule {rule!r} contradicts {others}: no record can satisfy both.",
        "The rule {rule!r} contradicts {others}: no record can satisfy them all.",
        count=len(others),
        rule=last,
        others=all_of(others, quoted=True),
    )


def no_rounding(
    wrong: Sequence[Member], columns: Sequence[str], decimals: Sequence[int]
) -> Message:
    """Return the sentence about rules that no rounded values can satisfy."""
    bound = sorted({j for member in wrong for j in member.support})
    first, *others = (j for j in bound if decimals[j] >= 0)
    how = [
        Message(
            "{column!r} is rounded to {precision}",
            column=columns[first],
            precision=precision(decimals[first]),
        )
    ]
    how += [
        Message(
            "{column!r} to {precision}",
            column=columns[j],
            precision=precision(decimals[j]),
        )
        for j in others
    ]
    return Message(
        "The rule {rules} leaves no value when {how}: round to more decimals, or not "
        "at all.",
        "The rules {rules} leave no value when {how}: round to more decimals, or not "
        "at all.",
        count=len(wrong),
        rules=all_of([member.text for member in wrong], quoted=True),
        how=all_of(how),
    )


def precision(decimals: int) -> Message:
    """Return to what so many decimals round, for use in a sentence."""
    if decimals == 0:
        return Message("whole numbers")
    return Message("{count} decimal", "{count} decimals", count=decimals)
