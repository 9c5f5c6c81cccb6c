"""Rules that are proposed for columns that tell others hold, whatever their names."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from engine.analysis.protect.column_dependencies import order_rules, sum_rules_by_total
from engine.constraints.linear import Inequality
from engine.constraints.parsing.syntax import parse_rule
from engine.data.propose.relations import ordered_columns
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run


@pytest.mark.parametrize(
    "names", [("net pay", "a`b", "2020"), ("§ 1", "if", "总额"), ("or", "9%", "x")]
)
def test_sums_and_orders_hold_whatever_columns_are_called(
    names: tuple[str, str, str],
) -> None:
    rng = np.random.default_rng(5)
    first_part, other = rng.integers([1_000, 500], [90_000, 70_000], (600, 2)).T
    values = (first_part, other, first_part + other)
    frame = pd.DataFrame(dict(zip(names, values, strict=True)))
    table = read_table(frame, roles=dict.fromkeys(names, "quasi-identifier"))
    total = table.schema[names[2]]
    schema = table.schema.assign(kinds=dict.fromkeys(names, "continuous"))
    columns = tuple(
        replace(column, parts=names[:2]) if column.name == total.name else column
        for column in schema.columns
    )
    table = replace(table, schema=replace(schema, columns=columns))
    [rule] = sum_rules_by_total(table).values()
    orders = order_rules(table, names, {})
    plan = Plan(k=5, quasi_identifiers=names, constraints=(rule, *orders))
    released = run(plan, table).release.frame
    assert (released[names[0]] + released[names[1]] == released[names[2]]).all()
    gappy = frame.assign(**{names[2]: frame[names[2]].where(first_part % 9 > 0)})
    orders = order_rules(
        read_table(gappy, roles=dict.fromkeys(names, "quasi-identifier")), names, {}
    )
    assert len(orders) == 2
    for text in orders:
        assert isinstance(parse_rule(text, names), Inequality)


def test_orders_are_looked_for_once_though_columns_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    numbers = pd.DataFrame(rng.integers(0, 90, (300, 5)).cumsum(axis=1) / 2)
    frame = numbers.set_axis([*"abcde"], axis="columns").mask(
        rng.random((300, 5)) < 0.1
    )
    kinds = dict.fromkeys(frame, "continuous")
    fresh = read_table(frame.copy(), kinds=kinds)
    expected = order_rules(fresh, ["a", "c", "e"], {})
    assert expected
    table = read_table(frame, kinds=kinds)
    assert len(order_rules(table, [*frame], {})) > len(expected)
    monkeypatch.setattr(ordered_columns, "_breaches_of_pairs", None)
    left = table.assign(roles=dict.fromkeys("bd", "identifier"))
    assert order_rules(left, ["a", "c", "e"], {}) == expected
