"""Choices carried over to a new table or to changed roles; recommended methods."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import pandas as pd

from dashboard.i18n import text
from dashboard.i18n.language import _, n_, within_sentence
from dashboard.state.new_tables import hierarchies
from engine.aggregate.defaults import suitable_aggregation_ids
from engine.constraints.parsing.condition import condition_mask
from engine.constraints.rules import parse_rules
from engine.core.errors import EngineError
from engine.data.kinds import Kind, Role
from engine.data.schema import Schema
from engine.data.table import Table
from engine.methods import default
from engine.methods import methods as all_methods
from engine.pipeline.plan import Plan
from engine.pipeline.planning.cost import expected_seconds

MAX_RECOMMENDED_SECONDS = 25.0
"""Seconds that all recommended methods may take together at the usual k."""

USUAL_SIZES = (3, 5, 10)
"""Values of k that people choose first."""


def recommended_methods(table: Table | None) -> tuple[str, ...]:
    """Return the methods to start with on a table, without slow ones on a large table.

    Where they would take long together, the slowest give way to the method for many
    records, which of very many is alone.
    """
    if table is None:
        return default.DEFAULT_NUMERIC_METHODS
    if default.default_method(table.n_records) != default.DEFAULT_METHOD:
        return (default.DEFAULT_LARGE_METHOD,)
    names = list(
        default.DEFAULT_MIXED_METHODS
        if nominal_quasi_identifiers(table)
        else default.DEFAULT_NUMERIC_METHODS
    )
    times = {
        name: _estimate_seconds(name, table)
        for name in {*names, default.DEFAULT_LARGE_METHOD}
    }
    while (
        names != [default.DEFAULT_LARGE_METHOD]
        and sum(times[name] for name in names) > MAX_RECOMMENDED_SECONDS
    ):
        others = [name for name in names if name != default.DEFAULT_LARGE_METHOD]
        names.remove(max(others, key=lambda name: times[name]))
        if default.DEFAULT_LARGE_METHOD not in names:
            names.append(default.DEFAULT_LARGE_METHOD)
    return tuple(names)


def _estimate_seconds(name: str, table: Table) -> float:
    """Estimate a method's seconds for all usual k."""
    plans = (Plan(method=name, k=k) for k in USUAL_SIZES)
    return sum(expected_seconds(plan, table, with_bound=False) for plan in plans)


def nominal_quasi_identifiers(table: Table) -> tuple[str, ...]:
    """Return the quasi-identifiers that are nominal."""
    schema = table.schema
    return tuple(
        name for name in schema.quasi_identifiers if schema[name].kind is Kind.NOMINAL
    )


def methods_for_new_table(
    chosen_methods: tuple[str, ...], old_table: Table | None, new_table: Table | None
) -> tuple[str, ...]:
    """Return the chosen methods; if they were the recommended ones, the new table's.

    Methods that nobody has chosen follow the table; chosen ones stay.
    """
    return (
        recommended_methods(new_table)
        if chosen_methods == recommended_methods(old_table)
        else chosen_methods
    )


def aggregations_for_column(table: Table, column_name: str) -> frozenset[str]:
    """Return the ids of the aggregations that suit a column."""
    column = table.schema[column_name]
    return suitable_aggregation_ids(
        column.kind, table.frame[column_name], column.hierarchy is not None
    )


def can_transform_column(table: Table, column_name: str) -> bool:
    """Return whether a column is numeric and not nominal, so it can be transformed."""
    numbers = pd.api.types.is_numeric_dtype(table.frame[column_name].dtype)
    return bool(numbers) and table.schema[column_name].kind is not Kind.NOMINAL


@dataclass(frozen=True)
class ColumnChoices:
    """Choices made column by column, such as aggregations, and the attribute blocks.

    Attributes
    ----------
    given : mapping of str to mapping of str to object
        What each of :data:`dashboard.state.shared_choices.COLUMN_CHOICES` says, by
        column.
    blocks : tuple of tuple of str
        As in :class:`engine.pipeline.plan.Plan`.
    """

    given: Mapping[str, Mapping[str, Any]]
    blocks: tuple[tuple[str, ...], ...]

    @property
    def aggregations(self) -> Mapping[str, str]:
        """Chosen aggregation of each column."""
        return self.given.get("aggregations", {})

    def restrict_to(self, names: Iterable[str]) -> ColumnChoices:
        """Return the choices for some columns only."""
        columns = set(names)
        blocks = (tuple(n for n in block if n in columns) for block in self.blocks)
        return ColumnChoices(
            {field: _restrict(values, columns) for field, values in self.given.items()},
            tuple(block for block in blocks if block),
        )

    def applicable_to(self, table: Table) -> ColumnChoices:
        """Return the choices that apply to a table's roles and kinds."""
        choices = self.restrict_to(table.schema.quasi_identifiers)
        fits = {
            name: rule
            for name, rule in choices.aggregations.items()
            if rule in aggregations_for_column(table, name)
        }
        bends = {
            name: way
            for name, way in choices.given.get("transforms", {}).items()
            if can_transform_column(table, name)
        }
        values = {**choices.given, "aggregations": fits, "transforms": bends}
        return ColumnChoices(values, choices.blocks)

    @property
    def names(self) -> list[str]:
        """Names of the columns with at least one choice, without repetition."""
        blocks = (name for block in self.blocks for name in block)
        chosen_columns = (name for choice in self.given.values() for name in choice)
        return list(dict.fromkeys((*chosen_columns, *blocks)))


def _restrict(choices: Mapping[str, Any], names: set[str]) -> Mapping[str, Any]:
    return MappingProxyType({n: what for n, what in choices.items() if n in names})


def retyped_columns(first_reading: Table, second_reading: Table) -> frozenset[str]:
    """Return columns that change between numbers, dates and words on rereading.

    What was text may be numbers or dates then; it is proposed anew.
    """
    return frozenset(
        name
        for name in second_reading.schema.names
        if name in first_reading.schema
        and _dtype_family(first_reading.frame[name].dtype)
        != _dtype_family(second_reading.frame[name].dtype)
    )


def second_reading_without_removed_follows(
    first_reading: Table, second_reading: Table
) -> Table:
    """Return the second reading, less `follows` of unchanged columns the first lacks.

    Where a column and the one that it would follow are the same in both, the first
    reading proposed it, too: if it does not follow now, that was undone.
    """
    old, new = first_reading, second_reading
    undone = {
        column.name
        for column in new.schema.columns
        if column.follows
        and {column.name, column.follows[0]} <= {*old.schema.names}
        and not old.schema[column.name].follows
        and all(
            old.frame[n].equals(new.frame[n]) for n in (column.name, column.follows[0])
        )
    }
    columns = tuple(
        replace(column, follows=()) if column.name in undone else column
        for column in new.schema.columns
    )
    return replace(new, schema=replace(new.schema, columns=columns))


def _dtype_family(dtype: Any) -> str:
    if pd.api.types.is_numeric_dtype(dtype):
        return "numbers"
    return "dates" if pd.api.types.is_datetime64_any_dtype(dtype) else "words"


def carry_schema_with_notes(
    old_schema: Schema,
    table: Table,
    retyped_columns: Collection[str] = (),
    *,
    is_same_file: bool = False,
) -> tuple[Schema, list[str]]:
    """Return a new table's schema with old roles and kinds, and sentences on changes.

    Roles, kinds and hierarchies stay for columns of the same name, if the two tables
    share at least half of the columns of the narrower one. Retyped columns get the
    proposed role and kind, but stay identifiers and confidential ones. In another
    reading of the same file, kinds that nobody chose are proposed anew.
    """
    schema = table.schema
    common = [name for name in schema.names if name in old_schema]
    if 2 * len(common) < min(len(schema.names), len(old_schema.names)):
        return schema, []
    notes = []
    kept_roles = (Role.IDENTIFIER, Role.CONFIDENTIAL)
    roles = {
        name: old_schema[name].role
        for name in common
        if name not in retyped_columns or old_schema[name].role in kept_roles
    }
    kinds = {}
    for name in common:
        if name in retyped_columns or (is_same_file and old_schema[name].proposed):
            continue
        number = table.frame[name].dtype.kind in "iuf"
        if number or old_schema[name].kind is not Kind.CONTINUOUS:
            kinds[name] = old_schema[name].kind
        else:
            notes.append(
                _("Column {name} was {before} and is {now} in the new file.").format(
                    name=repr(name),
                    before=within_sentence(_(text.KIND_NAMES[old_schema[name].kind])),
                    now=within_sentence(_(text.KIND_NAMES[schema[name].kind])),
                )
            )
    gone = [
        f"{name!r} ({within_sentence(_(text.ROLE_NAMES[old_schema[name].role]))})"
        for name in old_schema.names
        if name not in schema and old_schema[name].role is not Role.OTHER
    ]
    if gone:
        notes.append(
            _("Not in the new file: {columns}.").format(columns=", ".join(gone))
        )
    new = [repr(name) for name in schema.names if name not in old_schema]
    if new:
        notes.append(
            _("New, with a proposed role: {columns}.").format(columns=", ".join(new))
        )
    trees, lacking = hierarchies.carry_trees_with_notes(old_schema, table)
    return schema.assign(roles, kinds, trees), [*notes, *lacking]


def restrict_choices_with_notes(
    choices: ColumnChoices, known_column_names: tuple[str, ...]
) -> tuple[ColumnChoices, list[str]]:
    """Return choices for the known columns, and a sentence on the dropped ones."""
    lost_columns = [name for name in choices.names if name not in known_column_names]
    notes = []
    if lost_columns:
        notes.append(
            n_(
                "Choices made for single columns do not apply any more: {columns} is "
                "not in the new file.",
                "Choices made for single columns do not apply any more: {columns} are "
                "not in the new file.",
                len(lost_columns),
            ).format(columns=", ".join(map(repr, lost_columns)))
        )
    return choices.restrict_to(known_column_names), notes


def applicable_rules_and_notes(
    rules: tuple[str, ...],
    column_names: tuple[str, ...],
    old_table: Table | None = None,
) -> tuple[tuple[str, ...], list[str]]:
    """Return the rules whose columns all exist, and sentences on written others.

    Those proposed by the old table are dropped without one, as nobody wrote them.
    """
    valid_rules, notes = [], []
    proposed = () if old_table is None else old_table.schema.constraints
    for rule in rules:
        if _is_parsable(rule, column_names):
            valid_rules.append(rule)
        elif rule not in proposed:
            notes.append(
                _("The rule {rule} names columns that are not there.").format(
                    rule=repr(rule)
                )
            )
    return tuple(valid_rules), notes


def rules_for_method(
    rules: tuple[str, ...], table: Table, method: str
) -> tuple[str, ...]:
    """Return the rules, less proposed ones that the method's release cannot keep.

    What a table's columns obey binds them where all are protected, none follows another
    one, and the method releases numbers.
    """
    schema = table.schema
    free = tuple(
        name
        for name in schema.quasi_identifiers
        if name not in schema.followers and schema[name].kind is not Kind.NOMINAL
    )
    as_numbers = all_methods.info(method).traits.release != "generalised"
    return tuple(
        rule
        for rule in rules
        if rule not in schema.constraints or (as_numbers and _is_parsable(rule, free))
    )


def _is_parsable(rule: str, column_names: tuple[str, ...]) -> bool:
    try:
        parse_rules((rule,), column_names)
    except EngineError:
        return False
    return True


def applicable_condition_and_notes(
    condition: str | None, table: Table
) -> tuple[str | None, list[str]]:
    """Return the condition, or None if unfit for the table, and a list of notes."""
    if condition is None:
        return None, []
    try:
        condition_mask(condition, table.frame)
    except EngineError:
        words = _("The condition {condition} cannot be asked of this table.")
        return None, [words.format(condition=repr(condition))]
    return condition, []
