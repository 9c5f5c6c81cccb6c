"""Roles of all columns decided without asking: doubts get the safe answer.

What may name somebody, number records or hold free text does not leave; whatever else
nobody has decided on is protected. Weights and confidential columns leave as they are
only where their values single nobody out. Codes that stand for missing amounts are read
as missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from engine.analysis.protect.column_dependencies import (
    determined_columns_without_rule,
    exposing_columns,
    order_rules,
    sum_rules_by_total,
)
from engine.analysis.protect.person_columns import leave_out_certain_person
from engine.analysis.protect.rare_values import (
    MAX_RARE_SHARE,
    RARE_CATEGORIES_REASON,
    has_too_many_categories,
    leaves_though_varied,
    rare_value_share,
)
from engine.analysis.protect.unasked_questions import (
    QUESTIONS_BY_TOPIC,
    UnaskedQuestion,
    questions_on_missing_codes,
)
from engine.core.errors import InputError
from engine.core.message import Message, join_with_and
from engine.data.conversion.numeric import has_incomputable_values, is_numeric_column
from engine.data.formats.questions import format_questions
from engine.data.kinds import Kind, Role
from engine.data.missing_values.missing_codes import (
    MissingCodeEvidence,
    apply_missing_codes,
    is_number_text,
    near_certain_missing_codes_by_column,
)
from engine.data.propose import Suggestion, column_labels, suggest_columns
from engine.data.propose.persons import PersonProposal, propose_person
from engine.data.schema import COSTLY, Schema
from engine.data.table import Table

RARE_WEIGHTS_REASON = Message("Its weights differ for nearly everybody.")
"""Why a column of weights does not leave."""

STATED_REASON = Message("It was declared an identifier.")
"""Why a column that somebody called an identifier does not leave."""


@dataclass(frozen=True)
class LeftOutColumn:
    """A column left out of the release, and the reason.

    Attributes
    ----------
    column : str
    why : Message
    """

    column: str
    why: Message


@dataclass(frozen=True, eq=False)
class SettledTable:
    """A table with all roles decided, its omitted columns, and the unasked questions.

    Attributes
    ----------
    table : Table
        With the roles and kinds that were settled.
    proposed : mapping of str to Suggestion
        What was proposed for each column.
    rules : tuple of str
        Rules that columns obey: totals and their parts, and which is never above which.
    left_out : tuple of LeftOutColumn
    questions : tuple of UnaskedQuestion
    unread_codes : mapping of str to tuple of MissingCodeEvidence
        Codes that mean missing values, were their columns protected amounts.
    person : PersonProposal or None
        What seems to say who records are about, where nobody has said it.
    stated : frozenset of str
        Columns whose role somebody has stated: it is kept, whatever it costs.
    """

    table: Table
    proposed: Mapping[str, Suggestion]
    rules: tuple[str, ...]
    left_out: tuple[LeftOutColumn, ...]
    questions: tuple[UnaskedQuestion, ...]
    unread_codes: Mapping[str, tuple[MissingCodeEvidence, ...]]
    person: PersonProposal | None = None
    stated: frozenset[str] = frozenset()


def decide_all_roles(
    table: Table, k: int, leaves_out_person: bool = False
) -> SettledTable:
    """Return a settled table: all roles decided, by the safe answer where in doubt.

    Parameters
    ----------
    table : Table
        Roles that somebody stated stay.
    k : int
    leaves_out_person : bool
        Whether columns are looked for that say who a record is about, and left out if
        they surely do.

    Raises
    ------
    InputError
        If no column is left that could be protected.
    """
    codes = near_certain_missing_codes_by_column(table)
    cleaned = apply_missing_codes(table, codes).records
    proposals = suggest_columns(cleaned, column_labels(table.origin))
    as_proposed = replace(table, schema=Schema(tuple(one.column for one in proposals)))
    person = None
    if leaves_out_person:
        person = propose_person(as_proposed)
        _, proposals = leave_out_certain_person(as_proposed, proposals, k)
    proposed = {one.column.name: one for one in proposals}
    stated = {
        one.name: one.role
        for one in table.schema.columns
        if one.has_stated_role and one.role is not Role.UNDECIDED
    }
    roles: dict[str, Role] = {}
    exclusions: list[LeftOutColumn] = []
    names_by_topic: dict[str, list[str]] = {}
    unread = {}
    for name, one in proposed.items():
        role, why, question = _role(one, cleaned[name], k)
        if name in stated:
            role, why, question = stated[name], STATED_REASON, ""
        kind = _kind(one, cleaned[name])
        if name in codes and not _stand_for_missing(codes[name], role, kind):
            unread[name] = codes.pop(name)
            kind = _kind(one, table.frame[name])
        if (
            role is Role.QUASI_IDENTIFIER
            and name not in stated
            and has_too_many_categories(table, name, kind, k)
        ):
            role, why, question = Role.IDENTIFIER, RARE_CATEGORIES_REASON, "naming"
            if leaves_though_varied(as_proposed, name, k):
                role, why, question = Role.CONFIDENTIAL, None, "varied"
        roles[name] = role
        if role is Role.IDENTIFIER:
            exclusions.append(LeftOutColumn(name, why or one.reason))
        if question:
            names_by_topic.setdefault(question, []).append(name)
    full_columns = [name for name in unread if roles[name] is Role.QUASI_IDENTIFIER]
    if full_columns:  # with all their values, as they leave, they tell of other columns
        others = {n: some for n, some in unread.items() if n not in full_columns}
        cleaned = apply_missing_codes(table, {**codes, **others}).records
        for one in suggest_columns(cleaned, column_labels(table.origin)):
            name, related = one.column.name, one.column
            column = replace(
                proposed[name].column, follows=related.follows, parts=related.parts
            )
            proposed[name] = replace(proposed[name], column=column)
    table = apply_missing_codes(table, codes)
    columns = tuple(one.column for one in proposed.values())
    table = replace(table, schema=Schema(columns))
    quasi = [n for n, role in roles.items() if role is Role.QUASI_IDENTIFIER]
    if not quasi:
        raise InputError(
            "Nothing is left to protect: every column names somebody, numbers records, "
            "holds free text or is the same for all. Choose another file, or say what "
            "its columns are (coterie run)."
        )
    table = _assign_roles(table, proposed, roles)
    followers = table.schema.followers
    for name in tuple(names_by_topic.get("same", ())):
        one = proposed[name]
        parts = one.column.parts
        is_total = parts and set(parts) <= set(quasi)
        if name not in followers and not is_total:  # what it follows is out
            names_by_topic["same"].remove(name)
            if one.column.role is Role.UNDECIDED:
                names_by_topic.setdefault("undecided", []).append(name)
    settlement = SettledTable(
        table,
        proposed,
        (),
        tuple(exclusions),
        (
            *(
                UnaskedQuestion(tuple(names), *QUESTIONS_BY_TOPIC[about], about)
                for about, names in names_by_topic.items()
                if names
            ),
            *questions_on_missing_codes(table, codes, quasi),
            *(
                UnaskedQuestion(
                    one.columns, one.asks, Message("Kept as text."), f"format {at}"
                )
                for at, one in enumerate(format_questions(table))
            ),
        ),
        unread,
        person,
        frozenset(stated),
    )
    return _bind_rules(_protect_exposing_columns(settlement, k))


def _assign_roles(
    table: Table, proposed: Mapping[str, Suggestion], roles: Mapping[str, Role]
) -> Table:
    """Return the table with columns' roles, and their kinds by the values read."""
    kinds = {name: _kind(proposed[name], table.frame[name]) for name in roles}
    changed = {n: each for n, each in kinds.items() if each is not table.schema[n].kind}
    return table.assign(roles, changed or None)


def protect_confidential_columns(
    settled: SettledTable, columns: Sequence[str], question_topic: str, k: int
) -> SettledTable:
    """Return the settled table with columns protected, or out if too many categories.

    So is what would tell of them. Codes among their amounts are read as missing.

    Parameters
    ----------
    question_topic : str
        Topic of the question why, see :data:`QUESTIONS_BY_TOPIC`.
    """
    table, proposed = settled.table, settled.proposed
    codes = {n: some for n, some in settled.unread_codes.items() if n in columns}
    cleaned = apply_missing_codes(table, codes).records
    role = Role.QUASI_IDENTIFIER
    codes = {
        name: some
        for name, some in codes.items()
        if _stand_for_missing(some, role, _kind(proposed[name], cleaned[name]))
    }
    table = apply_missing_codes(table, codes)
    table = _assign_roles(table, proposed, dict.fromkeys(columns, role))
    question = UnaskedQuestion(
        tuple(columns), *QUESTIONS_BY_TOPIC[question_topic], question_topic
    )
    questions = (
        *settled.questions,
        question,
        *questions_on_missing_codes(table, codes, columns),
    )
    kinds = {name: table.schema[name].kind for name in columns}
    rare = [n for n in columns if has_too_many_categories(table, n, kinds[n], k)]
    settled = leave_out_columns(
        replace(settled, table=table, questions=questions),
        dict.fromkeys(rare, RARE_CATEGORIES_REASON),
    )
    return _protect_exposing_columns(settled, k)


def _protect_exposing_columns(settled: SettledTable, k: int) -> SettledTable:
    """Return the settled table with what tells of protected columns protected, too."""
    exposing = tuple(exposing_columns(settled.table.schema))
    if not exposing:
        return settled
    return protect_confidential_columns(settled, exposing, "exposing", k)


def protect_columns_of_rare_values(
    settled: SettledTable, person: Sequence[str], k: int
) -> SettledTable:
    """Return the settled table with exact columns protected or out if values are rare.

    Counted on records, the values of somebody with many records look frequent.
    Confidential columns of such values are protected, and weights are left out.

    Parameters
    ----------
    person : sequence of str
        Columns that say which person a record is about.
    """
    table = settled.table
    people = table.frame.groupby([*person], sort=False, dropna=False).ngroup()
    roles = {
        name: table.schema[name].role
        for name in table.schema.names
        if table.schema[name].role in (Role.CONFIDENTIAL, Role.WEIGHT)
        and name not in settled.stated
        and rare_value_share(table.frame[name], k, people) > MAX_RARE_SHARE
    }
    weights = [name for name, role in roles.items() if role is Role.WEIGHT]
    if weights:
        doubt = UnaskedQuestion(tuple(weights), *QUESTIONS_BY_TOPIC["weight"], "weight")
        settled = leave_out_columns(
            settled, dict.fromkeys(weights, RARE_WEIGHTS_REASON)
        )
        settled = replace(settled, questions=(*settled.questions, doubt))
    secret = [
        name
        for name, role in roles.items()
        if role is Role.CONFIDENTIAL and not leaves_though_varied(table, name, k)
    ]
    if secret:
        settled = protect_confidential_columns(settled, secret, "secret", k)
    return settled


def leave_out_columns(
    settled: SettledTable, reasons: Mapping[str, Message]
) -> SettledTable:
    """Return the settled table without some columns, and those no rule then binds.

    What followed them follows another column, if one determines it.

    Parameters
    ----------
    reasons : mapping of str to Message
        Columns to leave out, and why.
    """
    before = settled.table.schema
    costly = {name for name, why in reasons.items() if why == COSTLY}
    schema = before.assign(dict.fromkeys(reasons, Role.IDENTIFIER))
    schema = schema.leave_out_costly(costly)
    freed = before.followers.keys() - schema.followers.keys()
    questions = (
        replace(
            question,
            columns=tuple(
                n
                for n in question.columns
                if n not in reasons and not (question.about == "same" and n in freed)
            ),
        )
        for question in settled.questions
    )
    exclusions = tuple(LeftOutColumn(name, why) for name, why in reasons.items())
    return _bind_rules(
        replace(
            settled,
            table=replace(settled.table, schema=schema),
            left_out=settled.left_out + exclusions,
            questions=tuple(question for question in questions if question.columns),
        )
    )


def _bind_rules(settled: SettledTable) -> SettledTable:
    """Return the settled table with its rules, and without what none of them binds."""
    sums = sum_rules_by_total(settled.table)
    unbound = determined_columns_without_rule(settled.table.schema, sums)
    orders = order_rules(settled.table, settled.table.schema.quasi_identifiers, sums)
    settled = replace(settled, rules=(*sums.values(), *orders))
    if not unbound:
        return settled
    reasons = {
        name: Message(
            "It follows from {parts}, which leave.", parts=join_with_and(parts)
        )
        if len(parts) > 1
        else Message(
            "It begins with {part}, which another column tells, too.", part=parts[0]
        )
        for name, parts in unbound.items()
    }
    return leave_out_columns(settled, reasons)


def _stand_for_missing(
    codes: Sequence[MissingCodeEvidence], role: Role, kind: Kind
) -> bool:
    """Return whether codes of a column are read as missing.

    A code among codes, or on a scale, is one of its values and stays, as does a word
    unless it stands among amounts; so does any of a column that leaves as it is.
    """
    words = not all(is_number_text(evidence.code) for evidence in codes)
    amounts = kind is Kind.CONTINUOUS or (kind is Kind.ORDINAL and not words)
    return role is Role.QUASI_IDENTIFIER and amounts


def _role(
    suggestion: Suggestion, column: pd.Series, k: int
) -> tuple[Role, Message | None, str]:
    """Return a column's role, why it is left out, and what is asked about it."""
    role = suggestion.column.role
    if role is Role.IDENTIFIER:
        return role, None, "naming" if suggestion.confidence < 0.9 else ""
    may_weigh = suggestion.about in ("weight", "replicate-weight")
    is_exact = may_weigh or role is Role.CONFIDENTIAL
    is_rare = is_exact and rare_value_share(column, k) > MAX_RARE_SHARE
    if may_weigh and is_rare:
        return Role.IDENTIFIER, RARE_WEIGHTS_REASON, "weight"
    if role is Role.UNDECIDED and suggestion.singles_out:
        return Role.IDENTIFIER, None, "weight" if may_weigh else "naming"
    if role is Role.OTHER and column.isna().all():
        return role, None, ""
    if role is Role.OTHER and column.nunique(dropna=False) == 1:
        return role, None, ""
    if role is Role.WEIGHT:
        return role, None, ""
    if role is Role.CONFIDENTIAL:
        if is_rare:
            return Role.QUASI_IDENTIFIER, None, "secret"
        return role, None, ""
    if suggestion.column.follows or suggestion.column.parts:
        return Role.QUASI_IDENTIFIER, None, "same"
    if role is Role.UNDECIDED:
        return Role.QUASI_IDENTIFIER, None, "undecided"
    if has_incomputable_values(column):
        return Role.QUASI_IDENTIFIER, None, "infinite"
    if suggestion.column.as_numbers is not None and column.nunique() > 2:
        return Role.QUASI_IDENTIFIER, None, "codes"
    return Role.QUASI_IDENTIFIER, None, ""


def _kind(suggestion: Suggestion, column: pd.Series) -> Kind:
    """Return a kind that the values can have."""
    kind = suggestion.column.kind
    if kind is Kind.NOMINAL:
        return kind
    ordered = isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered
    dates = pd.api.types.is_datetime64_any_dtype(column.dtype)
    if is_numeric_column(column) or dates or ordered:
        return kind
    return Kind.NOMINAL
