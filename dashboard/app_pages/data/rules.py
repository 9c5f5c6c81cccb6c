"""Constraint rules in the editor: check, add, remove."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.ui.table_health import TableInspection
from engine.constraints.rules import RuleBreach, Rules, parse_rules
from engine.core.errors import EngineError, ParameterError
from engine.core.typing import Values
from engine.data.attributes import Attribute, word_codes
from engine.data.read_attribute import read_attribute
from engine.data.table import Table
from engine.pipeline.rounding import fallback_decimals, rounding_decimals

N_WORST_RECORDS = 5
"""Records named of those that break a rule most."""

_PLAIN_NAME = re.compile(r"[^\W\d][\w.]*")


@dataclass(frozen=True)
class CheckedRule:
    """One rule, looked at in the data.

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
    """All rules, looked at in the data.

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


def number_columns(table: Table, inspection: TableInspection) -> tuple[Attribute, ...]:
    """Return the quasi-identifiers that hold numbers, or dates: rules can bind them."""
    meant = (
        inspection.column_meaning(table, name)
        for name in table.schema.quasi_identifiers
    )
    attributes = (one.attribute for one in meant)
    return tuple(one for one in attributes if one is not None and one.words is None)


def _read_quasi_identifiers(table: Table) -> dict[str, tuple[Attribute, Values]]:
    """Return what quasi-identifiers mean, and their values; words are numbered."""
    found = {}
    for name in table.schema.quasi_identifiers:
        try:
            attribute, values = read_attribute(table, name)
        except EngineError:
            continue  # said above the editor, where it stands in the way of a run
        found[name] = attribute, values
    return found


def report_on_rules(table: Table, texts: Sequence[str], rounding: str) -> RuleReport:
    """Work out how the records stand to each rule."""
    there = _read_quasi_identifiers(table)
    names = tuple(there)
    attributes = [attribute for attribute, _values in there.values()]
    words = word_codes(attributes)
    values = np.empty((table.n_records, len(names)))
    for j, (_attribute, column) in enumerate(there.values()):
        values[:, j] = column
    checked = []
    for text in texts:
        try:
            rules = parse_table_rules(table, (text,), names, words)
        except EngineError as error:
            checked.append(CheckedRule(text, None, _(error.message)))
        else:
            checked.append(
                CheckedRule(text, rules.breaches(values, N_WORST_RECORDS)[0])
            )
    problem = ""
    try:
        kept = [one.text for one in checked if one.breach]
        rules = parse_rules(kept, names, word_codes=words)
        own = rounding_decimals(rounding, table, attributes)
        least = fallback_decimals(rounding, attributes, rules.bound_columns, own)
        rules.first_roundable(own, least)
    except EngineError as error:
        problem = plain(_(error.message))
    return RuleReport(tuple(checked), problem, table.n_records)


def parse_table_rules(
    table: Table,
    texts: Sequence[str],
    names: tuple[str, ...] | None = None,
    words: Mapping[str, Mapping[str, int]] | None = None,
) -> Rules:
    """Return rules about a table's columns.

    Raises
    ------
    ParameterError
        One sentence, which tells a column that is not there from one that is not
        protected, and from one that holds no numbers.
    """
    quasi = table.schema.quasi_identifiers
    parse_rules(texts, quasi, table.schema.names)
    if names is None or words is None:
        there = _read_quasi_identifiers(table)
        names = tuple(there)
        words = word_codes([attribute for attribute, _values in there.values()])
    rules = parse_rules(texts, quasi, table.schema.names, words)
    for name in rules.bound_columns:
        if name not in names or name in words:
            raise ParameterError(
                _(
                    "Column {name} holds no numbers: a rule can only bind numbers and "
                    "dates."
                ).format(name=repr(name))
            )
    return parse_rules(texts, names, word_codes=words)


def add_rule(table: Table, texts: Sequence[str], text: str) -> tuple[str, ...]:
    """Return the rules with one more.

    Raises
    ------
    EngineError
        One sentence, if it cannot be read, is there already or contradicts others.
    """
    text = " ".join(text.split())
    if text in texts:
        raise ParameterError(
            _("The rule {rule} is in the list already.").format(rule=repr(text))
        )
    parse_table_rules(table, (text,))
    parse_table_rules(
        table, (*(one for one in texts if can_check_rule(table, one)), text)
    )
    return (*texts, text)


def can_check_rule(table: Table, text: str) -> bool:
    """Return whether a rule still fits the table's columns and roles."""
    try:
        parse_table_rules(table, (text,))
    except EngineError:
        return False
    return True


def remove_rule(texts: Sequence[str], text: str) -> tuple[str, ...]:
    """Return the rules without one of them."""
    return tuple(one for one in texts if one != text)


def floor_rule(name: str) -> str:
    """Return the rule that a column has no negative values."""
    return f"{name if _PLAIN_NAME.fullmatch(name) else f'`{name}`'} >= 0"


def set_floor_rules(
    possible: Sequence[str], texts: Sequence[str], names: Sequence[str]
) -> tuple[str, ...]:
    """Return the rules with "no negative values" for some of the possible columns."""
    floors = {floor_rule(name): name in names for name in possible}
    kept = [text for text in texts if floors.get(text, True)]
    return (
        *kept,
        *(text for text, wanted in floors.items() if wanted and text not in kept),
    )


def floor_columns(numbers: Sequence[Attribute]) -> tuple[str, ...]:
    """Return those that can be kept from negative values by one choice, by name."""
    return tuple(one.name for one in numbers if "`" not in one.name and not one.dates)


def rule_status_text(checked: CheckedRule, n_records: int) -> str:
    """Return how many records keep a rule, in words."""
    assert checked.breach is not None
    broken = checked.breach.records
    if not broken:
        return _("holds in all {count} records").format(count=f"{n_records:,}")
    return n_(
        "{broken} of {count} records breaks it",
        "{broken} of {count} records break it",
        broken,
    ).format(broken=f"{broken:,}", count=f"{n_records:,}")


def violating_records(report: RuleReport) -> pd.DataFrame:
    """Return the records that break rules most: which, and by how much."""
    lines = [
        {"Rule": one.text, "Record": row + 1, "Off by": away}
        for one in report.rules
        if one.breach is not None
        for row, away in one.breach.worst
    ]
    return pd.DataFrame(lines, columns=["Rule", "Record", "Off by"])
