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
    table, rows = read_table_and_proposals(options.file, build_read_options(options))
    if options.json:
        print(json.dumps(_column_content(table, rows), indent=2, ensure_ascii=False))
        return 0
    width = max(6, *(len(row.column.name) for row in rows))
    line = "{:{width}}  {:16}  {:10}  {:7}  {}"
    print(line.format("column", "role", "kind", "", "why", width=width))
    for row in rows:
        role, kind = row.column.role, row.column.kind
        sure = confidence_label(row.confidence)
        print(line.format(row.column.name, role, kind, sure, row.reason, width=width))
    for question in map(open_question_on_column, rows):
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
        word for minimum, word in CONFIDENCE_LABELS.items() if confidence >= minimum
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
    person = propose_person(table)
    if person is None:
        return None
    return {
        "columns": list(person.columns),
        "n_persons": person.n_persons,
        "certain": person.certain,
        "occasion": person.occasion or None,
        "says": str(person.says),
        "question": None if person.certain else str(person.question),
    }


def _column_content(table: Table, suggestion: tuple[Suggestion, ...]) -> dict[str, Any]:
    proposed = {proposal.column.name: proposal for proposal in suggestion}
    return {
        "file": table.origin.name,
        "n_records": table.n_records,
        "columns": [
            {
                "name": proposal.column.name,
                "role": str(proposal.column.role),
                "kind": str(proposal.column.kind),
                "reason": str(proposal.reason),
                "confidence": proposal.confidence,
                "sure": confidence_label(proposal.confidence),
                "about": proposal.about,
                "hierarchy": _hierarchy_content(table, proposal),
                "question": open_question_on_column(proposal) or None,
            }
            for proposal in suggestion
        ],
        "person": _person(table),
        "warnings": list(map(str, role_warnings(table, proposed))),
    }
