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
                "column": comparison.column,
                "level": "all records"
                if comparison.level == ALL_RECORDS_LEVEL
                else comparison.level or "missing",
                "before": _summary_facts(comparison.before, outcome.plan.k),
                "after": _summary_facts(comparison.after, outcome.plan.k),
            }
            for comparison in compare_numeric_summaries(outcome, table, by_column)
        ],
        "counts": [
            {
                "column": comparison.column,
                "values": [value or "missing" for value in comparison.values],
                "lines": [
                    {
                        "level": level or "missing",
                        "pairs": list(zip(before, after, strict=True)),
                    }
                    for level, before, after in zip(
                        comparison.levels,
                        comparison.before,
                        comparison.after,
                        strict=True,
                    )
                ],
            }
            for comparison in (
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
