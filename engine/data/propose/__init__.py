"""Propose roles and kinds of columns, with reasons, from names and values.

A proposal is a start for people who know the data, never a decision. It errs on the
safe side: what could say who somebody is, is an identifier; what nobody hints at is
undecided, and does not leave until somebody has decided; nothing is proposed to leave
as it is but what is the same for all, or belongs to the survey and not to anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

from engine.core.message import (
    Message,
    join_messages,
    join_some_with_and,
    join_with_and,
)
from engine.data.conversion.numeric import has_incomputable_values
from engine.data.kinds import Kind, Role
from engine.data.persons import columns_constant_per_person, finest_repeating_column
from engine.data.propose.base import CERTAIN, ColumnView
from engine.data.propose.detectors import ALL_DETECTORS
from engine.data.propose.detectors.remaining_columns import infer_kind_with_message
from engine.data.propose.hierarchies import HierarchyProposal, propose_hierarchy
from engine.data.propose.names import normalised_words, split_into_word_set
from engine.data.propose.number_kinds import POINTED_CODES, infer_kind_and_reason
from engine.data.propose.relations.durations import find_dates_with_duration
from engine.data.propose.relations.followers import find_followers_and_totals
from engine.data.propose.relations.products import find_products
from engine.data.propose.relations.shared_values import (
    find_question_battery_columns,
    iterate_columns_sharing_texts,
    iterate_renamed_columns,
)
from engine.data.propose.relations.survey_weights import (
    columns_determined_by_weights,
    find_replicate_weights_by_name,
    find_weights_behind_replicates,
)
from engine.data.propose.values import ColumnValues
from engine.data.reading import messages_on_empty_rows, reading_messages
from engine.data.schema import Column, Schema
from engine.data.table import drop_empty_rows
from engine.hierarchy import Hierarchy

if TYPE_CHECKING:
    from engine.data.table import Origin, Table

__all__ = [
    "HierarchyProposal",
    "Suggestion",
    "add_proposed_hierarchies",
    "column_labels",
    "exposure_warnings",
    "is_code_column",
    "role_warnings",
    "suggest_columns",
    "suggest_schema",
]

BODY_COLUMN_WORDS = split_into_word_set(
    "height hgt ht htcm heightcm stature bmi koerpergroesse groesse taille altura "
    "estatura altezza lengte wzrost 身高 apgar dose dosage pulse creatinine"
)
"""Words of columns of a body, as how tall it is, beside which a weight is its own."""

POLLUTANTS = frozenset({"no2", "nox", "o3", "so2"})
"""Names of columns of what is in the air, beside which NO is no number."""

NAMES_OF_SOMEBODY = frozenset(
    {"full-name", "given-name", "family-name", "other-person", "some-name", "firm-name"}
)
"""Concepts of columns with names that other columns may hold, too."""

NO_LABELS: Mapping[str, str] = MappingProxyType({})
"""Labels of files that describe columns by names alone."""


@dataclass(frozen=True)
class Suggestion:
    """Proposed kind and role of a column.

    Attributes
    ----------
    column : Column
        Name, proposed kind, proposed role.
    reason : Message
        One or two sentences for people.
    confidence : float
        How sure it is, from 0 to 1.
    about : str
        What the column is about, such as ``"postcode"``; empty if unknown.
    steps : HierarchyProposal or None
        How the hierarchy that is proposed for it is built.
    """

    column: Column
    reason: Message
    confidence: float = 0.0
    about: str = ""
    steps: HierarchyProposal | None = None

    @property
    def singles_out(self) -> bool:
        """Whether an undecided column would single out records if it left."""
        return self.column.singles_out


def suggest_columns(
    frame: pd.DataFrame, labels: Mapping[str, str] = NO_LABELS
) -> tuple[Suggestion, ...]:
    """Return the proposed kind and role of each column, in column order.

    Parameters
    ----------
    labels : mapping of str to str, optional
        What its file says of columns beside their names, see :func:`column_labels`.

    Returns
    -------
    tuple of Suggestion
        At most one column is proposed to weigh records.
    """
    frame = drop_empty_rows(frame)
    proposals: list[Suggestion] = []
    weighs = False
    for name, column in frame.items():
        label = labels.get(str(name), "")
        proposal = _suggest_column(str(name), ColumnValues(column), not weighs, label)
        weighs = weighs or proposal.column.role is Role.WEIGHT
        proposals.append(proposal)
    return _seen_together(frame, proposals, labels)


def _seen_together(
    frame: pd.DataFrame, suggestions: Sequence[Suggestion], labels: Mapping[str, str]
) -> tuple[Suggestion, ...]:
    """Return the suggestions, knowing what only all columns together tell."""
    by_name = {guess.column.name: guess for guess in suggestions}
    if len(by_name) < len(suggestions) or len(suggestions) < 2:
        return tuple(suggestions)
    if len(frame.columns) and not isinstance(frame.columns[0], str):
        frame = frame.set_axis(list(map(str, frame.columns)), axis="columns")
    types, dtypes = pd.api.types, dict(zip(by_name, frame.dtypes, strict=True))

    def changed(
        name: str, why: Message, about: str | None = None, **changes: Any
    ) -> None:
        guess = by_name[name]
        column = replace(guess.column, **changes)
        reason = join_messages([guess.reason, why])
        about = guess.about if about is None else about
        by_name[name] = replace(guess, column=column, reason=reason, about=about)

    plain = [
        name
        for name in by_name
        if types.is_numeric_dtype(dtypes[name])
        and not types.is_bool_dtype(dtypes[name])
    ]
    maybe = [name for name, guess in by_name.items() if guess.about == "weight"]
    body = next(
        (name for name in plain if BODY_COLUMN_WORDS & {*normalised_words(name)}), None
    )
    for name in maybe if body is not None else ():
        if by_name[name].confidence < CERTAIN:
            said = Message("Beside {height!r} it is the weight of a body.", height=body)
            role, kind = Role.QUASI_IDENTIFIER, Kind.CONTINUOUS
            changed(name, said, "means", role=role, kind=kind, as_numbers=None)
            by_name[name] = replace(by_name[name], reason=said)
    for name in plain if POLLUTANTS & {name.casefold() for name in plain} else ():
        if name.casefold() == "no":
            said = Message("Beside other gases it is nitric oxide, and no number.")
            role, kind = Role.QUASI_IDENTIFIER, Kind.CONTINUOUS
            changed(name, said, "means", role=role, kind=kind, singles_out=False)
    maybe = [name for name in maybe if by_name[name].about == "weight"]
    replicates = find_replicate_weights_by_name(frame, maybe, plain)
    for name in find_weights_behind_replicates(frame, replicates, plain):
        if by_name[name].about != "weight":
            said = Message("Other columns hold replicates of it: it weighs records.")
            weighs = any(guess.column.role is Role.WEIGHT for guess in by_name.values())
            role = Role.UNDECIDED if weighs else Role.WEIGHT
            changed(name, said, "weight", role=role, kind=Kind.CONTINUOUS)
    for name in replicates:
        said = Message("It is one of many weights of the same survey.")
        role, kind = Role.UNDECIDED, Kind.CONTINUOUS
        changed(name, said, "replicate-weight", role=role, kind=kind, singles_out=True)
    few = [
        name
        for name in plain
        if by_name[name].column.kind is Kind.NOMINAL
        and by_name[name].column.as_numbers is Kind.ORDINAL
        and not by_name[name].about
    ]
    for name in find_question_battery_columns(frame, few):
        said = Message("Several columns have the same steps: answers on one scale.")
        changed(name, said, kind=Kind.ORDINAL)
    texts = [
        name
        for name in by_name
        if not types.is_numeric_dtype(dtypes[name])
        and not types.is_datetime64_any_dtype(dtypes[name])
    ]
    naming = [
        name
        for name in texts
        if by_name[name].singles_out or by_name[name].column.role is Role.IDENTIFIER
    ]
    diagnoses = [name for name in texts if by_name[name].about == "health"]
    unsure = [name for name in texts if by_name[name].about in ("free-text", "")]
    for name, other in iterate_renamed_columns(frame, unsure, diagnoses):
        said = Message("Each of its texts belongs to one of {other!r}.", other=other)
        role, kind = Role.CONFIDENTIAL, Kind.NOMINAL
        changed(name, said, "health", role=role, kind=kind, singles_out=False)
    naming = [name for name in naming if by_name[name].about != "health"]
    of_names = [name for name in naming if by_name[name].about in NAMES_OF_SOMEBODY]
    others = [name for name in texts if name not in naming]
    for name, other in iterate_columns_sharing_texts(frame, others, of_names):
        said = Message("Most of its texts are among those of {other!r}.", other=other)
        changed(name, said, role=Role.UNDECIDED, kind=Kind.NOMINAL, singles_out=True)
        by_name[name] = replace(by_name[name], confidence=0.5)
        naming.append(name)
    named_people = frozenset(naming)
    others = [name for name in texts if name not in named_people]
    for name, other in iterate_renamed_columns(frame, others, naming):
        said = Message("Each of its texts belongs to one of {other!r}.", other=other)
        like, kind = by_name[other].column, Kind.NOMINAL
        changed(name, said, role=like.role, kind=kind, singles_out=like.singles_out)
    compared = [
        name
        for name, guess in by_name.items()
        if guess.column.role not in (Role.IDENTIFIER, Role.WEIGHT)
        and not guess.singles_out
        and guess.about != "constant"
    ]
    identifiers = [
        name for name, guess in by_name.items() if guess.column.role is Role.IDENTIFIER
    ]
    person = finest_repeating_column(frame, identifiers)
    if person is not None:
        by_name |= _seen_once_for_each_person(frame, person, by_name, labels)
    amounts = {n for n in compared if by_name[n].column.kind is Kind.CONTINUOUS}
    numbers = [name for name in plain if name in compared]
    products = find_products(frame, numbers)
    leading, totals = find_followers_and_totals(
        frame, compared, numbers, person, amounts, products
    )
    dates = [name for name in by_name if name in compared and name not in leading]
    for name, leaders in leading.items():
        said = Message("It says what {other!r} says already.", other=leaders[0])
        changed(name, said, follows=leaders)
    for name, guess in tuple(by_name.items()):
        if guess.column.role is Role.WEIGHT:
            implied_columns = columns_determined_by_weights(frame, name, compared)
            if implied_columns:
                said = Message(
                    "Its values tell those of {columns}.",
                    columns=join_some_with_and(implied_columns),
                )
                changed(name, said, follows=implied_columns)
    added = {*totals, *chain.from_iterable(totals.values()), *leading}
    if added & {*products, *chain.from_iterable(products.values())}:
        free = [name for name in numbers if name not in added]
        products = find_products(frame, free)
    dated = find_dates_with_duration(frame, dates)
    for name, parts in {**products, **totals, **dated}.items():
        said = Message("It follows from {parts}.", parts=join_with_and(parts))
        if len(parts) == 1:
            said = Message(
                "It begins with {part}, which another column tells, too.", part=parts[0]
            )
        changed(name, said, parts=tuple(parts))
    return tuple(by_name[guess.column.name] for guess in suggestions)


def _seen_once_for_each_person(
    frame: pd.DataFrame,
    person: str,
    suggestions: Mapping[str, Suggestion],
    labels: Mapping[str, str],
) -> dict[str, Suggestion]:
    """Return suggestions for numbers that look like codes because persons repeat them.

    What does not change with a person's records is judged on the first of them.
    """
    like_codes = [
        name for name, each in suggestions.items() if each.column.as_numbers is not None
    ]
    first_records = frame.drop_duplicates(person)
    judged = (
        _suggest_column(
            name, ColumnValues(first_records[name]), False, labels.get(name, "")
        )
        for name in columns_constant_per_person(frame, person, like_codes)
    )
    return {
        each.column.name: each
        for each in judged
        if each.column.role is suggestions[each.column.name].column.role
    }


def suggest_schema(
    frame: pd.DataFrame, labels: Mapping[str, str] = NO_LABELS
) -> Schema:
    """Return the schema of kinds and roles that :func:`suggest_columns` proposes."""
    return Schema(
        tuple(suggestion.column for suggestion in suggest_columns(frame, labels))
    )


def column_labels(origin: Origin) -> Mapping[str, str]:
    """Return the column labels that a file has in addition to names, by column."""
    labels: Mapping[str, str] = origin.options.get("labels", NO_LABELS)
    return labels


def add_proposed_hierarchies(table: Table) -> Table:
    """Return a table with hierarchies proposed for its nominal quasi-identifiers.

    Codes only: numbers and dates have means without any. What has a hierarchy, or a
    kind that somebody has said, stays.
    """
    trees: dict[str, Hierarchy | None] = {}
    labels = column_labels(table.origin)
    for column in table.schema.columns:
        is_candidate = column.proposed and column.kind is Kind.NOMINAL
        if not is_candidate or column.hierarchy is not None:
            continue
        if column.role is Role.QUASI_IDENTIFIER:
            values = table.frame[column.name]
            # What is a quasi-identifier weighs nothing.
            label = labels.get(column.name, "")
            proposal = _suggest_column(column.name, ColumnValues(values), False, label)
            if proposal.steps is not None:
                trees[column.name] = proposal.steps.build(values)
    return table.assign(hierarchies=trees)


def is_code_column(table: Table, name: str) -> bool:
    """Return whether a column of numbers is proposed as nominal.

    Parameters
    ----------
    name : str
        Of a column of the table.
    """
    column = table.schema[name]
    numbers = pd.api.types.is_numeric_dtype(table.frame[name].dtype)
    return column.proposed and column.kind is Kind.NOMINAL and bool(numbers)


def role_warnings(
    table: Table, suggested: Mapping[str, Suggestion] = MappingProxyType({})
) -> tuple[Message, ...]:
    """Return warnings on unusual but valid roles.

    Parameters
    ----------
    suggested : mapping of str to Suggestion, optional
        By column, what was proposed before; it is not worked out again.

    Returns
    -------
    tuple of Message
        Sentences: on rows of the file that are no records, columns that it gives no
        name, identifiers and recognisable traits that leave as they are, and constant
        quasi-identifiers.
    """
    warnings = [*reading_messages(table.origin), *messages_on_empty_rows(table)]
    warnings += [
        Message(
            "Column {number} has no name in the file; it is called {name!r} here.",
            number=position,
            name=table.schema.names[position - 1],
        )
        for position in table.origin.options.get("nameless", ())
    ]
    for j, column in enumerate(table.schema.columns):
        if column.role not in (Role.OTHER, Role.QUASI_IDENTIFIER):
            continue
        if column.role is Role.QUASI_IDENTIFIER:
            if ColumnValues(table.frame.iloc[:, j]).is_constant:
                warnings.append(
                    Message(
                        "Quasi-identifier {name!r} is constant: it does not influence "
                        "the groups.",
                        name=column.name,
                    )
                )
            continue
        proposed = suggested.get(column.name)
        if proposed is None:
            label = column_labels(table.origin).get(column.name, "")
            values = ColumnValues(table.frame.iloc[:, j])
            proposed = _suggest_column(column.name, values, label=label)
        if proposed.column.role is Role.IDENTIFIER or proposed.singles_out:
            warnings.append(
                Message(
                    "Column {name!r} looks like an identifier but leaves as it is: "
                    "make it an identifier.",
                    name=column.name,
                )
            )
        elif proposed.column.role is Role.QUASI_IDENTIFIER:
            warnings.append(
                Message(
                    "Column {name!r} may help to recognise somebody but leaves as it "
                    "is, unprotected.",
                    name=column.name,
                )
            )
    warnings += exposure_warnings(table.schema)
    return tuple(warnings)


def exposure_warnings(schema: Schema) -> Iterator[Message]:
    """Yield a warning on each column that leaves as it is but tells protected ones."""
    for name, exposed_columns in schema.exposing_columns.items():
        yield Message(
            "Column {name!r} leaves as it is and tells of what is protected "
            "({columns}): give all of them one role.",
            name=name,
            columns=join_with_and(exposed_columns),
        )


def _suggest_column(
    name: str, values: ColumnValues, weigh: bool = True, label: str = ""
) -> Suggestion:
    view = ColumnView(name, values, weigh, label)
    finding = ALL_DETECTORS.first_finding(view)
    kind = plain = finding.kind or infer_kind_with_message(values)[0]
    reason = finding.reason
    doubt = finding.role is not Role.WEIGHT and finding.about != "constant" and values.n
    may_be_codes = values.may_be_codes or (
        values.numeric and not POINTED_CODES.isdisjoint(view.words)
    )
    if doubt and finding.kind is not Kind.NOMINAL and may_be_codes:
        kind, message = infer_kind_and_reason(view, finding)
        reason = reason if message is None else join_messages([reason, message])
    if kind is Kind.CONTINUOUS and has_incomputable_values(values.all):
        message = Message(
            "Some of its values are infinite or huge and have no mean: their common "
            "value is one of the file's own."
        )
        kind, reason = Kind.ORDINAL, join_messages([reason, message])
    return Suggestion(
        Column(
            name,
            kind,
            finding.role,
            proposed=True,
            singles_out=finding.singles_out,
            as_numbers=None if kind is plain else plain,
        ),
        reason,
        finding.confidence,
        finding.about,
        propose_hierarchy(view, finding, kind),
    )
