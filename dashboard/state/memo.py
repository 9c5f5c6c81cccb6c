"""The memo of results: their keys, and how many are remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set

from engine.data.schema import Schema
from engine.data.table import Table
from engine.pipeline.compare import Failure, Result
from engine.pipeline.plan import Plan
from engine.pipeline.resolved import ResolvedPlan

MAX_RESULTS = 200
MAX_BYTES = 2**30
"""Results kept beyond those that are wanted."""

Key = tuple[str, str]
"""Fingerprint of a table; digest of a plan and of the kinds of its columns."""


def key_of(table: Table, plan: ResolvedPlan) -> Key:
    """Return what a plan's result depends on: values, choices, kinds."""
    return key_with(table.fingerprint, table.schema, plan)


def key_with(fingerprint: str, schema: Schema, plan: Plan) -> Key:
    """Return the same for a table that need not be there."""
    digest = hashlib.sha256(plan.digest().encode())
    for column in schema.columns:
        digest.update(f"{column.name}\0{column.kind}\0".encode())
    return fingerprint, digest.hexdigest()


def fits(memo: Mapping[Key, Result], most: int | None = None) -> bool:
    """Return whether all of a memo is within the limits of :func:`bounded`."""
    size = sum(map(bytes_of, memo.values()))
    return len(memo) <= MAX_RESULTS and size <= (MAX_BYTES if most is None else most)


def bounded(
    memo: Mapping[Key, Result],
    wanted: Set[Key],
    listed: Set[Key] = frozenset(),
    most: int | None = None,
) -> dict[Key, Result]:
    """Return the memo without its oldest results above the limits.

    Parameters
    ----------
    memo : mapping of Key to Outcome or Failure
        Oldest first.
    wanted : set of Key
        Never forgotten.
    listed : set of Key
        Forgotten last, because somebody may go back to them.
    most : int, optional
        Bytes. Default: :data:`MAX_BYTES`.
    """
    most = MAX_BYTES if most is None else most
    kept = dict(memo)
    size = sum(map(bytes_of, kept.values()))
    for key, result in sorted(memo.items(), key=lambda entry: entry[0] in listed):
        if len(kept) <= MAX_RESULTS and size <= most:
            break
        if key not in wanted:
            del kept[key]
            size -= bytes_of(result)
    return kept


def bytes_of(result: Result) -> int:
    """Return about how much memory a result takes."""
    if isinstance(result, Failure):
        return 0
    labels, rows = result.partition.labels.nbytes, result.release.rows.nbytes
    # The other columns of a release share the table's memory.
    return labels * (1 + len(result.plan.quasi_identifiers)) + rows
