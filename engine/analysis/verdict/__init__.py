"""Verdict on a release in five lines, each green, amber or red.

Who could be found, what could be guessed of somebody, what is left of the data, what
leaves as it is, and what was left out. Each line has a colour, and the headline is
never greener than the worst of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.core.message import Message

Colour = Literal["green", "amber", "red"]
"""Nothing to do; something to know or to decide; not to be handed out as it is."""

WORST_FIRST: tuple[Colour, ...] = ("red", "amber", "green")


@dataclass(frozen=True)
class Improvement:
    """A change proposed to improve the colour of a verdict's line.

    Attributes
    ----------
    id : str
        "larger-k", "protect", "leave-out", "protect-or-leave-out", "fewer-columns",
        "answer", "shuffle" or "choose-columns".
    says : Message
    columns : tuple of str
        Columns that it changes.
    """

    id: str
    says: Message
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerdictLine:
    """One of the five questions on a release: its answer and colour.

    Attributes
    ----------
    id : {"found", "guessed", "useful", "exact", "left-out"}
    asks, says : Message
    colour : Colour
    mend : Improvement or None
        Change that would mend an amber or red line.
    reason : str
        Why somebody leaves it so; empty where nobody has said.
    """

    id: str
    asks: Message
    colour: Colour
    says: Message
    mend: Improvement | None = None
    reason: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the line still needs a change, or a reason for none."""
        return self.mend is not None and not self.reason

    def summary(self) -> dict[str, Any]:
        """Return the line as plain values, ready for JSON."""
        return {
            "id": self.id,
            "asks": self.asks,
            "colour": self.colour,
            "says": self.says,
            "mend": None if self.mend is None else self.mend.says,
            "reason": self.reason or None,
        }


@dataclass(frozen=True)
class Verdict:
    """Five answers on a release, each green, amber or red.

    Attributes
    ----------
    lines : tuple of VerdictLine
    accepted : str
        Why somebody hands it out though it is red; empty where nobody does.
    """

    lines: tuple[VerdictLine, ...]
    accepted: str = ""

    @property
    def colour(self) -> Colour:
        """Colour of the worst line."""
        return worst_colour(line.colour for line in self.lines)

    @property
    def headline(self) -> Message:
        """The verdict in a sentence."""
        counts = {c: sum(row.colour == c for row in self.lines) for c in WORST_FIRST}
        if counts["red"]:
            return Message(
                "Not yet: {count} thing should be mended first.",
                "Not yet: {count} things should be mended first.",
                count=counts["red"],
            )
        n_open = sum(line.is_open for line in self.lines)
        if counts["amber"] and not n_open:
            return Message(
                "It can leave: somebody has looked at {count} thing and left it so.",
                "It can leave: somebody has looked at {count} things and left them so.",
                count=counts["amber"],
            )
        if counts["amber"]:
            return Message(
                "It can leave once somebody has looked at {count} thing.",
                "It can leave once somebody has looked at {count} things.",
                count=n_open,
            )
        return Message("It can leave.")

    def line(self, id: str) -> VerdictLine:
        """Return a line by its identifier."""
        return next(line for line in self.lines if line.id == id)

    @property
    def counts_records(self) -> bool:
        """Whether records were counted of which somebody may have several."""
        mend = self.line("found").mend
        return mend is not None and mend.id == "answer"

    def summary(self) -> dict[str, Any]:
        """Return the verdict as plain values, ready for JSON."""
        return {
            "colour": self.colour,
            "headline": self.headline,
            "lines": [line.summary() for line in self.lines],
            "accepted": self.accepted or None,
        }


def worst_colour(colours: Iterable[Colour]) -> Colour:
    """Return the worst of the given colours; green if there are none."""
    colour_set = set(colours)
    return next((colour for colour in WORST_FIRST if colour in colour_set), "green")


def verdict_with_acceptance_reasons(
    verdict: Verdict, reason_per_line_id: Mapping[str, str]
) -> Verdict:
    """Return the verdict with reasons for accepting amber lines; colours unchanged.

    Parameters
    ----------
    verdict : Verdict
    reason_per_line_id : mapping of str to str
        Of lines, by identifier; those of red lines count for nothing.
    """
    lines = tuple(
        replace(line, reason=reason_per_line_id.get(line.id, "").strip())
        if line.colour == "amber"
        else line
        for line in verdict.lines
    )
    return replace(verdict, lines=lines)
