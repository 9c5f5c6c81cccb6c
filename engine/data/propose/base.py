"""Types of detectors, of what they see and find, and the share of true flags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from engine.core.message import Message, join_messages
from engine.data.kinds import Kind, Role
from engine.data.propose.concepts import CONCEPT_VOCABULARY
from engine.data.propose.names import Hint, normalised_words
from engine.data.propose.values import ColumnValues

CERTAIN, LIKELY, UNSURE = 0.95, 0.8, 0.5
"""How sure a proposal is: of 1, and by whoever wrote the detector, not measured."""

MAX_LABEL_WORDS = 6
"""Words of a label that names a column; longer ones are questions."""


@dataclass(frozen=True)
class Finding:
    """Role, kind and reasons that one detector proposes for a column.

    Attributes
    ----------
    role : Role
    reasons : tuple of Message
        Sentences.
    confidence : float
        From 0 to 1.
    kind : Kind or None
        None: as the values suggest.
    about : str
        What it is about: the identifier of a concept or a shape.
    singles_out : bool
        Whether a column left as it is would single out records.
    """

    role: Role
    reasons: tuple[Message, ...]
    confidence: float
    kind: Kind | None = None
    about: str = ""
    singles_out: bool = False

    @property
    def reason(self) -> Message:
        """All reasons as one message."""
        return join_messages(self.reasons)


@dataclass(frozen=True, eq=False)
class ColumnView:
    """A column's name, label and values as detectors use them.

    Attributes
    ----------
    name : str
    values : ColumnValues
    weigh : bool
        Whether it may weigh records: no column before it does.
    label : str
        What its file says of it beside the name, as SPSS and Stata files do.
    """

    name: str
    values: ColumnValues
    weigh: bool = True
    label: str = ""

    @cached_property
    def words(self) -> list[str]:
        """Words of the name, and of a label as short as a name."""
        label = normalised_words(self.label)
        return normalised_words(self.name) + (
            label if len(label) <= MAX_LABEL_WORDS else []
        )

    @cached_property
    def hints(self) -> tuple[Hint, ...]:
        """Concepts that the name suggests and the values do not contradict.

        A name that tells of nothing leaves it to the label.
        """
        return self._told(self.name) or self._told(self.label)

    def _told(self, text: str) -> tuple[Hint, ...]:
        return tuple(
            hint
            for hint in CONCEPT_VOCABULARY.hints(text)
            if all(getattr(self.values, need) for need in hint.concept.needs)
        )

    def first_hint(self, *ids: str) -> Hint | None:
        """Return the first hint at one of the given concepts, or None."""
        return next((hint for hint in self.hints if hint.concept.id in ids), None)


Detector = Callable[[ColumnView], Finding | None]


@dataclass(frozen=True)
class DetectorChain:
    """Detectors in order; the first with a finding decides, the last always has one."""

    order: list[Detector] = field(default_factory=list)

    def first_finding(self, column: ColumnView) -> Finding:
        """Return the finding of the first detector that recognises the column."""
        for detector in self.order:
            finding = detector(column)
            if finding is not None:
                return finding
        raise AssertionError("the last detector finds something in any column")


def true_share(flags: Sequence[bool]) -> float:
    """Return the share of true flags; 0 for an empty list."""
    return sum(flags) / len(flags) if flags else 0.0
