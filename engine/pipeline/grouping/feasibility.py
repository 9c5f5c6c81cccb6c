"""Check that strata hold k records or persons, before the table is encoded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.partition import group_per_record
from engine.core.typing import Booleans, Integers
from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.missing_values.missing import apply_missing_policies
from engine.data.persons import count_persons
from engine.data.table import Table
from engine.persons.group import code_and_check_strata_sets
from engine.pipeline.grouping.persons import check_enough_persons, person_codes
from engine.pipeline.grouping.strata import (
    missing_pattern_conditions,
    records_by_stratum_and_warnings,
    split_block_strata_by_missing,
)
from engine.pipeline.grouping.suppress import budget_as_count
from engine.pipeline.planning.record_condition import select_row_numbers_and_messages
from engine.pipeline.planning.resolve_plan import ResolvedPlan


def check_feasibility(
    plan: ResolvedPlan, table: Table, has_missing_values: bool
) -> None:
    """Raise if records or persons that may share groups are too few, or gaps refused.

    What :func:`engine.pipeline.grouping.prepare.prepare_table` refuses, and the search
    for classes of persons, without their work.

    Parameters
    ----------
    has_missing_values : bool
        Whether any quasi-identifier lacks values.

    Raises
    ------
    InputError, ParameterError, InfeasibleError
    """
    names = plan.quasi_identifiers
    rows = select_row_numbers_and_messages(plan.only, table)[0]
    is_missing = np.zeros((rows.size, len(names)), dtype=np.bool_)
    if has_missing_values:
        rows, is_missing = _settle_missing_values(plan, table, names, rows)
    persons = person_codes(plan, table, rows)
    if persons is not None:
        check_enough_persons(plan, count_persons(persons))
    strata = records_by_stratum_and_warnings(plan, table, rows)[0]
    for block in plan.blocks or (names,):
        parts = split_block_strata_by_missing(
            plan, is_missing, block, strata, persons
        ).strata
        is_whole = budget_as_count(plan.suppress, rows.size) == 0
        if persons is not None and plan.intruder_knows == "all" and is_whole:
            code_and_check_strata_sets(
                persons, group_per_record(parts, rows.size), plan.k
            )


def _settle_missing_values(
    plan: ResolvedPlan, table: Table, names: Sequence[str], rows: Integers
) -> tuple[Integers, Booleans]:
    """Return the rows that are left, and which of their cells stay missing."""
    typed = table.assign(kinds=plan.kinds, hierarchies=plan.trees)
    attributes, values = zip(
        *(read_attribute_and_numbers(typed, name) for name in names), strict=True
    )
    policies = [plan.missing_columns.get(name, plan.missing) for name in names]
    sharing = missing_pattern_conditions(plan, table)
    raw = np.column_stack(values)
    settled_records = apply_missing_policies(raw, attributes, policies, sharing, rows)
    return settled_records.rows, settled_records.kept
