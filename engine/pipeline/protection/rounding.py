"""Decimals and multiples to which released numbers are rounded."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from engine.aggregate import aggregations
from engine.constraints.exact_rounding.decimals import min_decimals_for_all_values
from engine.core.errors import ParameterError
from engine.data.conversion.attributes import AttributeInfo
from engine.data.table import Table
from engine.pipeline.planning.resolve_plan import ResolvedPlan


def rounding_decimals(
    rounding: str, table: Table, attributes: Sequence[AttributeInfo]
) -> tuple[int, ...]:
    """Return the number of decimals of each released attribute; -1 for unrounded.

    Words have no decimals; dates are whole days or not rounded at all, and neither
    are numbers that were computed, such as 1 / 3.

    Parameters
    ----------
    rounding : {"types", "precision", "none"}
        See :data:`engine.pipeline.fields.values.Rounding`.
    attributes : sequence of AttributeInfo
    """
    decimals = []
    for attribute in attributes:
        if rounding == "none" or attribute.words is not None:
            decimals.append(-1)
        elif attribute.whole:
            decimals.append(0)
        elif attribute.dates:
            decimals.append(-1)
        else:
            column = table.frame[attribute.name]
            single = column.dtype == np.float32
            form = np.float32 if single else np.float64
            decimals.append(
                min_decimals_for_all_values(
                    column.to_numpy(dtype=form, na_value=np.nan)
                )
            )
    return tuple(decimals)


def rule_safe_decimals(
    rounding: str,
    attributes: Sequence[AttributeInfo],
    bound_columns: Collection[str],
    decimals: Sequence[int],
) -> tuple[int, ...]:
    """Return decimals; with rounding "types", -1 for non-whole columns in rules.

    Parameters
    ----------
    rounding : {"types", "precision", "none"}
        Own decimals are a default of the first alone: others get what they ask for.
    attributes : sequence of AttributeInfo
    bound_columns : collection of str
        Columns that rules bind. They do without, but for whole numbers: types stay.
    decimals : sequence of int
        As :func:`rounding_decimals` gives them.
    """
    return tuple(
        -1
        if rounding == "types"
        and attribute.name in bound_columns
        and not attribute.whole
        else places
        for places, attribute in zip(decimals, attributes, strict=True)
    )


def check_rounding_bases(
    plan: ResolvedPlan, attributes: Sequence[AttributeInfo]
) -> None:
    """Raise if a column to round to multiples has released values that are no numbers.

    Raises
    ------
    ParameterError
    """
    for attribute in attributes:
        name = attribute.name
        if name not in plan.rounding_base:
            continue
        numeric = aggregations.info(plan.aggregations[name]).common.numeric
        if attribute.words is not None or attribute.dates or not numeric:
            raise ParameterError(
                "Column {column!r} has a rounding base, but its released values are no "
                "numbers: leave the base out, or choose the mean for the column.",
                column=name,
            )
