"""Published losses compared with ours: tables, verdicts and sentences."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dashboard.charts.verdicts import (
    HIGHER,
    LOWER,
    dataset_title,
    format_as_printed,
    format_difference,
    published_method_title,
    verdict_label,
)
from dashboard.i18n import text_learn
from dashboard.i18n.language import _, join_names
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
from engine.analysis.published.literature import (
    PrintedCell,
    printed_cells,
    runnable_cells,
)
from engine.analysis.published.proven import PrintedExcess
from engine.analysis.published.reproduce import ComparisonRow, RawAndZscoreRow


def comparison_verdict_text(comparison: ComparisonRow) -> str:
    """Return in words how our loss compares with the printed one."""
    kind = verdict_label(comparison)
    if kind not in (LOWER, HIGHER):
        return _(kind)
    share = f"{abs(comparison.relative_difference):.1f}"
    if comparison.relative_difference > 0:
        return _("{share} % higher than printed").format(share=share)
    return _("{share} % lower than printed").format(share=share)


def unavailable_methods(dataset: str) -> list[str]:
    """Return identifiers of methods of a table's printed losses that are not here."""
    available_cells = set(runnable_cells(dataset))
    return list(
        dict.fromkeys(
            published_method_title(cell.method)
            for cell in printed_cells()
            if cell.dataset == dataset and cell not in available_cells
        )
    )


def printed_loss_table(cells: Sequence[PrintedCell]) -> pd.DataFrame:
    """Return a data frame of printed losses as numbers, a row per loss."""
    return pd.DataFrame(
        {
            _("Table"): [dataset_title(cell.dataset) for cell in cells],
            _("Method"): [published_method_title(cell.method) for cell in cells],
            "k": [cell.k for cell in cells],
            _(PRINTED): [cell.value for cell in cells],
            _("Source"): [cell.source for cell in cells],
        }
    )


def printed_loss_text_table(cells: Sequence[PrintedCell]) -> pd.DataFrame:
    """Return a data frame of printed losses as text, with the digits as printed."""
    return printed_loss_table(cells).assign(
        **{_(PRINTED): [cell.text for cell in cells]}
    )


def comparison_table(comparisons: Sequence[ComparisonRow]) -> pd.DataFrame:
    """Return a data frame with a row per comparison: losses as numbers, and verdict."""
    frame = pd.DataFrame(
        {
            _("Method"): [
                published_method_title(row.printed.method) for row in comparisons
            ],
            "k": [row.printed.k for row in comparisons],
            _(PRINTED): [row.printed.value for row in comparisons],
            _(OURS): [row.ours for row in comparisons],
            _(DIFFERENCE): [row.relative_difference for row in comparisons],
            _("Verdict"): [comparison_verdict_text(row) for row in comparisons],
            _(BOUND): [row.strongest_bound for row in comparisons],
            _(BEST): [
                None if row.optimum is None else row.optimum.loss for row in comparisons
            ],
            _(EXCESS): [row.printed_excess for row in comparisons],
            _(ON): [_(row.basis.to_message) for row in comparisons],
            _(OTHERS): [
                "; ".join(
                    f"{_(basis.to_message)}: {format_as_printed(loss, row.printed)}"
                    for basis, loss in row.others
                )
                for row in comparisons
            ],
            _(REASON): [
                "" if row.difference_reason is None else _(row.difference_reason)
                for row in comparisons
            ],
            _("Source"): [row.printed.source for row in comparisons],
        }
    )
    empty = [_(OTHERS)] if not frame[_(OTHERS)].any() else []
    if all(row.optimum is None for row in comparisons):
        empty += [_(BEST), _(EXCESS)]
    return frame.drop(columns=empty)


def comparison_text_table(comparisons: Sequence[ComparisonRow]) -> pd.DataFrame:
    """Return a data frame with a row per comparison: losses as text, and verdict."""
    frame = comparison_table(comparisons)
    texts = {
        _(PRINTED): [row.printed.text for row in comparisons],
        _(OURS): [format_as_printed(row.ours, row.printed) for row in comparisons],
        _(DIFFERENCE): [
            format_difference(row.relative_difference) for row in comparisons
        ],
        _(BOUND): [
            format_as_printed(row.strongest_bound, row.printed) for row in comparisons
        ],
    }
    if _(BEST) in frame:
        texts[_(BEST)] = [
            "" if row.optimum is None else format_as_printed(loss, row.printed)
            for row, loss in zip(comparisons, frame[_(BEST)], strict=True)
        ]
        texts[_(EXCESS)] = [
            "" if row.printed_excess is None else f"{row.printed_excess:.1f}"
            for row in comparisons
        ]
    return frame.assign(**texts)


def printed_excess_table(cells: Sequence[PrintedExcess]) -> pd.DataFrame:
    """Return a data frame of printed losses, best known ones, bounds and the excess."""
    return pd.DataFrame(
        {
            _("Table"): [dataset_title(cell.printed.dataset) for cell in cells],
            _("Method"): [
                published_method_title(cell.printed.method) for cell in cells
            ],
            "k": [cell.printed.k for cell in cells],
            _(PRINTED): [cell.printed.value for cell in cells],
            _(BEST): [cell.optimum.loss for cell in cells],
            _(BOUND): [cell.optimum.bound for cell in cells],
            _(EXCESS): [cell.per_cent for cell in cells],
            _(ON): [_(cell.printed.loss_basis.to_message) for cell in cells],
        }
    )


def two_scalings_table(scaling_rows: Sequence[RawAndZscoreRow]) -> pd.DataFrame:
    """Return a data frame of printed losses and ours on two scalings, as numbers."""
    return pd.DataFrame(
        {
            "k": [pair.printed.k for pair in scaling_rows],
            _(PRINTED): [pair.printed.value for pair in scaling_rows],
            _("Ours, raw"): [pair.raw for pair in scaling_rows],
            _("MDAV, raw"): [pair.mdav_raw for pair in scaling_rows],
            _("Bound, raw"): [pair.bound_raw for pair in scaling_rows],
            _("Ours, z-scored"): [pair.zscored for pair in scaling_rows],
            _("MDAV, z-scored"): [pair.mdav_zscored for pair in scaling_rows],
            _("Bound, z-scored"): [pair.bound_zscored for pair in scaling_rows],
        }
    )


def two_scalings_text_table(scaling_rows: Sequence[RawAndZscoreRow]) -> pd.DataFrame:
    """Return a data frame of printed losses and ours on two scalings, as text."""
    frame = two_scalings_table(scaling_rows)
    texts = {
        name: [f"{value:.4f}" for value in frame[name]] for name in frame.columns[2:]
    }
    texts[_(PRINTED)] = [pair.printed.text for pair in scaling_rows]
    return frame.assign(**texts)


def scaling_finding_sentences(scaling_rows: Sequence[RawAndZscoreRow]) -> list[str]:
    """Return sentences that compare printed losses with ours on two scalings."""
    if not scaling_rows:
        return []
    sizes = [pair.printed.k for pair in scaling_rows]
    printed = [pair.printed.value for pair in scaling_rows]
    ours_raw = [pair.raw for pair in scaling_rows]
    zscored_losses = [pair.zscored for pair in scaling_rows]
    below = [pair.printed.value < pair.bound_zscored for pair in scaling_rows]
    below_raw = [pair.printed.value < pair.bound_raw for pair in scaling_rows]
    mdav_raw = [pair.mdav_raw < pair.printed.value for pair in scaling_rows]
    mdav = [pair.mdav_zscored < pair.zscored for pair in scaling_rows]
    return [
        _nearness_text(text_learn.NEAR_RAW, ours_raw, printed),
        _nearness_text(text_learn.NEAR_ZSCORED, zscored_losses, printed),
        _which_sizes_text(text_learn.BELOW_ZSCORED, below, sizes),
        _which_sizes_text(text_learn.BELOW_RAW, below_raw, sizes),
        _which_sizes_text(text_learn.MDAV_RAW, mdav_raw, sizes),
        _which_sizes_text(text_learn.MDAV_ZSCORED, mdav, sizes),
    ]


def _nearness_text(claim: str, ours: list[float], printed: list[float]) -> str:
    differences = [
        100.0 * (value - loss) / loss for value, loss in zip(ours, printed, strict=True)
    ]
    low, high = format_difference(min(differences)), format_difference(max(differences))
    return _(claim).format(low=low, high=high)


def _which_sizes_text(
    claims: tuple[str, str, str], holds: list[bool], sizes: list[int]
) -> str:
    """Say for which k a claim holds: for every one, for some or for none."""
    every, some, none = map(_, claims)
    size_texts = [str(k) for k, yes in zip(sizes, holds, strict=True) if yes]
    if not size_texts:
        return none
    if len(size_texts) == len(sizes):
        return every
    return some.format(sizes=join_names(size_texts))
