"""Rules on columns: check them on the table, parse them, and add or replace some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.ui.table.table_health import TableInspection
from engine.constraints.breaches import RuleBreach
from engine.constraints.parsing.expressions import quote_column_name
from engine.constraints.rules import Rules, parse_rules
from engine.core.errors import EngineError, ParameterError
from engine.core.typing import Values
from engine.data.conversion.attributes import AttributeInfo, word_codes_by_column
from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.kinds import Role
from engine.data.table import Table
from engine.pipeline.protection.rounding import rounding_decimals, rule_safe_decimals

N_WORST_RECORDS = 5
"""Records named of those that break a rule most."""


@dataclass(frozen=True)
class CheckedRule:
    """Text of a rule with its breach by records, or why it cannot be checked.

    Attributes
    ----------
    text : str
    breach : RuleBreach or None
        None where the rule cannot be checked.
    problem : str
        Why it cannot, in a sentence; else empty.
    """

    text: str
    breach: RuleBreach | None
    problem: str = ""


@dataclass(frozen=True)
class RuleReport:
    """Checks of rules on the table, and why no release can keep all of them, if so.

    Attributes
    ----------
    rules : tuple of CheckedRule
    problem : str
        Why no release can keep all of them, in a sentence; else empty.
    n_records : int
    """

    rules: tuple[CheckedRule, ...]
    problem: str
    n_records: int


def numeric_quasi_identifiers(
    table: Table, inspection: TableInspection
) -> tuple[AttributeInfo, ...]:
    """Return infos on quasi-identifiers of numbers or dates, which rules can bind."""
    meanings = (
        inspection.column_meaning(table, name)
        for name in table.schema.quasi_identifiers
    )
    attributes = (info.attribute for info in meanings)
    return tuple(info for info in attributes if info is not None and info.words is None)


def _read_quasi_identifiers(table: Table) -> dict[str, tuple[AttributeInfo, Values]]:
    """Return what quasi-identifiers mean, and their values; words are numbered."""
    columns_by_name = {}
    for name in table.schema.quasi_identifiers:
        try:
            attribute, values = read_attribute_and_numbers(table, name)
        except EngineError:
            continue  # said above the editor, where it stands in the way of a run
        columns_by_name[name] = attribute, values
    return columns_by_name


def make_rule_report(
    table: Table, rule_texts: Sequence[str], rounding: str
) -> RuleReport:
    """Return checks of rules on the table, and why no release can keep all, if so."""
    quasi_columns = _read_quasi_identifiers(table)
    names = tuple(quasi_columns)
    attributes = [attribute for attribute, _values in quasi_columns.values()]
    words = word_codes_by_column(attributes)
    values = np.empty((table.n_records, len(names)))
    for j, (_attribute, column) in enumerate(quasi_columns.values()):
        values[:, j] = column
    rows, unchanged = np.arange(table.n_records), _unchanged_columns(table)
    checked = []
    for text in rule_texts:
        try:
            rules = parse_table_rules(table, (text,), names, words)
            cases = rules.open_alternatives(table.frame, rows)
        except EngineError as error:
            checked.append(CheckedRule(text, None, _(error.message)))
        else:
            breaches = rules.breaches(np.column_stack([values, cases]), N_WORST_RECORDS)
            checked.append(CheckedRule(text, breaches[0]))
    problem = ""
    try:
        valid_rules = [rule.text for rule in checked if rule.breach]
        rules = parse_rules(valid_rules, names, (), words, unchanged)
        decimals = rounding_decimals(rounding, table, attributes)
        minima = rule_safe_decimals(rounding, attributes, rules.bound_columns, decimals)
        rules.first_roundable(decimals, minima)
    except EngineError as error:
        problem = escape_text(_(error.message))
    return RuleReport(tuple(checked), problem, table.n_records)


def parse_table_rules(
    table: Table,
    rule_texts: Sequence[str],
    column_names: tuple[str, ...] | None = None,
    words: Mapping[str, Mapping[str, int]] | None = None,
) -> Rules:
    """Return parsed rules; raise unless they bind protected numbers or dates.

    Raises
    ------
    ParameterError
        One sentence, which tells a column that is not there from one that is not
        protected, and from one that holds no numbers.
    """
    quasi, unchanged = table.schema.quasi_identifiers, _unchanged_columns(table)
    all_columns = table.schema.names
    parse_rules(rule_texts, quasi, all_columns, governing_columns=unchanged)
    if column_names is None or words is None:
        quasi_columns = _read_quasi_identifiers(table)
        column_names = tuple(quasi_columns)
        words = word_codes_by_column(
            [attribute for attribute, _values in quasi_columns.values()]
        )
    rules = parse_rules(rule_texts, quasi, all_columns, words, unchanged)
    for name in rules.bound_columns:
        if name not in column_names or name in words:
            raise ParameterError(
                _(
                    "Column {name} holds no numbers: a rule can only bind numbers and "
                    "dates."
                ).format(name=repr(name))
            )
    return parse_rules(rule_texts, column_names, (), words, unchanged)


def _unchanged_columns(table: Table) -> tuple[str, ...]:
    """Return the columns that leave as they are, by their roles."""
    roles = (Role.CONFIDENTIAL, Role.WEIGHT, Role.OTHER)
    return tuple(name for role in roles for name in table.schema.with_role(role))


def add_rule(table: Table, rule_texts: Sequence[str], new_rule: str) -> tuple[str, ...]:
    """Return the rules with a new one; raise if invalid, repeated or contradictory.

    Raises
    ------
    EngineError
        One sentence, if it cannot be read, is there already or contradicts others.
    """
    new_rule = " ".join(new_rule.split())
    if new_rule in rule_texts:
        raise ParameterError(
            _("The rule {rule} is in the list already.").format(rule=repr(new_rule))
        )
    parse_table_rules(table, (new_rule,))
    parse_table_rules(
        table,
        (*(rule for rule in rule_texts if is_rule_applicable(table, rule)), new_rule),
    )
    return (*rule_texts, new_rule)


def is_rule_applicable(table: Table, rule_text: str) -> bool:
    """Return whether a rule can be parsed for the table's columns and roles."""
    try:
        parse_table_rules(table, (rule_text,))
    except EngineError:
        return False
    return True


def non_negative_rule(column: str) -> str:
    """Return the text of the rule that a column has no negative value."""
    return f"{quote_column_name(column)} >= 0"


def replace_non_negative_rules(
    candidate_columns: Sequence[str],
    rule_texts: Sequence[str],
    chosen_columns: Sequence[str],
) -> tuple[str, ...]:
    """Return the rules, with only the chosen ones of candidate columns non-negative."""
    floors = {
        non_negative_rule(name): name in chosen_columns for name in candidate_columns
    }
    rules = [text for text in rule_texts if floors.get(text, True)]
    return (
        *rules,
        *(text for text, is_set in floors.items() if is_set and text not in rules),
    )


def non_negative_candidates(attributes: Sequence[AttributeInfo]) -> tuple[str, ...]:
    """Return names of number columns that can have a rule against negative values."""
    return tuple(info.name for info in attributes if not info.dates)


def rule_status_text(checked_rule: CheckedRule, n_records: int) -> str:
    """Return as text how many records keep or break a rule."""
    assert checked_rule.breach is not None
    broken = checked_rule.breach.records
    if not broken:
        return _("holds in all {count} records").format(count=f"{n_records:,}")
    return n_(
        "{broken} of {count} records breaks it",
        "{broken} of {count} records break it",
        broken,
    ).format(broken=f"{broken:,}", count=f"{n_records:,}")


def violation_table(report: RuleReport) -> pd.DataFrame:
    """Return a table of the records that violate each rule most, and by how much."""
    lines = [
        {"Rule": rule.text, "Record": row + 1, "Off by": distance}
        for rule in report.rules
        if rule.breach is not None
        for row, distance in rule.breach.worst
    ]
    return pd.DataFrame(lines, columns=["Rule", "Record", "Off by"])
