"""The figures of results as tables: one for every chart, and one of all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dashboard.facts import BOUND_NAMES, NONE, Facts, bounds
from dashboard.group_views import GroupView


def comparison_table(
    rows: Sequence[Facts], measured: Mapping[str, Mapping[str, float]] | None = None
) -> pd.DataFrame:
    """Return one line per result, least loss first within each k.

    Results that do not keep k come last: what they lose buys less.

    Parameters
    ----------
    rows : sequence of Facts
    measured : mapping of str to mapping of str to float, optional
        More columns by title: figures by the rows' keys.
    """
    ordered = sorted(rows, key=lambda row: (row.k, not row.keeps_k, row.lost))
    frame = pd.DataFrame(
        {
            "Method": [row.title for row in ordered],
            "k": [row.k for row in ordered],
            "IL (%)": [row.loss for row in ordered],
            "Lower bound (%)": [
                None if row.bound_kind == NONE else row.bound for row in ordered
            ],
            "Bound": [BOUND_NAMES.get(row.bound_kind, "") for row in ordered],
            "Gap (%)": [None if row.bound_kind == NONE else row.gap for row in ordered],
            "NCP (%)": [row.penalty for row in ordered],
            "Groups": [row.n_groups for row in ordered],
            "Smallest": [min(row.sizes) for row in ordered],
            "Mean size": [row.n_records / row.n_groups for row in ordered],
            "Largest": [max(row.sizes) for row in ordered],
            "C_avg": [row.class_size for row in ordered],
            "DM": [row.discernibility for row in ordered],
            "Seconds": [row.seconds for row in ordered],
            "k as released": [row.k_released for row in ordered],
            "Scaling": [row.scaling for row in ordered],
        }
    )
    for title, values in (measured or {}).items():
        frame[title] = [values.get(row.key) for row in ordered]
    if all(row.drawn is None for row in ordered):
        return frame
    sizes = [
        (math.nan, math.nan)
        if row.drawn is None
        else (row.drawn.expected_size, 100.0 * row.drawn.share_below)
        for row in ordered
    ]
    return frame.assign(
        **{
            "Expected size": [expected for expected, _ in sizes],
            "Below k (%)": [below for _, below in sizes],
        }
    )


def loss_table(rows: Sequence[Facts]) -> pd.DataFrame:
    """Return the loss per method (lines) and k (columns), the bound last."""
    sizes = sorted({row.k for row in rows})
    titles = list(dict.fromkeys(row.title for row in rows))
    cells = {(row.title, row.k): row.loss for row in rows}
    least = bounds(rows)
    content: dict[str, list[object]] = {"Method": [*titles, "Lower bound"]}
    for k in sizes:
        column: list[object] = [cells.get((title, k)) for title in titles]
        content[f"k = {k}"] = [*column, least[k]]
    return pd.DataFrame(content)


def penalty_table(rows: Sequence[Facts]) -> pd.DataFrame:
    """Return the certainty penalty per method (lines) and k (columns)."""
    sizes = sorted({row.k for row in rows})
    titles = list(dict.fromkeys(row.title for row in rows))
    cells = {(row.title, row.k): row.penalty for row in rows}
    content: dict[str, list[object]] = {"Method": [*titles]}
    for k in sizes:
        content[f"k = {k}"] = [cells.get((title, k)) for title in titles]
    return pd.DataFrame(content)


def size_table(rows: Sequence[Facts]) -> pd.DataFrame:
    """Return how many groups of each size every result has."""
    lines = [
        (row.title, row.k, size, count)
        for row in rows
        for size, count in sorted(row.sizes.items())
    ]
    return pd.DataFrame(lines, columns=["Method", "k", "Group size", "Groups"])


def group_table(views: Sequence[GroupView]) -> pd.DataFrame:
    """Return each shown group's centre and spread in the plane."""
    parts = []
    for view in views:
        frame = pd.DataFrame(view.points, columns=["x", "y"])
        grouped = frame.groupby(view.labels)
        spread = np.sqrt(np.square(frame - grouped.transform("mean")).sum(axis=1))
        parts.append(
            pd.DataFrame(
                {
                    "Method": view.title,
                    "Group": grouped.size().index + 1,
                    "Records": grouped.size().to_numpy(),
                    "Centre, component 1": grouped["x"].mean().to_numpy(),
                    "Centre, component 2": grouped["y"].mean().to_numpy(),
                    "Mean distance to centre": spread.groupby(view.labels)
                    .mean()
                    .to_numpy(),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)
