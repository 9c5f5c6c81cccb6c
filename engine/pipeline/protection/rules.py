"""Parse and check a plan's constraint rules, and count the records that break them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.aggregate import aggregations
from engine.constraints.rules import Rules, parse_rules
from engine.core.errors import ParameterError
from engine.core.typing import Values
from engine.data.conversion.attributes import AttributeInfo, word_codes_by_column
from engine.data.table import Table
from engine.methods.base import methods
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.points.base import Points


def check_rule_columns(
    plan: ResolvedPlan, attributes: Sequence[AttributeInfo], rules: Rules
) -> None:
    """Raise if a rule binds a column whose released values cannot satisfy it.

    Raises
    ------
    ParameterError
    """
    for attribute in attributes:
        name = attribute.name
        if name in rules.word_columns:
            rule = aggregations.info(plan.aggregations[name])
            if not rule.common.numeric:
                raise ParameterError(
                    "A rule compares column {column!r} with a word, but its released "
                    "values are not single words: choose the mode for it, or leave the "
                    "rule out.",
                    column=name,
                )
        if name not in rules.bound_columns:
            continue
        rule = aggregations.info(plan.aggregations[name])
        if attribute.words is not None or not rule.common.numeric:
            raise ParameterError(
                "A rule names column {column!r}, whose released values are no numbers: "
                "leave it out of the rules, or choose the mean for it.",
                column=name,
            )


def rules_of_plan(plan: ResolvedPlan, table: Table, points: Points) -> Rules:
    """Return a plan's parsed rules; raise if unreadable or unfit for their columns.

    Raises
    ------
    InputError, ParameterError
        If they cannot be read, or bind columns that are no numbers or are rounded to
        multiples.
    """
    words = word_codes_by_column(points.attributes)
    names = table.schema.names
    rules = parse_rules(
        plan.constraints,
        plan.quasi_identifiers,
        names,
        words,
        plan.unchanged_columns(names),
    )
    for name in plan.rounding_base:
        if name in rules.bound_columns:
            raise ParameterError(
                "A rule names column {column!r}, and multiples of its rounding "
                "base might break it: leave the column out of one of both.",
                column=name,
            )
    check_rule_columns(plan, points.attributes, rules)
    return rules


def count_rule_violations(
    rules: Rules, points: Points, open_alternatives: Values
) -> dict[str, int]:
    """Return the number of input records that break each rule.

    Parameters
    ----------
    rules : Rules
    open_alternatives : ndarray of float64, shape (n_records, n_alternatives)
        As :meth:`engine.constraints.rules.Rules.open_alternatives` gives them.
    """
    values = np.where(points.missing, np.nan, points.values)
    broken = rules.broken(np.column_stack([values, open_alternatives]))
    counts = broken.sum(axis=0).tolist()
    return dict(zip(rules.texts, counts, strict=True))


def check_rule_separability(method: str, rules: Rules | None) -> None:
    """Raise if a rule ties columns that the method groups separately.

    Values that keep such a rule differ within a column's groups, so that the k of
    none of them would hold.

    Raises
    ------
    ParameterError
    """
    if rules is None or not methods.info(method).traits.per_attribute:
        return
    for columns, _ in rules.connected_parts():
        if sum(j < rules.n_changed for j in columns) > 1:
            column, other = (rules.columns[j] for j in sorted(columns)[:2])
            raise ParameterError(
                "A rule ties column {column!r} to {other!r}, but {method} groups each "
                "attribute on its own, and values that keep the rule would break up "
                "its groups: choose another method, or leave the rule out.",
                column=column,
                other=other,
                method=method,
            )
