"""Releases of every kind of column by every rule that fits it."""

import math
import statistics
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.aggregate.defaults import suitable_aggregation_ids
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy, from_dates, from_intervals
from engine.methods.base import methods
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.properties import share_of_examples
from tests.reference.common_values import one_step, trimmed

WORDS = Hierarchy(
    tuple((word, group, "*") for word, group in zip("abcdef", "112233", strict=True))
)
DAYS = pd.Series(pd.date_range("2023-01-20", periods=12, freq="11D"))
WHOLE = pd.Series(range(12))
TENTHS = pd.Series([number / 10 for number in range(12)])


@dataclass(frozen=True)
class Sort:
    """A sort of column: its kind, the values that it may have, and a hierarchy."""

    kind: Kind
    values: tuple[Any, ...]
    tree: Hierarchy | None
    dtype: str


SORTS = {
    "whole numbers": Sort(Kind.CONTINUOUS, tuple(range(12)), None, "Int64"),
    "ages": Sort(
        Kind.CONTINUOUS, tuple(range(12)), from_intervals(WHOLE, widths=[3]), "Int64"
    ),
    "decimals": Sort(Kind.CONTINUOUS, tuple(TENTHS), None, "float64"),
    "grades": Sort(Kind.ORDINAL, (1, 2, 5, 9), None, "Int64"),
    "dates": Sort(Kind.CONTINUOUS, tuple(DAYS), None, "datetime64[us]"),
    "days": Sort(
        Kind.ORDINAL, tuple(DAYS), from_dates(DAYS, ["month"]), "datetime64[us]"
    ),
    "ordered words": Sort(Kind.ORDINAL, WORDS.leaves, WORDS, "str"),
    "words": Sort(Kind.NOMINAL, WORDS.leaves, WORDS, "str"),
    "flat words": Sort(Kind.NOMINAL, WORDS.leaves, None, "str"),
    "codes": Sort(Kind.NOMINAL, (7, 8, 9), None, "Int64"),
}

MEANS = {
    "mean": statistics.fmean,
    "trimmed-mean": trimmed,
    "one-step": one_step,
    "geometric-mean": statistics.geometric_mean,
}

COMBINATIONS = [
    (sort, rule)
    for sort, about in SORTS.items()
    for rule in sorted(
        suitable_aggregation_ids(
            about.kind, pd.Series(about.values[:1]), about.tree is not None
        )
    )
]


def number(sort: Sort, value: Any) -> float:
    """Return the number by which a value is ordered and averaged."""
    if sort.dtype == "str":
        return float(WORDS.leaves.index(value))
    if isinstance(value, pd.Timestamp):
        return (value - pd.Timestamp(0)) / pd.Timedelta(days=1)
    return float(value)


def as_text(sort: Sort, value: Any) -> str:
    if isinstance(value, pd.Timestamp):
        return str(value.date())
    return f"{value:g}" if sort.dtype == "float64" else str(value)


def assert_true_of(cell: Any, own: list[Any], rule: str, sort: Sort) -> None:
    """The cell is what the rule makes of a group's values."""
    numbers = [number(sort, value) for value in own]
    if rule in MEANS:
        assert number(sort, cell) == pytest.approx(MEANS[rule](numbers))
    elif rule == "median" and sort.dtype == "str":
        assert number(sort, cell) == math.floor(np.median(numbers))
    elif rule == "median":
        assert number(sort, cell) == pytest.approx(np.median(numbers))
    elif rule == "low-median":
        assert number(sort, cell) == sorted(numbers)[(len(numbers) - 1) // 2]
    elif rule == "mode":
        assert Counter(own)[cell] == max(Counter(own).values())
    elif rule == "interval":
        low, high = own[int(np.argmin(numbers))], own[int(np.argmax(numbers))]
        ends = as_text(sort, low), as_text(sort, high)
        expected = ends[0] if low == high else f"[{ends[0]}, {ends[1]}]"
        if sort.dtype == "float64" and isinstance(cell, float):
            assert cell == low == high
        else:
            text = as_text(sort, cell) if not isinstance(cell, str) else cell
            assert text == expected
    else:
        assert rule in ("generalise", "ancestor")
        rows = (
            {row[0]: row for row in sort.tree.rows}
            if sort.tree is not None
            else {as_text(sort, value): (as_text(sort, value), "*") for value in own}
        )
        paths = [rows[as_text(sort, value)] for value in own]
        level = next(
            level
            for level in range(len(paths[0]))
            if len({path[level:] for path in paths}) == 1
        )
        if rule == "ancestor" and level == len(paths[0]) - 1 and cell != "*":
            counts = Counter(as_text(sort, value) for value in own)  # "*" is text too
            assert counts[as_text(sort, cell)] == max(counts.values())
        else:
            assert as_text(sort, cell) == paths[0][level]


@pytest.mark.parametrize(("name", "rule"), COMBINATIONS)
@settings(
    max_examples=share_of_examples(0.25),
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
    ],
)
@given(data=st.data())
def test_a_release_is_what_the_rule_makes_of_each_group(
    name: str, rule: str, data: st.DataObject
) -> None:
    sort, k = SORTS[name], data.draw(st.integers(2, 3))
    n = data.draw(st.integers(2 * k, 14))
    some = sort.values
    if rule == "geometric-mean":  # of numbers above 0 alone
        some = tuple(value for value in some if value > 0)
    draw = st.lists(st.sampled_from(some), min_size=n, max_size=n)
    values = pd.Series(data.draw(draw), dtype=sort.dtype)
    lacking = data.draw(st.booleans())
    column = values.mask(values.index < k) if lacking and n >= 3 * k else values
    frame = pd.DataFrame({"x": column, "y": range(n)})
    schema = Schema(
        (
            Column("x", sort.kind, Role.QUASI_IDENTIFIER, hierarchy=sort.tree),
            Column("y", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
        )
    )
    whole = [
        info.id
        for info in methods.infos()
        if info.can_be_refined and not info.traits.univariate
    ]
    plan = Plan(
        method=data.draw(st.sampled_from(whole)),
        k=k,
        aggregations={"x": rule},
        missing="keep",
        rounding="none",
    )
    outcome = run(plan, Table.from_frame(frame, schema))
    assert outcome.k_verified
    for g in range(outcome.partition.n_groups):
        members = outcome.partition.members(g)
        group_values = column.iloc[members]
        cells = outcome.release.frame["x"].iloc[members]
        assert cells.nunique(dropna=False) == 1
        if group_values.isna().any():
            assert group_values.isna().all()
            assert cells.isna().all()
        else:
            assert_true_of(cells.iloc[0], group_values.tolist(), rule, sort)


def test_every_kind_meets_every_rule_that_fits_it() -> None:
    kinds = {(SORTS[name].kind, rule) for name, rule in COMBINATIONS}
    rules = {*MEANS, "median", "low-median", "mode", "interval", "generalise"}
    assert {rule for kind, rule in kinds if kind is Kind.CONTINUOUS} == rules
    assert {rule for kind, rule in kinds if kind is Kind.ORDINAL} == rules
    assert {rule for kind, rule in kinds if kind is Kind.NOMINAL} == {
        "mode",
        "generalise",
        "ancestor",
    }
