"""What is said of rules that cannot be met together."""

from __future__ import annotations

from collections.abc import Sequence

from engine.constraints.conflict import Member
from engine.constraints.syntax import Bound


def contradiction(wrong: Sequence[Member]) -> str:
    """Return the sentence about rules that no record can satisfy together."""
    texts = [member.text for member in wrong]
    if len(wrong) == 1:
        return (
            f"The rule {texts[0]!r} can never hold: its lower bound is above its upper "
            "bound."
        )
    if all(isinstance(member, Bound) for member in wrong):
        return (
            f"The bounds {listed(texts)} exclude each other: no value lies between "
            "them."
        )
    return (
        f"The rule {texts[-1]!r} contradicts {listed(texts[:-1])}: no record can "
        f"satisfy {'both' if len(wrong) == 2 else 'them all'}."
    )


def no_rounding(
    wrong: Sequence[Member], columns: Sequence[str], decimals: Sequence[int]
) -> str:
    """Return the sentence about rules that no rounded values can satisfy."""
    bound = sorted({j for member in wrong for j in member.support})
    how = [
        f"{columns[j]!r}{'' if at else ' is rounded'} to {in_words(decimals[j])}"
        for at, j in enumerate(j for j in bound if decimals[j] >= 0)
    ]
    many = len(wrong) > 1
    return (
        f"The {'rules' if many else 'rule'} {listed([m.text for m in wrong])} "
        f"{'leave' if many else 'leaves'} no value when {joined(how)}: round to more "
        "decimals, or not at all."
    )


def in_words(decimals: int) -> str:
    """Return to what so many decimals round, for use in a sentence."""
    if decimals == 0:
        return "whole numbers"
    return f"{decimals} decimal" + ("s" if decimals > 1 else "")


def listed(texts: Sequence[str]) -> str:
    """Return rules between quotes, the last two joined by "and"."""
    return joined([repr(text) for text in texts])


def joined(words: Sequence[str]) -> str:
    """Return words by commas, the last two joined by "and"."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
