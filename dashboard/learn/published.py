"""Published figures: tables, verdicts and sentences about them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dashboard.charts.verdicts import (
    HIGHER,
    LOWER,
    format_as_printed,
    format_signed,
    method_title,
    table_title,
    verdict_of_row,
)
from dashboard.i18n import text_learn
from dashboard.i18n.language import _, listed
from dashboard.i18n.text_learn import (
    BEST,
    BOUND,
    DIFFERENCE,
    EXCESS,
    ON,
    OTHERS,
    OURS,
    PRINTED,
    REASON,
)
from engine.analysis.literature import PrintedCell, printed_cells, printed_cells_of
from engine.analysis.proven import PrintedExcess
from engine.analysis.reproduce import ComparisonRow, ScalingRow


def verdict_text(row: ComparisonRow) -> str:
    """Return what the two numbers of a row say about each other, for people."""
    kind = verdict_of_row(row)
    if kind not in (LOWER, HIGHER):
        return _(kind)
    share = f"{abs(row.relative_difference):.1f}"
    if row.relative_difference > 0:
        return _("{share} % higher than printed").format(share=share)
    return _("{share} % lower than printed").format(share=share)


def methods_not_available(dataset: str) -> list[str]:
    """Return the methods with printed figures on a table that are not here."""
    there = set(printed_cells_of(dataset))
    return list(
        dict.fromkeys(
            method_title(cell.method)
            for cell in printed_cells()
            if cell.dataset == dataset and cell not in there
        )
    )


def printed_cell_table(printed: Sequence[PrintedCell]) -> pd.DataFrame:
    """Return printed cells alone, one line each, as numbers."""
    return pd.DataFrame(
        {
            _("Table"): [table_title(cell.dataset) for cell in printed],
            _("Method"): [method_title(cell.method) for cell in printed],
            "k": [cell.k for cell in printed],
            _(PRINTED): [cell.value for cell in printed],
            _("Source"): [cell.source for cell in printed],
        }
    )


def printed_cell_texts(printed: Sequence[PrintedCell]) -> pd.DataFrame:
    """Return the cells of :func:`printed_cell_table` as they were printed."""
    return printed_cell_table(printed).assign(
        **{_(PRINTED): [cell.text for cell in printed]}
    )


def comparison_row_table(rows: Sequence[ComparisonRow]) -> pd.DataFrame:
    """Return printed and our figures, one line per cell, as numbers."""
    frame = pd.DataFrame(
        {
            _("Method"): [method_title(row.printed.method) for row in rows],
            "k": [row.printed.k for row in rows],
            _(PRINTED): [row.printed.value for row in rows],
            _(OURS): [row.ours for row in rows],
            _(DIFFERENCE): [row.relative_difference for row in rows],
            _("Verdict"): [verdict_text(row) for row in rows],
            _(BOUND): [row.strongest_bound for row in rows],
            _(BEST): [
                None if row.optimum is None else row.optimum.loss for row in rows
            ],
            _(EXCESS): [row.printed_excess for row in rows],
            _(ON): [_(row.terms.to_message) for row in rows],
            _(OTHERS): [
                "; ".join(
                    f"{_(terms.to_message)}: {format_as_printed(loss, row.printed)}"
                    for terms, loss in row.others
                )
                for row in rows
            ],
            _(REASON): [
                "" if row.difference_reason is None else _(row.difference_reason)
                for row in rows
            ],
            _("Source"): [row.printed.source for row in rows],
        }
    )
    empty = [_(OTHERS)] if not frame[_(OTHERS)].any() else []
    if all(row.optimum is None for row in rows):
        empty += [_(BEST), _(EXCESS)]
    return frame.drop(columns=empty)


def comparison_row_texts(rows: Sequence[ComparisonRow]) -> pd.DataFrame:
    """Return the cells of :func:`comparison_row_table` as they are shown."""
    frame = comparison_row_table(rows)
    shown = {
        _(PRINTED): [row.printed.text for row in rows],
        _(OURS): [format_as_printed(row.ours, row.printed) for row in rows],
        _(DIFFERENCE): [format_signed(row.relative_difference) for row in rows],
        _(BOUND): [format_as_printed(row.strongest_bound, row.printed) for row in rows],
    }
    if _(BEST) in frame:
        shown[_(BEST)] = [
            "" if row.optimum is None else format_as_printed(one, row.printed)
            for row, one in zip(rows, frame[_(BEST)], strict=True)
        ]
        shown[_(EXCESS)] = [
            "" if row.printed_excess is None else f"{row.printed_excess:.1f}"
            for row in rows
        ]
    return frame.assign(**shown)


def printed_excess_table(cells: Sequence[PrintedExcess]) -> pd.DataFrame:
    """Return how far printed losses are above the best, one line per cell."""
    return pd.DataFrame(
        {
            _("Table"): [table_title(cell.printed.dataset) for cell in cells],
            _("Method"): [method_title(cell.printed.method) for cell in cells],
            "k": [cell.printed.k for cell in cells],
            _(PRINTED): [cell.printed.value for cell in cells],
            _(BEST): [cell.optimum.loss for cell in cells],
            _(BOUND): [cell.optimum.bound for cell in cells],
            _(EXCESS): [cell.per_cent for cell in cells],
            _(ON): [_(cell.printed.printed_terms.to_message) for cell in cells],
        }
    )


def two_scalings_table(pairs: Sequence[ScalingRow]) -> pd.DataFrame:
    """Return the pairwise systematic column on both scalings, one line per k."""
    return pd.DataFrame(
        {
            "k": [pair.printed.k for pair in pairs],
            _(PRINTED): [pair.printed.value for pair in pairs],
            _("Ours, raw"): [pair.raw for pair in pairs],
            _("MDAV, raw"): [pair.mdav_raw for pair in pairs],
            _("Bound, raw"): [pair.bound_raw for pair in pairs],
            _("Ours, z-scored"): [pair.zscored for pair in pairs],
            _("MDAV, z-scored"): [pair.mdav_zscored for pair in pairs],
            _("Bound, z-scored"): [pair.bound_zscored for pair in pairs],
        }
    )


def two_scalings_texts(pairs: Sequence[ScalingRow]) -> pd.DataFrame:
    """Return the cells of :func:`two_scalings_table` as they are shown."""
    frame = two_scalings_table(pairs)
    shown = {
        name: [f"{value:.4f}" for value in frame[name]] for name in frame.columns[2:]
    }
    shown[_(PRINTED)] = [pair.printed.text for pair in pairs]
    return frame.assign(**shown)


def scaling_findings(pairs: Sequence[ScalingRow]) -> list[str]:
    """Say in sentences what the pairwise systematic figures show, and no more."""
    if not pairs:
        return []
    sizes = [pair.printed.k for pair in pairs]
    below = [pair.printed.value < pair.bound_zscored for pair in pairs]
    below_raw = [pair.printed.value < pair.bound_raw for pair in pairs]
    mdav_raw = [pair.mdav_raw < pair.printed.value for pair in pairs]
    mdav = [pair.mdav_zscored < pair.zscored for pair in pairs]
    return [
        _nearness_text(_(text_learn.NEAR_RAW), [pair.raw for pair in pairs], pairs),
        _nearness_text(
            _(text_learn.NEAR_ZSCORED), [pair.zscored for pair in pairs], pairs
        ),
        _which_sizes_text(text_learn.BELOW_ZSCORED, below, sizes),
        _which_sizes_text(text_learn.BELOW_RAW, below_raw, sizes),
        _which_sizes_text(text_learn.MDAV_RAW, mdav_raw, sizes),
        _which_sizes_text(text_learn.MDAV_ZSCORED, mdav, sizes),
    ]


def _nearness_text(claim: str, ours: list[float], pairs: Sequence[ScalingRow]) -> str:
    away = [
        100.0 * (value - pair.printed.value) / pair.printed.value
        for value, pair in zip(ours, pairs, strict=True)
    ]
    return claim.format(low=format_signed(min(away)), high=format_signed(max(away)))


def _which_sizes_text(
    claims: tuple[str, str, str], holds: list[bool], sizes: list[int]
) -> str:
    """Say for which k a claim holds: for every one, for some or for none."""
    every, some, none = map(_, claims)
    found = [str(k) for k, yes in zip(sizes, holds, strict=True) if yes]
    if not found:
        return none
    if len(found) == len(sizes):
        return every
    return some.format(sizes=listed(found))
