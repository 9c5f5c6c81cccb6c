"""Missing-value policies applied to quasi-identifiers, with counts of gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import InputError, ParameterError
from engine.core.message import Message, Topic, join_messages
from engine.core.numerics.statistics import mode_by_group
from engine.core.typing import Booleans, Integers, Values
from engine.data.conversion.attributes import AttributeInfo
from engine.data.kinds import Kind, MissingPolicy
from engine.data.missing_values.gaps import SharedGapConditions, gaps_to_fill_mask

Affected: TypeAlias = dict[MissingPolicy, list[int]]
"""Places of the columns that lack values, by policy."""


@dataclass(frozen=True, eq=False)
class SettledRecords:
    """Records after missing values were filled, kept or dropped by policy.

    Attributes
    ----------
    rows : ndarray of int64, shape (n_records,)
        Rows of the table that are left.
    values : ndarray of float64, shape (n_records, n_attributes)
        NaN only where `kept`.
    kept : ndarray of bool, shape (n_records, n_attributes)
        Cells that stay missing.
    filled : dict of str to ndarray of int64
        Rows of the table whose cell in that column was filled in.
    warnings : tuple of Message
    """

    rows: NDArray[np.int64]
    values: Values
    kept: NDArray[np.bool_]
    filled: dict[str, NDArray[np.int64]]
    warnings: tuple[Message, ...]


class MissingTally:
    """Counts of missing values per column, and each column's first gap.

    Attributes
    ----------
    counts, first : ndarray of int64, shape (n_columns,)
        Records that lack a value, and the number of the first of them; -1 without.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.counts = np.zeros(len(names), dtype=np.int64)
        self.first = np.full(len(names), -1, dtype=np.int64)

    def add_records(self, holes: Booleans, rows: Integers | int = 0) -> None:
        """Add records to the counts.

        Parameters
        ----------
        holes : ndarray of bool, shape (n_records, n_columns)
        rows : ndarray of int64, shape (n_records,), or int
            Their numbers from 0, or that of the first where they follow each other.
        """
        new = holes.any(axis=0) & (self.first < 0)
        first = holes[:, new].argmax(axis=0)
        self.first[new] = first + rows if isinstance(rows, int) else rows[first]
        self.counts += holes.sum(axis=0)

    def join(self, later: MissingTally) -> None:
        """Add the counts of later records to these."""
        self.counts += later.counts
        self.first = np.where(self.first < 0, later.first, self.first)

    def to_message(self, columns: Sequence[int]) -> Message:
        """Return how many values each column lacks, and the first record with a gap."""
        each = [
            Message(
                "{name!r} {count:,} (first in record {row})",
                name=self._names[j],
                count=self.counts[j],
                row=self.first[j] + 1,
            )
            for j in columns
        ]
        return join_messages(each, "; ")

    def dropped_message(self, n_records: int, columns: Sequence[int]) -> Message:
        """Return the message that records were dropped for gaps in these columns."""
        return Message(
            "{count:,} record with missing values dropped: {where}.",
            "{count:,} records with missing values dropped: {where}.",
            count=n_records,
            where=self.to_message(columns),
        )


def apply_missing_policies(
    raw_values: Values,
    attributes: Sequence[AttributeInfo],
    policies: Sequence[MissingPolicy],
    gap_conditions: SharedGapConditions | None = None,
    rows: Integers | None = None,
) -> SettledRecords:
    """Return records with gaps filled, kept or dropped by each column's policy.

    Parameters
    ----------
    raw_values : ndarray of float64, shape (n_rows, n_attributes)
        NaN where a value is missing.
    attributes : sequence of AttributeInfo, length n_attributes
    policies : sequence of MissingPolicy, length n_attributes
    gap_conditions : SharedGapConditions, optional
        Who may share a group; needed for gaps with the policy ``keep-or-fill``.
    rows : ndarray of int64, shape (n_records,), optional
        Rows that are records, rising; all unless given.

    Raises
    ------
    ParameterError
        If a policy does not exist.
    InputError
        If a value is missing where that is refused, a column has no values at all, or
        no record is left.
    """
    _check(policies)
    if rows is None:
        rows = np.arange(raw_values.shape[0], dtype=np.int64)
    elif rows.size < len(raw_values):
        raw_values = raw_values[rows]
    holes = np.isnan(raw_values)
    if not holes.any():
        return SettledRecords(rows, raw_values, holes, {}, ())
    affected = _columns_by_policy(holes, attributes, policies)
    tally = MissingTally([attribute.name for attribute in attributes])
    tally.add_records(holes, rows)
    if "refuse" in affected:
        _refuse(holes, affected["refuse"], tally)
    warnings, values = [], raw_values
    if "drop" in affected:
        dropped = _has_missing(holes, affected["drop"])
        warnings.append(tally.dropped_message(int(dropped.sum()), affected["drop"]))
        rows, values = rows[~dropped], raw_values[~dropped]
    missing_mask = np.isnan(values)
    for j, attribute in enumerate(attributes):
        if missing_mask[:, j].all():
            raise InputError(
                "Column {column!r} has no values left once records with "
                "missing values are dropped: drop fewer, or give it another role.",
                column=attribute.name,
            )
    gaps = missing_mask
    if "keep-or-fill" in affected:
        assert gap_conditions is not None, (
            "gaps are kept or filled where groups are known"
        )
        gaps = _gaps_to_fill(missing_mask, affected, gap_conditions, rows)
        columns = affected["keep-or-fill"]
        warnings.append(_kept_or_filled(missing_mask, gaps, columns, tally))
    values, filled = _fill(values, gaps, affected, attributes)
    for policy in ("median", "mode"):
        if policy in affected:
            also = any(attributes[j].is_nominal for j in affected[policy])
            message = _fill_message(policy, also, tally.to_message(affected[policy]))
            warnings.append(message.with_topic(Topic.MISSING))
    if "keep" in affected:
        warnings.append(
            Message(
                "Missing values stay missing, and such records are grouped only with "
                "records that lack the same: {where}.",
                where=tally.to_message(affected["keep"]),
            ).with_topic(Topic.MISSING)
        )
    named = {attributes[j].name: rows[gaps[:, j]] for j in filled}
    return SettledRecords(rows, values, np.isnan(values), named, tuple(warnings))


def _check(policies: Sequence[MissingPolicy]) -> None:
    for policy in policies:
        if policy not in get_args(MissingPolicy):
            raise ParameterError(
                "There is no way called {policy!r} to treat missing values: it must "
                "be one of {policies}.",
                policy=policy,
                policies=get_args(MissingPolicy),
            )


def _columns_by_policy(
    holes: Booleans,
    attributes: Sequence[AttributeInfo],
    policies: Sequence[MissingPolicy],
) -> Affected:
    """Return the columns that lack values, by policy."""
    affected: Affected = {}
    for j, attribute in enumerate(attributes):
        if holes[:, j].all():
            raise InputError(
                "Column {column!r} has no values at all: give it another role.",
                column=attribute.name,
            )
        if holes[:, j].any():
            affected.setdefault(policies[j], []).append(j)
    return affected


def _refuse(holes: Booleans, columns: Sequence[int], tally: MissingTally) -> NoReturn:
    raise InputError(
        "Missing values in quasi-identifiers: {where}. Keep gaps where k allows "
        "and fill the others (missing = keep-or-fill), drop these records "
        "(missing = drop: {left:,} of {all:,} remain), fill in the column's "
        "median or mode (missing = median, missing = mode), or keep all of them "
        "missing and group them apart (missing = keep).",
        where=tally.to_message(columns),
        left=int((~holes[:, columns].any(axis=1)).sum()),
        all=len(holes),
    )


def _has_missing(holes: Booleans, columns: Sequence[int]) -> Booleans:
    """Return which records lack a value in one of these columns."""
    dropped = np.asarray(holes[:, columns].any(axis=1))
    if dropped.all():
        raise InputError(
            "Every record has a missing quasi-identifier, so dropping them "
            "leaves nothing: fill in the median or mode instead."
        )
    return dropped


def _gaps_to_fill(
    missing_mask: Booleans,
    affected: Affected,
    sharing: SharedGapConditions,
    rows: Integers,
) -> Booleans:
    """Return the gaps that are filled: those that too few records share, if kept."""
    columns = affected["keep-or-fill"]
    staying = missing_mask.copy()
    for j in (*affected.get("median", ()), *affected.get("mode", ())):
        staying[:, j] = False
    gaps = missing_mask.copy()
    gaps[:, columns] = gaps_to_fill_mask(staying, columns, sharing, rows)[:, columns]
    return gaps


def _fill(
    values: Values,
    gaps: Booleans,
    affected: Affected,
    attributes: Sequence[AttributeInfo],
) -> tuple[Values, list[int]]:
    """Return values with medians and modes in gaps, and the columns that had any."""
    present, values, filled = ~np.isnan(values), values.copy(), []
    for policy in ("median", "mode", "keep-or-fill"):
        for j in affected.get(policy, ()):
            if not gaps[:, j].any():
                continue
            column_values = values[present[:, j], j]
            if policy == "mode" or attributes[j].is_nominal:
                zeros = np.zeros(column_values.size, dtype=np.int64)
                values[gaps[:, j], j] = mode_by_group(column_values, zeros)[0]
            elif policy == "keep-or-fill" and attributes[j].kind is Kind.ORDINAL:
                # Of ranks, one that there is.
                values[gaps[:, j], j] = np.quantile(column_values, 0.5, method="lower")
            else:
                values[gaps[:, j], j] = np.median(column_values)
            filled.append(j)
    return values, filled


def _kept_or_filled(
    gaps: Booleans, rare: Booleans, columns: Sequence[int], tally: MissingTally
) -> Message:
    """Return how many gaps stay and how many were filled."""
    filled = int(rare[:, columns].sum())
    n_kept = int(gaps[:, columns].sum()) - filled
    message = Message(
        "Gaps stay where k allows: {kept:,} stay, and {filled:,} were filled "
        "with the median (categories with the mode): {where}.",
        kept=n_kept,
        filled=filled,
        where=tally.to_message(columns),
    )
    return message.with_topic(Topic.MISSING)


def _fill_message(policy: str, categories: bool, where: Message) -> Message:
    if policy == "mode":
        return Message("Missing values filled with the mode: {where}.", where=where)
    if categories:
        return Message(
            "Missing values filled with the median (categories with the mode): "
            "{where}.",
            where=where,
        )
    return Message("Missing values filled with the median: {where}.", where=where)
