"""``coterie propose``: what the columns of a file seem to be, and why."""

from __future__ import annotations

import argparse
import json
from typing import Any

from engine.cli.options import table_of
from engine.data.kinds import Role
from engine.data.propose import Suggestion, labels_of, suggest, warnings
from engine.data.propose.persons import propose_person
from engine.data.table import Table

SURE = {0.9: "certain", 0.7: "likely", 0.0: "unsure"}
"""How sure a proposal is, in words, from which confidence on."""


def propose_roles(options: argparse.Namespace) -> int:
    """Print the proposed role and kind of every column."""
    table = table_of(options)
    found = suggest(table.frame, labels_of(table.origin))
    if options.json:
        print(json.dumps(_content(table, found), indent=2, ensure_ascii=False))
        return 0
    width = max(6, *(len(one.column.name) for one in found))
    line = "{:{width}}  {:16}  {:10}  {:7}  {}"
    print(line.format("column", "role", "kind", "", "why", width=width))
    for one in found:
        role, kind = one.column.role, one.column.kind
        sure = sure_in_words(one.confidence)
        print(line.format(one.column.name, role, kind, sure, one.reason, width=width))
    for question in map(question_of, found):
        if question:
            print(question)
    person = propose_person(table)
    if person is not None:
        print(person.says if person.certain else person.question)
    return 0


def sure_in_words(confidence: float) -> str:
    """Return how sure a proposal is, as a word."""
    return next(word for least, word in SURE.items() if confidence >= least)


def question_of(suggestion: Suggestion) -> str:
    """Return what somebody has to say of a column, empty if nothing."""
    if suggestion.column.role is not Role.UNDECIDED:
        return ""
    return (
        f"What is {suggestion.column.name!r}? Could somebody who knows a person know "
        "it? Until that is said, it does not leave."
    )


def _steps(table: Table, one: Suggestion) -> dict[str, Any] | None:
    """Return the hierarchy that is proposed: how, in words, and one line of it."""
    if one.steps is None:
        return None
    tree = one.steps.build(table.frame[one.column.name])
    return {
        "way": one.steps.way,
        "says": str(one.steps.says),
        "example": list(tree.rows[len(tree.rows) // 2]),
        "levels": len(tree.rows[0]),
    }


def _person(table: Table) -> dict[str, Any] | None:
    """Return the column that seems to say who records are about."""
    found = propose_person(table)
    if found is None:
        return None
    return {
        "columns": list(found.columns),
        "n_persons": found.n_persons,
        "certain": found.certain,
        "occasion": found.occasion or None,
        "says": str(found.says),
        "question": None if found.certain else str(found.question),
    }


def _content(table: Table, found: tuple[Suggestion, ...]) -> dict[str, Any]:
    return {
        "file": table.origin.name,
        "n_records": table.n_records,
        "columns": [
            {
                "name": one.column.name,
                "role": str(one.column.role),
                "kind": str(one.column.kind),
                "reason": str(one.reason),
                "confidence": one.confidence,
                "sure": sure_in_words(one.confidence),
                "about": one.about,
                "hierarchy": _steps(table, one),
                "question": question_of(one) or None,
            }
            for one in found
        ],
        "person": _person(table),
        "warnings": list(map(str, warnings(table))),
    }
