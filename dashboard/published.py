"""What the Learn page says about printed figures: tables, verdicts and sentences."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from engine.methods import methods
from engine.reproduce import Printed, Row, ScalingRow, cells, published

EQUAL = "equal to every printed digit"
CLOSE = "equal within 0.1 %"
LOWER = "lower than printed"
HIGHER = "higher than printed"
VERDICTS = (EQUAL, CLOSE, LOWER, HIGHER)

PRINTED, OURS = "Printed IL (%)", "Our IL (%)"
DIFFERENCE, BOUND = "Difference (%)", "Lower bound (%)"
"""Headings of columns."""


def verdict_kind(row: Row) -> str:
    """Return which of the four verdicts a row has."""
    if row.verdict in (EQUAL, CLOSE):
        return row.verdict
    return HIGHER if row.difference > 0 else LOWER


def method_title(method: str) -> str:
    """Return a method's name on screen; the identifier where it is not here."""
    return methods.info(method).title if method in methods else method


def table_title(dataset: str) -> str:
    """Return a reference table's name on screen."""
    return dataset.capitalize()


def as_printed(value: float, cell: Printed) -> str:
    """Return a value with as many digits as a cell was printed with."""
    return f"{value:.{cell.digits}f}"


def signed(value: float) -> str:
    """Return a difference with its sign; none where it rounds to nothing."""
    text = f"{value:+.2f}"
    return "0.00" if float(text) == 0 else text


def not_run(dataset: str) -> list[str]:
    """Return the methods with printed figures on a table that are not here."""
    there = set(cells(dataset))
    return list(
        dict.fromkeys(
            method_title(cell.method)
            for cell in published()
            if cell.dataset == dataset and cell not in there
        )
    )


def printed_table(printed: Sequence[Printed]) -> pd.DataFrame:
    """Return printed cells alone, one line each, as numbers."""
    return pd.DataFrame(
        {
            "Table": [table_title(cell.dataset) for cell in printed],
            "Method": [method_title(cell.method) for cell in printed],
            "k": [cell.k for cell in printed],
            PRINTED: [cell.value for cell in printed],
            "Source": [cell.source for cell in printed],
        }
    )


def printed_texts(printed: Sequence[Printed]) -> pd.DataFrame:
    """Return the cells of :func:`printed_table` as they were printed."""
    return printed_table(printed).assign(**{PRINTED: [cell.text for cell in printed]})


def row_table(rows: Sequence[Row]) -> pd.DataFrame:
    """Return printed and our figures, one line per cell, as numbers."""
    return pd.DataFrame(
        {
            "Method": [method_title(row.printed.method) for row in rows],
            "k": [row.printed.k for row in rows],
            PRINTED: [row.printed.value for row in rows],
            OURS: [row.ours for row in rows],
            DIFFERENCE: [row.difference for row in rows],
            "Verdict": [row.verdict for row in rows],
            BOUND: [row.bound for row in rows],
            "Source": [row.printed.source for row in rows],
        }
    )


def row_texts(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the cells of :func:`row_table` as they are shown."""
    return row_table(rows).assign(
        **{
            PRINTED: [row.printed.text for row in rows],
            OURS: [as_printed(row.ours, row.printed) for row in rows],
            DIFFERENCE: [signed(row.difference) for row in rows],
            BOUND: [as_printed(row.bound, row.printed) for row in rows],
        }
    )


def scaling_table(pairs: Sequence[ScalingRow]) -> pd.DataFrame:
    """Return the pairwise systematic column on both scalings, one line per k."""
    return pd.DataFrame(
        {
            "k": [pair.printed.k for pair in pairs],
            PRINTED: [pair.printed.value for pair in pairs],
            "Ours, raw": [pair.raw for pair in pairs],
            "MDAV, raw": [pair.mdav_raw for pair in pairs],
            "Bound, raw": [pair.bound_raw for pair in pairs],
            "Ours, z-scored": [pair.zscored for pair in pairs],
            "MDAV, z-scored": [pair.mdav_zscored for pair in pairs],
            "Bound, z-scored": [pair.bound_zscored for pair in pairs],
        }
    )


def scaling_texts(pairs: Sequence[ScalingRow]) -> pd.DataFrame:
    """Return the cells of :func:`scaling_table` as they are shown."""
    frame = scaling_table(pairs)
    shown = {
        name: [f"{value:.4f}" for value in frame[name]] for name in frame.columns[2:]
    }
    shown[PRINTED] = [pair.printed.text for pair in pairs]
    return frame.assign(**shown)


def findings(pairs: Sequence[ScalingRow]) -> list[str]:
    """Say in sentences what the pairwise systematic figures show, and no more."""
    if not pairs:
        return []
    return [
        _how_near("raw", [pair.raw for pair in pairs], pairs),
        _how_near("z-scored", [pair.zscored for pair in pairs], pairs),
        _where(
            "the printed figure is below the lower bound on z-scored values",
            [pair.printed.value < pair.bound_zscored for pair in pairs],
            pairs,
            ": no grouping can lose as little there",
        ),
        _where(
            "the printed figure is below the lower bound on raw values",
            [pair.printed.value < pair.bound_raw for pair in pairs],
            pairs,
        ),
        _where(
            "MDAV loses less than the printed figure on raw values",
            [pair.mdav_raw < pair.printed.value for pair in pairs],
            pairs,
        ),
        _where(
            "MDAV loses less than our pairwise systematic on z-scored values",
            [pair.mdav_zscored < pair.zscored for pair in pairs],
            pairs,
        ),
    ]


def _how_near(scaling: str, ours: list[float], pairs: Sequence[ScalingRow]) -> str:
    away = [
        100.0 * (value - pair.printed.value) / pair.printed.value
        for value, pair in zip(ours, pairs, strict=True)
    ]
    return (
        f"On {scaling} values our figures differ from the printed ones by "
        f"{signed(min(away))} % to {signed(max(away))} %."
    )


def _where(
    claim: str, holds: list[bool], pairs: Sequence[ScalingRow], so: str = ""
) -> str:
    """Say for which k a claim holds, and what follows there."""
    sizes = [str(p.printed.k) for p, yes in zip(pairs, holds, strict=True) if yes]
    if not sizes:
        return f"For no k {claim}."
    if len(sizes) == len(pairs):
        return f"For every k shown, {claim}{so}."
    *others, last = sizes
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"For k = {listed}, {claim}{so}."
