"""``coterie propose``: proposed roles and kinds of a file's columns, with reasons."""

from __future__ import annotations

import argparse
import json
from typing import Any

from engine.cli.parsing.options import build_read_options
from engine.data.kinds import Role
from engine.data.propose import Suggestion, exposure_warnings, role_warnings
from engine.data.propose.persons import propose_person
from engine.data.table import Table
from engine.files import read_table_and_proposals

CONFIDENCE_LABELS = {0.9: "certain", 0.7: "likely", 0.0: "unsure"}
"""How sure a proposal is, in words, from which confidence on."""


def execute_propose(options: argparse.Namespace) -> int:
    """Print the proposed role and kind of each column; return the exit code."""
    table, found = read_table_and_proposals(options.file, build_read_options(options))
    if options.json:
        print(json.dumps(_column_content(table, found), indent=2, ensure_ascii=False))
        return 0
    width = max(6, *(len(one.column.name) for one in found))
    line = "{:{width}}  {:16}  {:10}  {:7}  {}"
    print(line.format("column", "role", "kind", "", "why", width=width))
    for one in found:
        role, kind = one.column.role, one.column.kind
        sure = confidence_label(one.confidence)
        print(line.format(one.column.name, role, kind, sure, one.reason, width=width))
    for question in map(open_question_on_column, found):
        if question:
            print(question)
    for warning in exposure_warnings(table.schema):
        print(warning)
    person = propose_person(table)
    if person is not None:
        print(person.says if person.certain else person.question)
    return 0


def confidence_label(confidence: float) -> str:
    """Return a confidence from 0 to 1 as a word."""
    return next(
        word for least, word in CONFIDENCE_LABELS.items() if confidence >= least
    )


def open_question_on_column(suggestion: Suggestion) -> str:
    """Return a question on a column whose role is undecided, else an empty text."""
    if suggestion.column.role is not Role.UNDECIDED:
        return ""
    return (
        f"What is {suggestion.column.name!r}? Could somebody who knows a person know "
        "it? Until that is said, it does not leave."
    )


def _hierarchy_content(table: Table, suggestion: Suggestion) -> dict[str, Any] | None:
    """Return the hierarchy that is proposed: how, in words, and one line of it."""
    if suggestion.steps is None:
        return None
    tree = suggestion.steps.build(table.frame[suggestion.column.name])
    return {
        "way": suggestion.steps.way,
        "says": str(suggestion.steps.to_message),
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


def _column_content(table: Table, suggestion: tuple[Suggestion, ...]) -> dict[str, Any]:
    proposed = {one.column.name: one for one in suggestion}
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
                "sure": confidence_label(one.confidence),
                "about": one.about,
                "hierarchy": _hierarchy_content(table, one),
                "question": open_question_on_column(one) or None,
            }
            for one in suggestion
        ],
        "person": _person(table),
        "warnings": list(map(str, role_warnings(table, proposed))),
    }
