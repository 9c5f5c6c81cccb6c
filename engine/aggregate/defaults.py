"""Suitable and default aggregations by the kind of a column."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from engine.aggregate.base import aggregations
from engine.data.conversion.numeric import is_numeric_column
from engine.data.kinds import Kind
from engine.data.table import Table

AUTO = "auto"
"""The aggregation that suits the method and the column's kind."""

MIN_RECORDS_PER_DATE = 3
"""Records of a date, on average, from which dates are those of waves or months."""


def suitable_aggregation_ids(
    kind: Kind, column: pd.Series, has_tree: bool
) -> frozenset[str]:
    """Return the identifiers of the aggregations that suit a column.

    Parameters
    ----------
    kind : Kind
    column : pandas.Series
    has_tree : bool
        Whether the column has a hierarchy; nominal ones always do.
    """
    has_tree = has_tree or kind is Kind.NOMINAL
    words = _is_ordered_text(kind, column)
    dates = pd.api.types.is_datetime64_any_dtype(column.dtype)
    return frozenset(
        info.id
        for info in aggregations.infos()
        if kind in info.kinds
        and (has_tree or not info.hierarchy)
        and (info.ranks or not words)
        and (info.dates or not dates)
    )


def suitable_or_default_aggregation_id(
    kind: Kind, column: pd.Series, has_tree: bool, release: str, aggregation: str = AUTO
) -> str:
    """Return the aggregation's identifier if it suits a column, else a default's.

    Parameters
    ----------
    kind : Kind
    column : pandas.Series
    has_tree : bool
    release : {"mean", "generalised", "kind"}
        What the method releases by itself, see :class:`engine.methods.base.Traits`.
    aggregation : str
        The plan's aggregation.
    """
    if aggregation in suitable_aggregation_ids(kind, column, has_tree):
        return aggregation
    if aggregation == AUTO:
        wide = release == "generalised"
    else:
        wide = not aggregations.info(aggregation).common.numeric
    if kind is Kind.NOMINAL:
        if wide:
            return "generalise"
        return "ancestor" if has_tree and release == "mean" else "mode"
    if wide:
        return "interval"
    by_kind = kind is Kind.ORDINAL and release == "kind"
    return "median" if by_kind or _is_ordered_text(kind, column) else "mean"


def low_median_for_rank_columns(
    table: Table, kinds: Mapping[str, Kind]
) -> dict[str, str]:
    """Return a mapping of ordinal columns of numbers or repeated dates to "low-median".

    Such columns hold numbers, or dates that come again as those of visits or months:
    their common value is one of the file's own.

    Parameters
    ----------
    kinds : mapping of str to Kind
        Kind of each column.
    """
    return {
        name: "low-median"
        for name, kind in kinds.items()
        if kind is Kind.ORDINAL and _holds_ranks(table, name)
    }


def _holds_ranks(table: Table, name: str) -> bool:
    """Return whether ordered values are numbers or dates that come again."""
    column = table.frame[name]
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return MIN_RECORDS_PER_DATE * table.n_distinct(name) <= column.count()
    return is_numeric_column(column)


def _is_ordered_text(kind: Kind, column: pd.Series) -> bool:
    """Whether the values are ordered words, whose mean has no meaning."""
    return kind is Kind.ORDINAL and not _is_additive(column)


def _is_additive(column: pd.Series) -> bool:
    """Whether a column holds numbers or dates."""
    types = pd.api.types
    return bool(
        types.is_numeric_dtype(column.dtype)
        or types.is_datetime64_any_dtype(column.dtype)
    )
