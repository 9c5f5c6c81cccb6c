"""Verdicts on all printed cells, and differences, by method; kept for the manual."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from engine.analysis.published.reproduce import (
    VERDICT_KINDS,
    ComparisonRow,
    RawAndZscoreRow,
    read_reference_tables,
    run_and_compare_cells_apart,
    run_and_compare_published_cells,
    verdict_of_comparison,
)
from tests.benchmarks import data

RESULTS = Path(__file__).parent / "verdicts.json"

Counts = dict[str, dict[str, int]]


def count_by_method(
    plain: tuple[ComparisonRow, ...], scaled: tuple[RawAndZscoreRow, ...] = ()
) -> Counts:
    """Return how many cells of each method have each verdict."""
    rows = (*plain, *(pair.row_on("zscore") for pair in scaled))
    counters: dict[str, Counter[str]] = {}
    for row in rows:
        counters.setdefault(row.printed.method, Counter())[
            verdict_of_comparison(row)
        ] += 1
    return {
        name: {kind: counts[kind] for kind in VERDICT_KINDS if counts[kind]}
        for name, counts in sorted(counters.items())
    }


def extreme_differences(
    plain: tuple[ComparisonRow, ...],
) -> dict[str, tuple[float, float]]:
    """Return the least and the greatest difference of each method, in per cent.

    Of cells that are lower or higher than printed; methods without such cells are left
    out.
    """
    differences: dict[str, list[float]] = {}
    for row in plain:
        if verdict_of_comparison(row) in ("lower", "higher"):
            differences.setdefault(row.printed.method, []).append(
                row.relative_difference
            )
    return {
        name: (round(min(some), 1), round(max(some), 1))
        for name, some in sorted(differences.items())
    }


def stored_counts(key: str = "cells") -> Counts:
    """Return the counts as they were last made; ``apart`` for the cells apart."""
    counts: Counts = json.loads(RESULTS.read_text(encoding="utf-8"))[key]
    return counts


def stored_differences() -> dict[str, tuple[float, float]]:
    """Return the least and the greatest differences as they were last measured."""
    differences: dict[str, tuple[float, float]] = json.loads(
        RESULTS.read_text(encoding="utf-8")
    )["differences"]
    return differences


def main() -> None:
    """Run all printed cells, and those apart, and keep the counts."""
    folder = data.casc_folder()
    assert folder is not None, "set COTERIE_CASC to the folder of the reference tables"
    tables = read_reference_tables(folder)
    plain, scaled = run_and_compare_published_cells(tables)
    apart = run_and_compare_cells_apart(tables)
    figures = {
        "cells": count_by_method(plain, scaled),
        "apart": count_by_method(apart),
        "differences": extreme_differences((*plain, *apart)),
    }
    RESULTS.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
