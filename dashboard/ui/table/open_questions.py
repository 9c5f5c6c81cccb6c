"""Open questions on a table: how it was read, its columns' roles and its persons."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import streamlit as st

from dashboard.state import session
from dashboard.state.caches.session_cache import cache_in_session
from dashboard.state.workspace import Workspace
from dashboard.ui.table import undecided_groups
from engine.data.formats.questions import FormatQuestion, format_questions
from engine.data.kinds import Kind, Role
from engine.data.missing_values import missing_codes
from engine.data.propose.persons import propose_person
from engine.data.questions import MAX_QUESTIONS, topic_groups_and_level
from engine.data.table import Table

CodesByColumn: TypeAlias = dict[str, tuple[missing_codes.MissingCodeEvidence, ...]]


@dataclass(frozen=True, eq=False)
class OpenQuestions:
    """Unanswered questions on a table: formats, codes for missing, roles and persons.

    Attributes
    ----------
    formats : tuple of FormatQuestion
    codes : tuple of CodesByColumn
        Codes that may stand for missing values, a mapping for each question.
    roles : tuple of UndecidedGroup
    asks_person : bool
        Whether it is asked whom records are about.
    """

    formats: tuple[FormatQuestion, ...] = ()
    codes: tuple[CodesByColumn, ...] = ()
    roles: tuple[undecided_groups.UndecidedGroup, ...] = ()
    asks_person: bool = False

    def asks_first_of_sure_codes(self, table: Table) -> bool:
        """Return whether the question that is shown is of codes that are surely none.

        It is answered before the next step, which would take them for amounts.
        """
        is_shown = bool(self.codes) and not self.formats
        return is_shown and are_certain_missing_codes(table, self.codes[0])

    def __len__(self) -> int:
        """Return the number of questions."""
        n_listed = len(self.formats) + len(self.codes) + len(self.roles)
        return n_listed + self.asks_person


def list_open_questions(workspace: Workspace) -> OpenQuestions:
    """Return the unanswered questions on the workspace's table.

    Columns of similar content share one where there would be many otherwise, and go on
    sharing it when others are answered: :func:`set_one_question_per_column` ends that.
    """
    table = workspace.table
    if table is None:
        return OpenQuestions()
    formats: tuple[FormatQuestion, ...] = ()
    topics: dict[tuple[bool, str], tuple[Hashable, ...]] = {}
    codes: CodesByColumn = {}
    if workspace.upload is not None:  # how a sample is read is known
        formats, codes = format_questions(table), _unanswered_codes(table)
        topics = {(True, name): some for name, some in _code_topics(table, codes)}
    undecided = columns_to_ask(workspace)
    level, is_singly = st.session_state.get(_grouping_key(table), (0, False))
    if not is_singly:
        undecided_topics = undecided_groups.topics_by_undecided_column(table, undecided)
        topics |= {(False, name): some for name, some in undecided_topics.items()}
    max_groups = MAX_QUESTIONS - len(formats) - _may_ask_person(workspace)
    groups, level = topic_groups_and_level(topics, max_groups, level)
    st.session_state[_grouping_key(table)] = level, is_singly
    named = [(group[0][0], tuple(name for _, name in group)) for group in groups]
    roles = [names for is_code, names in named if not is_code]
    if is_singly:
        roles = [(name,) for name in undecided]
    return OpenQuestions(
        formats,
        tuple({n: codes[n] for n in names} for is_code, names in named if is_code),
        tuple(undecided_groups.make_undecided_group(table, names) for names in roles),
        is_person_question_open(workspace),
    )


def columns_to_ask(workspace: Workspace) -> tuple[str, ...]:
    """Return the undecided columns whose role is asked for.

    Whether a column says who records are about is asked first: if it does, its role
    is settled, too.
    """
    if workspace.table is None:
        return ()
    undecided = workspace.table.schema.with_role(Role.UNDECIDED)
    proposal = propose_person(workspace.table)
    if proposal is None or not is_person_question_open(workspace):
        return undecided
    return tuple(name for name in undecided if name not in proposal.columns)


def set_one_question_per_column(table: Table) -> None:
    """Have each undecided column of a table asked about separately from now on."""
    level, _ = st.session_state.get(_grouping_key(table), (0, False))
    st.session_state[_grouping_key(table)] = level, True


def _grouping_key(table: Table) -> str:
    """Return where it is kept how questions are grouped, however a file is read."""
    content = table.fingerprint if table.carried is None else table.carried.digest
    return session.widget_key("questions", content)


def _may_ask_person(workspace: Workspace) -> bool:
    """Return whether it is asked whom records are about, now or once columns count."""
    if workspace.table is None or workspace.shared_plan.person is not None:
        return False
    proposal = propose_person(workspace.table)
    return proposal is not None and not proposal.certain


def is_person_question_open(workspace: Workspace) -> bool:
    """Return whether to ask if columns proposed without certainty identify persons."""
    table = workspace.table
    if table is None or not table.schema.quasi_identifiers:  # nothing is grouped by
        return False
    return _may_ask_person(workspace)


def _unanswered_codes(table: Table) -> CodesByColumn:
    """Return the codes that may stand for missing values, of which nobody has said it.

    Of columns that do not leave, or leave as they are, nothing depends on it. A number
    among codes is one of them, unless the values leave no doubt.
    """
    sure, codes_by_column = _sure_codes(table), {}
    for name, codes in _codes(table).items():
        column = table.schema[name]
        unanswered = tuple(
            each
            for each in codes
            if not each.applied
            and (
                column.kind is not Kind.NOMINAL
                or not missing_codes.is_number_text(each.code)
                or each in sure.get(name, ())
            )
        )
        if unanswered and column.role not in (Role.IDENTIFIER, Role.OTHER):
            codes_by_column[name] = unanswered
    return codes_by_column


def _code_topics(
    table: Table, codes: CodesByColumn
) -> Iterator[tuple[str, tuple[Hashable, ...]]]:
    """Yield columns and topics of their codes: which, and whether they are sure."""
    for name, some in codes.items():
        is_sure = are_certain_missing_codes(table, {name: some})
        yield name, (tuple(each.code for each in some), is_sure, is_sure)


def are_certain_missing_codes(table: Table, codes: CodesByColumn) -> bool:
    """Return whether evidence shows that all these codes stand for missing values."""
    sure = _sure_codes(table)
    return all({*some} <= {*sure.get(name, ())} for name, some in codes.items())


def _codes_key(table: Table) -> tuple[str, str]:
    """Return what codes depend on: the values, and what people have said of them."""
    return table.fingerprint, repr(table.origin.options.get("missing"))


_codes = cache_in_session(4, {Table: _codes_key})(
    missing_codes.find_missing_codes_by_column
)
_sure_codes = cache_in_session(4, {Table: _codes_key})(
    missing_codes.near_certain_missing_codes_by_column
)
