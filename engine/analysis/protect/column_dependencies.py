"""Columns that tell others: what is bound by rules, left out or protected with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from engine.aggregate.defaults import low_median_for_rank_columns
from engine.constraints.exact_rounding.decimals import min_decimals_for_all_values
from engine.constraints.parsing.expressions import quote_column_name
from engine.core.message import Message, join_messages, join_with_and
from engine.data.conversion.numeric import is_numeric_column
from engine.data.kinds import Kind, Role
from engine.data.propose import Suggestion
from engine.data.propose.relations.ordered_columns import find_ordered_columns
from engine.data.schema import Schema
from engine.data.table import Table, facts_of_frame


def resolve_column_dependencies(
    table: Table, proposed: Sequence[Suggestion]
) -> tuple[Table, tuple[Suggestion, ...]]:
    """Return table and proposals, dependent columns bound, left out or protected.

    Totals and parts are bound by rules, which are put into the schema, and so are
    columns of which one is never above the other. Undecided columns count as protected,
    as they probably will be. What no rule
    says does not leave: protected apart, a birth would no longer be a date less an age.
    Confidential columns and weights that would tell protected ones are protected, too.

    Parameters
    ----------
    table : Table
        With the proposed roles.
    proposed : sequence of Suggestion
    """
    exposing = exposing_columns(table.schema)
    table = table.assign(dict.fromkeys(exposing, Role.QUASI_IDENTIFIER))
    open_columns = table.schema.with_role(Role.UNDECIDED)
    decided = table.assign(dict.fromkeys(open_columns, Role.QUASI_IDENTIFIER))
    out: dict[str, tuple[str, ...]] = {}
    while unbound := determined_columns_without_rule(
        decided.schema, sum_rules_by_total(decided)
    ):
        out |= unbound
        decided = decided.assign(dict.fromkeys(unbound, Role.IDENTIFIER))
    table = table.assign(dict.fromkeys(out, Role.IDENTIFIER))
    sums = sum_rules_by_total(table)
    open_columns = tuple(name for name in open_columns if name not in out)
    orders = order_rules(table, (*table.schema.quasi_identifiers, *open_columns), sums)
    constraints = (*table.schema.constraints, *sums.values(), *orders)
    table = replace(table, schema=replace(table.schema, constraints=constraints))
    proposals = {proposal.column.name: proposal for proposal in proposed}
    for name in {**exposing, **out}:
        proposals[name] = replace(proposals[name], column=table.schema[name])
    for name, columns in exposing.items():
        sentence = Message(
            "Left as it is, it would tell {columns}: it is protected as well.",
            columns=join_with_and(columns),
        )
        if name not in out:
            reason = join_messages([proposals[name].reason, sentence])
            proposals[name] = replace(proposals[name], reason=reason)
    return table, tuple(proposals.values())


def exposing_columns(schema: Schema) -> dict[str, tuple[str, ...]]:
    """Return confidential columns and weights that tell protected columns, and which.

    Those that tell any of them are returned as well, and so on.
    """
    told_columns: dict[str, tuple[str, ...]] = {}
    while exposing := {
        name: columns
        for name, columns in schema.exposing_columns.items()
        if schema[name].role in (Role.CONFIDENTIAL, Role.WEIGHT)
    }:
        told_columns |= exposing
        schema = schema.assign(dict.fromkeys(exposing, Role.QUASI_IDENTIFIER))
    return told_columns


def sum_rules_by_total(table: Table) -> dict[str, str]:
    """Return rules by which quasi-identifiers stay the sums of others, by the total.

    None of them may follow another column, but for a total that equals it, nor lack a
    value, nor be a total itself that no rule binds; and the rule holds in all records.
    """
    records, schema = table.records, table.schema
    leading = schema.followers
    free = set(schema.quasi_identifiers) - leading.keys()
    equal = {
        name: leader
        for name, leader in leading.items()
        if schema[name].parts and (records[name] == records[leader]).all()
    }
    bound = {
        column.name: rule
        for column in schema.columns
        if column.parts
        and free.issuperset((equal.get(column.name, column.name), *column.parts))
        and all(
            schema[n].kind is Kind.CONTINUOUS and _are_amounts(records[n])
            for n in (column.name, *column.parts)
        )
        and (rule := _find_sum(column.name, column.parts, records)) is not None
    }
    while unbound := [
        name
        for name in bound
        if any(schema[part].parts and part not in bound for part in schema[name].parts)
    ]:
        bound = {name: bound[name] for name in bound if name not in unbound}
    return {
        name: " = ".join(
            (
                " + ".join(map(quote_column_name, parts)),
                quote_column_name(equal.get(total, total)),
            )
        )
        for name, (*parts, total) in bound.items()
    }


def order_rules(
    table: Table, columns: Sequence[str], sums: Mapping[str, str]
) -> tuple[str, ...]:
    """Return rules by which a column stays at most as high as another one.

    Means of one group keep their order, and so do medians; but not a mean and a median,
    values that are rounded differently, or filled gaps. Only columns whose order may be
    broken are bound, and what is ordered with them.

    Parameters
    ----------
    columns : sequence of str
        Columns that may be protected.
    sums : mapping of str to str
        Rules that bind columns already, by the total, see :func:`sum_rules_by_total`.
    """
    records, schema = table.records, table.schema
    bound = {name for total in sums for name in (total, *schema[total].parts)}
    kinds = {n: schema[n].kind for n in columns if schema[n].kind is not Kind.NOMINAL}
    ranks = low_median_for_rank_columns(table, kinds)
    free = [
        name
        for name in kinds
        if name not in bound | schema.followers.keys()
        and not schema[name].singles_out
        and _is_numeric_or_date(records[name])
        and (name not in ranks or _has_all_between(records[name]))
    ]
    known = facts_of_frame(table.frame).order_breaches
    pairs = find_ordered_columns(records, free, known)

    def is_breakable(low: str, high: str) -> bool:
        one, other = records[low], records[high]
        if one.isna().any() or other.isna().any():
            return True
        return (low in ranks) != (high in ranks) or _places(one) != _places(other)

    kept = {pair for pair in pairs if is_breakable(*pair)}
    while more := {one for one in pairs if any({*one} & {*two} for two in kept)} - kept:
        kept |= more
    return tuple(
        " <= ".join(map(quote_column_name, pair)) for pair in pairs if pair in kept
    )


def _is_numeric_or_date(column: pd.Series) -> bool:
    is_date = pd.api.types.is_datetime64_any_dtype(column.dtype)
    return is_date or is_numeric_column(column)


def _has_all_between(column: pd.Series) -> bool:
    """Return whether a column of numbers has each whole one between its ends."""
    if not is_numeric_column(column):
        return False
    values = np.unique(column.dropna().to_numpy(dtype=np.float64))
    return bool(values.size and (np.diff(values) == 1.0).all() and values[0] % 1 == 0)


def _places(column: pd.Series) -> int:
    """Return the decimals of numbers; 0 of dates, which are rounded alike."""
    if not is_numeric_column(column):
        return 0
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return min_decimals_for_all_values(numbers)


def _find_sum(
    name: str, parts: Sequence[str], records: pd.DataFrame
) -> tuple[str, ...] | None:
    """Return parts and total of the sum that holds in all records; None if none does.

    A column is the sum of its parts, or, of two, the first less the second.
    """
    sums = [(*parts, name)]
    if len(parts) == 2:
        total, other = parts
        sums.append((other, name, total))
    return next((each for each in sums if _holds(each, records)), None)


def _holds(rule: Sequence[str], records: pd.DataFrame) -> bool:
    """Return whether the last column is the sum of the others in all records."""
    *parts, total = (
        records[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in rule
    )
    return bool(np.isclose(sum(parts), total, rtol=1e-6, atol=1e-6).all())


def determined_columns_without_rule(
    schema: Schema, sums: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return protected columns that others determine by no rule, with these others.

    Totals, and what follows them even if they do not leave; but a part of a total that
    others follow, if nothing depends on it.

    Parameters
    ----------
    sums : collection of str
        Totals that a rule binds.
    """
    quasi = {*schema.quasi_identifiers}
    totals = {
        column.name: column.parts
        for column in schema.columns
        if column.parts and column.name not in sums and {*column.parts} <= quasi
    }
    leaders = {schema[n].follows[0] for n in quasi if schema[n].follows}
    parts = [part for column in schema.columns for part in column.parts]
    out: dict[str, tuple[str, ...]] = {}
    for total in [
        name
        for name in totals
        if name in leaders & quasi and schema[name].kind is Kind.CONTINUOUS
    ]:
        spare = [
            name
            for name in totals[total]
            if name not in leaders
            and parts.count(name) == 1
            and not (schema[name].parts or schema[name].follows)
        ]
        if spare and parts.count(total) == 0 and not schema[total].follows:
            rest = (name for name in totals.pop(total) if name != spare[-1])
            out[spare[-1]] = (total, *rest)
    out |= {
        name: totals[total]
        for name in schema.quasi_identifiers
        for total in (name, *schema[name].follows[:1])
        if total in totals and name not in totals[total]
    }

    def leaving_parts(name: str) -> list[str]:
        return [
            leaf
            for part in out[name]
            for leaf in (leaving_parts(part) if part in out else [part])
        ]

    return {name: tuple(dict.fromkeys(leaving_parts(name))) for name in out}


def _are_amounts(column: pd.Series) -> bool:
    """Return whether a column holds numbers only, of which a sum can be kept."""
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return False
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return not bool(np.isnan(values).any())
