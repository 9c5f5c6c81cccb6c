"""Releases under attack, with the original record that each released row comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.core.errors import InputError, ParameterError
from engine.core.message import Message
from engine.core.typing import Integers
from engine.data.table import Table
from engine.measures.classes import record_classes
from engine.methods import methods
from engine.pipeline.outcome import Outcome


@dataclass(frozen=True, eq=False)
class ReleaseWithOrigins:
    """One release, with the number of the original record that each row comes from.

    Attributes
    ----------
    name : str
    frame : pandas.DataFrame, n_released rows
    rows : ndarray of int64, shape (n_released,)
        Record of the original that each comes from, counted from 0.
    groups : ndarray of int64, shape (n_released,), or None
        Where they are known; otherwise equal values tell them.
    """

    name: str
    frame: pd.DataFrame
    rows: Integers
    groups: Integers | None = None

    @classmethod
    def from_outcome(cls, outcome: Outcome, name: str = "") -> ReleaseWithOrigins:
        """Return the release of an outcome, with its origins and groups.

        Parameters
        ----------
        name : str
            That of its method unless given.
        """
        is_per_attribute = methods.info(outcome.plan.method).traits.per_attribute
        groups: Integers | None = outcome.partition.labels
        if is_per_attribute or outcome.plan.blocks or outcome.has_classes:
            groups = None  # groups of records are not those of every column
        rows = outcome.release.rows.astype(np.int64)
        name = name or f"{outcome.plan.name}, k = {outcome.plan.k}"
        return cls(name, outcome.release.frame, rows, groups)

    def equivalence_classes(self, columns: Sequence[str]) -> Integers:
        """Return class labels of records equal in some columns, shape (n_released,)."""
        return record_classes(self.frame, tuple(columns))


def match_release_to_original(
    original: Table,
    release: Table,
    name: str,
    match_columns: Sequence[str] = (),
    groups: Sequence[str | int | None] | None = None,
) -> ReleaseWithOrigins:
    """Return a release whose records are matched one to one with the original's.

    Parameters
    ----------
    original, release : Table
    name : str
        Of the release, for messages.
    match_columns : sequence of str
        Columns that both keep and that tell records apart; by order if empty.
    groups : sequence, optional
        Group of each record of the original, None where it was left out.

    Raises
    ------
    InputError, ParameterError
        If records cannot be matched one to one.
    """
    if groups is not None and len(groups) != original.n_records:
        raise InputError(
            "The groups of {name} are {found:,}, but the original has {count:,} "
            "record: one group is needed for it.",
            "The groups of {name} are {found:,}, but the original has {count:,} "
            "records: one group is needed for each of them.",
            name=name,
            found=len(groups),
            count=original.n_records,
        )
    if match_columns:
        rows = _match_by_columns(original, release, name, match_columns)
    else:
        rows = _match_by_order(original, release, name, groups)
    labels = None
    if groups is not None:
        record_groups = [groups[row] for row in rows.tolist()]
        if None in record_groups:
            raise InputError(
                "The groups of {name} leave out records that it has: give the groups "
                "of this release.",
                name=name,
            )
        labels = np.unique(np.array(record_groups, dtype=str), return_inverse=True)[1]
        labels = labels.astype(np.int64)
    return ReleaseWithOrigins(name, release.frame, rows, labels)


def _match_by_order(
    original: Table,
    release: Table,
    name: str,
    groups: Sequence[str | int | None] | None,
) -> Integers:
    """Return rows in order, without those that are in no group."""
    rows = np.arange(original.n_records, dtype=np.int64)
    if groups is not None and release.n_records != original.n_records:
        rows = rows[[group is not None for group in groups]]
    if release.n_records != rows.size and groups is not None:
        raise InputError(
            "The groups given for {name} are not its own, as {count:,} record is in "
            "groups and it has {found:,}: give those of this release, or leave "
            "--groups out.",
            "The groups given for {name} are not its own, as {count:,} records are in "
            "groups and it has {found:,}: give those of this release, or leave "
            "--groups out.",
            name=name,
            count=rows.size,
            found=release.n_records,
        )
    if release.n_records != rows.size:
        raise InputError(
            "{name} has {count:,} record, but the original {wanted:,}, so that they "
            "cannot be matched by order: name columns that both keep (--match).",
            "{name} has {count:,} records, but the original {wanted:,}, so that they "
            "cannot be matched by order: name columns that both keep (--match).",
            name=name,
            count=release.n_records,
            wanted=original.n_records,
        )
    return rows


def _match_by_columns(
    original: Table, release: Table, name: str, match: Sequence[str]
) -> Integers:
    for table in (original, release):
        for column in match:
            table.schema[column]  # raises where there is no such column
    columns = list(match)
    keys, release_keys = (
        pd.MultiIndex.from_frame(table.frame[columns].astype("str"))
        for table in (original, release)
    )
    for index, where in ((keys, Message("the original")), (release_keys, name)):
        if not index.is_unique:
            raise ParameterError(
                "By {columns!r} the records of {where} are not told apart: name "
                "columns whose values are different in every record.",
                columns=columns,
                where=where,
            )
    rows = keys.get_indexer(release_keys)
    if (rows < 0).any():
        raise InputError(
            "{count:,} record of {name} is not in the original by {columns!r}: name "
            "columns that both keep as they are.",
            "{count:,} records of {name} are not in the original by {columns!r}: name "
            "columns that both keep as they are.",
            count=int((rows < 0).sum()),
            name=name,
            columns=columns,
        )
    return rows.astype(np.int64)
