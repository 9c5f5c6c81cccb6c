"""Columns that say who a record is about: where k counts people, they do not leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.core.message import Message
from engine.data.kinds import Role
from engine.data.propose import Suggestion
from engine.data.propose.base import CERTAIN
from engine.data.propose.persons import propose_person
from engine.data.schema import Schema
from engine.data.table import Table

PERSON_REASON = Message("It says who a record is about: k counts them.")
"""Why a column by which people are counted does not leave."""


def reasons_to_leave_out_person(
    schema: Schema, person: Sequence[str]
) -> dict[str, Message]:
    """Return the columns of who records are about that would leave, each with why not.

    Parameters
    ----------
    person : sequence of str
        Columns that say who a record is about.
    """
    columns = [name for name in person if schema[name].role is not Role.IDENTIFIER]
    return dict.fromkeys(columns, PERSON_REASON)


def leave_out_certain_person(
    table: Table, proposed: Sequence[Suggestion], k: int
) -> tuple[Table, tuple[Suggestion, ...]]:
    """Return table and proposals, columns of people who are surely counted left out.

    Parameters
    ----------
    table : Table
        With the proposed roles.
    proposed : sequence of Suggestion
    """
    person = propose_person(table)
    if person is None or not person.certain or person.n_persons < k:
        return table, tuple(proposed)
    reasons = reasons_to_leave_out_person(table.schema, person.columns)
    schema = table.schema.assign(dict.fromkeys(reasons, Role.IDENTIFIER))
    return replace(table, schema=schema), tuple(
        replace(
            suggestion,
            column=schema[suggestion.column.name],
            reason=reasons.get(suggestion.column.name, suggestion.reason),
            confidence=CERTAIN,
        )
        if suggestion.column.name in person.columns
        else suggestion
        for suggestion in proposed
    )
