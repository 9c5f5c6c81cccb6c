"""Proposes what each column means, with a reason, from its name and its values.

A proposal is a start for people who know the data, never a decision: names are
matched in a handful of languages, and what nobody hints at is judged by its values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from engine.core.message import Message, joined
from engine.data.column_names import Hint, match
from engine.data.column_values import FEW, Values, identifying, weighs_records
from engine.data.kinds import Kind, Role
from engine.data.reading import said_of_reading
from engine.data.schema import Column, Schema

if TYPE_CHECKING:
    from engine.data.table import Table


@dataclass(frozen=True)
class Suggestion:
    """What a column seems to be.

    Attributes
    ----------
    column : Column
        Name, proposed kind, proposed role.
    reason : Message
        One or two sentences for people.
    """

    column: Column
    reason: Message


def suggest(frame: pd.DataFrame) -> tuple[Suggestion, ...]:
    """Propose kind and role for every column, in their order.

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    tuple of Suggestion
        At most one column is proposed to weigh records.
    """
    found: list[Suggestion] = []
    weighs = False
    for j, name in enumerate(frame.columns):
        values = Values(frame.iloc[:, j])
        one = _suggest_column(str(name), values, weigh=not weighs)
        weighs = weighs or one.column.role is Role.WEIGHT
        found.append(one)
    return tuple(found)


def suggest_schema(frame: pd.DataFrame) -> Schema:
    """Return the schema that :func:`suggest` proposes."""
    return Schema(tuple(suggestion.column for suggestion in suggest(frame)))


def holds_codes(table: Table, name: str) -> bool:
    """Return whether a column of numbers is proposed as nominal.

    Parameters
    ----------
    table : Table
    name : str
        Of a column of the table.
    """
    column = table.schema[name]
    numbers = pd.api.types.is_numeric_dtype(table.frame[name].dtype)
    return column.proposed and column.kind is Kind.NOMINAL and bool(numbers)


def warnings(table: Table) -> tuple[Message, ...]:
    """Return what is odd about a table's roles, without being wrong.

    Parameters
    ----------
    table : Table

    Returns
    -------
    tuple of Message
        Sentences: on rows of the file that are no records, columns that it gives no
        name, identifiers and recognisable traits that leave as they are, and constant
        quasi-identifiers.
    """
    found = list(said_of_reading(table.origin))
    found += [
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
        values = Values(table.frame.iloc[:, j])
        if column.role is Role.QUASI_IDENTIFIER:
            if values.constant:
                found.append(
                    Message(
                        "Quasi-identifier {name!r} is constant: it does not influence "
                        "the groups.",
                        name=column.name,
                    )
                )
            continue
        proposed = _suggest_column(column.name, values).column.role
        if proposed is Role.IDENTIFIER:
            found.append(
                Message(
                    "Column {name!r} looks like an identifier but leaves as it is: "
                    "make it an identifier.",
                    name=column.name,
                )
            )
        elif proposed is Role.QUASI_IDENTIFIER:
            found.append(
                Message(
                    "Column {name!r} may help to recognise somebody but leaves as it "
                    "is, unprotected.",
                    name=column.name,
                )
            )
    return tuple(found)


def _suggest_column(name: str, values: Values, weigh: bool = True) -> Suggestion:
    def propose(kind: Kind, role: Role, *reasons: Message) -> Suggestion:
        return Suggestion(Column(name, kind, role, proposed=True), joined(reasons))

    if values.n == 0:
        return propose(Kind.NOMINAL, Role.OTHER, Message("It holds no values."))
    kind, holds = _kind(values)
    if weighs_records(name, values):
        if weigh:
            return propose(
                kind,
                Role.WEIGHT,
                Message(
                    "By its name and values it says how many units each record stands "
                    "for: means and information loss are weighted by it."
                ),
            )
        return propose(
            kind,
            Role.UNDECIDED,
            Message("It seems to hold weights too; only one column can weigh."),
        )
    hint, word = _hint(name, values)
    if hint is not None and hint.codes and (values.whole or not values.numeric):
        kind = Kind.NOMINAL
    if values.constant:
        return propose(kind, Role.OTHER, Message("All its values are the same."))
    if hint is None:
        reason = identifying(name, values)
        if reason:
            return propose(Kind.NOMINAL, Role.IDENTIFIER, reason)
        if kind is Kind.CONTINUOUS:
            return propose(
                kind,
                Role.QUASI_IDENTIFIER,
                holds,
                Message(
                    "Whoever knows somebody's exact number could recognise them by it."
                ),
            )
        if values.dates:
            return propose(
                kind,
                Role.QUASI_IDENTIFIER,
                holds,
                Message(
                    "Whoever knows when something happened to somebody could recognise "
                    "them by it."
                ),
            )
        return propose(kind, Role.UNDECIDED, holds, Message("Nothing hints at a role."))
    told = {"word": word, "what": hint.says}
    if hint.role is Role.IDENTIFIER:
        said = Message("Its name ({word}) tells of {what}.", **told)
        return propose(Kind.NOMINAL, hint.role, said)
    if hint.role is Role.CONFIDENTIAL:
        said = Message(
            "Its name ({word}) tells of {what}, which nobody should learn.", **told
        )
        return propose(kind, hint.role, said)
    said = Message(
        "Its name ({word}) tells of {what}, by which somebody could be recognised.",
        **told,
    )
    return propose(kind, hint.role, said, holds)


def _hint(name: str, values: Values) -> tuple[Hint | None, str]:
    """Return the hint in a name that the values do not contradict, and its word.

    What takes few values identifies nobody, whatever its name: "region id" is a
    region, and "has phone" a flag.
    """
    few = values.distinct <= FEW and values.n >= 3 * values.distinct
    found = match(name)
    others = [pair for pair in found if pair[0].role is not Role.IDENTIFIER]
    if few or (others and not values.all_different):
        found = tuple(others)
    return found[0] if found else (None, "")


def _kind(values: Values) -> tuple[Kind, Message]:
    """Return the kind that the values alone suggest, and what they are."""
    if values.dates:
        return Kind.ORDINAL, Message(
            "It holds dates ({count}).", count=values.different
        )
    if not values.numeric:
        dtype = values.all.dtype
        if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
            return Kind.ORDINAL, Message(
                "It holds ordered categories ({count}).", count=values.different
            )
        return Kind.NOMINAL, Message(
            "It holds words ({count}).", count=values.different
        )
    if values.distinct <= FEW and values.n >= 3 * values.distinct and values.whole:
        return Kind.ORDINAL, Message(
            "It holds few whole numbers ({count}).", count=values.different
        )
    return Kind.CONTINUOUS, Message(
        "It holds numbers ({count}).", count=values.different
    )
