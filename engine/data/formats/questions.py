"""Questions to the user on columns with an ambiguous format."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import pandas as pd

from engine.core.message import Message, join_some_with_and
from engine.data.formats.date_format import DateFormat
from engine.data.formats.number_format import NumberFormat
from engine.data.table import Table


@dataclass(frozen=True)
class FormatQuestion:
    """A question on how to read ambiguous columns, with its answers.

    Attributes
    ----------
    columns : tuple of str
        Which have the same answers.
    asks : Message
    answers : tuple of (str, Message)
        What :class:`engine.files.ReadOptions` takes in ``forms``, with an example of
        the first column. The last one, "text", is safe: columns stay what they are.
    """

    columns: tuple[str, ...]
    asks: Message
    answers: tuple[tuple[str, Message], ...]


def format_questions(table: Table) -> tuple[FormatQuestion, ...]:
    """Return the questions on ambiguous formats, one for columns with equal answers."""
    forms_by_column = table.origin.options.get("asked", {})
    answers = {
        name: _format_answers(forms)
        for name, forms in forms_by_column.items()
        if name in table.schema
    }
    alike = defaultdict(list)
    for name, some in answers.items():
        alike[tuple(answer for answer, _ in some)].append(name)
    return tuple(_format_question(names, answers[names[0]]) for names in alike.values())


def _format_question(
    names: list[str], answers: tuple[tuple[str, Message], ...]
) -> FormatQuestion:
    columns = join_some_with_and(names)
    asks = Message(
        "What is the sign before three digits in {columns}?", columns=columns
    )
    if any(answer in ("day-month", "month-day") for answer, _ in answers):
        asks = Message(
            "Does the day or the month come first in {columns}?", columns=columns
        )
    return FormatQuestion(tuple(names), asks, (*answers, ("text", KEEP_AS_TEXT)))


KEEP_AS_TEXT = Message("Keep as text")
"""The safe answer."""


def _format_answers(forms: list[dict[str, object]]) -> tuple[tuple[str, Message], ...]:
    """Return the ways in which a column may be written, each with an example."""
    answers = []
    if any("pattern" in form for form in forms):
        day = pd.Timestamp(2025, 2, 1)
        for form in map(DateFormat.from_json, forms):
            first = form.pattern.find("d") < form.pattern.find("m")
            example = Message("{text} is 1 February 2025", text=form.format_date(day))
            answers.append(("day-month" if first else "month-day", example))
        return tuple(answers)
    for each in map(NumberFormat.from_json, forms):
        value = 1234 if each.group else 1.234
        example = Message(
            "{text} is {value}", text=each.format_number(value), value=str(value)
        )
        answer = "decimal-comma" if each.decimal == "," else "decimal-point"
        answers.append((answer, example))
    return tuple(answers)
