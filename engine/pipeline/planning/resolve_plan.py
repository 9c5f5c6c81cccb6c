"""Resolve a plan's open choices for one table."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import cached_property
from typing import Annotated

from pydantic import model_validator

from engine.aggregate import aggregations
from engine.aggregate.defaults import (
    suitable_aggregation_ids,
    suitable_or_default_aggregation_id,
)
from engine.constraints.governing import GoverningCondition
from engine.constraints.parsing.syntax import is_if_then_rule
from engine.constraints.rules import parse_rules
from engine.core.errors import ParameterError
from engine.core.message import Message, join_with_and
from engine.data.kinds import Kind, Role, kind_in_words
from engine.data.persons import finest_repeating_column
from engine.data.propose import is_code_column
from engine.data.schema import Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.methods import methods
from engine.pipeline.fields.base import Names
from engine.pipeline.fields.checks import check_follower_pairs
from engine.pipeline.fields.records import EACH_RECORD, NO_PERSON
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from engine.pipeline.planning.exclusions import iterate_exclusions
from engine.pipeline.planning.seeds import seeds_of_plan


class ResolvedPlan(Plan):
    """A plan with every choice resolved for one table.

    Whatever comes after takes this type and settles nothing again. As JSON it is a
    plan: to resolve it once more for the same table changes nothing.

    Attributes
    ----------
    quasi_identifiers, identifiers, confidential : tuple of str
        Columns of the table; at least one quasi-identifier. What nobody has decided on
        is among the identifiers: it does not leave.
    kinds, aggregations : dict
        Kind and aggregation of every quasi-identifier.
    hierarchies : dict of str to rows
        Hierarchy of every quasi-identifier that has one.
    blocks : tuple of tuple of str
        All quasi-identifiers; empty where they are grouped together.
    weights : str or None
        None where all records weigh the same.
    person : tuple of str or {"none", "each"}
        ``"each"`` where nobody has said anything, and no identifier repeats.
    seeds : int
        1 where nothing depends on them.

    Raises
    ------
    ParameterError
        If something is not settled.
    """

    identifiers: Annotated[Names, choice_infos_of(Plan)["identifiers"]] = ()
    confidential: Annotated[Names, choice_infos_of(Plan)["confidential"]] = ()

    @model_validator(mode="after")
    def _settled(self) -> ResolvedPlan:
        quasi_columns = set(self.quasi_identifiers)
        if (
            not quasi_columns
            or not quasi_columns <= self.kinds.keys() & self.aggregations.keys()
        ):
            raise ParameterError(
                "The plan is not resolved: it must give quasi-identifiers, and a kind "
                "and an aggregation to each of them."
            )
        return self

    def unchanged_columns(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of a table that leave as they are.

        Parameters
        ----------
        names : sequence of str
            All columns of the table.
        """
        return _unchanged_columns(names, self.quasi_identifiers, self.identifiers)

    def governing_conditions(
        self, names: Sequence[str]
    ) -> tuple[GoverningCondition, ...]:
        """Return what rules ask of columns that leave as they are.

        Parameters
        ----------
        names : sequence of str
            All columns of the table.

        Raises
        ------
        ParameterError
            If a rule cannot be read, or calculates with such a column.
        """
        texts = tuple(filter(is_if_then_rule, self.constraints))
        unchanged = self.unchanged_columns(names)
        known_columns = tuple(names)
        rules = parse_rules(
            texts, self.quasi_identifiers, known_columns, governing_columns=unchanged
        )
        return rules.conditions

    @cached_property
    def trees(self) -> Mapping[str, Hierarchy]:
        """The hierarchy of each quasi-identifier that has one."""
        # A plain dict, which goes to other processes with the plan.
        return {name: Hierarchy(rows) for name, rows in self.hierarchies.items()}


def resolve_plan(plan: Plan, table: Table) -> ResolvedPlan:
    """Return a plan with every choice resolved for a table.

    Parameters
    ----------
    table : Table
        Its schema says what the plan leaves open.

    Raises
    ------
    ParameterError
        If a column does not exist, no quasi-identifier is left, an aggregation does not
        suit a column's kind, or choices do not go together.
    """
    schema = table.schema
    quasi = plan.quasi_identifiers or schema.quasi_identifiers
    weights = plan.weights
    if weights is None:
        weighing = schema.with_role(Role.WEIGHT)
        weights = next((name for name in weighing if name not in quasi), None)
    confidential = plan.confidential
    identifiers = _dropped_columns(
        plan, schema, {*quasi, *(confidential or ()), weights}
    )
    if confidential is None:
        confidential = tuple(
            name
            for name in schema.with_role(Role.CONFIDENTIAL)
            if name not in quasi and name not in identifiers
        )
    optional_columns = filter(None, [plan.household, weights])
    single = (
        *plan.strata_columns(schema.names),
        *optional_columns,
        *plan.person_columns,
    )
    for name in (*quasi, *identifiers, *confidential, *single):
        schema[name]  # raises where there is no such column
    _check_columns(plan, quasi, confidential, weights)
    person = resolve_person_choice(plan, table)
    if isinstance(person, tuple):
        check_person_columns(plan, person, quasi)
    if plan.counts:
        check_counts_of_persons(plan.intruder_knows, isinstance(person, tuple))
    if plan.suppress > 0.0 and plan.suppress_by == "person":
        _check_suppressed_people(plan, person)
    kinds = resolve_kinds(plan, table)
    trees = {
        name: tree.rows
        for name in quasi
        if (tree := schema[name].hierarchy) is not None
    }
    trees |= plan.hierarchies
    resolved_choices = {
        "quasi_identifiers": quasi,
        "identifiers": identifiers,
        "confidential": confidential,
        "kinds": kinds,
        "hierarchies": trees,
        "aggregations": resolve_aggregation_ids(plan, kinds, trees, table),
        "blocks": _complete_blocks(plan, quasi, identifiers, schema.names),
        "weights": weights,
        "person": person,
        "seeds": len(seeds_of_plan(plan)),
    }
    return ResolvedPlan(**{**plan.model_dump(), **resolved_choices})


def resolve_person_choice(plan: Plan, table: Table) -> tuple[str, ...] | str:
    """Return whom k counts: columns named or found, or "none" or "each"."""
    return plan.person or find_person_identifier(plan, table) or EACH_RECORD


def find_person_identifier(plan: Plan, table: Table) -> tuple[str] | None:
    """Return the finest repeating identifier as a 1-tuple; None if none or ruled out.

    Parameters
    ----------
    plan : Plan
        A plan that leaves open who records are about.
    """
    if person_conflict(plan) is not None:
        return None
    identifier = finest_repeating_column(table.frame, plan.identifiers or ())
    return None if identifier is None else (identifier,)


def check_person_columns(
    plan: Plan, person: tuple[str, ...], quasi_identifiers: tuple[str, ...]
) -> None:
    """Raise if persons cannot be counted together with a plan's other choices.

    Parameters
    ----------
    person : tuple of str
        Columns that together say who a record is about.
    quasi_identifiers : tuple of str
        Quasi-identifiers.

    Raises
    ------
    ParameterError
    """
    if set(person) <= set(quasi_identifiers):
        raise ParameterError(
            "Column {columns} cannot say who a record is about and be changed as a "
            "quasi-identifier too: leave it out of the quasi-identifiers, or name "
            "another column (--person).",
            "Columns {columns} cannot say who a record is about and all be changed as "
            "quasi-identifiers too: leave one of them out of the quasi-identifiers, or "
            "name another column (--person).",
            count=len(person),
            columns=join_with_and(person, quoted=True),
        )
    what = person_conflict(plan)
    knows_one = plan.model_copy(update={"intruder_knows": "one"})
    if what is not None and person_conflict(knows_one) is None:
        raise ParameterError(
            "k counts the persons of {columns}, of whom an intruder knows all records, "
            "which does not go together with {what}: leave it out, let an intruder "
            "know one record (--intruder-knows one), or count records (--person none).",
            columns=join_with_and(person, quoted=True),
            what=what,
        )
    if what is not None:
        raise ParameterError(
            "k counts the persons of {columns}, which does not go together with "
            "{what}: leave it out, or count records (--person none).",
            columns=join_with_and(person, quoted=True),
            what=what,
        )


def _check_suppressed_people(plan: Plan, person: tuple[str, ...] | str) -> None:
    """Refuse to leave out people where nobody says who they are."""
    if person == NO_PERSON:
        raise ParameterError(
            "People are to be left out with all of their records (--suppress-by "
            "person), but k counts records: name the column that says who a record is "
            "about (--person), or leave out records."
        )


def check_counts_of_persons(intruder_knows: str, has_persons: bool) -> None:
    """Raise unless k counts persons of whom an intruder knows all records.

    Raises
    ------
    ParameterError
    """
    if intruder_knows != "all" or not has_persons:
        raise ParameterError(
            "Equal counts (--counts) need people of whom an intruder knows all "
            "records: name who a record is about (--person) and take --intruder-knows "
            "all, or leave --counts out."
        )


def person_conflict(plan: Plan) -> Message | None:
    """Return a message naming what rules out counting persons in a plan, or None."""
    return next((what for what, _ in iterate_exclusions(plan, "person")), None)


def _dropped_columns(
    plan: Plan, schema: Schema, decided: Container[str | None]
) -> tuple[str, ...]:
    """Return the columns that are not released: identifiers and undecided ones.

    Where the plan leaves the choice to the schema, in the order of the table: to make
    an undecided column an identifier changes nothing.
    """
    roles = {Role.UNDECIDED}
    if plan.identifiers is None:
        roles.add(Role.IDENTIFIER)
    named = plan.identifiers or ()
    return named + tuple(
        column.name
        for column in schema.columns
        if column.role in roles
        and column.name not in named
        and (column.name not in decided)
    )


def resolve_kinds(plan: Plan, table: Table) -> dict[str, Kind]:
    """Return the kind of each quasi-identifier, from the plan and the schema.

    A column of numbers that looked like codes is proposed as nominal. Whoever names it
    as a quasi-identifier means it as numbers, and whoever gives it a hierarchy as
    codes. The methods that were published for categories take codes for such; to them
    only numbers that seemed to identify records are numbers again. What somebody said
    of a column's kind stays.

    Raises
    ------
    ParameterError
        If a column does not exist.
    """
    schema = table.schema
    mixed = methods.info(plan.method).family == "mixed"
    kinds = {}
    for name in plan.quasi_identifiers or schema.quasi_identifiers:
        column = schema[name]
        kind = plan.kinds.get(name, column.kind)
        is_kind_stated = name in plan.kinds or name in plan.hierarchies
        named = name in plan.quasi_identifiers and not is_kind_stated
        if named and column.proposed and column.as_numbers is not None:
            kind = column.as_numbers
        elif named and is_code_column(table, name):
            if not mixed:
                kind = Kind.ORDINAL
            elif column.role is Role.IDENTIFIER:
                kind = Kind.CONTINUOUS
        kinds[name] = kind
    return kinds


def _check_columns(
    plan: Plan,
    quasi: tuple[str, ...],
    confidential: tuple[str, ...],
    weights: str | None,
) -> None:
    if not quasi:
        raise ParameterError(
            "There is no quasi-identifier: name at least one column by which "
            "somebody could be recognised."
        )
    _only_quasi_identifiers(plan, quasi)
    check_follower_pairs(plan.follows, quasi)
    if not any(plan.attribute_weights.get(name, 1.0) for name in quasi):
        raise ParameterError(
            "Every quasi-identifier has weight 0, so that no records are more alike "
            "than others: give at least one of them a weight above 0."
        )
    if plan.enforces_diversity and not confidential:
        raise ParameterError(
            "p-sensitive, l-diverse and t-close groups need a confidential column: "
            "name one, or ask for none of these."
        )
    _check_population(plan, weights)
    if plan.household in quasi:
        raise ParameterError(
            "Column {column!r} cannot both say which household a record is of and be "
            "changed as a quasi-identifier.",
            column=plan.household,
        )
    if weights in quasi:
        raise ParameterError(
            "Column {column!r} cannot both weigh records and be changed as a "
            "quasi-identifier.",
            column=weights,
        )


def _check_population(plan: Plan, weights: str | None) -> None:
    """Refuse k-map of a population of which nothing is said."""
    if plan.k_map > 0 and weights is None and plan.sampling_fraction == 0.0:
        raise ParameterError(
            "k-map counts people of the population, but nothing says how many a record "
            "stands for: name a column of weights (--weights) or the sampling fraction "
            "(--sampling-fraction)."
        )


def _only_quasi_identifiers(plan: Plan, quasi: tuple[str, ...]) -> None:
    """Refuse choices for columns that are not protected."""
    blocks = [name for block in plan.blocks for name in block]
    for what, names in (
        (Message("a kind"), plan.kinds),
        (Message("a hierarchy"), plan.hierarchies),
        (Message("an aggregation"), plan.aggregations),
        (Message("a way to treat missing values"), plan.missing_columns),
        (Message("a weight"), plan.attribute_weights),
        (Message("a rounding base"), plan.rounding_base),
        (Message("a transform"), plan.transforms),
        (Message("a block"), blocks),
    ):
        for name in names:
            if name not in quasi:
                raise ParameterError(
                    "The plan gives {what} to {name!r}, which is not a "
                    "quasi-identifier: name it among them, or leave it out.",
                    what=what,
                    name=name,
                )


def resolve_aggregation_ids(
    plan: Plan,
    kinds: Mapping[str, Kind],
    columns_with_hierarchy: Container[str],
    table: Table,
) -> dict[str, str]:
    """Return the identifier of each quasi-identifier's aggregation, by column name.

    Parameters
    ----------
    kinds : mapping of str to Kind
        Kind of each quasi-identifier.
    columns_with_hierarchy : container of str
        Quasi-identifiers that have a hierarchy.

    Raises
    ------
    ParameterError
        If an aggregation does not suit a column's kind.
    """
    rules = {}
    release = methods.info(plan.method).traits.release
    for name, kind in kinds.items():
        column, has_tree = table.frame[name], name in columns_with_hierarchy
        aggregation = plan.aggregations.get(name)
        fits = suitable_aggregation_ids(kind, column, has_tree)
        if aggregation is not None and aggregation not in fits:
            if aggregations.info(aggregation).hierarchy:
                raise ParameterError(
                    "Column {column!r} has no hierarchy to be generalised by: "
                    "choose one of {aggregations} for it.",
                    column=name,
                    aggregations=sorted(fits),
                )
            raise ParameterError(
                "Column {column!r} is {kind}, and its values have no "
                "{aggregation}: choose one of {aggregations} for it.",
                column=name,
                kind=kind_in_words(kind),
                aggregation=aggregation,
                aggregations=sorted(fits),
            )
        rules[name] = aggregation or suitable_or_default_aggregation_id(
            kind, column, has_tree, release, plan.aggregation
        )
    return rules


def _unchanged_columns(
    names: Sequence[str], quasi: tuple[str, ...], identifiers: tuple[str, ...]
) -> tuple[str, ...]:
    changed = {*quasi, *identifiers}
    return tuple(name for name in names if name not in changed)


def _complete_blocks(
    plan: Plan,
    quasi: tuple[str, ...],
    identifiers: tuple[str, ...],
    names: tuple[str, ...],
) -> tuple[tuple[str, ...], ...]:
    """Return the blocks, with unnamed attributes as the last one.

    Blocks that a rule ties together are one. Then all may be in one block, which tells
    such a plan from one without blocks.
    """
    if not plan.blocks:
        return ()
    named = {name for block in plan.blocks for name in block}
    rest = tuple(name for name in quasi if name not in named)
    blocks = [*plan.blocks, *((rest,) if rest else ())]
    governing = _unchanged_columns(names, quasi, identifiers)
    rules = parse_rules(plan.constraints, quasi, names, governing_columns=governing)
    is_tied = False
    for columns, _ in rules.connected_parts():
        tied = {quasi[j] for j in columns if j < rules.n_changed}
        is_tied |= len(tied) > 1
        parts = [block for block in blocks if tied & set(block)]
        place = blocks.index(parts[0])
        blocks = [block for block in blocks if block not in parts]
        blocks.insert(place, tuple(name for block in parts for name in block))
    return tuple(blocks) if len(blocks) > 1 or is_tied else ()
