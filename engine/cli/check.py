"""``coterie check``: k and uniqueness of a file's records or people, as they are."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from engine.cli.parsing.options import (
    quasi_identifiers_from_options,
    split_names,
    table_from_options,
)
from engine.cli.writing.figures import format_count, to_json_bytes

if TYPE_CHECKING:
    from engine.core.typing import Integers
    from engine.data.table import Table


def execute_check(options: argparse.Namespace) -> int:
    """Print k and unique records or people of a file; return 1 if k fails, else 0."""
    from engine.core.partition import check_k
    from engine.measures.reidentification.uniqueness import count_unique
    from engine.pipeline.fields.records import person_to_json
    from engine.pipeline.planning.resolve_plan import check_counts_of_persons
    from engine.pipeline.remarks import no_effect_message, uniqueness_warnings
    from engine.release.write import write_all

    table = table_from_options(options).without_empty_rows()
    columns = quasi_identifiers_from_options(options, table)
    check_k(options.k, max(options.k, table.n_records))
    secret = split_names(options.confidential)
    for name in (*columns, *secret):
        table.schema[name]  # raises where there is no such column
    who = split_names(options.person)
    persons = _persons(table, who, columns)
    named = count_unique(table.frame, columns, options.k, columns, persons)
    others = [name for name in table.schema.names if name not in secret]
    others = [name for name in others if name not in who]
    others += [name for name in columns if name in secret]
    every = count_unique(table.frame, others, options.k, columns, persons)
    if options.counts:
        check_counts_of_persons(options.intruder_knows, bool(who))
    homes, of_homes = _count_household_k(options, table, columns)
    people, of_people = _count_people_k(options, table, columns, who)
    # Nothing is said of a file before all choices are known to be possible.
    holds, smaller = named.least >= options.k, named.fewer
    print(
        f"k = {named.least} over {', '.join(columns)} in {_count(table.n_records)}"
        + (f" of {_count(named.n_persons, who)}: " if who else ": ")
        + f"{options.k}-anonymity "
        + (
            "holds."
            if holds
            else f"does not hold, {_count(smaller, who)} {_be(smaller)} in smaller "
            "groups."
        )
    )
    beside = [name for name in secret if name not in columns]
    print(
        f"Over {'the only' if len(others) == 1 else f'all {len(others)}'} "
        f"column{'s' * (len(others) != 1)}"
        + (f" but {', '.join(beside)} (confidential)" if beside else "")
        + f": {_count(every.unique, who)} {_be(every.unique)} unique, "
        f"{every.fewer:,} {'shares its' if every.fewer == 1 else 'share their'} values "
        f"with fewer than {options.k - 1} other{'s' * (options.k != 2)}."
    )
    for line in filter(None, (of_homes, of_people)):
        print(line)
    lowest_k = min(size for size in (named.least, homes, people) if size is not None)
    safe = lowest_k >= options.k
    if options.intruder_knows == "all" and not who:
        idle = no_effect_message("--intruder-knows all", "--person")
        print(f"Note: {idle}", file=sys.stderr)
    for line in uniqueness_warnings(every) if safe else ():
        print(f"Note: {line}", file=sys.stderr)
    if options.json is not None:
        content = {
            "k": options.k,
            "k_released": named.least if people is None else people,
            "k_verified": safe,
            "k_households": homes,
            **(
                {
                    "person": person_to_json(who),
                    "n_persons": named.n_persons,
                    "k_persons": people,
                }
                if who
                else {}
            ),
            "quasi_identifiers": list(columns),
            "confidential": list(secret),
            "uniqueness": every.summary(),
        }
        write_all({options.json: to_json_bytes(content)})
    return 0 if safe else 1


def _count(number: int, person_columns: tuple[str, ...] = ()) -> str:
    """Return a number of records, or of people where columns say who they are."""
    noun = ("person", "people") if person_columns else ("record", "records")
    return format_count(number, *noun)


def _be(number: int) -> str:
    """Return the verb of so many."""
    return "is" if number == 1 else "are"


def _count_household_k(
    options: argparse.Namespace, table: Table, columns: tuple[str, ...]
) -> tuple[int | None, str]:
    """Return k of households and a line about it; None and "" if none are named."""
    name = options.household
    if name is None:
        return None, ""
    from engine.core.errors import ParameterError
    from engine.data.persons import code_identifiers, count_persons
    from engine.pipeline.grouping.households import (
        min_households_per_combination,
        refuse_missing_household,
    )

    table.schema[name]  # raises where there is no such column
    if name in columns:
        raise ParameterError(
            "Column {column!r} cannot both say which household a record is of and be "
            "a quasi-identifier.",
            column=name,
        )
    of = table.frame[name]
    refuse_missing_household(of)
    household_k = min_households_per_combination(table.frame, columns, of)
    holds = "holds" if household_k >= options.k else "does not hold"
    count = count_persons(code_identifiers(of))
    return household_k, (
        f"k = {household_k} for the {format_count(count, 'household')} of {name}: "
        f"{options.k}-anonymity {holds} for them."
    )


def _persons(
    table: Table, person_columns: tuple[str, ...], columns: tuple[str, ...]
) -> Integers | None:
    """Return the person of each record, where columns say who they are."""
    if not person_columns:
        return None
    from engine.core.errors import InputError, ParameterError
    from engine.core.message import join_with_and
    from engine.data.persons import code_persons, count_persons

    for name in person_columns:
        table.schema[name]  # raises where there is no such column
    if set(person_columns) <= set(columns):
        raise ParameterError(
            "{columns} cannot both say who a record is about and be a "
            "quasi-identifier.",
            "{columns} cannot both say who a record is about and all be "
            "quasi-identifiers.",
            count=len(person_columns),
            columns=join_with_and(person_columns, quoted=True),
        )
    persons = code_persons(table.frame, person_columns)
    if count_persons(persons) == 0:
        raise InputError(
            "No record has a person in {columns}: name another column.",
            columns=join_with_and(person_columns, quoted=True),
        )
    return persons


def _count_people_k(
    options: argparse.Namespace,
    table: Table,
    columns: tuple[str, ...],
    person_columns: tuple[str, ...],
) -> tuple[int | None, str]:
    """Return k of people and, for all their records, a line; None and "" if none."""
    if not person_columns:
        return None, ""
    from engine.release.people import k_of_people

    knows = "counts" if options.counts else options.intruder_knows
    people_k = k_of_people(
        table.frame, columns, table.frame[list(person_columns)], knows
    )
    if knows == "one":
        return people_k, ""
    often = ", with how often each combination repeats" * options.counts
    holds = "holds" if people_k >= options.k else "does not hold"
    return people_k, (
        f"k = {people_k} for people whose whole history is known{often}: "
        f"{options.k}-anonymity {holds} for them."
    )
