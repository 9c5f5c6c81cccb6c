"""Workspace with the choices of a plan, and notes on what does not fit its table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from dashboard.i18n.language import _, within_sentence
from dashboard.i18n.markdown import escape_text
from dashboard.i18n.text import KIND_NAMES, ROLE_NAMES
from dashboard.state.new_tables import carry_over
from dashboard.state.new_tables.hierarchies import (
    describe_uncovered_values,
    has_text_values,
)
from dashboard.state.shared_choices import (
    COLUMN_CHOICES,
    SHARED_CHOICES,
    freeze_mappings,
)
from dashboard.state.workspace import Workspace, resolve_plans
from engine.aggregate import aggregations
from engine.aggregate.defaults import suitable_or_default_aggregation_id
from engine.core.errors import EngineError
from engine.data.kinds import Kind, Role
from engine.data.schema import Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_kinds, resolve_plan


def copy_with_plan_and_notes(
    ws: Workspace, plan: Plan
) -> tuple[Workspace, tuple[str, ...]]:
    """Return a workspace with a plan's choices, and sentences on what does not fit.

    Parameters
    ----------
    ws : Workspace
        With the table that the plan is to be used for.

    Returns
    -------
    Workspace
        Columns that the plan does not name lose the roles of which it names columns.
    notes : tuple of str
        Empty if the workspace now asks for exactly this plan.
    """
    table = ws.table
    if table is None:
        return ws, (_("There is no table yet: open one, then the plan."),)
    plan, notes = _without_lost_columns(plan, table.schema.names)
    schema, lost_values = _schema_from_plan(plan, table)
    notes += lost_values
    table = replace(table, schema=schema)
    rules, words = carry_over.applicable_rules_and_notes(plan.constraints, schema.names)
    notes += words
    only, words = carry_over.applicable_condition_and_notes(plan.only, table)
    notes += words
    order: dict[str, Any] = {}
    if plan.order_seed is not None:
        order = {"shuffle": True, "shuffle_seed": plan.order_seed}
    rules_chosen, unfit = _explicit_aggregations(plan, table)
    choices = {name: getattr(plan, name) for name in SHARED_CHOICES} | {
        "aggregations": rules_chosen,
        "constraints": rules,
        "only": only,
        "blocks": _explicit_blocks(plan),
    }
    new = replace(
        ws,
        table=table,
        methods=(plan.method,),
        sizes=(plan.k,),
        parameters=MappingProxyType(
            {**ws.parameters, plan.method: MappingProxyType(dict(plan.parameters))}
        ),
        chosen=None,
        notes=(),
        **order,
        **{name: freeze_mappings(value) for name, value in choices.items()},
    )
    notes += unfit
    if not notes:
        notes += _describe_differences(new, plan)
    return _with_chosen(new), tuple(notes)


def _without_lost_columns(plan: Plan, names: tuple[str, ...]) -> tuple[Plan, list[str]]:
    """Return the plan without columns that the table lacks, and which these are."""
    lost_columns: dict[str, str] = {}

    def kept(columns: Iterable[str], role: str) -> tuple[str, ...]:
        lost_columns.update({name: role for name in columns if name not in names})
        return tuple(name for name in columns if name in names)

    def only(choices: Mapping[str, Any]) -> dict[str, Any]:
        return {name: what for name, what in choices.items() if name in names}

    quasi = kept(plan.quasi_identifiers, "quasi-identifier")
    changes: dict[str, Any] = {
        "quasi_identifiers": quasi,
        "kinds": only(plan.kinds),
        "hierarchies": only(plan.hierarchies),
        **{name: only(getattr(plan, name)) for name in COLUMN_CHOICES},
        "blocks": [[n for n in block if n in names] for block in plan.blocks],
    }
    for field, role in (
        ("identifiers", "identifier"),
        ("confidential", "confidential"),
    ):
        columns = getattr(plan, field)
        changes[field] = None if columns is None else kept(columns, role)
    single = {
        "weights": ([plan.weights] if plan.weights is not None else [], "weight"),
        "strata": (list(plan.strata_columns(names)), "strata"),
        "household": ([plan.household] if plan.household else [], "household"),
        "person": (list(plan.person_columns), "person"),
    }
    for field, (columns, role) in single.items():
        if len(kept(columns, role)) < len(columns):
            changes[field] = None
    notes = []
    if lost_columns:
        named = ", ".join(
            f"{escape_text(repr(name))} ({_role_name(role)})"
            for name, role in lost_columns.items()
        )
        template = _("Columns of the plan that this table does not have: {columns}.")
        notes.append(template.format(columns=named))
    if plan.quasi_identifiers and not quasi:
        notes.append(_("So no column of the plan is left to protect."))
    return plan.replace(**changes), notes


def _role_name(role: str) -> str:
    named = {"strata": _("strata"), "household": _("households"), "person": _("person")}
    return named[role] if role in named else within_sentence(_(ROLE_NAMES[Role(role)]))


def _schema_from_plan(plan: Plan, table: Table) -> tuple[Schema, list[str]]:
    """Return the table's schema with the plan's roles, kinds and hierarchies."""
    schema, notes = table.schema, list[str]()
    roles = _roles_from_plan(plan, schema)
    kinds: dict[str, Kind | str] = {}
    planned = resolve_kinds(plan, table) if plan.quasi_identifiers else plan.kinds
    for name, kind in planned.items():
        fits = kind is not Kind.CONTINUOUS or not has_text_values(table.frame[name])
        if fits or kind is schema[name].kind:
            kinds[name] = kind
        else:
            template = _(
                "Column {column} is continuous in the plan, but holds no numbers here: "
                "it stays {kind}."
            )
            kind_word = within_sentence(_(KIND_NAMES[schema[name].kind]))
            notes.append(
                template.format(column=escape_text(repr(name)), kind=kind_word)
            )
    trees: dict[str, Hierarchy | None] = {}
    if set(plan.kinds) >= set(plan.quasi_identifiers):
        # A plan that was carried out names all hierarchies that it had.
        trees = dict.fromkeys(plan.quasi_identifiers)
    for name, rows in plan.hierarchies.items():
        trees[name] = tree = Hierarchy(rows)
        gone = tree.uncovered_values(table.frame[name])
        if gone:
            notes.append(describe_uncovered_values(name, gone))
    return schema.assign(roles, kinds, trees), notes


def _roles_from_plan(plan: Plan, schema: Schema) -> dict[str, Role | str]:
    """Return the roles that the plan gives; it may leave some to the table."""
    weight: tuple[str, ...] | None = None
    if plan.weights is not None:
        weight = (plan.weights,)
    elif plan.kinds:
        weight = ()  # a plan that was carried out names the weights that it had
    plan_columns: dict[Role, tuple[str, ...] | None] = {
        Role.QUASI_IDENTIFIER: plan.quasi_identifiers or None,
        Role.IDENTIFIER: plan.identifiers,
        Role.CONFIDENTIAL: plan.confidential,
        Role.WEIGHT: weight,
        # A plan that was carried out names all that does not leave as it is.
        Role.UNDECIDED: () if plan.kinds and plan.identifiers is not None else None,
    }
    roles: dict[str, Role | str] = {
        name: role for role, columns in plan_columns.items() for name in columns or ()
    }
    for column in schema.columns:
        if column.name not in roles and plan_columns.get(column.role) is not None:
            roles[column.name] = Role.OTHER
    return roles


def _explicit_aggregations(
    plan: Plan, table: Table
) -> tuple[dict[str, str], list[str]]:
    """Return what was chosen for single columns: not what the method does anyway."""
    chosen, notes = {}, []
    release = methods.info(plan.method).traits.release
    for name, rule in plan.aggregations.items():
        column, values = table.schema[name], table.frame[name]
        has_tree = column.hierarchy is not None
        if rule not in carry_over.aggregations_for_column(table, name):
            template = _(
                "Column {column} is released by its {rule} in the plan, which does not "
                "suit it here: the usual rule is taken."
            )
            rule_word = within_sentence(_(aggregations.info(rule).title))
            notes.append(
                template.format(column=escape_text(repr(name)), rule=rule_word)
            )
        elif rule != suitable_or_default_aggregation_id(
            column.kind, values, has_tree, release, plan.aggregation
        ):
            chosen[name] = rule
    return chosen, notes


def _explicit_blocks(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """Return the blocks without the last one, if that is all the others."""
    blocks = tuple(block for block in plan.blocks if block)
    if not blocks:
        return ()
    named = {name for block in blocks[:-1] for name in block}
    rest = tuple(name for name in plan.quasi_identifiers if name not in named)
    return blocks[:-1] if blocks[-1] == rest else blocks


def _describe_differences(ws: Workspace, plan: Plan) -> list[str]:
    """Say in which entries the workspace's own plan is another one."""
    assert ws.table is not None
    try:
        file_plan = resolve_plan(plan, ws.table)
        ws_plan = resolve_plans(ws)[-1]  # a polished one comes after the method without
    except EngineError as error:
        return [escape_text(_(error.message))]
    before, after = file_plan.model_dump(), ws_plan.model_dump()
    for content in (before, after):  # the order of these says nothing
        for name in ("identifiers", "confidential"):
            content[name] = set(content[name])
    differ = [name for name in before if before[name] != after[name]]
    if differ == ["quasi_identifiers"] and set(file_plan.quasi_identifiers) == set(
        ws_plan.quasi_identifiers
    ):
        return [
            _(
                "The plan names the quasi-identifiers in another order than the table; "
                "where records are as near, groups can come out differently."
            )
        ]
    template = _("Other than in the plan: {entries}.")
    return [template.format(entries=", ".join(differ))] if differ else []


def _with_chosen(ws: Workspace) -> Workspace:
    """Return the workspace with its one plan as the result to look at."""
    try:
        plans = resolve_plans(ws)
    except EngineError:
        return ws
    return replace(ws, chosen=plans[-1])
