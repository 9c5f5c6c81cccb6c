"""Proofs that no release can meet a need."""

from __future__ import annotations

from collections.abc import Sequence

from engine.analysis.need.keeps import Keep
from engine.analysis.need.rules import RULE_MEASURES, Rule
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run


def prove_rules_impossible(
    table: Table, plan: Plan, rules: Sequence[Rule]
) -> Message | None:
    """Return the proof that no release can keep the rules, or None.

    Raises
    ------
    ParameterError
        If a rule is about confidential columns and none is named.
    """
    for rule in rules:
        if RULE_MEASURES[rule.measure].field != "p_sensitive":
            continue
        if not plan.confidential:
            raise ParameterError(
                "The rule {rule!r} is about confidential columns: name them "
                "(--confidential).",
                rule=rule.text,
            )
        for name in plan.confidential:
            distinct = int(table.frame[name].nunique())
            if distinct < rule.limit:
                return Message(
                    "No release can keep {rule!r}: column {column!r} has {distinct} "
                    "values in the whole file.",
                    rule=rule.text,
                    column=name,
                    distinct=distinct,
                )
    if table.n_records < plan.k:
        return Message(
            "No release can keep the rules: they ask for groups of {k}, and there are "
            "{n} records.",
            k=plan.k,
            n=table.n_records,
        )
    return None


def prove_loss_impossible(
    plan: Plan, keeps: Sequence[Keep], table: Table
) -> Message | None:
    """Return the proof that no groups can lose as little as a keep asks, or None.

    None where nothing proves it.
    """
    asked = [keep for keep in keeps if keep.kind == "loss" and not keep.subgroup]
    if not asked or plan.suppress:
        return None
    plain = plan.replace(scaling="zscore", attribute_weights={}, transforms={})
    bound = run(plain, table).bound.per_cent
    for keep in asked:
        if bound > keep.limit:
            return Message(
                "No groups of {k} can keep {keep!r}: it is proven that all lose at "
                "least {bound:.4f} %.",
                k=plain.k,
                keep=keep.text,
                bound=bound,
            )
    return None
