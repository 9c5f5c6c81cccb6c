"""Preparation shared by many plans on one table: points and strata."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from engine.constraints.parsing.syntax import is_if_then_rule
from engine.constraints.rules import Rules
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.partition import check_k, group_per_record
from engine.core.typing import Integers, Values
from engine.data.persons import count_persons, renumber_persons
from engine.data.table import Table
from engine.persons import select_records_of_equal_counts
from engine.persons.group import code_and_check_strata_sets
from engine.pipeline.grouping import households
from engine.pipeline.grouping.persons import (
    check_enough_persons,
    messages_on_persons,
    person_codes,
    person_counts_of_plan,
)
from engine.pipeline.grouping.strata import (
    BlockStrata,
    missing_pattern_conditions,
    records_by_stratum_and_warnings,
    split_block_strata_by_missing,
)
from engine.pipeline.grouping.suppress import (
    NONE_SUPPRESSED,
    SuppressedRecords,
    SurplusRecords,
    budget_as_count,
    suppress_outliers,
)
from engine.pipeline.grouping.suppressible_records import Parts
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from engine.pipeline.planning.record_condition import select_row_numbers_and_messages
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.protection.cells import (
    suppress_costliest_records_and_cells,
    suppressed_cells_message,
)
from engine.pipeline.protection.rounding import (
    check_rounding_bases,
    rounding_decimals,
    rule_safe_decimals,
)
from engine.pipeline.protection.rules import (
    check_rule_separability,
    count_rule_violations,
    rules_of_plan,
)
from engine.pipeline.remarks import broken_rules_warnings, inexact_digits_warnings
from engine.points.base import Points
from engine.points.encode import encode_points


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Points and strata that plans on one table share, with persons and rules.

    Attributes
    ----------
    points : Points
        With :func:`copy_with_rules_and_decimals`, its rules are those without governing
        columns.
    blocks : tuple of BlockStrata
        One, unless attributes are grouped apart.
    rules_broken : mapping of str to int
        Records of the input that break each rule.
    decimals : tuple of int
        Decimals to which each released column is rounded, -1 where it is not; empty
        before :func:`copy_with_rules_and_decimals`.
    warnings : tuple of Message
    suppressed : SuppressedRecords or None
        Records that were left out, where that was allowed.
    households : ndarray of int64, shape (n_records,), or None
        Household of each record, where they are grouped whole.
    persons : ndarray of int64, shape (n_records,), or None
        Person of each record, -1 where nobody is named, where k counts persons; see
        :mod:`engine.data.persons`.
    encoded : Points or None
        Points of all records, where some were left out.
    share_of_table : float
        Share of the table's records that these are, where they are a part of it: a
        search for groups of persons has that share of the largest number of steps.
    rules : Rules or None
        What released values have to satisfy, in the columns' own units.
    open_alternatives : ndarray of float64, shape (n_records, n_alternatives), or None
        What governing columns leave each record of the rules.
    """

    points: Points
    blocks: tuple[BlockStrata, ...]
    rules_broken: Mapping[str, int]
    decimals: tuple[int, ...]
    warnings: tuple[Message, ...]
    suppressed: SuppressedRecords | None = None
    households: Integers | None = None
    persons: Integers | None = None
    encoded: Points | None = None
    share_of_table: float = 1.0
    rules: Rules | None = None
    open_alternatives: Values | None = None

    def points_of(self, block: BlockStrata) -> Points:
        """Return the points of a block's attributes."""
        if len(self.blocks) == 1:
            return self.points
        return self.points.select_attributes(block.columns)


def prepare_table(plan: ResolvedPlan, table: Table) -> PreparedTable:
    """Return a table's points and strata for a plan, without outliers if it asks.

    Raises
    ------
    InputError, ParameterError, InfeasibleError
    """
    quasi = plan.quasi_identifiers
    rows, chosen = select_row_numbers_and_messages(plan.only, table)
    points = encode_points(
        table.assign(kinds=plan.kinds, hierarchies=plan.trees),
        quasi,
        plan.scaling,
        plan.missing,
        plan.missing_columns,
        plan.weights,
        missing_pattern_conditions(plan, table),
        plan.attribute_weights,
        plan.transforms,
        rows,
    )
    check_k(plan.k, points.n_records)
    persons = person_codes(plan, table, points.rows)
    counts = person_counts_of_plan(plan, table, points.rows, persons)
    if counts is not None:
        check_enough_persons(plan, counts.n_persons)
    about = messages_on_persons(plan, table, counts)
    warnings = [*about, *chosen, *points.warnings]
    warnings += inexact_digits_warnings(table, points.attributes)
    strata, merged = records_by_stratum_and_warnings(plan, table, points.rows)
    codes = None
    if plan.household is not None:
        if points.missing.any():
            raise ParameterError(
                "Households are grouped whole, which does not go together with "
                "missing values that are kept: fill them or drop them."
            )
        codes = households.household_codes(plan, table, points.rows)
        strata, more = households.strata_by_household_size_and_notes(
            plan, codes, strata
        )
        merged += more
    blocks = plan.blocks or (quasi,)
    prepared = PreparedTable(
        points,
        tuple(
            split_block_strata_by_missing(plan, points.missing, names, strata, persons)
            for names in blocks
        ),
        MappingProxyType({}),
        (),
        (*warnings, *merged),
        households=codes,
        persons=persons,
    )
    if budget_as_count(plan.suppress, points.n_records):
        prepared = _suppress_outliers(plan, prepared)
    return _leave_out_surplus(plan, prepared) if plan.counts else prepared


def _suppress_outliers(plan: ResolvedPlan, prepared: PreparedTable) -> PreparedTable:
    """Leave out records whose protection would cost the others most."""
    points, persons = prepared.points, prepared.persons
    parts: Parts = [(block.columns, block.strata) for block in prepared.blocks]
    if plan.suppress_cells:
        points, parts, suppressed_records = suppress_costliest_records_and_cells(
            points, parts, plan.k, plan.suppress, persons, plan.intruder_knows
        )
    else:
        suppressed_records = suppress_outliers(
            points,
            parts,
            plan.k,
            plan.suppress,
            persons,
            plan.intruder_knows,
            plan.suppress_by,
        )
    messages = (
        [suppressed_records.to_message]
        if suppressed_records.count or not suppressed_records.cells
        else []
    )
    if suppressed_records.cells:
        messages.append(
            suppressed_cells_message(
                dict(suppressed_records.cells), points.n_attributes
            )
        )
    warnings = (*prepared.warnings, *messages)
    return replace(
        _with_records(
            plan, replace(prepared, points=points), parts, suppressed_records.kept
        ),
        warnings=warnings,
        suppressed=suppressed_records,
        encoded=prepared.points,
    )


def _with_records(
    plan: ResolvedPlan, prepared: PreparedTable, parts: Parts, rows: Integers
) -> PreparedTable:
    """Return a prepared table with some of its records only, in these parts."""
    persons, place = prepared.persons, np.full(prepared.points.n_records, -1)
    if persons is not None:
        persons = renumber_persons(persons[rows])
        check_enough_persons(plan, count_persons(persons))
    place[rows] = np.arange(rows.size)
    blocks = tuple(
        BlockStrata(
            tuple(columns), tuple(place[some][place[some] >= 0] for some in strata)
        )
        for columns, strata in parts
    )
    points = prepared.points.subset(rows)
    return replace(prepared, points=points, blocks=blocks, persons=persons)


def _leave_out_surplus(plan: ResolvedPlan, prepared: PreparedTable) -> PreparedTable:
    """Leave out records of persons who have more than the others of their class."""
    persons, points = prepared.persons, prepared.points
    if persons is None:  # nobody has several records
        return prepared
    parts: Parts = [(block.columns, block.strata) for block in prepared.blocks]
    strata = group_per_record(prepared.blocks[0].strata, points.n_records)
    code_and_check_strata_sets(persons, strata, plan.k)
    kept_records = select_records_of_equal_counts(points, persons, plan.k, strata)
    if kept_records.size == points.n_records:
        return prepared
    encoded, before = prepared.encoded or points, prepared.suppressed
    suppressed_records = before or NONE_SUPPRESSED
    gone = np.ones(points.n_records, dtype=np.bool_)
    gone[kept_records] = False
    surplus = SurplusRecords(
        int(gone.sum()),
        count_persons(persons[gone]),
        count_persons(persons) - count_persons(persons[kept_records]),
    )
    return replace(
        _with_records(plan, prepared, parts, kept_records),
        warnings=(*prepared.warnings, surplus.to_message),
        suppressed=replace(
            suppressed_records,
            kept=kept_records if before is None else before.kept[kept_records],
            surplus=surplus,
        ),
        encoded=encoded,
    )


def copy_with_rules_and_decimals(
    plan: ResolvedPlan, table: Table, prepared: PreparedTable
) -> PreparedTable:
    """Return a prepared table with a plan's rules and decimals for released values.

    Raises
    ------
    InputError, ParameterError
    """
    encoded = prepared.encoded or prepared.points
    decimals = rounding_decimals(plan.rounding, table, encoded.attributes)
    check_rounding_bases(plan, encoded.attributes)
    if not plan.constraints:
        return replace(prepared, decimals=decimals)
    rules = rules_of_plan(plan, table, encoded)
    safe_decimals = rule_safe_decimals(
        plan.rounding, encoded.attributes, rules.bound_columns, decimals
    )
    alternatives = rules.open_alternatives(table.frame, encoded.rows)
    broken = count_rule_violations(rules, encoded, alternatives)
    if prepared.suppressed is not None:
        alternatives = alternatives[prepared.suppressed.kept]
    changed_column_rules = rules.about_columns(range(rules.n_changed))
    return replace(
        prepared,
        points=prepared.points.with_rules(changed_column_rules),
        rules=rules,
        open_alternatives=alternatives,
        rules_broken=MappingProxyType(broken),
        decimals=rules.first_roundable(decimals, safe_decimals),
        warnings=(*prepared.warnings, *broken_rules_warnings(broken)),
    )


class PreparationCache:
    """Cache of a table's prepared points and strata, shared by many plans.

    Threads may share it.

    Parameters
    ----------
    table : Table
    max_entries : int, optional
        How many are remembered, the latest ones; all unless given.
    """

    def __init__(self, table: Table, max_entries: int | None = None) -> None:
        self.table = table
        self._most = max_entries
        self._lock = threading.Lock()
        self._prepared: dict[str, PreparedTable] = {}
        self._settled: dict[str, PreparedTable] = {}

    def get(self, plan: ResolvedPlan) -> PreparedTable:
        """Return the prepared table of a plan, from the cache if possible.

        Raises
        ------
        EngineError
        """
        ways = (plan.missing, *plan.missing_columns.values())
        keeps = "keep" in ways or "keep-or-fill" in ways
        people = plan.household or plan.person_columns
        governed = any(map(is_if_then_rule, plan.constraints))
        by_k = plan.strata or people or keeps or plan.suppress or governed
        key = f"{preparation_key(plan)} {plan.k if by_k else ''}"
        whole = f"{key} {[getattr(plan, name) for name in _LATER]}"

        def settled() -> PreparedTable:
            prepared = self._get(
                self._prepared, key, lambda: prepare_table(plan, self.table)
            )
            return copy_with_rules_and_decimals(plan, self.table, prepared)

        prepared_table = self._get(self._settled, whole, settled)
        check_rule_separability(plan.method, prepared_table.rules)
        return prepared_table

    def _get(
        self,
        prepared_by_key: dict[str, PreparedTable],
        key: str,
        make: Callable[[], PreparedTable],
    ) -> PreparedTable:
        with self._lock:
            if key in prepared_by_key:
                return prepared_by_key[key]
            # What goes makes room first.
            self._forget_oldest(prepared_by_key)
        prepared_table = make()
        with self._lock:
            self._forget_oldest(prepared_by_key)
            return prepared_by_key.setdefault(key, prepared_table)

    def _forget_oldest(self, prepared_by_key: dict[str, PreparedTable]) -> None:
        while self._most is not None and len(prepared_by_key) >= self._most:
            del prepared_by_key[next(iter(prepared_by_key))]


_PREPARATION_FIELDS, _LATER = (
    [
        name
        for name, choice in choice_infos_of(Plan).items()
        if (choice.stage == "prepare") is early and choice.shown != "methods"
    ]
    for early in (True, False)
)


def preparation_key(plan: ResolvedPlan) -> str:
    """Return a cache key of the choices but k that preparation depends on."""
    conditions = [rule for rule in plan.constraints if is_if_then_rule(rule)]
    return repr([getattr(plan, name) for name in _PREPARATION_FIELDS] + conditions)
