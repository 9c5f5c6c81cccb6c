"""Published figures: tables, verdicts and sentences about them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dashboard.charts.verdicts import (
    HIGHER,
    LOWER,
    as_printed,
    method_title,
    signed,
    verdict_kind,
)
from dashboard.i18n import text_learn
from dashboard.i18n.language import _, listed
from dashboard.i18n.text_learn import (
    BOUND,
    DIFFERENCE,
    ON,
    OTHERS,
    OURS,
    PRINTED,
    REASON,
)
from engine.analysis.literature import Printed, cells, published
from engine.analysis.reproduce import Row, ScalingRow


def verdict(row: Row) -> str:
    """Return what the two numbers of a row say about each other, for people."""
    kind = verdict_kind(row)
    if kind not in (LOWER, HIGHER):
        return _(kind)
    share = f"{abs(row.difference):.1f}"
    if row.difference > 0:
        return _("{share} % higher than printed").format(share=share)
    return _("{share} % lower than printed").format(share=share)


def table_title(dataset: str) -> str:
    """Return a reference table's name on screen."""
    return dataset.upper() if dataset == "eia" else dataset.capitalize()


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
            _("Table"): [table_title(cell.dataset) for cell in printed],
            _("Method"): [method_title(cell.method) for cell in printed],
            "k": [cell.k for cell in printed],
            _(PRINTED): [cell.value for cell in printed],
            _("Source"): [cell.source for cell in printed],
        }
    )


def printed_texts(printed: Sequence[Printed]) -> pd.DataFrame:
    """Return the cells of :func:`printed_table` as they were printed."""
    return printed_table(printed).assign(
        **{_(PRINTED): [cell.text for cell in printed]}
    )


def row_table(rows: Sequence[Row]) -> pd.DataFrame:
    """Return printed and our figures, one line per cell, as numbers."""
    frame = pd.DataFrame(
        {
            _("Method"): [method_title(row.printed.method) for row in rows],
            "k": [row.printed.k for row in rows],
            _(PRINTED): [row.printed.value for row in rows],
            _(OURS): [row.ours for row in rows],
            _(DIFFERENCE): [row.difference for row in rows],
            _("Verdict"): [verdict(row) for row in rows],
            _(BOUND): [row.bound for row in rows],
            _(ON): [_(row.terms.text) for row in rows],
            _(OTHERS): [
                "; ".join(
                    f"{_(terms.text)}: {as_printed(loss, row.printed)}"
                    for terms, loss in row.others
                )
                for row in rows
            ],
            _(REASON): ["" if row.reason is None else _(row.reason) for row in rows],
            _("Source"): [row.printed.source for row in rows],
        }
    )
    return frame if frame[_(OTHERS)].any() else frame.drop(columns=_(OTHERS))


def row_texts(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the cells of :func:`row_table` as they are shown."""
    return row_table(rows).assign(
        **{
            _(PRINTED): [row.printed.text for row in rows],
            _(OURS): [as_printed(row.ours, row.printed) for row in rows],
            _(DIFFERENCE): [signed(row.difference) for row in rows],
            _(BOUND): [as_printed(row.bound, row.printed) for row in rows],
        }
    )


def scaling_table(pairs: Sequence[ScalingRow]) -> pd.DataFrame:
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


def scaling_texts(pairs: Sequence[ScalingRow]) -> pd.DataFrame:
    """Return the cells of :func:`scaling_table` as they are shown."""
    frame = scaling_table(pairs)
    shown = {
        name: [f"{value:.4f}" for value in frame[name]] for name in frame.columns[2:]
    }
    shown[_(PRINTED)] = [pair.printed.text for pair in pairs]
    return frame.assign(**shown)


def findings(pairs: Sequence[ScalingRow]) -> list[str]:
    """Say in sentences what the pairwise systematic figures show, and no more."""
    if not pairs:
        return []
    sizes = [pair.printed.k for pair in pairs]
    below = [pair.printed.value < pair.bound_zscored for pair in pairs]
    below_raw = [pair.printed.value < pair.bound_raw for pair in pairs]
    mdav_raw = [pair.mdav_raw < pair.printed.value for pair in pairs]
    mdav = [pair.mdav_zscored < pair.zscored for pair in pairs]
    return [
        _how_near(_(text_learn.NEAR_RAW), [pair.raw for pair in pairs], pairs),
        _how_near(_(text_learn.NEAR_ZSCORED), [pair.zscored for pair in pairs], pairs),
        _where(text_learn.BELOW_ZSCORED, below, sizes),
        _where(text_learn.BELOW_RAW, below_raw, sizes),
        _where(text_learn.MDAV_RAW, mdav_raw, sizes),
        _where(text_learn.MDAV_ZSCORED, mdav, sizes),
    ]


def _how_near(claim: str, ours: list[float], pairs: Sequence[ScalingRow]) -> str:
    away = [
        100.0 * (value - pair.printed.value) / pair.printed.value
        for value, pair in zip(ours, pairs, strict=True)
    ]
    return claim.format(low=signed(min(away)), high=signed(max(away)))


def _where(claims: tuple[str, str, str], holds: list[bool], sizes: list[int]) -> str:
    """Say for which k a claim holds: for every one, for some or for none."""
    every, some, none = map(_, claims)
    found = [str(k) for k, yes in zip(sizes, holds, strict=True) if yes]
    if not found:
        return none
    if len(found) == len(sizes):
        return every
    return some.format(sizes=listed(found))
