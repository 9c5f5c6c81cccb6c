"""Released columns as numbers in their own units, as measures need them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.aggregate import aggregations
from engine.core.typing import Integers, Values
from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy.words import index_and_list_distinct_texts
from engine.measures.reidentification.linkage import released_nodes
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.points.base import Points


def released_values_in_own_units(
    plan: ResolvedPlan, table: Table, points: Points, frame: pd.DataFrame
) -> Values:
    """Return released quasi-identifiers as numbers in the columns' own units.

    Parameters
    ----------
    table : Table
        The table that was protected.
    points : Points
        Its quasi-identifiers.
    frame : pandas.DataFrame, n_records rows
        The release.

    Returns
    -------
    ndarray of float64, shape (n_records, n_attributes)
        Where intervals or nodes of a hierarchy are released, the middle of the values
        that each stands for; cells that stay missing as in `points`; of categories
        the nodes of their hierarchy.
    """
    return np.column_stack(
        [
            released_column_in_own_units(plan, table, points, j, frame[name])
            for j, name in enumerate(points.names)
        ]
    )


def released_column_in_own_units(
    plan: ResolvedPlan, table: Table, points: Points, j: int, column: pd.Series
) -> Values:
    """Return one released quasi-identifier as numbers in the column's own units.

    Parameters
    ----------
    table, points
        As in :func:`released_values_in_own_units`.
    j : int
        Place of the column among them.
    column : pandas.Series, shape (n_records,)
        As it is released.
    """
    attribute, has_value = points.attributes[j], ~points.missing[:, j]
    released = points.values[:, j].copy()
    if attribute.is_nominal:
        assert attribute.tree is not None
        nodes = released_nodes(*index_and_list_distinct_texts(column), attribute.tree)
        released[has_value] = nodes[has_value]
        return released
    words = attribute.words is not None
    numeric = aggregations.info(plan.aggregations[attribute.name]).common.numeric
    if not numeric and (words or column.dtype != table.frame[attribute.name].dtype):
        codes = pd.factorize(column)[0][has_value]
        released[has_value] = _class_midpoints(released[has_value], codes)
    elif attribute.words is not None:
        ranks = attribute.words.get_indexer(pd.Index(column, dtype=object))
        released[has_value] = ranks[has_value]
    else:
        column_table = Table(
            column.to_frame(), Schema((Column(attribute.name, attribute.kind),)), ""
        )
        numbers = read_attribute_and_numbers(column_table, attribute.name)[1]
        released[has_value] = numbers[has_value]
    return released


def _class_midpoints(values: Values, codes: Integers) -> Values:
    """Return the midpoint of each class's values."""
    low = np.full(int(codes.max()) + 1, np.inf)
    high = -low
    np.minimum.at(low, codes, values)
    np.maximum.at(high, codes, values)
    middle: Values = (low + high) / 2
    return middle[codes]
