"""Questions that were not asked, with the safe answers that were taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.core.message import Message, join_messages, join_some_with_and
from engine.data.kinds import Kind
from engine.data.missing_values.missing_codes import (
    MissingCodeEvidence,
    find_missing_codes_by_column,
    is_number_text,
)
from engine.data.questions import topic_groups_and_level
from engine.data.table import Table

QUESTIONS_BY_TOPIC = {
    "undecided": (
        Message("Could somebody who knows a person know this?"),
        Message("Protected, as if they could."),
    ),
    "naming": (
        Message("Does this name single people, firms or records?"),
        Message("Left out, as if it did."),
    ),
    "weight": (
        Message("Are these survey weights, and who needs them?"),
        Message("Left out: they may tell people apart."),
    ),
    "secret": (
        Message("Is this confidential, and could it single somebody out?"),
        Message("Protected as well: exact values would single people out."),
    ),
    "codes": (
        Message("Are these amounts or codes?"),
        Message("Codes: nothing that the file does not have is made up."),
    ),
    "infinite": (
        Message("Do infinite or huge values stand for the end of a scale?"),
        Message("Kept as its end: nothing that the file does not have is made up."),
    ),
    "varied": (
        Message("Is this confidential, and could it single somebody out?"),
        Message("Left as it is: it has too many values for k records to share one."),
    ),
    "guessed": (
        Message("Values could be guessed of people: may they be changed?"),
        Message("Protected as well."),
    ),
    "exposing": (
        Message("May this leave as it is, though it tells a column that is protected?"),
        Message("Protected as well: exact values would tell that column."),
    ),
    "same": (
        Message("Is this what another column says already?"),
        Message("It follows that column, so that nothing contradicts itself."),
    ),
}
"""Question on columns, and the safe answer, by topic."""

BROADER_TOPICS: Mapping[str, tuple[str, str]] = {
    "read-codes": ("missing", "missing"),
    "kept-codes": ("missing", "missing"),
    "format": ("format", "format"),
    "infinite": ("codes", "codes"),
    "varied": ("varied", "varied"),
    "guessed": ("secret", "undecided"),
    "exposing": ("secret", "undecided"),
    "secret": ("secret", "undecided"),
    "weight": ("weight", "naming"),
}
"""Topics under which questions are merged that have one safe answer, by the first word
of their own topic: where there are many, and where there are still many.
"""


@dataclass(frozen=True)
class UnaskedQuestion:
    """A question that was not asked, and the safe answer assumed.

    Attributes
    ----------
    columns : tuple of str
    asks : Message
    took : Message
        The safe answer that was taken.
    about : str
        Topic, by which questions are merged where there are many.
    """

    columns: tuple[str, ...]
    asks: Message
    took: Message
    about: str = ""

    def summary(self) -> dict[str, object]:
        """Return the question as plain values, ready for JSON."""
        return {"columns": list(self.columns), "asks": self.asks, "took": self.took}


def questions_on_missing_codes(
    table: Table,
    codes: Mapping[str, tuple[MissingCodeEvidence, ...]],
    quasi: Sequence[str],
) -> tuple[UnaskedQuestion, ...]:
    """Return what would have been asked of codes that were read as missing, or not."""
    read = {name: some for name, some in codes.items() if name in quasi}
    doubtful = {
        name: tuple(o for o in some if not o.applied and is_number_text(o.code))
        for name, some in find_missing_codes_by_column(table).items()
        if name in quasi and table.schema[name].kind is not Kind.NOMINAL
    }
    questions = []
    for each in (read, doubtful):
        codes_by_column = {name: some for name, some in each.items() if some}
        if not codes_by_column:
            continue
        every = [evidence for some in codes_by_column.values() for evidence in some]
        texts = list(dict.fromkeys(evidence.code for evidence in every))
        asks = Message(
            "Do {codes} stand for missing values?", codes=join_some_with_and(texts)
        )
        count = sum(evidence.count for evidence in every)
        took = Message(
            "Kept as values, in {count:,} cell.",
            "Kept as values, in {count:,} cells.",
            count=count,
        )
        if each is read:
            took = Message(
                "Read as missing in {count:,} cell: gaps stay where k allows, and are "
                "filled elsewhere.",
                "Read as missing in {count:,} cells: gaps stay where k allows, and are "
                "filled elsewhere.",
                count=count,
            )
        about = "read-codes" if each is read else "kept-codes"
        questions.append(UnaskedQuestion(tuple(codes_by_column), asks, took, about))
    return tuple(questions)


def merge_unasked_questions(
    questions: Sequence[UnaskedQuestion],
) -> tuple[UnaskedQuestion, ...]:
    """Return the questions merged by topic, by broader topics if there are many."""
    topics = {
        each: (
            each.about,
            *BROADER_TOPICS.get(each.about.partition(" ")[0], (each.about, each.about)),
        )
        for each in questions
    }
    return tuple(
        UnaskedQuestion(
            tuple(dict.fromkeys(name for each in some for name in each.columns)),
            join_messages(list(dict.fromkeys(each.asks for each in some))),
            join_messages(list(dict.fromkeys(each.took for each in some))),
            some[0].about,
        )
        for some in topic_groups_and_level(topics)[0]
    )
