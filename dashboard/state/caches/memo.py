"""Memo of results: cache keys, and eviction of the oldest results."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set

from engine.data.schema import Schema
from engine.data.table import Table
from engine.pipeline.compare import Failure, Result
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.protection.grouped_release import GroupedRelease

MAX_RESULTS = 200
MAX_UNREQUESTED_BYTES = 2**30
"""Bytes of all results, above which those that nobody requests are evicted."""

Key = tuple[str, str]
"""Fingerprint of a table; digest of a plan and of the kinds of its columns."""


def memo_key(table: Table, plan: ResolvedPlan) -> Key:
    """Return the key of a plan's result in a memo: digests of table, plan and kinds."""
    return memo_key_for_schema(table.fingerprint, table.schema, plan)


def memo_key_for_schema(fingerprint: str, schema: Schema, plan: Plan) -> Key:
    """Return the cache key of a plan's result on a table known by its fingerprint."""
    digest = hashlib.sha256(plan.digest().encode())
    for column in schema.columns:
        digest.update(f"{column.name}\0{column.kind}\0".encode())
    return fingerprint, digest.hexdigest()


def is_memo_within_limits(
    memo: Mapping[Key, Result], max_bytes: int | None = None
) -> bool:
    """Return whether a memo's results are few and small enough."""
    size = sum(map(result_memory_bytes, memo.values()))
    return len(memo) <= MAX_RESULTS and size <= (
        MAX_UNREQUESTED_BYTES if max_bytes is None else max_bytes
    )


def memo_without_oldest_results(
    memo: Mapping[Key, Result],
    requested_keys: Set[Key],
    listed_keys: Set[Key] = frozenset(),
    max_bytes: int | None = None,
) -> dict[Key, Result]:
    """Return a memo within limits, without its oldest results; requested ones stay.

    Parameters
    ----------
    memo : mapping of Key to Outcome or Failure
        Oldest first.
    requested_keys : set of Key
        Never forgotten.
    listed_keys : set of Key
        Forgotten last, because somebody may go back to them.
    max_bytes : int, optional
        Bytes. Default: :data:`MAX_UNREQUESTED_BYTES`.
    """
    max_bytes = MAX_UNREQUESTED_BYTES if max_bytes is None else max_bytes
    new_memo = dict(memo)
    size = sum(map(result_memory_bytes, new_memo.values()))
    for key, result in sorted(memo.items(), key=lambda entry: entry[0] in listed_keys):
        if len(new_memo) <= MAX_RESULTS and size <= max_bytes:
            break
        if key not in requested_keys:
            del new_memo[key]
            size -= result_memory_bytes(result)
    return new_memo


def result_memory_bytes(result: Result) -> int:
    """Return an estimate of the bytes of memory that a result takes."""
    if isinstance(result, Failure):
        return 0
    labels, rows = result.partition.labels.nbytes, result.release.rows.nbytes
    if isinstance(result.release, GroupedRelease):
        return labels + rows + result.release.nbytes
    # The other columns of a release share the table's memory.
    return labels * (1 + len(result.plan.quasi_identifiers)) + rows
