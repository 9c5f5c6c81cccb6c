"""Messages on columns that are released unchanged: without a role, or weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.core.message import Message, join_some_with_and
from engine.data.kinds import Role

if TYPE_CHECKING:
    from engine.data.schema import Schema
    from engine.pipeline.outcome import Outcome


def iterate_messages_on_columns_without_role(
    columns: Sequence[str], schema: Schema
) -> Iterator[Message]:
    """Yield messages on columns released unchanged, and on how to withhold identifiers.

    Parameters
    ----------
    columns : sequence of str
        Columns of the release without a role.
    schema : Schema
        What was proposed.
    """
    if not columns:
        return
    from engine.report.command_line import csv_argument

    yield Message(
        "Leaves as it is, because no option removes it: {columns}.",
        "Leave as they are, because no option removes them: {columns}.",
        count=len(columns),
        columns=join_some_with_and(columns),
    )
    identifier_columns = schema.with_role(Role.IDENTIFIER)
    if identifiers := [name for name in columns if name in identifier_columns]:
        yield Message(
            "{columns} may say who somebody is: leave it out with --identifiers "
            "{option}.",
            "{columns} may say who somebody is: leave them out with --identifiers "
            "{option}.",
            count=len(identifiers),
            columns=join_some_with_and(identifiers),
            option=csv_argument(tuple(identifiers)),
        )


def iterate_messages_on_weights(outcome: Outcome) -> Iterator[Message]:
    """Yield a message if unchanged weights divide groups into fewer than k.

    As where the weight of a record tells the stratum that a protected column names.
    """
    plan, frame = outcome.plan, outcome.release.frame
    weights = plan.weights
    if weights is None or weights not in frame.columns:
        return
    from engine.measures.classes import smallest_class_size
    from engine.report.command_line import csv_argument

    columns = (*plan.quasi_identifiers, weights)
    size = smallest_class_size(frame, columns, outcome.persons, plan.person_knowledge)
    if size < plan.k:
        yield Message(
            "The weights in {column!r} leave as they are: if they are compared, too, k "
            "is {size} instead of {k}. Add --strata {option}, or name it in "
            "--quasi-identifiers instead of --weights.",
            column=weights,
            size=size,
            k=plan.k,
            option=csv_argument((weights,)),
        )
