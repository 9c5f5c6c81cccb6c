"""Tables of the figures in the charts of the Compare page, and of all results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from dashboard.app_pages.compare.pinned.two_figures import MeasureComparison
from dashboard.charts.inputs import (
    NO_BOUND_KIND,
    AttributeDistribution,
    CorrelationChanges,
    GroupView,
    ResultFigures,
    bounds_by_k,
)
from dashboard.i18n import text
from dashboard.i18n.language import _


def all_results_table(
    results: Sequence[ResultFigures],
    extra_scores: Mapping[str, Mapping[str, float]] | None = None,
) -> pd.DataFrame:
    """Return a table with a line per result, by k, whether k is kept, and loss.

    Within a k, results that do not keep it come last: what they lose buys less.

    Parameters
    ----------
    results : sequence of ResultFigures
    extra_scores : mapping of str to mapping of str to float, optional
        More columns by title: figures by the rows' keys.
    """
    lines = sort_for_results_table(results)
    frame = pd.DataFrame(
        {
            _("Method"): [row.title for row in lines],
            "k": [row.k for row in lines],
            _("IL (%)"): [row.loss for row in lines],
            _("Lower bound (%)"): [
                None if row.bound_kind == NO_BOUND_KIND else row.bound for row in lines
            ],
            _("Bound"): [_(text.BOUND_NAMES.get(row.bound_kind, "")) for row in lines],
            _("Avoidable at most (%)"): [
                None if row.bound_kind == NO_BOUND_KIND else row.gap for row in lines
            ],
            _("NCP (%)"): [row.penalty for row in lines],
            _("Groups"): [row.n_groups for row in lines],
            _("Smallest"): [min(row.sizes) for row in lines],
            _("Mean size"): [row.n_records / row.n_groups for row in lines],
            _("Largest"): [max(row.sizes) for row in lines],
            "C_avg": [row.class_size for row in lines],
            "DM": [row.discernibility for row in lines],
            _("Seconds"): [row.seconds for row in lines],
            _("k as released"): [row.k_released for row in lines],
            _("Scaling"): [row.scaling for row in lines],
        }
    )
    if any(row.spreads for row in lines):
        over = [row.spreads.get("information_loss") for row in lines]
        frame[_("Seeds")] = [row.n_seeds for row in lines]
        frame[_("IL, mean of seeds (%)")] = [
            spread.mean if spread else None for spread in over
        ]
        frame[_("IL, deviation (%)")] = [
            spread.deviation if spread else None for spread in over
        ]
    for title, values in (extra_scores or {}).items():
        frame[title] = [values.get(row.key) for row in lines]
    if all(row.drawn is None for row in lines):
        return frame
    sizes = [
        (math.nan, math.nan)
        if row.drawn is None
        else (row.drawn.mean_expected_size, 100.0 * row.drawn.share_below)
        for row in lines
    ]
    return frame.assign(
        **{
            _("Expected size"): [expected for expected, _below in sizes],
            _("Below k (%)"): [below for _expected, below in sizes],
        }
    )


def sort_for_results_table(results: Sequence[ResultFigures]) -> list[ResultFigures]:
    """Return results sorted by k, then those that keep k first, then by rising loss."""
    return sorted(results, key=lambda row: (row.k, not row.keeps_k, row.loss))


def loss_by_k_table(results: Sequence[ResultFigures]) -> pd.DataFrame:
    """Return a table of losses: a line per method, one of bounds; a column per k."""
    content = _columns_by_k(results, lambda row: row.loss)
    last = (_("Lower bound"), *bounds_by_k(results).values())
    for column, value in zip(content.values(), last, strict=True):
        column.append(value)
    return pd.DataFrame(content)


def penalty_by_k_table(results: Sequence[ResultFigures]) -> pd.DataFrame:
    """Return a table of certainty penalties, a line per method and a column per k."""
    return pd.DataFrame(_columns_by_k(results, lambda row: row.penalty))


def _columns_by_k(
    rows: Sequence[ResultFigures], value: Callable[[ResultFigures], float]
) -> dict[str, list[object]]:
    """Return a figure's columns: methods, and the figure for each k."""
    titles = list(dict.fromkeys(row.title for row in rows))
    cells = {(row.title, row.k): value(row) for row in rows}
    content: dict[str, list[object]] = {_("Method"): [*titles]}
    for k in sorted({row.k for row in rows}):
        content[f"k = {k}"] = [cells.get((title, k)) for title in titles]
    return content


def group_size_table(results: Sequence[ResultFigures]) -> pd.DataFrame:
    """Return a table with a line per result and group size: the number of groups."""
    lines = [
        (row.title, row.k, size, count)
        for row in results
        for size, count in sorted(row.sizes.items())
    ]
    return pd.DataFrame(lines, columns=[_("Method"), "k", _("Group size"), _("Groups")])


def group_centre_table(group_views: Sequence[GroupView]) -> pd.DataFrame:
    """Return a table of groups' drawn records: number, centre and mean distance."""
    parts = []
    for view in group_views:
        frame = pd.DataFrame(view.points, columns=["x", "y"])
        grouped = frame.groupby(view.labels)
        spread = np.sqrt(np.square(frame - grouped.transform("mean")).sum(axis=1))
        parts.append(
            pd.DataFrame(
                {
                    _("Method"): view.title,
                    "k": view.k,
                    _("Group"): grouped.size().index + 1,
                    _("Records"): grouped.size().to_numpy(),
                    _("Centre, component 1"): grouped["x"].mean().to_numpy(),
                    _("Centre, component 2"): grouped["y"].mean().to_numpy(),
                    _("Mean distance to centre"): spread.groupby(view.labels)
                    .mean()
                    .to_numpy(),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def pinned_measures_table(
    comparisons: Sequence[MeasureComparison], result_names: tuple[str, str]
) -> pd.DataFrame:
    """Return a table of the measures of two results, the better value marked."""
    return pd.DataFrame(
        {
            _("Measure"): [row.title for row in comparisons],
            **{
                result_names[place]: [
                    ("✓ " if row.better == place else "") + row.words[place]
                    for row in comparisons
                ]
                for place in (0, 1)
            },
            _("Direction"): [row.direction for row in comparisons],
            _("Meaning"): [row.meaning for row in comparisons],
        }
    )


def distribution_table(
    distributions: Sequence[AttributeDistribution], result_names: tuple[str, str]
) -> pd.DataFrame:
    """Return a table of shares per interval or category, original and two results."""
    lines = [
        (distribution.name, label, *(shares[at] for shares in distribution.shares))
        for distribution in distributions
        for at, label in enumerate(distribution.labels)
    ]
    columns = [_("Attribute"), _("Value"), _("Original (%)")]
    return pd.DataFrame(
        lines, columns=[*columns, *(f"{name} (%)" for name in result_names)]
    ).round(3)


def correlation_change_table(
    correlations: CorrelationChanges, result_names: tuple[str, str]
) -> pd.DataFrame:
    """Return a table of correlations before protection and changes in two results."""
    lines = [
        (
            correlations.names[j],
            correlations.names[i],
            correlations.before[i, j],
            *(change[i, j] for change in correlations.changes),
        )
        for i in range(len(correlations.names))
        for j in range(i)
    ]
    columns = [_("Attribute"), _("With"), _("Before")]
    changes = [_("Change, {result}").format(result=name) for name in result_names]
    return pd.DataFrame(lines, columns=[*columns, *changes]).round(4)


def pinned_group_size_table(
    counts_by_size: tuple[Mapping[int, int], Mapping[int, int]],
    result_names: tuple[str, str],
) -> pd.DataFrame:
    """Return a table of how many groups of each size two results have."""
    every = sorted({*counts_by_size[0], *counts_by_size[1]})
    return pd.DataFrame(
        {
            _("Group size"): every,
            **{
                name: [counts.get(size, 0) for size in every]
                for name, counts in zip(result_names, counts_by_size, strict=True)
            },
        }
    )
