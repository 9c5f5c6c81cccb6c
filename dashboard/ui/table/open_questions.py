"""Open questions on a table: how it was read, its columns' roles and its persons."""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

from dashboard.state.caches.session_cache import cache_in_session
from dashboard.state.workspace import Workspace
from dashboard.ui.table.undecided_groups import list_questions_on_roles
from engine.data.formats.questions import format_questions
from engine.data.kinds import Kind, Role
from engine.data.missing_values.missing_codes import (
    MissingCodeEvidence,
    certain_missing_codes,
    find_missing_codes_by_column,
    is_number_text,
)
from engine.data.propose.persons import propose_person
from engine.data.table import Table

CodesByColumn: TypeAlias = dict[str, tuple[MissingCodeEvidence, ...]]


def count_open_questions(workspace: Workspace) -> int:
    """Return the number of unanswered questions on the workspace's table."""
    table = workspace.table
    if table is None:
        return 0
    count = len(list_questions_on_roles(table))
    if workspace.upload is not None:  # how a sample is read is known
        count += len(format_questions(table)) + len(group_missing_codes(table))
    return count + is_person_question_open(workspace)


def is_person_question_open(workspace: Workspace) -> bool:
    """Return whether an uncertain person column is proposed and nobody has answered."""
    if workspace.table is None or workspace.shared_plan.person is not None:
        return False
    if not workspace.table.schema.quasi_identifiers:  # nothing is grouped by
        return False
    proposal = propose_person(workspace.table)
    return proposal is not None and not proposal.certain


def group_missing_codes(table: Table) -> tuple[CodesByColumn, ...]:
    """Return one mapping of columns to unanswered missing codes for each question.

    Columns with the same codes are one question. Of columns that do not leave, or
    leave as they are, nothing depends on it. A number among codes is one of them,
    unless the values leave no doubt.
    """
    groups: dict[tuple[str, ...], CodesByColumn] = defaultdict(dict)
    sure = _sure_codes(table)
    for name, codes in _codes(table).items():
        column = table.schema[name]
        unanswered = tuple(
            each
            for each in codes
            if not each.applied
            and (
                column.kind is not Kind.NOMINAL
                or not is_number_text(each.code)
                or each in sure.get(name, ())
            )
        )
        if unanswered and column.role not in (Role.IDENTIFIER, Role.OTHER):
            groups[tuple(each.code for each in unanswered)][name] = unanswered
    return tuple(groups.values())


def are_surely_missing(table: Table, codes: CodesByColumn) -> bool:
    """Return whether evidence shows that all these codes stand for missing values."""
    sure = _sure_codes(table)
    return all({*some} <= {*sure.get(name, ())} for name, some in codes.items())


def _codes_key(table: Table) -> tuple[str, str]:
    """Return what codes depend on: the values, and what people have said of them."""
    return table.fingerprint, repr(table.origin.options.get("missing"))


_codes = cache_in_session(4, {Table: _codes_key})(find_missing_codes_by_column)
_sure_codes = cache_in_session(4, {Table: _codes_key})(certain_missing_codes)
