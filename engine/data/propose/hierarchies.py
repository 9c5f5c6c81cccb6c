"""Proposals of hierarchies for columns."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import ColumnView, Finding
from engine.hierarchy import ROOT_LABEL, Hierarchy, from_dates, from_intervals
from engine.hierarchy.build import distinct_leaf_texts

AGE_WIDTHS = (5.0, 10.0, 20.0)
"""Years of the intervals that ages become."""

MAX_HIERARCHY_VALUES = 20_000
"""Different values up to which a hierarchy is proposed: people look it through."""

_PLACE_CONCEPTS = "place", "postcode"
MAX_CODE_CHARS, MAX_CODE_STEPS = 12, 4
"""Characters of a code up to which steps are proposed for it, and their number."""

_NUTS_PATTERN = r"[A-Z]{2}[0-9A-Z]{1,3}"
_DOTTED_PATTERN = r"[A-Z]{0,2}\d+[A-Z]?(\.[0-9A-Z]+)+|[A-Z]\d\d"


@dataclass(frozen=True)
class HierarchyProposal:
    """A way to build a column's hierarchy, and its parameters.

    Attributes
    ----------
    way : {"prefixes", "dots", "uk", "dates", "intervals"}
        ``prefixes`` keeps the first signs, ``dots`` what stands before points, ``uk``
        the parts of a British postcode.
    keep : tuple of int
        Prefixes: signs kept at each level, falling.
    length : int
        Prefixes: numbers that have lost leading zeros are filled up to so many signs.
    widths : tuple of float
        Intervals.
    periods : tuple of str
        Dates.
    """

    way: str
    keep: tuple[int, ...] = ()
    length: int = 0
    widths: tuple[float, ...] = ()
    periods: tuple[str, ...] = ()

    def build(self, values: pd.Series) -> Hierarchy:
        """Return the hierarchy built over the given values.

        Raises
        ------
        InputError
            If there is no value at all, or one that is not of the sort that it was
            proposed for.
        """
        if self.way == "dates":
            return from_dates(values, self.periods)
        if self.way == "intervals":
            return from_intervals(values, self.widths)
        levels: dict[str, Callable[[str], tuple[str, ...]]] = {
            "prefixes": self._prefixes,
            "dots": _dotted_ancestors,
            "uk": _british_postcode_ancestors,
        }
        rows = [
            (leaf, *levels[self.way](leaf), ROOT_LABEL)
            for leaf in distinct_leaf_texts(values)
        ]
        depth = max(map(len, rows))
        return Hierarchy(
            # Values that are short of levels stay themselves as long as they can.
            tuple((row[0], *(row[0],) * (depth - len(row)), *row[1:]) for row in rows)
        )

    @property
    def to_message(self) -> Message:
        """Description of the hierarchy, in words."""
        if self.way == "dates":
            return Message("Proposed as steps: {periods}.", periods=self.periods)
        if self.way == "intervals":
            return Message(
                "Proposed as steps: {widths} years.",
                widths=[f"{width:g}" for width in self.widths],
            )
        if self.way == "prefixes":
            return Message("Proposed as steps: the first {keep} signs.", keep=self.keep)
        return Message("Proposed as steps: the parts that the code is made of.")

    def _prefixes(self, leaf: str) -> tuple[str, ...]:
        plain = leaf.replace(" ", "")
        filled = plain.zfill(self.length) if plain.isdecimal() else plain
        return tuple(
            filled[:many] + ROOT_LABEL * max(0, len(filled) - many)
            for many in self.keep
        )


def _dotted_ancestors(leaf: str) -> tuple[str, ...]:
    """``47.11`` is in ``47.1`` and ``47``; ``E11.9`` is in ``E11`` and ``E``."""
    first = leaf.partition(".")[0]
    longer = (leaf[:many] for many in range(len(leaf) - 1, len(first) - 1, -1))
    levels = [prefix for prefix in longer if not prefix.endswith(".")]
    letters = first.rstrip("0123456789")
    if letters and letters != leaf and letters not in levels:
        levels.append(letters)
    return tuple(levels)


def _british_postcode_ancestors(leaf: str) -> tuple[str, ...]:
    """``LS12 3AB`` is in ``LS12 3``, ``LS12`` and ``LS``."""
    plain = leaf.replace(" ", "")
    outward, inward = plain[:-3], plain[-3:]
    area = re.match(r"[A-Z]+", plain)
    letters = area.group() if area else plain[:1]
    return f"{outward} {inward[:1]}", outward, letters


def propose_hierarchy(
    column: ColumnView, finding: Finding, kind: Kind
) -> HierarchyProposal | None:
    """Return the way to build a column's hierarchy; None if none suits it.

    Parameters
    ----------
    column : ColumnView
    finding : Finding
    kind : Kind
        As proposed.
    """
    values = column.values
    if (
        finding.role is Role.IDENTIFIER
        or not 2 <= values.n_distinct <= MAX_HIERARCHY_VALUES
    ):
        return None
    if values.dates:
        return HierarchyProposal("dates", periods=_date_periods(values.all))
    if (
        finding.about == "age"
        and values.numeric
        and values.is_integer
        and not values.has_few_distinct
    ):
        return HierarchyProposal("intervals", widths=AGE_WIDTHS)
    if kind is not Kind.NOMINAL:
        return None
    return _steps_for_codes(column, finding)


def _date_periods(days: pd.Series) -> tuple[str, ...]:
    whole = bool((days == days.dt.normalize()).all())
    periods = ("month", "quarter", "year")
    return periods if whole else ("day", *periods)


def _steps_for_codes(view: ColumnView, finding: Finding) -> HierarchyProposal | None:
    """Return steps for codes, by their beginnings."""
    values = view.values
    if (
        values.words
        and values.matching_share(r"[A-Z]{1,2}\d[A-Z0-9]? ?\d[A-Z]{2}") > 0.95
    ):
        return HierarchyProposal("uk")
    dotted = (
        values.words
        and values.n_distinct > 2
        and values.matching_share(_DOTTED_PATTERN) > 0.95
    )
    if dotted and any("." in text for text in values.sampled_texts):
        return HierarchyProposal("dots")
    if finding.about == "place" and values.matching_share(_NUTS_PATTERN) > 0.95:
        return _steps_by_prefix(view, 2)
    if values.has_few_distinct and finding.about not in (
        "trade",
        "occupation",
        "postcode",
    ):
        return None
    lengths = {len(text.replace(" ", "")) for text in values.sampled_texts}
    if values.matching_share(r"[A-Z]{0,3}[-\d ]*\d[-\dA-Z ]*") < 0.95:
        return None
    if finding.about in _PLACE_CONCEPTS:
        # Numbers may have lost a leading zero.
        near = len(lengths) == 1 or max(lengths) - min(lengths) == 1
        # Regions that are only counted through, 1 to 16, are not near each other.
        digits = all(text.strip().isdecimal() for text in values.sampled_texts)
        counted = finding.about == "place" and digits and max(lengths) < 3
        return _steps_by_prefix(view, 1) if near and not counted else None
    if finding.about in ("trade", "occupation") and len(lengths) == 1:
        return _steps_by_prefix(view, 1 if finding.about == "occupation" else 2)
    return None


def _steps_by_prefix(view: ColumnView, min_chars: int) -> HierarchyProposal | None:
    """Return steps that keep fewer and fewer signs, at least so many."""
    text = max((text.replace(" ", "") for text in view.values.sampled_texts), key=len)
    longest = len(text)
    if not min_chars < longest <= MAX_CODE_CHARS:
        return None
    # A step never ends behind a hyphen.
    keep = [many for many in range(longest - 1, 0, -1) if text[many - 1] != "-"]
    lengths = tuple(many for many in keep if many >= min_chars)[-MAX_CODE_STEPS:]
    return HierarchyProposal("prefixes", lengths, longest)
