"""Proofs that no release can meet a need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.analysis.need.held_releases import HeldReleases
from engine.analysis.need.keeps import Keep
from engine.analysis.need.rules import RULE_MEASURES, Rule
from engine.bounds import NO_BOUND
from engine.core.errors import EngineError, ParameterError
from engine.core.message import Message
from engine.core.partition import Partition
from engine.data.persons import code_persons, count_persons
from engine.data.table import Table
from engine.pipeline.grouping.bound import lower_bound
from engine.pipeline.grouping.prepare import PreparationCache, PreparedTable
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_person_choice, resolve_plan
from engine.pipeline.run import run


def prove_rules_impossible(
    table: Table, base_plan: Plan, rules: Sequence[Rule]
) -> Message | None:
    """Return the proof by counts that no release can keep the rules, or None.

    Raises
    ------
    ParameterError
        If a rule is about confidential columns and none is named.
    """
    for rule in rules:
        if RULE_MEASURES[rule.measure].field != "p_sensitive":
            continue
        if not base_plan.confidential:
            raise ParameterError(
                "The rule {rule!r} is about confidential columns: name them "
                "(--confidential).",
                rule=rule.text,
            )
        for name in base_plan.confidential:
            distinct = int(table.frame[name].nunique())
            if distinct < rule.limit:
                return Message(
                    "No release can keep {rule!r}: column {column!r} has {count} "
                    "value in the whole file.",
                    "No release can keep {rule!r}: column {column!r} has {count} "
                    "values in the whole file.",
                    rule=rule.text,
                    column=name,
                    count=distinct,
                )
    if table.n_records < base_plan.k:
        return Message(
            "No release can keep the rules: they ask for groups of {k}, and there is "
            "{count} record.",
            "No release can keep the rules: they ask for groups of {k}, and there are "
            "{count} records.",
            k=base_plan.k,
            count=table.n_records,
        )
    return None


def prove_rules_impossible_by_one_group(
    table: Table, base_plan: Plan, rules: Sequence[Rule]
) -> Message | None:
    """Return the proof that even one group of all records misses a rule, or None.

    Joining groups makes the measures of these rules no worse, so that no release does
    better, whether records or people are counted. Nothing is proven where records may
    be left out, or where one group is none of the groups that are allowed.
    """
    open_rules = [
        rule
        for rule in rules
        if not RULE_MEASURES[rule.measure].field
        and RULE_MEASURES[rule.measure].falls_with_k
    ]
    if not open_rules or base_plan.suppress or base_plan.suppress_cells:
        return None
    person, k = resolve_person_choice(base_plan, table), table.record_rows.size
    regroup = None
    if isinstance(person, tuple):  # people of several records each might be divided
        k = count_persons(code_persons(table.frame, person))
        regroup = _join_all_records
    try:
        largest = base_plan.replace(method="mdav", parameters={}, k=k)
        outcome = run(largest, table, bound=NO_BOUND, regroup=regroup)
    except EngineError:
        return None
    for rule in open_rules:
        value = rule.measured(HeldReleases(outcome, table)).value
        if not rule.holds(value):
            return Message(
                "No release can keep {rule!r}: if all records were one group, it would "
                "still be {value:.4g}, because of columns that leave as they are, or "
                "of too few people.",
                rule=rule.text,
                value=float(value),
            )
    return None


def _join_all_records(prepared: PreparedTable) -> Partition:
    n_records = prepared.points.n_records
    return Partition(np.zeros(n_records, dtype=np.int64), n_records)


def prove_loss_impossible(
    plan: Plan, keeps: Sequence[Keep], table: Table
) -> Message | None:
    """Return the proof that no groups can lose as little as a keep asks, or None.

    None where nothing proves it.
    """
    loss_keeps = [keep for keep in keeps if keep.kind == "loss" and not keep.subgroup]
    if not loss_keeps or plan.suppress:
        return None
    plain = plan.replace(scaling="zscore", attribute_weights={}, transforms={})
    resolved = resolve_plan(plain, table)
    bound = lower_bound(resolved, PreparationCache(table).get(resolved)).per_cent
    for keep in loss_keeps:
        if bound > keep.limit:
            return Message(
                "No groups of {k} can keep {keep!r}: it is proven that all lose at "
                "least {bound:.4f} %.",
                k=plain.k,
                keep=keep.text,
                bound=bound,
            )
    return None
