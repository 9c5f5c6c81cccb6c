"""Strata and missing-value patterns: which records may share a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.constraints.governing import (
    governing_columns,
    open_alternatives_code_per_record,
)
from engine.core.errors import InfeasibleError
from engine.core.message import NO_MESSAGE, Message, Topic, join_with_and
from engine.core.partition import group_per_record, members_by_group
from engine.core.typing import Booleans, Integers
from engine.data.missing_values.gaps import SharedGapConditions
from engine.data.persons import count_persons, persons_per_class
from engine.data.table import Table
from engine.pipeline.grouping.persons import person_codes
from engine.pipeline.planning.resolve_plan import ResolvedPlan


@dataclass(frozen=True, eq=False)
class BlockStrata:
    """The attributes of one block, and their records by stratum and missing cells.

    Attributes
    ----------
    columns : tuple of int
        Positions among the quasi-identifiers.
    strata : tuple of ndarray of int64
        Records of each stratum; in one stratum all records lack the same cells.
    """

    columns: tuple[int, ...]
    strata: tuple[Integers, ...]


def records_by_stratum_and_warnings(
    plan: ResolvedPlan, table: Table, rows: Integers
) -> tuple[tuple[Integers, ...], tuple[Message, ...]]:
    """Return the records of each stratum, in order of first appearance, and warnings.

    Records are divided by the plan's columns, and by what rules with conditions on
    unchanged columns leave to be kept.

    `rows` are the rows of the table that the records are, shape (n_records,).

    Raises
    ------
    ParameterError, InfeasibleError
    """
    codes, messages = _divide_by_columns(plan, table, rows)
    conditions = plan.governing_conditions(table.schema.names)
    if not conditions:
        return tuple(members_by_group(codes)), messages
    parts = open_alternatives_code_per_record(conditions, table.frame, rows)
    codes = pd.factorize(codes * (parts.max() + 1) + parts)[0]
    sizes = persons_per_class(codes, person_codes(plan, table, rows))
    about = {
        "rules": join_with_and([each.text for each in conditions], quoted=True),
        "columns": join_with_and(governing_columns(conditions), quoted=True),
    }
    if sizes.min() < plan.k:
        raise InfeasibleError(
            "The rule {rules} says something else of records by their values of "
            "{columns}, so that these share no group, but a part of them counts "
            "{size:,}, fewer than k = {k}: choose a smaller k, leave the rule out, or "
            "make {columns} a quasi-identifier.",
            "The rules {rules} say something else of records by their values of "
            "{columns}, so that these share no group, but a part of them counts "
            "{size:,}, fewer than k = {k}: choose a smaller k, leave rules out, or "
            "make {columns} quasi-identifiers.",
            count=len(conditions),
            size=int(sizes.min()),
            k=plan.k,
            **about,
        )
    parts_message = Message(
        "The rule {rules} says something else of records by their values of {columns}, "
        "which leave as they are: records are grouped in {parts:,} parts, and whoever "
        "knows a record's group knows its part.",
        "The rules {rules} say something else of records by their values of {columns}, "
        "which leave as they are: records are grouped in {parts:,} parts, and whoever "
        "knows a record's group knows its part.",
        count=len(conditions),
        parts=sizes.size,
        **about,
    )
    messages = (*messages, parts_message.with_topic(Topic.STRATA))
    return tuple(members_by_group(codes)), messages


def _divide_by_columns(
    plan: ResolvedPlan, table: Table, rows: Integers
) -> tuple[NDArray[np.intp], tuple[Message, ...]]:
    """Return each record's stratum by the plan's columns, and warnings."""
    if plan.strata is None:
        return np.zeros(rows.size, dtype=np.intp), ()
    columns = list(plan.strata_columns(table.schema.names))
    codes, values = _value_combinations(table.frame[columns].iloc[rows], columns)
    persons = person_codes(plan, table, rows)
    sizes = persons_per_class(codes, persons)
    small = np.flatnonzero(sizes < plan.k)
    if small.size == 0:
        return codes, ()
    names = [values[code] for code in small]
    if plan.small_strata == "refuse":
        first = small[np.argmin(sizes[small])]
        counts_persons = persons is not None
        raise _small_stratum_error(
            plan, values[first], sizes[first], small.size, counts_persons
        )
    pooled_codes = list(small)
    joint = persons_per_class(np.where(np.isin(codes, small), 0, 1), persons)[0]
    if joint < plan.k and len(pooled_codes) < sizes.size:
        # Too few even together: the smallest of the others takes them in.
        large = np.flatnonzero(sizes >= plan.k)
        pooled_codes.append(large[np.argmin(sizes[large])])
        names.append(values[pooled_codes[-1]])
    codes = np.where(np.isin(codes, pooled_codes), pooled_codes[0], codes)
    return pd.factorize(codes)[0], (_pooled_strata_message(plan, names),)


def _small_stratum_error(
    plan: ResolvedPlan, stratum: str, size: int, n_small: int, counts_persons: bool
) -> InfeasibleError:
    """Return what is wrong where the smallest of some small strata has this size."""
    others = NO_MESSAGE
    if n_small > 1:
        others = Message(" ({number} strata have fewer than k)", number=n_small)
    about = {
        "count": size,
        "stratum": stratum,
        "column": plan.strata,
        "k": plan.k,
        "others": others,
    }
    if counts_persons:
        return InfeasibleError(
            "Stratum {stratum!r} of {column!r} has records of {count:,} person, fewer "
            "than k = {k}{others}: choose a smaller k or a coarser column, or let "
            "small strata be merged.",
            "Stratum {stratum!r} of {column!r} has records of {count:,} people, fewer "
            "than k = {k}{others}: choose a smaller k or a coarser column, or let "
            "small strata be merged.",
            **about,
        )
    return InfeasibleError(
        "Stratum {stratum!r} of {column!r} has {count:,} record, fewer than k = {k}"
        "{others}: choose a smaller k or a coarser column, or let small strata be "
        "merged.",
        "Stratum {stratum!r} of {column!r} has {count:,} records, fewer than k = {k}"
        "{others}: choose a smaller k or a coarser column, or let small strata be "
        "merged.",
        **about,
    )


def _pooled_strata_message(plan: ResolvedPlan, names: Sequence[str]) -> Message:
    """Say which strata are protected together."""
    examples = Message("{some!r}", some=names[:8])
    if len(names) > 8:
        examples = Message("{some!r}, ...", some=names[:8])
    message = Message(
        "{strata} strata of {column!r} are protected together, as some of them have "
        "fewer than k = {k}: {values}.",
        strata=len(names),
        column=plan.strata,
        k=plan.k,
        values=examples,
    )
    return message.with_topic(Topic.STRATA)


def _value_combinations(
    frame: pd.DataFrame, columns: Sequence[str]
) -> tuple[NDArray[np.intp], list[str]]:
    """Return the code of each record's combination of values, and its labels."""
    codes, values = np.zeros(len(frame), dtype=np.intp), [""]
    for name in columns:
        more, distinct_values = pd.factorize(frame[name], use_na_sentinel=False)
        codes, pairs = pd.factorize(codes * max(1, len(distinct_values)) + more)
        before, value_codes = np.divmod(np.asarray(pairs), max(1, len(distinct_values)))
        values = [
            ", ".join(filter(None, [values[a], str(distinct_values[b])]))
            for a, b in zip(before.tolist(), value_codes.tolist(), strict=True)
        ]
    return codes, values


def split_block_strata_by_missing(
    plan: ResolvedPlan,
    is_missing: Booleans,
    block_names: Sequence[str],
    strata: tuple[Integers, ...],
    persons: Integers | None = None,
) -> BlockStrata:
    """Return a block's strata, divided by which cells are missing.

    Parameters
    ----------
    is_missing : ndarray of bool, shape (n_records, n_attributes)
        Cells that stay missing, of all quasi-identifiers.
    block_names : sequence of str
        Quasi-identifiers of the block.
    strata : tuple of ndarray of int64
        Records of each stratum.
    persons : ndarray of int64, shape (n_records,), optional
        Where k counts persons.

    Raises
    ------
    InfeasibleError
        If fewer than k records or persons lack the same cells.
    """
    columns = tuple(map(plan.quasi_identifiers.index, block_names))
    lacking = is_missing[:, columns]
    if not lacking.any():
        return BlockStrata(columns, strata)
    parts = []
    for records in strata:
        patterns, codes = np.unique(lacking[records], axis=0, return_inverse=True)
        for pattern, some in zip(patterns, members_by_group(codes), strict=True):
            part_records = records[some]
            people = None if persons is None else persons[part_records]
            if (
                persons_per_class(np.zeros(part_records.size, dtype=np.int64), people)[
                    0
                ]
                < plan.k
            ):
                raise InfeasibleError(
                    _too_few_lack(plan, block_names, pattern, part_records, people)
                )
            parts.append(part_records)
    return BlockStrata(columns, tuple(parts))


def _too_few_lack(
    plan: ResolvedPlan,
    names: Sequence[str],
    pattern: NDArray[np.bool_],
    own: Integers,
    people: Integers | None,
) -> Message:
    size = own.size
    lacking = [name for name, lacks in zip(names, pattern, strict=True) if lacks]
    where = NO_MESSAGE
    if plan.strata is not None:
        where = Message(" in a stratum of {column!r}", column=plan.strata)
    if lacking:
        records = Message(
            "{count:,} record{where} lacks exactly {columns}",
            "{count:,} records{where} lack exactly {columns}",
            count=size,
            where=where,
            columns=join_with_and(lacking, quoted=True),
        )
    else:
        records = Message(
            "{count:,} record{where} lacks nothing",
            "{count:,} records{where} lack nothing",
            count=size,
            where=where,
        )
    if people is not None:
        records = Message(
            "{records}, of {count:,} person",
            "{records}, of {count:,} people",
            records=records,
            count=count_persons(people),
        )
    return Message(
        "Missing values are kept, but only {records}, fewer than k = {k}: keep gaps "
        "where k allows and fill the others (missing = keep-or-fill), drop or fill the "
        "missing values of one of these columns, or choose a smaller k.",
        records=records,
        k=plan.k,
    )


def missing_pattern_conditions(plan: ResolvedPlan, table: Table) -> SharedGapConditions:
    """Return the conditions under which records with missing values share a group."""
    names = plan.quasi_identifiers

    def strata(rows: Integers) -> Integers:
        parts = records_by_stratum_and_warnings(plan, table, rows)[0]
        return group_per_record(parts, rows.size)

    blocks = plan.blocks or (names,)
    places = tuple(tuple(map(names.index, block)) for block in blocks)
    return SharedGapConditions(
        plan.k,
        places,
        strata,
        partial(person_codes, plan, table),
        plan.intruder_knows == "all",
    )
