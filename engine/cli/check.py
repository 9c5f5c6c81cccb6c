"""``coterie check``: k and uniqueness in a file as it is."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from engine.cli.figures import json_bytes
from engine.cli.options import columns_of, names_in, table_of

if TYPE_CHECKING:
    from engine.data.table import Table


def check_file(options: argparse.Namespace) -> int:
    """Count k in a file as it is, and who all of its columns tell apart."""
    from engine.core.partition import check_k
    from engine.measures.uniqueness import uniqueness
    from engine.pipeline.remarks import on_uniqueness
    from engine.release.write import write_all

    table = table_of(options)
    columns = columns_of(options, table)
    check_k(options.k, max(options.k, table.n_records))
    secret = names_in(options.confidential)
    for name in (*columns, *secret):
        table.schema[name]  # raises where there is no such column
    named = uniqueness(table.frame, columns, options.k, columns)
    others = [name for name in table.schema.names if name not in secret]
    others += [name for name in columns if name in secret]
    every = uniqueness(table.frame, others, options.k, columns)
    print(
        f"k = {named.least} over {', '.join(columns)} in {table.n_records:,} records: "
        + (
            f"{options.k}-anonymity holds."
            if named.safe
            else f"{options.k}-anonymity does not hold, {named.fewer:,} records are in "
            "smaller groups."
        )
    )
    print(
        f"Over all {len(others)} columns"
        + (f" but {', '.join(secret)} (confidential)" if secret else "")
        + f": {every.unique:,} records are unique, {every.fewer:,} share their values "
        f"with fewer than {options.k - 1} others."
    )
    homes = _households(options, table, columns)
    safe = named.safe and (homes is None or homes >= options.k)
    for line in on_uniqueness(every) if safe else ():
        print(f"Note: {line}", file=sys.stderr)
    if options.json is not None:
        content = {
            "k": options.k,
            "k_released": named.least,
            "k_verified": safe,
            "k_households": homes,
            "quasi_identifiers": list(columns),
            "confidential": list(secret),
            "uniqueness": every.summary(),
        }
        write_all({options.json: json_bytes(content)})
    return 0 if safe else 1


def _households(
    options: argparse.Namespace, table: Table, columns: tuple[str, ...]
) -> int | None:
    """Count households that share all values, where a column says which they are."""
    name = options.household
    if name is None:
        return None
    from engine.core.errors import ParameterError
    from engine.pipeline.households import least_shared, refuse_without

    table.schema[name]  # raises where there is no such column
    if name in columns:
        raise ParameterError(
            "Column {column!r} cannot both say which household a record is of and be "
            "a quasi-identifier.",
            column=name,
        )
    of = table.frame[name]
    refuse_without(of)
    found = least_shared(table.frame, columns, of)
    holds = "holds" if found >= options.k else "does not hold"
    print(
        f"k = {found} for the {of.nunique():,} households of {name}: "
        f"{options.k}-anonymity {holds} for them."
    )
    return found
