"""Questions to the user on columns with an ambiguous format."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from engine.core.message import Message
from engine.data.formats.date_format import DateFormat
from engine.data.formats.number_format import NumberFormat
from engine.data.table import Table


@dataclass(frozen=True)
class FormatQuestion:
    """A question on how to read an ambiguous column, with its answers.

    Attributes
    ----------
    column : str
    asks : Message
    answers : tuple of (str, Message)
        What :class:`engine.files.ReadOptions` takes in ``forms``, with an example.
        The last one, "text", is safe: the column stays what it is.
    """

    column: str
    asks: Message
    answers: tuple[tuple[str, Message], ...]


def format_questions(table: Table) -> tuple[FormatQuestion, ...]:
    """Return the questions on ambiguous column formats."""
    asked = table.origin.options.get("asked", {})
    return tuple(
        _format_question(name, forms)
        for name, forms in asked.items()
        if name in table.schema
    )


def _format_question(name: str, forms: list[dict[str, object]]) -> FormatQuestion:
    keep = ("text", Message("Keep as text"))
    answers = []
    if any("pattern" in form for form in forms):
        day = pd.Timestamp(2025, 2, 1)
        for form in map(DateFormat.from_json, forms):
            first = form.pattern.find("d") < form.pattern.find("m")
            said = Message("{text} is 1 February 2025", text=form.format_date(day))
            answers.append(("day-month" if first else "month-day", said))
        asks = Message("Does the day or the month come first in {name!r}?", name=name)
        return FormatQuestion(name, asks, (*answers, keep))
    for each in map(NumberFormat.from_json, forms):
        value = 1234 if each.group else 1.234
        said = Message(
            "{text} is {value}", text=each.format_number(value), value=str(value)
        )
        answer = "decimal-comma" if each.decimal == "," else "decimal-point"
        answers.append((answer, said))
    asks = Message("What is the sign before three digits in {name!r}?", name=name)
    return FormatQuestion(name, asks, (*answers, keep))
