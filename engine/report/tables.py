"""Tables before and after protection as facts of an internal report."""

from __future__ import annotations

from typing import Any

from engine.analysis.before_after import (
    ALL_RECORDS_LEVEL,
    NumericColumnSummary,
    compare_numeric_summaries,
    cross_tabulate_categories,
)
from engine.data.table import Table
from engine.pipeline.outcome import Outcome


def means_and_counts_facts(
    outcome: Outcome, table: Table, by_column: str = ""
) -> dict[str, Any]:
    """Return means, deviations and counts before and after protection, in a dict.

    Nothing shows a single record's value: no extremes, no medians, and no means of
    fewer than k records.

    Parameters
    ----------
    table : Table
        What was protected.
    by_column : str
        A column of few values; empty for all records alone.

    Raises
    ------
    ParameterError, InputError
        As for :func:`engine.analysis.before_after.compare_numeric_summaries`.
    """
    return {
        "by": by_column,
        "summaries": [
            {
                "column": one.column,
                "level": "all records"
                if one.level == ALL_RECORDS_LEVEL
                else one.level or "missing",
                "before": _summary_facts(one.before, outcome.plan.k),
                "after": _summary_facts(one.after, outcome.plan.k),
            }
            for one in compare_numeric_summaries(outcome, table, by_column)
        ],
        "counts": [
            {
                "column": one.column,
                "values": [value or "missing" for value in one.values],
                "lines": [
                    {
                        "level": level or "missing",
                        "pairs": list(zip(before, after, strict=True)),
                    }
                    for level, before, after in zip(
                        one.levels, one.before, one.after, strict=True
                    )
                ],
            }
            for one in (
                cross_tabulate_categories(outcome, table, by_column)
                if by_column
                else ()
            )
        ],
    }


def _summary_facts(figures: NumericColumnSummary, k: int) -> dict[str, float | None]:
    enough = figures.records >= k
    return {
        "records": figures.records,
        "mean": figures.mean if enough else None,
        "deviation": figures.deviation if enough else None,
    }
