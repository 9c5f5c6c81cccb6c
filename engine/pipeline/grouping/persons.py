"""Person codes of a plan's records, counts of persons, and messages about them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from engine.core.errors import InfeasibleError
from engine.core.message import Message, Topic, join_with_and
from engine.core.partition import Partition
from engine.core.typing import Integers
from engine.data.persons import (
    PersonCounts,
    code_persons,
    count_near_duplicates,
    has_repeated_persons,
    k_of_persons,
)
from engine.data.propose.persons import propose_person
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.fields.records import EACH_RECORD, NO_PERSON
from engine.pipeline.planning.resolve_plan import ResolvedPlan


def person_codes(plan: ResolvedPlan, table: Table, rows: Integers) -> Integers | None:
    """Return each record's person code; None without person columns or repeats.

    Parameters
    ----------
    rows : ndarray of int64, shape (n_records,)
        Rows of the table that the records are.

    Returns
    -------
    ndarray of int64, shape (n_records,), or None
        -1 where nobody is named; None where every record is of another person.
    """
    if not plan.person_columns:
        return None
    codes = code_persons(_identifiers(plan, table, rows), plan.person_columns)
    return codes if has_repeated_persons(codes) else None


def _identifiers(plan: ResolvedPlan, table: Table, rows: Integers) -> pd.DataFrame:
    """Return the columns that say who some records are about."""
    return table.frame[list(dict.fromkeys(plan.person_columns))].iloc[rows]


def check_enough_persons(plan: ResolvedPlan, n_persons: int) -> None:
    """Raise if the table's number of persons is below the plan's k.

    Raises
    ------
    InfeasibleError
    """
    if n_persons < plan.k:
        raise too_few_persons_error(n_persons, plan.k, plan.person_columns)


def too_few_persons_error(
    n_persons: int, k: int, columns: Sequence[str]
) -> InfeasibleError:
    """Return the error for a table of fewer than k persons.

    Parameters
    ----------
    n_persons, k : int
    columns : sequence of str
        Which together say who a record is about.
    """
    return InfeasibleError(
        "{count} person, k = {k}: k counts the persons of {columns}. Choose a smaller "
        "k, name another column (--person), or count records (--person none).",
        "{count} people, k = {k}: k counts the persons of {columns}. Choose a smaller "
        "k, name another column (--person), or count records (--person none).",
        count=n_persons,
        k=k,
        columns=join_with_and(columns, quoted=True),
    )


def check_persons_per_group(
    plan: ResolvedPlan, persons: Integers | None, partition: Partition
) -> None:
    """Raise if somebody's records, as an intruder knows them, fit fewer than k persons.

    Parameters
    ----------
    persons : ndarray of int64, shape (n_records,), or None
    partition : Partition

    Raises
    ------
    InfeasibleError
    """
    if persons is None:
        return
    rows, is_per_attribute = (
        [partition.labels],
        methods.info(plan.method).traits.per_attribute,
    )
    if partition.attributes is not None and (plan.blocks or is_per_attribute):
        rows = list(partition.attributes)  # k holds in each, not in all together
    fewest = min(k_of_persons(row, persons, plan.person_knowledge) for row in rows)
    if fewest < plan.k:
        raise InfeasibleError(
            "{method} made groups by which records can be of {count} person of "
            "{columns} only, fewer than k = {k}: choose another method or a smaller k, "
            "or count records (--person none).",
            "{method} made groups by which records can be of {count} people of "
            "{columns} only, fewer than k = {k}: choose another method or a smaller k, "
            "or count records (--person none).",
            method=plan.method,
            count=fewest,
            columns=join_with_and(plan.person_columns, quoted=True),
            k=plan.k,
        )


def person_counts_of_plan(
    plan: ResolvedPlan, table: Table, rows: Integers, persons: Integers | None
) -> PersonCounts | None:
    """Return counts of persons and of similar identifiers; None if persons is None.

    Parameters
    ----------
    rows : ndarray of int64, shape (n_records,)
        Rows of the table that the records are.
    persons : ndarray of int64, shape (n_records,), or None
        As :func:`person_codes` gives them.
    """
    if persons is None:
        return None
    alike = count_near_duplicates(_identifiers(plan, table, rows), plan.person_columns)
    return PersonCounts.from_codes(persons, alike)


def messages_on_persons(
    plan: ResolvedPlan, table: Table, counts: PersonCounts | None
) -> tuple[Message, ...]:
    """Return messages on whether k counts persons, and on unusual identifiers.

    Parameters
    ----------
    counts : PersonCounts or None
        None where every record is of another person.
    """
    if plan.person == NO_PERSON:
        message = Message(
            "No person is counted: k holds for records, of which somebody may have "
            "several (--person none)."
        )
        return (message.with_topic(Topic.PERSON),)
    if plan.person == EACH_RECORD:
        return _on_repeating(table)
    if counts is None:
        return ()
    n_persons, n_records = counts.n_persons, counts.n_records
    message = Message(
        "k counts the {n_persons:,} persons of {columns}, not the {n_records:,} "
        "records ({each:.1f} each).",
        n_persons=n_persons,
        columns=join_with_and(plan.person_columns, quoted=True),
        n_records=n_records,
        each=(n_records - counts.n_nobody) / max(1, n_persons),
    )
    odd = messages_on_identifiers(plan.person_columns, counts)
    return tuple(note.with_topic(Topic.PERSON) for note in (message, *odd))


def messages_on_identifiers(
    person_columns: Sequence[str], counts: PersonCounts
) -> list[Message]:
    """Return messages on missing, nearly equal and dominant person identifiers.

    Parameters
    ----------
    person_columns : sequence of str
        Which together say who a record is about.
    counts : PersonCounts
    """
    columns, messages = join_with_and(person_columns, quoted=True), []
    if counts.n_nobody:
        messages.append(
            Message(
                "{count:,} record has nothing in {columns}: it counts for nobody, "
                "neither in k nor among the persons.",
                "{count:,} records have nothing in {columns}: they count for nobody, "
                "neither in k nor among the persons.",
                count=counts.n_nobody,
                columns=columns,
            )
        )
    if counts.n_alike:
        messages.append(
            Message(
                "{count:,} identifier of {columns} equals another one but for case or "
                "blanks: they count as different persons. Correct them if they are "
                "the same.",
                "{count:,} identifiers of {columns} equal another one but for case or "
                "blanks: they count as different persons. Correct them if they are "
                "the same.",
                count=counts.n_alike,
                columns=columns,
            )
        )
    if 2 * counts.max_records >= counts.n_records:
        messages.append(
            Message(
                "One person has {count:,} of the {n_records:,} records of {columns}: "
                "is that a person?",
                count=counts.max_records,
                n_records=counts.n_records,
                columns=columns,
            )
        )
    return messages


def _on_repeating(table: Table) -> tuple[Message, ...]:
    """Name the columns that seem to say who records are about, if k counts records."""
    proposal = propose_person(table)
    if proposal is None:
        return ()
    message = Message(
        "Values of {columns} repeat like identifiers of persons ({count:,} values in "
        "{n_records:,} records), and k counts records: say --person to count the "
        "persons of a column, or --person none.",
        columns=join_with_and(proposal.columns, quoted=True),
        count=proposal.n_persons,
        n_records=proposal.n_records,
    )
    return (message.with_topic(Topic.PERSON),)
