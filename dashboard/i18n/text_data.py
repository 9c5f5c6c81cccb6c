"""Texts of the Data page, on what is done to columns, in everyday words."""

from __future__ import annotations

from engine.data.kinds import Kind, Role

FATES: dict[Role, str] = {
    Role.QUASI_IDENTIFIER: "Protected",
    Role.IDENTIFIER: "Removed",
    Role.CONFIDENTIAL: "Confidential",
    Role.OTHER: "Leaves as it is",
    Role.WEIGHT: "Weighs records",
    Role.UNDECIDED: "Undecided",
}
"""What becomes of a column with a role."""

KINDS: dict[Kind, str] = {
    Kind.CONTINUOUS: "number",
    Kind.ORDINAL: "in order",
    Kind.NOMINAL: "category",
}
KIND_HELP: dict[Kind, str] = {
    Kind.CONTINUOUS: "Differences count: 20 is as far from 30 as 30 is from 40.",
    Kind.ORDINAL: "Only the order counts: grades, steps of a scale, dates.",
    Kind.NOMINAL: "Values are the same or different, nothing else.",
}

LIST: dict[str, str] = {
    "title": "What is in each column",
    "search": "Search columns",
    "filter": "Show columns by what becomes of them",
    "everything": "All columns",
    "found": "{count} of {all} columns",
    "decide": "Decide…",
    "tick": "Tick {name}",
    "tickAll": "Tick all columns that are shown",
    "kindOf": "Kind of {name}",
    "fateOf": "What becomes of {name}",
    "ticked": "{count} ticked:",
    "fates": "What becomes of them",
    "kinds": "Their kind",
    "proposed": "As proposed",
    "none": "Untick",
}
HEADS: dict[str, str] = {
    "name": "Column",
    "values": "Values",
    "count": "How many",
    "kind": "Kind",
    "fate": "What becomes of it",
    "why": "Why",
}
HEAD_HELP: dict[str, str] = {
    "name": "As in the file.",
    "values": "The first different values, as they are read.",
    "count": "Different values, or how they are spread from the least to the greatest.",
    "kind": "How values relate: as numbers, by their order, or not at all.",
    "fate": "Removed, protected in groups of k, or left as it is. Nothing undecided "
    "leaves.",
    "why": "From the column's name and values: a proposal, and you decide.",
}

FATE_MEANS: dict[Role, str] = {
    Role.QUASI_IDENTIFIER: "in groups of k",
    Role.IDENTIFIER: "",
    Role.CONFIDENTIAL: "as it is",
    Role.OTHER: "",
    Role.WEIGHT: "as it is",
    Role.UNDECIDED: "does not leave",
}
"""What stands beside a fate where columns are counted; may be empty."""

QUESTION = "Could a neighbour, a colleague or a doctor know it of somebody?"
ANSWERS: dict[Role, str] = {
    Role.QUASI_IDENTIFIER: "Yes, protect it",
    Role.OTHER: "No, it may leave",
    Role.IDENTIFIER: "Remove it",
}
SINGLING_QUESTION = "Does it name or number single people, firms or records?"
WEIGHT_QUESTION = (
    "Is it one of many weights of a survey? Together they tell people apart."
)
SINGLING_ANSWERS: dict[Role, str] = {
    Role.IDENTIFIER: "Yes, remove it",
    Role.QUASI_IDENTIFIER: "No, protect it",
    Role.OTHER: "No, it may leave",
}
ANSWERS_FOR_SEVERAL: dict[Role, str] = {
    Role.QUASI_IDENTIFIER: "Yes, protect them",
    Role.OTHER: "No, they may leave",
    Role.IDENTIFIER: "Remove them",
}
ANSWERS_FOR_ALL: dict[Role, str] = {
    Role.QUASI_IDENTIFIER: "Protect all",
    Role.IDENTIFIER: "Remove all",
}
UNDECIDED_KINDS: dict[str, str] = {
    "answers": "answers {low} to {high}",
    "few-numbers": "few different whole numbers",
    "dates": "dates",
    "two": "two different values",
    "numbers": "amounts and other numbers",
    "few-words": "few different words",
    "words": "many different words",
    "figures": "numbers and dates",
    "words-of-any-kind": "words, or two different values",
}
"""What undecided columns hold, as a question calls them."""

PREVIEW: dict[str, str] = {
    "ask": "Click the row that holds the names of the columns.",
    "row": "The names are in row {row}",
    "names": "names",
    "none": "No row holds names",
}
LEFT_OUT: dict[str, str] = {
    "title": "title, left out",
    "units": "units, left out",
    "labels": "labels, left out",
    "totals": "totals, left out",
    "footnote": "note, left out",
}

WRITTEN: dict[str, str] = {
    "text": "kept as text",
    "day-month": "the day comes before the month",
    "month-day": "the month comes before the day",
    "decimal-comma": "a comma before the decimals",
    "decimal-point": "a point before the decimals",
}
"""How a column is written, as people have answered."""

ONE_MISSING = "Missing"
ONE_VALUE = "A value"

READING_SETTLED = "Choose *Not right?* above to see the file and change it."

HOW_SURE: dict[float, str] = {
    0.9: "{reason} Sure.",
    0.7: "{reason} Likely.",
    0.0: "{reason} A guess.",
}
"""How a proposal is told, by the least confidence; the surest first."""
